/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * NULL stores, empty trees and both ends of the key space, where other maple
 * trees were wrong.  Case numbers are fixed: reports name them.
 */

#include <errno.h>

#include <umaple/debug.h>

#include "harness.h"
#include "twin.h"

const char *const suite_name = "regress.ends";

#define MAX UINT64_MAX

static void *const v = (void *)(uintptr_t)0x7007;
static void *const w = (void *)(uintptr_t)1;

/*
 * Where each case is tried: trees of each kind, at the low end of the key space and
 * mirrored at the high one; and some in trees of each height up to 5.
 */
#define PLACES	(2 * TWIN_FLAGS)
#define HEIGHTS (6 * PLACES)

static void init(struct twin *twin, int i)
{
	twin_init(twin, twin_flags[i % TWIN_FLAGS]);
	twin->mirrored = i / TWIN_FLAGS % 2;
}

/* The last index that the case may use. */
static uint64_t init_high(struct twin *twin, int i)
{
	init(twin, i);
	return twin_crowd(twin, (uint64_t)(i / PLACES));
}

static void nothing_is_left(struct twin *twin)
{
	struct umaple_tree_info info;

	twin_compare(twin);
	umaple_tree_measure(&twin->tree, &info);
	ck_assert(umaple_tree_is_empty(&twin->tree));
	ck_assert_uint_eq(info.ranges, 0);
	ck_assert_uint_eq(info.height, 0);
	ck_assert_uint_eq(info.nodes, 0);
	ck_assert_uint_eq(info.bytes, 0);
}

/* Case T11. */
START_TEST(null_into_an_empty_tree_makes_no_node)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 5, 9, NULL);
	nothing_is_left(&twin);
	twin_store(&twin, 0, MAX, NULL);
	nothing_is_left(&twin);
	twin_store(&twin, 0, 0, NULL);
	nothing_is_left(&twin);
	twin_store(&twin, 5, MAX, NULL);
	nothing_is_left(&twin);
	twin_erase(&twin, 7);
	nothing_is_left(&twin);
	twin_fini(&twin);
}
END_TEST

/* Case T12: NULL beside, and over, a single entry at index 0. */
START_TEST(null_around_the_entry_at_zero)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0, 0, v);
	twin_store(&twin, 5, 9, NULL);
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 1);
	twin_store(&twin, 0, 5, NULL);
	nothing_is_left(&twin);
	twin_fini(&twin);
}
END_TEST

/* Case T13: an entry over everything, removed, left a node with one hole. */
START_TEST(tree_is_empty_after_an_entry_over_everything_is_gone)
{
	static const uint64_t indices[] = { 0, 1, MAX / 2, MAX };
	struct twin twin;

	init_high(&twin, _i);
	for (unsigned int i = 0; i < 4; i++) {
		twin_store(&twin, 0, MAX, v);
		twin_compare(&twin);
		twin_erase(&twin, indices[i]);
		nothing_is_left(&twin);
	}
	twin_store(&twin, 0, MAX, v);
	twin_store(&twin, 0, MAX, NULL);
	nothing_is_left(&twin);
	/* In two steps, and in one step of many ranges. */
	twin_store(&twin, 0, MAX, v);
	twin_store(&twin, 0, 77, NULL);
	twin_store(&twin, 78, MAX, NULL);
	nothing_is_left(&twin);
	for (uint64_t i = 0; i < 300; i++)
		twin_store(&twin, i * 10, i * 10 + 5, v);
	twin_store(&twin, 0, MAX, w);
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 1);
	twin_erase(&twin, 12345);
	nothing_is_left(&twin);
	twin_fini(&twin);
}
END_TEST

