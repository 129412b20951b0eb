/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Gap searches that other maple trees answered wrongly.  Case numbers are
 * fixed: reports name them.
 */

#include <errno.h>

#include <umaple/debug.h>

#include "harness.h"
#include "twin.h"

const char *const suite_name = "regress.gaps";

#define MAX   UINT64_MAX
#define MODES (TWIN_FLAGS - TWIN_FLAGS_GAPS)

static void *value(uint64_t number)
{
	return (void *)(uintptr_t)number;
}

/* Gap trees of each kind, at the low end of the key space and mirrored at the high. */
#define PLACES (2 * MODES)

static void init(struct twin *twin, int i)
{
	twin_init(twin, twin_flags[TWIN_FLAGS_GAPS + i % MODES]);
	twin->mirrored = i / MODES % 2;
}

/* The same at each height up to 5: the last index that the case may use. */
#define HEIGHTS (6 * PLACES)

static uint64_t init_high(struct twin *twin, int i)
{
	init(twin, i);
	return twin_crowd(twin, (uint64_t)(i / PLACES));
}

/*
 * What a search must say: the first index, or an error.  In a mirrored tree the
 * lowest is the highest.
 */
static int search(struct twin *twin, bool want_last, uint64_t min, uint64_t max,
		  uint64_t size, uint64_t *first)
{
	int err;

	if (twin->mirrored) {
		uint64_t low = MAX - max;

		max = MAX - min;
		min = low;
		want_last = !want_last;
	}
	err = want_last
		      ? umaple_gap_last(&twin->tree, size, 1, min, max, first)
		      : umaple_gap_first(&twin->tree, size, 1, min, max, first);
	if (!err && twin->mirrored)
		*first = MAX - *first - (size - 1);
	return err;
}

static void lowest(struct twin *twin, uint64_t min, uint64_t max, uint64_t size,
		   uint64_t wanted)
{
	uint64_t first = 1;

	ck_assert_int_eq(search(twin, false, min, max, size, &first), 0);
	ck_assert_uint_eq(first, wanted);
}

static void highest(struct twin *twin, uint64_t min, uint64_t max,
		    uint64_t size, uint64_t wanted)
{
	uint64_t first = 1;

	ck_assert_int_eq(search(twin, true, min, max, size, &first), 0);
	ck_assert_uint_eq(first, wanted);
}

static void neither(struct twin *twin, uint64_t min, uint64_t max,
		    uint64_t size, int error)
{
	uint64_t first = 1;

	ck_assert_int_eq(search(twin, false, min, max, size, &first), error);
	ck_assert_int_eq(search(twin, true, min, max, size, &first), error);
	ck_assert_uint_eq(first, 1);
}

/* Case T22: an empty tree, and one whose only entry is at index 0. */
START_TEST(gaps_of_a_tree_with_next_to_nothing)
{
	struct twin twin;

	init(&twin, _i);
	lowest(&twin, 0, MAX, 1, 0);
	highest(&twin, 0, MAX, 1, MAX);
	lowest(&twin, 0, MAX, MAX, 0);
	highest(&twin, 0, MAX, MAX, 1);
	neither(&twin, 5, 4, 1, -EINVAL);
	neither(&twin, 5, 9, 0, -EINVAL);
	neither(&twin, 5, 9, 6, -EINVAL);
	twin_store(&twin, 0, 0, value(7));
	neither(&twin, 0, 0, 1, -EBUSY);
	neither(&twin, 0, 1, 2, -EBUSY);
	neither(&twin, 0, 9, 10, -EBUSY);
	lowest(&twin, 0, 9, 9, 1);
	highest(&twin, 0, 9, 9, 1);
	lowest(&twin, 0, MAX, MAX, 1);
	highest(&twin, 0, MAX, MAX, 1);
	twin_fini(&twin);
}
END_TEST

/* Case T23: map A is 10..19, 30..39, 50..59. */
START_TEST(gaps_of_map_a)
{
	struct twin twin;
	uint64_t top;

	top = init_high(&twin, _i);
	twin_store(&twin, 10, 19, value(1));
	twin_store(&twin, 30, 39, value(2));
	twin_store(&twin, 50, 59, value(3));
	lowest(&twin, 0, top, 10, 0);
	lowest(&twin, 1, top, 10, 20);
	lowest(&twin, 21, top, 10, 40);
	neither(&twin, 0, 59, 11, -EBUSY);
	highest(&twin, 0, 60, 1, 60);
	highest(&twin, 0, 59, 10, 40);
	highest(&twin, 0, 48, 10, 20);
	highest(&twin, 0, 48, 9, 40);
	lowest(&twin, 0, top, top - 59, 60);
	highest(&twin, 0, top, top - 59, 60);
	highest(&twin, 0, top, top - 60, 61);
	lowest(&twin, 0, top, top - 60, 60);
	neither(&twin, 10, 19, 1, -EBUSY);
	lowest(&twin, 10, 20, 1, 20);
	highest(&twin, 9, 19, 1, 9);
	twin_fini(&twin);
}
END_TEST

