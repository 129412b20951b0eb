/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/keys.h - where in the key space a random test plays.
 *
 * A test draws cells, small numbers below a bound, and keys.c places them: at
 * the low end, mirrored at the high end, or as equal slices of everything.  So
 * each sequence of operations meets both ends, and few cells mean that
 * everything collides.
 */

#ifndef TESTS_KEYS_H
#define TESTS_KEYS_H

#include <stdint.h>

#include "harness.h"

enum keys_shape {
	KEYS_LOW,    /* cell i is index i */
	KEYS_HIGH,   /* cell i is index UINT64_MAX - i */
	KEYS_SPREAD, /* the cells together are the whole key space */
	KEYS_SHAPES
};

struct keys {
	enum keys_shape shape;
	uint64_t cells; /* at least 2, below 2^32 */
};

/* The indices of cells @from to @to; @from not above @to. */
void keys_range(const struct keys *keys, uint64_t from, uint64_t to,
		uint64_t *ret_first, uint64_t *ret_last);

/* The cell of an index; cells or more where there is none. */
uint64_t keys_cell(const struct keys *keys, uint64_t index);

/* An index worth asking about: near a cell's ends, or the ends of all. */
uint64_t keys_index(const struct keys *keys, struct rng *rng);

/* An entry: any pointer but %NULL, whatever its low bits. */
void *keys_entry(struct rng *rng);

#endif /* TESTS_KEYS_H */
