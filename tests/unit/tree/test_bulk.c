/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_bulk.c - trees built from sorted ranges: 0, 1 and many, at both ends, full
 * and with room, and what is refused.
 */

#include <errno.h>
#include <stdlib.h>

#include <umaple/cache.h>
#include <umaple/debug.h>
#include <umaple/tree.h>

#include "harness.h"
#include "platform/fault.h"

const char *const suite_name = "bulk";

#define MOST 5000

static const unsigned int tree_flags[] = {
	0,
	UMAPLE_TREE_GAPS,
	UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
};

static struct umaple_range ranges[MOST];
static char entries[MOST];

/* @count ranges from @at on, with a hole before some of them. */
static void make_ranges(struct rng *rng, size_t count, uint64_t at)
{
	size_t i;

	for (i = 0; i < count; i++) {
		at += rng_below(rng, 2) * rng_below(rng, 50);
		ranges[i].first = at;
		ranges[i].last = at + rng_below(rng, 9);
		ranges[i].entry = &entries[i];
		at = ranges[i].last + 1;
	}
}

static void check_built(struct umaple_tree *tree, size_t count)
{
	struct umaple_range range;
	char text[200] = "";
	size_t i = 0;

	ck_assert_msg(!umaple_tree_check(tree, text, sizeof(text)), "%s", text);
	umaple_for_each(tree, range, 0, UINT64_MAX)
	{
		ck_assert_uint_lt(i, count);
		ck_assert_uint_eq(range.first, ranges[i].first);
		ck_assert_uint_eq(range.last, ranges[i].last);
		ck_assert_ptr_eq(range.entry, ranges[i].entry);
		i++;
	}
	ck_assert_uint_eq(i, count);
}

/* U44: none, one, many; and what is built can be written to. */
START_TEST(built_tree_holds_the_ranges_and_can_be_written)
{
	static const unsigned int fills[] = { 0, 50, 63, 88, 100 };
	struct umaple_tree tree;
	struct rng rng;
	size_t count, f;

	rng_seed(&rng, test_seed());
	for (count = 0; count <= MOST; count = count * 3 / 2 + 1) {
		for (f = 0; f < sizeof(fills) / sizeof(fills[0]); f++) {
			umaple_tree_init(&tree, tree_flags[_i]);
			make_ranges(&rng, count, rng_below(&rng, 2) * 77);
			ck_assert_int_eq(umaple_tree_build(&tree, ranges, count,
							   fills[f]),
					 0);
			check_built(&tree, count);
			ck_assert_int_eq(umaple_store(&tree, 3, entries), 0);
			ck_assert_int_eq(
				umaple_store_range(&tree, 40, 4000, NULL), 0);
			ck_assert_int_eq(umaple_tree_check(&tree, NULL, 0), 0);
			umaple_tree_destroy(&tree);
		}
	}
}
END_TEST

/* U49: what an iteration saves, a build restores. */
START_TEST(saved_ranges_build_the_same_tree)
{
	struct umaple_tree tree, again;
	struct umaple_range range;
	size_t count = 0;
	struct rng rng;
	uint64_t i;

	rng_seed(&rng, test_seed());
	umaple_tree_init(&tree, tree_flags[_i]);
	umaple_tree_init(&again, tree_flags[_i]);
	for (i = 0; i < 2000; i++)
		ck_assert_int_eq(umaple_store(&tree, rng_below(&rng, 9000),
					      &entries[i]),
				 0);
	umaple_for_each(&tree, range, 0, UINT64_MAX) ranges[count++] = range;
	ck_assert_int_eq(umaple_tree_build(&again, ranges, count, 0), 0);
	check_built(&again, count);
	check_built(&tree, count);
	umaple_tree_destroy(&tree);
	umaple_tree_destroy(&again);
}
END_TEST

START_TEST(both_ends_of_the_key_space_can_be_built)
{
	struct umaple_tree tree;

	umaple_tree_init(&tree, tree_flags[_i]);
	ranges[0] = (struct umaple_range){ 0, 0, &entries[0] };
	ranges[1] = (struct umaple_range){ 1, UINT64_MAX - 1, &entries[1] };
	ranges[2] =
		(struct umaple_range){ UINT64_MAX, UINT64_MAX, &entries[2] };
	ck_assert_int_eq(umaple_tree_build(&tree, ranges, 3, 0), 0);
	check_built(&tree, 3);
	umaple_tree_destroy(&tree);

	ranges[0] = (struct umaple_range){ 0, UINT64_MAX, &entries[0] };
	ck_assert_int_eq(umaple_tree_build(&tree, ranges, 1, 0), 0);
	check_built(&tree, 1);
	umaple_tree_destroy(&tree);
}
END_TEST