/*
 * Case T25: pieces of five sizes fill a window exactly; then nothing fits, and
 * what is given back is found.
 */
START_TEST(window_that_is_exactly_full)
{
	static const uint64_t sizes[] = { 0x1000, 0x2000, 0x4000, 0x8000,
					  0x10000 };
	uint64_t rounds = TWIN_BIG(2000), first = 0;
	uint64_t window = rounds * 0x1f000 - 1;
	struct twin twin;

	init(&twin, _i);
	for (unsigned int i = 0; i < 5; i++) {
		for (uint64_t n = 0; n < rounds; n++) {
			ck_assert_int_eq(search(&twin, false, 0, window,
						sizes[i], &first),
					 0);
			twin_store(&twin, first, first + sizes[i] - 1,
				   value(n + 1));
		}
	}
	twin_check(&twin);
	neither(&twin, 0, window, 0x1000, -EBUSY);
	neither(&twin, 0, window, 1, -EBUSY);
	/* Two neighbours go: their room is one hole. */
	twin_erase(&twin, 0x5000);
	twin_erase(&twin, 0x6000);
	lowest(&twin, 0, window, 0x2000, 0x5000);
	lowest(&twin, 0x5800, window, 0x1800, 0x5800);
	neither(&twin, 0x5801, window, 0x1800, -EBUSY);
	neither(&twin, 0x5000, window, 0x2001, -EBUSY);
	twin_fini(&twin);
}
END_TEST

/* Case T26: a search that failed must not spoil the next of the same cursor. */
START_TEST(search_is_independent_of_the_one_before)
{
	struct umaple_cursor cursor;
	struct twin twin;

	init(&twin, _i);
	for (uint64_t i = 0; i < 200; i++)
		twin_store(&twin, i * 100, i * 100 + 98, value(1));
	twin_lock(&twin);
	umaple_cursor_init(&cursor, &twin.tree, 5, 6);
	ck_assert_int_eq(umaple_cursor_gap_first(&cursor, 2, 1, 0, 19999),
			 -EBUSY);
	ck_assert_uint_eq(cursor.index, 5);
	ck_assert_uint_eq(cursor.last, 6);
	ck_assert_int_eq(umaple_cursor_gap_first(&cursor, 2, 1, 0, MAX), 0);
	ck_assert_uint_eq(cursor.index, 19999);
	ck_assert_uint_eq(cursor.last, 20000);
	ck_assert_int_eq(umaple_cursor_gap_last(&cursor, 2, 1, 500, 700),
			 -EBUSY);
	ck_assert_int_eq(umaple_cursor_gap_last(&cursor, 1, 1, 500, 700), 0);
	ck_assert_uint_eq(cursor.index, 699);
	/* Lower than where the cursor stands now. */
	ck_assert_int_eq(umaple_cursor_gap_first(&cursor, 1, 1, 0, MAX), 0);
	ck_assert_uint_eq(cursor.index, 99);
	umaple_cursor_pause(&cursor);
	twin_unlock(&twin);
	twin_fini(&twin);
}
END_TEST

/*
 * Cases T44b and T45: limits that lie inside holes, at each height.  Ranges of
 * 5 with holes of 1 to 7 between; every window over a stretch in the middle is
 * tried with every size.
 */
START_TEST(limits_inside_holes_at_each_height)
{
	uint64_t most = UMAPLE_ASSERT_LEVEL >= 3 ? 300 : 30000;

	for (uint64_t count = 1; count <= most; count *= 12) {
		uint64_t at = 0, middle = 0;
		struct twin twin;

		init(&twin, _i);
		for (uint64_t i = 0; i < count; i++) {
			if (i == count / 2)
				middle = at;
			twin_store(&twin, at, at + 4, value(i + 1));
			at += 6 + i * 5 % 7;
		}
		for (uint64_t low = middle; low < middle + 26; low++) {
			for (uint64_t high = low; high < middle + 26; high++) {
				uint64_t size = 1 + (low * 7 + high * 3) % 9;

				twin_gap_first(&twin, size, 1, low, high);
				twin_gap_last(&twin, size, 1, low, high);
				twin_gap_first(&twin, size, 4, low, high);
				twin_gap_last(&twin, size, 4, low, high);
			}
		}
		for (uint64_t size = 1; size < 9; size++) {
			twin_gap_first(&twin, size, 1, middle + 1, MAX);
			twin_gap_last(&twin, size, 1, 0, middle + 1);
		}
		twin_fini(&twin);
	}
}
END_TEST