/* Case T15: a loop over the last index ends, and visits it once. */
START_TEST(loop_over_the_highest_index_ends)
{
	struct umaple_range range;
	struct twin twin;
	int count = 0;

	init(&twin, _i);
	twin_store(&twin, MAX, MAX, v);
	umaple_for_each(&twin.tree, range, 0, MAX)
	{
		ck_assert_uint_eq(range.first, twin.mirrored ? 0 : MAX);
		ck_assert_uint_eq(range.last, range.first);
		count++;
	}
	ck_assert_int_eq(count, 1);
	umaple_for_each_rev(&twin.tree, range, MAX, 0)
	{
		ck_assert_uint_eq(range.first, twin.mirrored ? 0 : MAX);
		count++;
	}
	ck_assert_int_eq(count, 2);
	twin_find(&twin, MAX, MAX);
	twin_find(&twin, 0, MAX - 1);
	twin_next(&twin, MAX, MAX);
	twin_next(&twin, MAX - 1, MAX);
	twin_prev(&twin, MAX, 0);
	twin_store(&twin, 0, MAX, v);
	count = 0;
	umaple_for_each(&twin.tree, range, 0, MAX) count++;
	ck_assert_int_eq(count, 1);
	umaple_for_each_rev(&twin.tree, range, MAX, 0) count++;
	ck_assert_int_eq(count, 2);
	twin_next(&twin, 0, MAX);
	twin_prev(&twin, MAX, 0);
	twin_fini(&twin);
}
END_TEST

/* Case T16: a limit was ignored when index 0 had the only entry. */
START_TEST(limit_holds_when_only_zero_has_an_entry)
{
	struct umaple_cursor cursor;
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0, 0, v);
	twin_prev(&twin, 10, 1);
	twin_prev(&twin, 10, 0);
	umaple_read_lock(&twin.tree);
	umaple_cursor_init(&cursor, &twin.tree, 10, 10);
	ck_assert_ptr_null(umaple_cursor_prev(&cursor, 9));
	ck_assert_ptr_null(umaple_cursor_find_rev(&cursor, 1));
	ck_assert_ptr_null(umaple_cursor_find_rev(&cursor, 10));
	ck_assert_uint_eq(cursor.index, 10);
	ck_assert_uint_eq(cursor.last, 10);
	ck_assert_ptr_eq(umaple_cursor_find_rev(&cursor, 0), v);
	umaple_read_unlock(&twin.tree);
	twin_store(&twin, 0, 5, w);
	twin_prev(&twin, 10, 6);
	twin_prev(&twin, 10, 5);
	twin_fini(&twin);
}
END_TEST

/* Case T19: the last entry goes, in each way there is. */
START_TEST(last_entry_leaves_no_node)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 5, 9, v);
	twin_erase(&twin, 7);
	nothing_is_left(&twin);
	for (int way = 0; way < 3; way++) {
		if (way == 2)
			twin_crowd(&twin, (uint64_t)(_i / PLACES));
		for (uint64_t i = 0; i < 100; i++)
			twin_store(&twin, i, i, v);
		if (way == 0)
			for (uint64_t i = 0; i < 100; i++)
				twin_erase(&twin, i);
		else
			twin_store(&twin, 0, way == 1 ? 99 : MAX, NULL);
		nothing_is_left(&twin);
	}
	twin_fini(&twin);
}
END_TEST

/* A NULL store empties what it names and no more, a hole beside it or not. */
START_TEST(null_store_cuts_at_both_ends)
{
	struct twin twin;
	uint64_t top;

	top = init_high(&twin, _i);
	twin_store(&twin, 10, 19, v);
	twin_store(&twin, 30, 39, w);
	twin_store(&twin, 50, 59, v);
	twin_store(&twin, 20, 24, NULL);
	twin_compare(&twin);
	twin_store(&twin, 35, 45, NULL);
	twin_compare(&twin);
	twin_store(&twin, 12, 13, NULL);
	twin_compare(&twin);
	twin_store(&twin, 0, 10, NULL);
	twin_compare(&twin);
	twin_store(&twin, 59, top, NULL);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* Neighbours with the same entry stay two ranges, and so do the parts of one. */
START_TEST(equal_neighbours_are_not_joined)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 50, 59, v);
	twin_store(&twin, 60, 69, v);
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 2);
	twin_store(&twin, 54, 64, v);
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 3);
	twin_erase(&twin, 60);
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 2);
	twin_fini(&twin);
}
END_TEST

/*
 * Case T21: which words may be an entry depended on the function.  Here it is all of
 * them but NULL, for each function that stores.
 */