START_TEST(full_nodes_leave_no_slot_free)
{
	struct umaple_tree_info info;
	struct umaple_tree tree;
	size_t i;

	umaple_tree_init(&tree, tree_flags[_i]);
	for (i = 0; i < 1600; i++)
		ranges[i] = (struct umaple_range){ i, i, &entries[i] };
	ranges[1599].last = UINT64_MAX;
	ck_assert_int_eq(umaple_tree_build(&tree, ranges, 1600, 100), 0);
	umaple_tree_measure(&tree, &info);
	ck_assert_uint_eq(info.leaves, 100);
	umaple_tree_destroy(&tree);
}
END_TEST

/* U35, U44: overlaps and disorder are refused, not built. */
START_TEST(what_is_not_sorted_is_refused)
{
	static const struct umaple_range bad[][2] = {
		{ { 5, 9, entries }, { 9, 12, entries } },  /* overlap */
		{ { 5, 9, entries }, { 1, 2, entries } },   /* order */
		{ { 5, 9, entries }, { 20, 19, entries } }, /* inverted */
		{ { 5, 9, entries }, { 20, 21, NULL } },    /* no entry */
		{ { 5, UINT64_MAX, entries }, { 0, 1, entries } },
		{ { 5, UINT64_MAX, entries },
		  { UINT64_MAX, UINT64_MAX, entries } },
	};
	struct umaple_tree tree;
	size_t i;

	umaple_tree_init(&tree, tree_flags[_i]);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(umaple_tree_build(&tree, bad[i], 2, 0),
				 -EINVAL);
		ck_assert(umaple_tree_is_empty(&tree));
	}
	ck_assert_int_eq(umaple_tree_build(&tree, bad[0], 1, 49), -EINVAL);
	ck_assert_int_eq(umaple_tree_build(&tree, bad[0], 1, 101), -EINVAL);
	ck_assert_int_eq(umaple_tree_build(&tree, bad[0], 1, 0), 0);
	ck_assert_int_eq(umaple_tree_build(&tree, bad[0], 1, 0), -EINVAL);
	umaple_tree_destroy(&tree);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(build_without_memory_leaves_an_empty_tree)
{
	struct umaple_cache_attr attr = { .size = 256, .align = 256 };
	struct umaple_cache *cache;
	struct umaple_tree tree;
	struct rng rng;
	long failed = 0, n;
	bool fired = true;
	int err;

	rng_seed(&rng, test_seed());
	make_ranges(&rng, 1000, 0);
	ck_assert_int_eq(umaple_cache_create(&attr, &cache), 0);
	ck_assert_int_eq(umaple_tree_init_cache(&tree, tree_flags[_i], cache),
			 0);
	/* Not every failure matters: a cache may do with less. */
	for (n = 0; fired; n++) {
		umaple_fault_set(n, false);
		err = umaple_tree_build(&tree, ranges, 1000, 0);
		fired = umaple_fault_fired();
		umaple_fault_set(-1, false);
		if (err) {
			ck_assert_int_eq(err, -ENOMEM);
			ck_assert(umaple_tree_is_empty(&tree));
			failed++;
			continue;
		}
		check_built(&tree, 1000);
		umaple_tree_destroy(&tree);
	}
	ck_assert_int_gt(failed, 50);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("bulk");

	tcase_add_loop_test(tc, built_tree_holds_the_ranges_and_can_be_written,
			    0, 4);
	tcase_add_loop_test(tc, saved_ranges_build_the_same_tree, 0, 4);
	tcase_add_loop_test(tc, both_ends_of_the_key_space_can_be_built, 0, 4);
	tcase_add_loop_test(tc, full_nodes_leave_no_slot_free, 0, 4);
	tcase_add_loop_test(tc, what_is_not_sorted_is_refused, 0, 4);
#if UMAPLE_FAULT_INJECTION
	tcase_add_loop_test(tc, build_without_memory_leaves_an_empty_tree, 0,
			    4);
#endif
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
}
