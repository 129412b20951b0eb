/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "wide.h"

static uint64_t seed;
static unsigned long scale = 1;

uint64_t test_seed(void)
{
	return seed;
}

unsigned long test_scaled(unsigned long count)
{
	unsigned long n = scale ? count * scale : count / 20;

	return n ? n : 1;
}

void rng_seed(struct rng *rng, uint64_t s)
{
	/* Any state but zero will do; spread small seeds. */
	rng->state = (s + 1) * 0x9e3779b97f4a7c15u;
	if (!rng->state)
		rng->state = 1;
}

uint64_t rng_next(struct rng *rng)
{
	uint64_t x = rng->state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	rng->state = x;
	return x * 0x2545f4914f6cdd1du;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	return wide_upper(rng_next(rng), bound);
}

int main(void)
{
	const char *text = getenv("UMAPLE_TEST_SEED");
	Suite *s = suite_create(suite_name);
	SRunner *sr;
	int failed;

	seed = text ? strtoull(text, NULL, 0)
		    : (uint64_t)time(NULL) ^ ((uint64_t)getpid() << 32);
	text = getenv("UMAPLE_TEST_SCALE");
	if (text)
		scale = strtoul(text, NULL, 0);
	fprintf(stderr, "UMAPLE_TEST_SEED=%" PRIu64 " UMAPLE_TEST_SCALE=%lu\n",
		seed, scale);
	register_cases(s);
	sr = srunner_create(s);
	srunner_set_tap(sr, "-");
	srunner_run_all(sr, CK_SILENT);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
