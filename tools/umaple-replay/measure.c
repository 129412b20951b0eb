/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * measure.c - replay a trace as often as asked, and say what it took.
 *
 * The first replay finds out when there are most ranges, and warms up.  The
 * others, one at least, are timed; the first of them measures the tree at that
 * moment.  Each checks every answer.
 */

#include "measure.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "array.h"

/* Times of the replays so far. */
struct samples {
	uint64_t *ns;
	size_t count;
	size_t room;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int samples_add(struct samples *s, uint64_t ns)
{
	void *array = array_room(s->ns, s->count, &s->room, sizeof(*s->ns));

	if (!array)
		return -ENOMEM;
	s->ns = array;
	s->ns[s->count++] = ns;
	return 0;
}

static int compare_ns(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static double samples_median(struct samples *s)
{
	size_t half = s->count / 2;

	qsort(s->ns, s->count, sizeof(*s->ns), compare_ns);
	if (s->count % 2)
		return (double)s->ns[half];
	return ((double)s->ns[half - 1] + (double)s->ns[half]) / 2;
}

uint64_t tally_wrong(const struct tally *t)
{
	/* A wrong final list is one of the wrong checks. */
	return t->checks_wrong + t->placements_wrong + t->coverage_wrong +
	       t->lookups_wrong;
}

/* Replays that are timed; the worst counts stay in @worst. */
static int replay_timed(const struct trace *t, struct replay_how *how,
			double until, struct tally *worst, struct samples *s)
{
	struct tally tally;
	int r;

	do {
		r = replay_trace(t, how, &tally);
		if (r == 0)
			r = samples_add(s, tally.ns);
		if (r < 0)
			return r;
		if (how->measure) {
			worst->nodes = tally.nodes;
			worst->bytes = tally.bytes;
		}
		how->measure = false;
		tally.nodes = worst->nodes;
		tally.bytes = worst->bytes;
		if (tally_wrong(&tally) > tally_wrong(worst))
			*worst = tally;
	} while (now() < until);
	return 0;
}

int measure_trace(const struct trace *t, const struct measure_how *how,
		  struct result *ret_result)
{
	double until = now() + how->seconds;
	struct replay_how replay = { .flags = how->flags,
				     .complain = how->complain };
	struct samples s = { 0 };
	struct result result = { .trace = t->name };
	struct tally *tally = &result.tally;
	int r = replay_trace(t, &replay, tally);

	replay.complain = false;
	replay.measure = true;
	replay.peak = tally->peak;
	if (r == 0)
		r = replay_timed(t, &replay, until, tally, &s);
	if (r == 0 && tally->calls)
		result.ns_per_call = samples_median(&s) / (double)tally->calls;
	if (tally->max_live)
		result.bytes_per_range =
			(double)tally->bytes / (double)tally->max_live;
	free(s.ns);
	if (r == 0)
		*ret_result = result;
	return r;
}
