/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/tree_busy.c - rows where readers and writers may be at work at once.
 */

#include <pthread.h>
#include <stdbool.h>

#include "options.h"
#include "stats.h"
#include "tree.h"

/* What a task of mmap1 maps, and how often a sample does. */
#define MAPPING	 ((uint64_t)128 << 20)
#define MAPPINGS 100000

/* The highest hole that fits: map there, look it up, unmap. */
void tree_take_mmap1(struct tree_sample *sample)
{
	const struct peer *peer = sample->peer;
	uint64_t max = sample->data->end + 2 * MAPPING;
	double start = stats_now();

	for (uint64_t i = 0; i < MAPPINGS; i++) {
		uint64_t at = peer->gap_last(sample->map, MAPPING, 4096, max);

		peer->store(sample->map, at, at + MAPPING - 1, i + 1);
		sample->checksum += peer->load(sample->map, at) + at;
		sample->checksum += peer->erase(sample->map, at);
	}
	sample->seconds = stats_now() - start;
	sample->operations = MAPPINGS;
}

struct writer {
	const struct tree_sample *sample;
	pthread_t thread;
	bool over; /* atomic */
	bool begun;
};

/* Take ranges out and put them back, until told to stop. */
static void *write_on(void *argument)
{
	struct writer *writer = argument;
	const struct tree_sample *sample = writer->sample;
	const struct data *data = sample->data;

	for (uint64_t i = 0; !__atomic_load_n(&writer->over, __ATOMIC_RELAXED);
	     i = (i + 1) % data->n) {
		const struct data_range *range = &data->shuffled[i];

		sample->peer->erase(sample->map, range->first);
		sample->peer->store(sample->map, range->first, range->last,
				    range->value);
		__atomic_store_n(&writer->begun, true, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Loads beside one writer that never rests.  What they find is as it happens. */
void tree_take_reader(struct tree_sample *sample)
{
	const struct data *data = sample->data;
	struct writer writer = { .sample = sample };
	volatile uint64_t sum = 0;
	double start;

	if (pthread_create(&writer.thread, NULL, write_on, &writer))
		options_die("no thread");
	while (!__atomic_load_n(&writer.begun, __ATOMIC_RELAXED))
		;
	start = stats_now();
	for (uint64_t i = 0; i < data->nr_questions; i++)
		sum += sample->peer->load(sample->map, data->indices[i]);
	sample->seconds = stats_now() - start;
	sample->operations = data->nr_questions;
	__atomic_store_n(&writer.over, true, __ATOMIC_RELAXED);
	pthread_join(writer.thread, NULL);
}
