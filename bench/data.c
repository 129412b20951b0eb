/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "data.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"

#define PAGE	       ((uint64_t)4096)
#define BASE	       ((uint64_t)1 << 32)
#define MIN_QUESTIONS  200000
#define MOST_QUESTIONS 1000000
#define ORDERED_RANGES 100000 /* more than a branch predictor remembers */

uint64_t data_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1du;
}

static uint64_t below(uint64_t *state, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)data_random(state) * bound) >>
			  64);
}

static void *allocate(uint64_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		options_die("no memory for %llu ranges",
			    (unsigned long long)count);
	return memory;
}

static void make_ranges(struct data *data, bool holes_all, uint64_t *state)
{
	uint64_t at = BASE;

	for (uint64_t i = 0; i < data->n; i++) {
		struct data_range *range = &data->sorted[i];

		range->first = at;
		range->last = at + (1 + below(state, 64)) * PAGE - 1;
		range->value = i + 1;
		at = range->last + 1;
		if (holes_all || i % 2)
			at += (1 + below(state, 64)) * PAGE;
	}
	data->end = at;
}

static void shuffle(const struct data *data, struct data_range *order,
		    uint64_t *state)
{
	memcpy(order, data->sorted, data->n * sizeof(*data->sorted));
	for (uint64_t i = data->n - 1; i; i--) {
		uint64_t j = below(state, i + 1);
		struct data_range swapped = order[i];

		order[i] = order[j];
		order[j] = swapped;
	}
}

const struct data_range *data_order(const struct data *data, uint64_t pass)
{
	return data->shuffled + pass % data->nr_orders * data->n;
}

void data_make(struct data *data, uint64_t n, bool holes_all, uint64_t seed)
{
	uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15u;
	uint64_t questions = n < MIN_QUESTIONS	  ? MIN_QUESTIONS
			     : n > MOST_QUESTIONS ? MOST_QUESTIONS
						  : n;

	if (!state)
		state = 1;
	data->n = n;
	data->nr_questions = questions;
	data->sorted = allocate(n, sizeof(*data->sorted));
	data->nr_orders = n < ORDERED_RANGES ? ORDERED_RANGES / n + 1 : 1;
	data->shuffled = allocate(data->nr_orders * n, sizeof(*data->shuffled));
	data->indices = allocate(questions, sizeof(*data->indices));
	data->sizes = allocate(questions, sizeof(*data->sizes));
	make_ranges(data, holes_all, &state);
	for (uint64_t i = 0; i < data->nr_orders; i++)
		shuffle(data, data->shuffled + i * n, &state);
	for (uint64_t i = 0; i < questions; i++) {
		data->indices[i] = BASE + below(&state, data->end - BASE);
		data->sizes[i] = (1 + below(&state, 64)) * PAGE;
	}
}

void data_free(struct data *data)
{
	free(data->sorted);
	free(data->shuffled);
	free(data->indices);
	free(data->sizes);
}
