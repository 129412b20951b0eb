/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/harness.h - what every libcheck program shares: main(), the seed, the
 * scale, output that Meson reads.
 */

#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

#include <check.h>

/* Each test program defines these two; harness.c has main(). */
extern const char *const suite_name;
void register_cases(Suite *s);

/* UMAPLE_TEST_SEED, or one made from the clock and printed at the start. */
uint64_t test_seed(void);

/*
 * A loop count scaled by UMAPLE_TEST_SCALE: 0 is short (for valgrind), 1 the
 * default, up to 100 for a long run.  Never less than one.
 */
unsigned long test_scaled(unsigned long count);

/* xorshift64*: our own, so that a seed means the same everywhere. */
struct rng {
	uint64_t state;
};

void rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_next(struct rng *rng);
/* Uniform below @bound; @bound not 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);

#endif /* TESTS_HARNESS_H */