static void store_in_each_way(struct twin *twin, void *entry)
{
	struct umaple_range range = { 7, 9, entry };
	struct umaple_cursor cursor;
	uint64_t index;

	twin_store(twin, 0, 4, entry);
	twin_insert(twin, 5, 5, entry);
	twin_compare(twin);
	ck_assert_int_eq(umaple_replace(&twin->tree, 2, entry, entry), 0);
	ck_assert_int_eq(
		umaple_store_merge(&twin->tree, 0, 5, entry, NULL, NULL), 0);
	twin_lock(twin);
	umaple_cursor_init(&cursor, &twin->tree, 6, 6);
	ck_assert_int_eq(umaple_cursor_store(&cursor, entry), 0);
	ck_assert_ptr_eq(umaple_cursor_walk(&cursor), entry);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, entry), 0);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, entry), 0);
	twin_unlock(twin);
	ck_assert_ptr_eq(umaple_load(&twin->tree, 6), entry);
	if (twin->flags & UMAPLE_TREE_GAPS) {
		ck_assert_int_eq(umaple_alloc_range(&twin->tree, entry, 1, 1, 7,
						    MAX, &index),
				 0);
		ck_assert_ptr_eq(umaple_load(&twin->tree, 7), entry);
	}
	twin_clear(twin);
	ck_assert_int_eq(umaple_tree_build(&twin->tree, &range, 1, 0), 0);
	ck_assert_ptr_eq(umaple_load(&twin->tree, 8), entry);
	twin_clear(twin);
}

START_TEST(any_word_is_an_entry)
{
	uintptr_t step = test_scaled(20) < 20 ? 37 : 1;
	struct twin twin;

	twin_init(&twin, twin_flags[_i]);
	for (uintptr_t word = 1; word < 4200; word += step)
		store_in_each_way(&twin, (void *)word);
	for (uintptr_t word = UINTPTR_MAX; word > UINTPTR_MAX - 300;
	     word -= step)
		store_in_each_way(&twin, (void *)word);
	for (uintptr_t bit = 1; bit; bit <<= 1)
		store_in_each_way(&twin, (void *)bit);
	twin_fini(&twin);
}
END_TEST

/* U24: a range of no length is refused. */
START_TEST(arguments_that_are_wrong_change_nothing)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 10, 19, v);
	ck_assert_int_eq(umaple_store_range(&twin.tree, 6, 5, w), -EINVAL);
	ck_assert_int_eq(umaple_store_range(&twin.tree, MAX, 0, w), -EINVAL);
	ck_assert_int_eq(umaple_store_range(&twin.tree, 12, 11, NULL), -EINVAL);
	ck_assert_int_eq(umaple_insert_range(&twin.tree, 6, 5, w), -EINVAL);
	ck_assert_int_eq(umaple_insert_range(&twin.tree, 5, 6, NULL), -EINVAL);
	ck_assert_int_eq(umaple_insert(&twin.tree, 5, NULL), -EINVAL);
	ck_assert_int_eq(umaple_insert(&twin.tree, 15, w), -EEXIST);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("regress.ends");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, null_into_an_empty_tree_makes_no_node, 0,
			    PLACES);
	tcase_add_loop_test(tc, null_around_the_entry_at_zero, 0, PLACES);
	tcase_add_loop_test(
		tc, tree_is_empty_after_an_entry_over_everything_is_gone, 0,
		HEIGHTS);
	tcase_add_loop_test(tc, loop_over_the_highest_index_ends, 0, PLACES);
	tcase_add_loop_test(tc, limit_holds_when_only_zero_has_an_entry, 0,
			    TWIN_FLAGS);
	tcase_add_loop_test(tc, last_entry_leaves_no_node, 0, HEIGHTS);
	tcase_add_loop_test(tc, null_store_cuts_at_both_ends, 0, HEIGHTS);
	tcase_add_loop_test(tc, equal_neighbours_are_not_joined, 0, PLACES);
	tcase_add_loop_test(tc, any_word_is_an_entry, 0, TWIN_FLAGS);
	tcase_add_loop_test(tc, arguments_that_are_wrong_change_nothing, 0,
			    TWIN_FLAGS);
	suite_add_tcase(s, tc);
}
