/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "mix.h"

enum phase {
	GROW,	   /* short ranges anywhere */
	SPAN,	   /* long ones over short ones */
	APPEND,	   /* upwards, each after the last */
	SHRINK,	   /* erases and short NULL stores */
	DOWNWARD,  /* downwards, each before the last */
	ALTERNATE, /* entry, hole, entry, hole */
	ENDS,	   /* the ends of the key space, and all of it */
	DRAIN,	   /* erases from the lowest on, to nothing */
	PHASES
};

/* Cells from..to: what a phase wants to write. */
struct span {
	uint64_t from;
	uint64_t to;
	bool hole;
};

void mix_init(struct mix *mix, struct keys keys, unsigned long length,
	      struct rng *rng)
{
	mix->keys = keys;
	mix->rng = rng;
	mix->phase = GROW;
	mix->left = length;
	mix->length = length;
	mix->edge = 0;
}

static bool chance(struct mix *mix, unsigned int of)
{
	return rng_below(mix->rng, of) == 0;
}

static struct span span_anywhere(struct mix *mix, uint64_t longest)
{
	uint64_t cells = mix->keys.cells;
	uint64_t from = rng_below(mix->rng, cells);
	uint64_t length = 1 + rng_below(mix->rng, longest);

	if (length > cells - from)
		length = cells - from;
	return (struct span){ from, from + length - 1, false };
}

/* The next cell or two beyond the edge; from the top, start below again. */
static struct span span_at_edge(struct mix *mix)
{
	uint64_t from = mix->edge;
	uint64_t to = from + rng_below(mix->rng, 2);

	if (to >= mix->keys.cells) {
		from = 0;
		to = 0;
	}
	mix->edge = to + 1 + rng_below(mix->rng, 2);
	return (struct span){ from, to, false };
}

static struct span span_mirrored(const struct mix *mix, struct span span)
{
	return (struct span){ mix->keys.cells - 1 - span.to,
			      mix->keys.cells - 1 - span.from, span.hole };
}

static struct span span_of_end(struct mix *mix)
{
	struct span span = span_anywhere(mix, 1);

	span.from = chance(mix, 4) ? span.to : 0;
	span.hole = chance(mix, 2);
	return chance(mix, 2) ? span : span_mirrored(mix, span);
}

static struct span span_of_phase(struct mix *mix)
{
	struct span span;

	switch (mix->phase) {
	case SPAN:
		span = span_anywhere(mix,
				     chance(mix, 4) ? mix->keys.cells / 2 : 4);
		span.hole = chance(mix, 3);
		return span;
	case APPEND:
		return span_at_edge(mix);
	case SHRINK:
		span = span_anywhere(mix, 16);
		span.hole = true;
		return span;
	case DOWNWARD:
		return span_mirrored(mix, span_at_edge(mix));
	case ALTERNATE:
		span = span_anywhere(mix, 1);
		span.hole = span.from % 2;
		return span;
	case ENDS:
		return chance(mix, 8) ? span_of_end(mix)
				      : span_anywhere(mix, 4);
	default:
		return span_anywhere(mix, 3);
	}
}

/* One in eight equals a neighbour, which must stay a range of its own. */
static void *entry_near(struct mix *mix, const struct twin *twin,
			uint64_t first, uint64_t last)
{
	void *entry = NULL;

	if (chance(mix, 8))
		entry = model_load(&twin->model,
				   chance(mix, 2) ? first - 1 : last + 1);
	return entry ? entry : keys_entry(mix->rng);
}

static struct mix_write write_span(struct mix *mix, struct twin *twin)
{
	struct span span = span_of_phase(mix);
	struct mix_write done;
	void *entry;

	keys_range(&mix->keys, span.from, span.to, &done.first, &done.last);
	if (mix->phase == ENDS && chance(mix, 64)) {
		done.first = 0;
		done.last = UINT64_MAX;
	} else if (done.last - done.first > 2 && chance(mix, 4)) {
		done.first += rng_below(mix->rng, 2);
		done.last -= rng_below(mix->rng, 2);
	}
	entry = entry_near(mix, twin, done.first, done.last);
	if (!span.hole && chance(mix, 4))
		twin_insert(twin, done.first, done.last, entry);
	else
		twin_store(twin, done.first, done.last,
			   span.hole ? NULL : entry);
	return done;
}

static struct mix_write erase_at(struct twin *twin, uint64_t index)
{
	struct umaple_range at = model_at(&twin->model, index);

	twin_erase(twin, index);
	return (struct mix_write){ at.first, at.last };
}

/* The phase is over when nothing is left to erase. */
static struct mix_write drain(struct mix *mix, struct twin *twin)
{
	struct umaple_range lowest = { 0, 0, NULL };

	mix->left = twin->model.count > 1 ? 2 : 1;
	model_find(&twin->model, 0, UINT64_MAX, &lowest);
	return erase_at(twin, lowest.first);
}

struct mix_write mix_step(struct mix *mix, struct twin *twin)
{
	struct mix_write done;

	if (mix->phase == DRAIN)
		done = drain(mix, twin);
	else if (mix->phase == SHRINK ? !chance(mix, 4) : chance(mix, 16))
		done = erase_at(twin, keys_index(&mix->keys, mix->rng));
	else
		done = write_span(mix, twin);
	if (--mix->left == 0) {
		mix->phase = (unsigned int)rng_below(mix->rng, PHASES);
		mix->left = 1 + rng_below(mix->rng, 2 * mix->length);
		mix->edge = 0;
	}
	return done;
}
