/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/tree.c - take every row with every implementation, turn about.
 *
 * Samples of the implementations are interleaved, and who begins changes, so
 * that what disturbs the machine disturbs all.  Their checksums must agree.
 */

#include "tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stats.h"

#define MIN_TURNS	5
#define DEFAULT_SECONDS 1.0

static const struct peer *const peers[] = {
	&peer_umaple,
#if BENCH_HAVE_ABSL
	&peer_absl,
#endif
#if BENCH_HAVE_STD
	&peer_std,
#endif
};
#define PEERS (sizeof(peers) / sizeof(peers[0]))

static const uint64_t default_sizes[] = { 1000, 100000 };

/* One row at one size. */
struct contest {
	const struct tree_row *row;
	const struct data *data;
	void *maps[PEERS];
	struct stats times[PEERS]; /* ns per operation */
	uint64_t bytes[PEERS];
	uint64_t checksums[PEERS]; /* over all turns */
};

static void contest_init(struct contest *contest, const struct tree_row *row,
			 const struct data *data)
{
	memset(contest, 0, sizeof(*contest));
	contest->row = row;
	contest->data = data;
	for (size_t i = 0; row->full && i < PEERS; i++) {
		contest->maps[i] = peers[i]->make(row->kind);
		tree_fill(peers[i], contest->maps[i], data);
	}
}

static void contest_fini(struct contest *contest)
{
	for (size_t i = 0; contest->row->full && i < PEERS; i++)
		peers[i]->destroy(contest->maps[i]);
}

static void take_turn(struct contest *contest, size_t number, unsigned int turn)
{
	struct tree_sample sample = {
		.peer = peers[number],
		.data = contest->data,
		.map = contest->maps[number],
		.turn = turn,
		.kind = contest->row->kind,
	};

	contest->row->take(&sample);
	stats_add(&contest->times[number],
		  sample.seconds * 1e9 / (double)sample.operations);
	contest->bytes[number] = sample.bytes;
	contest->checksums[number] =
		contest->checksums[number] * 31 + sample.checksum;
}

static void take_all_turns(struct contest *contest, double seconds)
{
	double start = stats_now();
	unsigned int turn = 0;

	while (turn < STATS_MAX_SAMPLES &&
	       (turn < MIN_TURNS || stats_now() - start < seconds)) {
		for (size_t i = 0; i < PEERS; i++)
			take_turn(contest, (turn + i) % PEERS, turn);
		turn++;
	}
}

static void report_peer(const struct contest *contest, size_t number,
			struct report *report)
{
	struct report_row *row =
		report_add_row(report, contest->row->name, peers[number]->name);

	row->n = contest->data->n;
	row->threads = 1;
	row->ns_per_op = stats_median(&contest->times[number]);
	row->ops_per_s = 1e9 / row->ns_per_op;
	row->spread = stats_spread(&contest->times[number]);
	row->bytes_per_range =
		(double)contest->bytes[number] / (double)contest->data->n;
}

/* A checksum has more bits than a double: what is told is half of them. */
static void report_checksums(const struct contest *contest,
			     struct report *report)
{
	char name[REPORT_NAME];

	for (size_t i = 1; i < PEERS; i++) {
		uint64_t left = contest->checksums[0];
		uint64_t right = contest->checksums[i];

		snprintf(name, sizeof(name), "%s %" PRIu64 ": umaple = %s",
			 contest->row->name, contest->data->n, peers[i]->name);
		if ((left ^ right) << 32 == 0)
			report_add_identity(report, name, (double)(left >> 32),
					    (double)(right >> 32), 0);
		else
			report_add_identity(report, name,
					    (double)(left & UINT32_MAX),
					    (double)(right & UINT32_MAX), 0);
	}
}

static void run_row(const struct tree_row *row, const struct data *data,
		    double seconds, struct report *report)
{
	struct contest contest;

	contest_init(&contest, row, data);
	take_all_turns(&contest, seconds);
	for (size_t i = 0; i < PEERS; i++)
		report_peer(&contest, i, report);
	report_checksums(&contest, report);
	contest_fini(&contest);
}

static bool is_wanted(const struct options *options, const char *name)
{
	for (size_t i = 0; i < options->nr_rows; i++) {
		if (strcmp(options->rows[i], name) == 0)
			return true;
	}
	return !options->nr_rows;
}

static void check_names(const struct options *options)
{
	for (size_t i = 0; i < options->nr_rows; i++) {
		unsigned int row = 0;

		while (row < tree_nr_rows &&
		       strcmp(options->rows[i], tree_rows[row].name) != 0)
			row++;
		if (row == tree_nr_rows)
			options_die("--rows: no row \"%s\"", options->rows[i]);
	}
}

static void run_rows(const struct options *options, uint64_t n, double seconds,
		     struct report *report)
{
	struct data data;

	data_make(&data, n, options->holes_all, options->seed);
	for (unsigned int i = 0; i < tree_nr_rows; i++) {
		if (is_wanted(options, tree_rows[i].name))
			run_row(&tree_rows[i], &data, seconds, report);
	}
	data_free(&data);
}

void tree_run(const struct options *options, struct report *report)
{
	const uint64_t *sizes =
		options->nr_sizes ? options->sizes : default_sizes;
	size_t nr_sizes = options->nr_sizes ? options->nr_sizes
					    : sizeof(default_sizes) /
						      sizeof(default_sizes[0]);
	double seconds =
		options->seconds > 0 ? options->seconds : DEFAULT_SECONDS;

	check_names(options);
	for (size_t i = 0; i < nr_sizes; i++)
		run_rows(options, sizes[i], seconds, report);
}
