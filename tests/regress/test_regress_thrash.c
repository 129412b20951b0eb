/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_regress_thrash.c - a range that comes and goes split a leaf and merged it
 * again each time.
 *
 * Symptom: a loop that maps and unmaps took three times as long at some sizes of
 * the tree as at others, with two rebuilds and five nodes a turn. Cause: where
 * indices come in order a split leaves one leaf at the least it may have, so the
 * erase made it merge, and the merged leaf had no slot free for the next store.
 * Found by the statistics of the mmap1 benchmark. Since then two nodes become one
 * only if some slots stay free.
 */

#include <umaple/cache.h>
#include <umaple/debug.h>
#include <umaple/tree.h>

#include "harness.h"

const char *const suite_name = "regress.thrash";

#define TURNS 40

static char entry;

static uint64_t rebuilds(struct umaple_cache *cache)
{
	struct umaple_cache_stats stats;

	umaple_cache_stats_get(cache, &stats);
	return stats.sheaf_prefill_fast + stats.sheaf_prefill_slow;
}

/* Store at the high end of the hole below range @i, and erase, again and again. */
static void come_and_go(struct umaple_tree *tree, uint64_t i)
{
	for (int turn = 0; turn < TURNS; turn++) {
		ck_assert_int_eq(umaple_store_range(tree, 100 * i + 40,
						    100 * i + 49, &entry),
				 0);
		ck_assert_int_eq(umaple_erase(tree, 100 * i + 45, NULL), 0);
	}
}

START_TEST(range_that_comes_and_goes_settles)
{
	struct umaple_cache_attr attr = { .size = 256, .align = 256 };
	struct umaple_cache *cache;
	struct umaple_tree tree;
	uint64_t count = 5 + (uint64_t)_i, i, before, after;

	ck_assert_int_eq(umaple_cache_create(&attr, &cache), 0);
	ck_assert_int_eq(umaple_tree_init_cache(&tree, UMAPLE_TREE_GAPS, cache),
			 0);
	for (i = 0; i < count; i++)
		ck_assert_int_eq(umaple_store_range(&tree, 100 * i + 50,
						    100 * i + 99, &entry),
				 0);
	for (i = 0; i < count; i++) {
		before = rebuilds(cache);
		come_and_go(&tree, i);
		after = rebuilds(cache);
		ck_assert_msg(after - before <= 4, "%d rebuilds at range %d",
			      (int)(after - before), (int)i);
	}
	ck_assert_int_eq(umaple_tree_check(&tree, NULL, 0), 0);
	umaple_tree_destroy(&tree);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("regress.thrash");

	tcase_add_loop_test(tc, range_that_comes_and_goes_settles, 0, 60);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
}
