/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/tree_rows.c - what is timed: loops over one operation.
 *
 * Small maps are gone through several times in one sample, so that each sample
 * is long enough to time.  Making, filling and destroying a map is outside the
 * time unless it is what the row is about.
 */

#include "stats.h"
#include "tree.h"

/* Operations of a sample, about. */
#define OPERATIONS 200000

#define PAGE ((uint64_t)4096)

static uint64_t passes(const struct data *data)
{
	return data->n < OPERATIONS ? OPERATIONS / data->n : 1;
}

void tree_fill(const struct peer *peer, void *map, const struct data *data)
{
	for (uint64_t i = 0; i < data->n; i++) {
		const struct data_range *range = &data->shuffled[i];

		peer->store(map, range->first, range->last, range->value);
	}
}

static void take_load(struct tree_sample *sample)
{
	const struct data *data = sample->data;
	uint64_t sum = 0;
	double start = stats_now();

	for (uint64_t i = 0; i < data->nr_questions; i++)
		sum += sample->peer->load(sample->map, data->indices[i]);
	sample->seconds = stats_now() - start;
	sample->operations = data->nr_questions;
	sample->checksum = sum;
}

/* As many loads at a time as go down a tree side by side. */
#define LOADS 16

static void take_load_many(struct tree_sample *sample)
{
	const struct data *data = sample->data;
	uint64_t sum = 0, i;
	double start = stats_now();

	for (i = 0; i + LOADS <= data->nr_questions; i += LOADS)
		sum += sample->peer->load_many(sample->map, data->indices + i,
					       LOADS);
	sample->seconds = stats_now() - start;
	sample->operations = i;
	sample->checksum = sum;
}

/* Where to look next is known when the last answer is: no two overlap. */
static void take_dependent(struct tree_sample *sample)
{
	const struct data *data = sample->data;
	uint64_t sum = 0, value = 0;
	double start = stats_now();

	for (uint64_t i = 0; i + 1 < data->nr_questions; i++) {
		value = sample->peer->load(sample->map,
					   data->indices[i + (value & 1)]);
		sum += value;
	}
	sample->seconds = stats_now() - start;
	sample->operations = data->nr_questions - 1;
	sample->checksum = sum;
}

static void take_walk(struct tree_sample *sample)
{
	const struct data *data = sample->data;
	uint64_t sum = 0;
	double start = stats_now();

	sample->peer->read_begin(sample->map);
	for (uint64_t i = 0; i < data->nr_questions; i++)
		sum += sample->peer->walk(sample->map, data->indices[i]);
	sample->peer->read_end(sample->map);
	sample->seconds = stats_now() - start;
	sample->operations = data->nr_questions;
	sample->checksum = sum;
}

static void visit_all(struct tree_sample *sample, uint64_t (*visit)(void *map))
{
	uint64_t count = passes(sample->data);
	uint64_t sum = 0;
	double start = stats_now();

	for (uint64_t i = 0; i < count; i++)
		sum += visit(sample->map);
	sample->seconds = stats_now() - start;
	sample->operations = count * sample->data->n;
	sample->checksum = sum;
}

static void take_iterate(struct tree_sample *sample)
{
	visit_all(sample, sample->peer->iterate);
}

static void take_step(struct tree_sample *sample)
{
	visit_all(sample, sample->peer->step);
}

/* Build from nothing, as often as it takes. */
static void build(struct tree_sample *sample, bool random)
{
	const struct peer *peer = sample->peer;
	const struct data *data = sample->data;
	uint64_t count = passes(data);

	for (uint64_t pass = 0; pass < count; pass++) {
		const struct data_range *ranges =
			random ? data_order(data, pass) : data->sorted;
		void *map = peer->make(sample->kind);
		double start = stats_now();

		for (uint64_t i = 0; i < data->n; i++)
			peer->store(map, ranges[i].first, ranges[i].last,
				    ranges[i].value);
		sample->seconds += stats_now() - start;
		sample->checksum += peer->iterate(map);
		sample->bytes = peer->bytes(map);
		peer->destroy(map);
	}
	sample->operations = count * data->n;
}

static void take_append(struct tree_sample *sample)
{
	build(sample, false);
}

