/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/data.h - what every implementation is given: the same ranges in the same
 * orders, and the same questions.  Made from a seed before anything is timed.
 */

#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data_range {
	uint64_t first;
	uint64_t last;
	uint64_t value;
};

struct data {
	uint64_t n;
	struct data_range *sorted;   /* n ranges, ascending */
	struct data_range *shuffled; /* the same in nr_orders random orders */
	uint64_t nr_orders;
	uint64_t nr_questions;
	uint64_t *indices; /* anywhere between the first and the last range */
	uint64_t *sizes;   /* of holes to look for */
	uint64_t end;	   /* one after the last range */
};

/* Ranges of 1 to 64 pages; a hole after every second, or after each. */
void data_make(struct data *data, uint64_t n, bool holes_all, uint64_t seed);
void data_free(struct data *data);

/*
 * The ranges in random order, another one each pass: a CPU learns an order of some
 * thousand that comes again and again, and then predicts every branch of a search.
 */
const struct data_range *data_order(const struct data *data, uint64_t pass);

/* xorshift64*, so that a seed means the same everywhere. */
uint64_t data_random(uint64_t *state);

#endif /* BENCH_DATA_H */