/* A hole across leaves is one hole: large ranges go, small ones stay. */
START_TEST(hole_over_many_leaves_is_found_whole)
{
	struct twin twin;

	init(&twin, _i);
	for (uint64_t i = 0; i < 1000; i++)
		twin_store(&twin, i * 10, i * 10 + 9, value(i + 1));
	twin_store(&twin, 10000, MAX, value(9));
	for (uint64_t length = 1; length < 400; length = length * 2 + 1) {
		uint64_t low = 3000, high = 3000 + length * 10 - 1;

		/* One by one, so that the hole grows at both ends. */
		for (uint64_t i = 0; i < length; i += 2)
			twin_erase(&twin, low + i * 10);
		for (uint64_t i = 1; i < length; i += 2)
			twin_erase(&twin, low + i * 10);
		twin_check(&twin);
		lowest(&twin, 0, MAX, high - low + 1, low);
		highest(&twin, 0, MAX, high - low + 1, low);
		neither(&twin, 0, MAX, high - low + 2, -EBUSY);
		twin_store(&twin, low, high, value(5));
		neither(&twin, 0, MAX, 1, -EBUSY);
	}
	twin_fini(&twin);
}
END_TEST

/* Case T27: the second search of a cyclic allocation starts from the low end. */
START_TEST(cyclic_allocation_comes_round)
{
	struct umaple_cyclic cyclic = { .next = 2 };
	uint64_t index = 0;
	struct twin twin;

	init(&twin, _i);
	for (uint64_t i = 2; i <= 1024; i++) {
		ck_assert_int_eq(umaple_alloc_cyclic(&twin.tree, value(i), 2,
						     1024, &cyclic, &index),
				 0);
		ck_assert_uint_eq(index, i);
		ck_assert(!cyclic.wrapped);
		model_store_range(&twin.model, i, i, value(i));
	}
	ck_assert_int_eq(umaple_alloc_cyclic(&twin.tree, value(1), 2, 1024,
					     &cyclic, &index),
			 -EBUSY);
	twin_erase(&twin, 123);
	ck_assert_int_eq(umaple_alloc_cyclic(&twin.tree, value(1), 2, 1024,
					     &cyclic, &index),
			 0);
	ck_assert_uint_eq(index, 123);
	ck_assert(cyclic.wrapped);
	ck_assert_uint_eq(cyclic.next, 124);
	umaple_erase(&twin.tree, 100, NULL);
	ck_assert_int_eq(umaple_alloc_cyclic(&twin.tree, value(1), 2, 1024,
					     &cyclic, &index),
			 0);
	ck_assert_uint_eq(index, 100);
	ck_assert(cyclic.wrapped);
	ck_assert_uint_eq(cyclic.next, 101);
	twin_fini(&twin);
}
END_TEST

/* Case T42: the cycle passes the highest index. */
START_TEST(cyclic_allocation_passes_the_highest_index)
{
	struct umaple_cyclic cyclic = { .next = MAX - 1 };
	static const uint64_t wanted[] = { MAX - 1, MAX, 7, 8 };
	struct twin twin;

	init(&twin, _i);
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t index = 0;

		ck_assert_int_eq(umaple_alloc_cyclic(&twin.tree, value(1), 7,
						     MAX, &cyclic, &index),
				 0);
		ck_assert_uint_eq(index, wanted[i]);
		ck_assert_int_eq(cyclic.wrapped, i == 2);
	}
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("regress.gaps");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, gaps_of_a_tree_with_next_to_nothing, 0, PLACES);
	tcase_add_loop_test(tc, gaps_of_map_a, 0, HEIGHTS);
	tcase_add_loop_test(tc, window_that_is_exactly_full, 0, PLACES);
	tcase_add_loop_test(tc, search_is_independent_of_the_one_before, 0,
			    MODES);
	tcase_add_loop_test(tc, limits_inside_holes_at_each_height, 0, PLACES);
	tcase_add_loop_test(tc, hole_over_many_leaves_is_found_whole, 0,
			    PLACES);
	tcase_add_loop_test(tc, cyclic_allocation_comes_round, 0, MODES);
	tcase_add_loop_test(tc, cyclic_allocation_passes_the_highest_index, 0,
			    MODES);
	suite_add_tcase(s, tc);
}
