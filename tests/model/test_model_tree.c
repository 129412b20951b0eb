/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Random operations on a tree and on its model: the same answers, and every
 * invariant, after each write while the tree is small, now and then when it is
 * large.
 */

#include "harness.h"
#include "mix.h"

const char *const suite_name = "model.tree";

/* One run per combination of flags, place and number of cells. */
static const uint64_t small_sizes[] = { 24, 200, 1000 };
#define SMALL_SIZES (sizeof(small_sizes) / sizeof(small_sizes[0]))
#define SMALL_RUNS  ((int)SMALL_SIZES * KEYS_SHAPES * TWIN_FLAGS)
#define SMALL_STEPS 10000
#define LARGE_CELLS 16000
#define LARGE_RUNS  (KEYS_SHAPES * TWIN_FLAGS)
#define LARGE_STEPS 20000

/* Three reads: limits are often at hand, so that off by one shows. */
static void read_some(struct twin *twin, const struct keys *keys,
		      struct rng *rng)
{
	uint64_t index = keys_index(keys, rng);
	uint64_t limit = keys_index(keys, rng);

	switch (rng_below(rng, 4)) {
	case 0:
		twin_find(twin, index, limit);
		twin_find(twin, index, UINT64_MAX);
		break;
	case 1:
		twin_next(twin, index, limit);
		twin_next(twin, index, UINT64_MAX);
		break;
	case 2:
		twin_prev(twin, index, limit);
		twin_prev(twin, index, 0);
		break;
	default:
		twin_find(twin, index, index);
		twin_find(twin, 0, limit);
		break;
	}
	twin_load(twin, limit);
}

static void run(unsigned int flags, struct keys keys, unsigned long steps,
		unsigned long check_every)
{
	struct twin twin;
	struct mix mix;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uint64_t)flags * 1000003 +
			       keys.shape * 101 + keys.cells);
	twin_init(&twin, flags);
	mix_init(&mix, keys, 16 + keys.cells / 4, &rng);
	for (unsigned long i = 1; i <= steps; i++) {
		struct mix_write done = mix_step(&mix, &twin);

		twin_compare_ends(&twin, done.first, done.last);
		read_some(&twin, &keys, &rng);
		if (i % check_every == 0)
			twin_check(&twin);
		if (i % (check_every * 64) == 0)
			twin_compare(&twin);
	}
	twin_compare(&twin);
	twin_fini(&twin);
}

START_TEST(small_tree_answers_as_its_model)
{
	struct keys keys = {
		.shape = (enum keys_shape)((unsigned int)_i % KEYS_SHAPES),
		.cells = small_sizes[(unsigned int)_i / KEYS_SHAPES %
				     SMALL_SIZES],
	};

	run(twin_flags[(unsigned int)_i / (KEYS_SHAPES * SMALL_SIZES)], keys,
	    test_scaled(SMALL_STEPS), 1);
}
END_TEST

START_TEST(large_tree_answers_as_its_model)
{
	struct keys keys = {
		.shape = (enum keys_shape)((unsigned int)_i % KEYS_SHAPES),
		.cells = TWIN_BIG(LARGE_CELLS),
	};

	run(twin_flags[_i / KEYS_SHAPES], keys, test_scaled(LARGE_STEPS), 64);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("model.tree.small");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, small_tree_answers_as_its_model, 0, SMALL_RUNS);
	suite_add_tcase(s, tc);
	tc = tcase_create("model.tree.large");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, large_tree_answers_as_its_model, 0, LARGE_RUNS);
	suite_add_tcase(s, tc);
}