static void take_build_random(struct tree_sample *sample)
{
	build(sample, true);
}

/* In random order; it was built in ascending order. */
static void take_erase_random(struct tree_sample *sample)
{
	const struct peer *peer = sample->peer;
	const struct data *data = sample->data;
	uint64_t count = passes(data);

	for (uint64_t pass = 0; pass < count; pass++) {
		const struct data_range *order = data_order(data, pass);
		void *map = peer->make(PEER_PLAIN);
		double start;

		for (uint64_t i = 0; i < data->n; i++)
			peer->store(map, data->sorted[i].first,
				    data->sorted[i].last,
				    data->sorted[i].value);
		start = stats_now();
		for (uint64_t i = 0; i < data->n; i++)
			sample->checksum +=
				(i + 1) * peer->erase(map, order[i].first);
		sample->seconds += stats_now() - start;
		sample->checksum += peer->iterate(map);
		peer->destroy(map);
	}
	sample->operations = count * data->n;
}

/*
 * Over the ends of what is there, from any page, up to 64 pages: splits, cuts
 * and drops.  Turn after turn on the same map; other places each turn.
 */
static void take_overwrite(struct tree_sample *sample)
{
	const struct data *data = sample->data;
	uint64_t shift = sample->turn * 7919 * PAGE;
	uint64_t span = data->end - data->sorted[0].first;
	double start = stats_now();

	for (uint64_t i = 0; i < data->nr_questions; i++) {
		uint64_t offset = data->indices[i] - data->sorted[0].first;
		uint64_t first = data->sorted[0].first +
				 (offset + shift) % span / PAGE * PAGE;

		sample->peer->store(sample->map, first,
				    first + data->sizes[i] - 1, i + 1);
	}
	sample->seconds = stats_now() - start;
	sample->operations = data->nr_questions;
	sample->checksum = sample->peer->iterate(sample->map);
}

static void take_gap_first(struct tree_sample *sample)
{
	const struct data *data = sample->data;
	uint64_t sum = 0;
	double start = stats_now();

	for (uint64_t i = 0; i < data->nr_questions; i++)
		sum += sample->peer->gap_first(sample->map, data->sizes[i],
					       data->indices[i],
					       UINT64_MAX / 2);
	sample->seconds = stats_now() - start;
	sample->operations = data->nr_questions;
	sample->checksum = sum;
	sample->bytes = sample->peer->bytes(sample->map);
}

static void take_gap_last(struct tree_sample *sample)
{
	const struct data *data = sample->data;
	uint64_t sum = 0;
	double start = stats_now();

	for (uint64_t i = 0; i < data->nr_questions; i++)
		sum += sample->peer->gap_last(sample->map, data->sizes[i], PAGE,
					      data->indices[i]);
	sample->seconds = stats_now() - start;
	sample->operations = data->nr_questions;
	sample->checksum = sum;
	sample->bytes = sample->peer->bytes(sample->map);
}

const struct tree_row tree_rows[] = {
	{ "load", PEER_PLAIN, true, take_load },
	{ "load_many", PEER_PLAIN, true, take_load_many },
	{ "dependent", PEER_PLAIN, true, take_dependent },
	{ "walk", PEER_SHARED, true, take_walk },
	{ "iterate", PEER_PLAIN, true, take_iterate },
	{ "step", PEER_PLAIN, true, take_step },
	{ "append", PEER_PLAIN, false, take_append },
	{ "build_random", PEER_PLAIN, false, take_build_random },
	{ "build_gaps", PEER_GAPS, false, take_build_random },
	{ "erase_random", PEER_PLAIN, false, take_erase_random },
	{ "overwrite", PEER_PLAIN, true, take_overwrite },
	{ "overwrite_rcu", PEER_SHARED, true, take_overwrite },
	{ "gap_first", PEER_GAPS, true, take_gap_first },
	{ "gap_last", PEER_GAPS, true, take_gap_last },
	{ "mmap1", PEER_BUSY, true, tree_take_mmap1 },
	{ "reader", PEER_BUSY, true, tree_take_reader },
};
const unsigned int tree_nr_rows = sizeof(tree_rows) / sizeof(tree_rows[0]);
