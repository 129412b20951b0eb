/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * What users of range maps and allocators of ranges reported: ends of the key
 * space, touching ranges, off by one, alignment, windows.  Each case is one
 * such report with the answer that is right; doc/known-cases.md has the reports by
 * number (U1 and so on).
 */

#include <errno.h>

#include <umaple/debug.h>

#include "harness.h"
#include "twin.h"

const char *const suite_name = "regress.boundaries";

#define MAX   UINT64_MAX
#define MODES (TWIN_FLAGS - TWIN_FLAGS_GAPS)
#define MIB   ((uint64_t)1 << 20)
#define GIB   ((uint64_t)1 << 30)

static void *value(uint64_t number)
{
	return (void *)(uintptr_t)number;
}

static void init(struct twin *twin, int mode)
{
	twin_init(twin, twin_flags[TWIN_FLAGS_GAPS + mode]);
}

static uint64_t gap_first(struct twin *twin, uint64_t size, uint64_t align,
			  uint64_t min, uint64_t max)
{
	uint64_t first = 0;

	twin_gap_first(twin, size, align, min, max);
	ck_assert_int_eq(umaple_gap_first(&twin->tree, size, align, min, max,
					  &first),
			 0);
	return first;
}

static uint64_t gap_last(struct twin *twin, uint64_t size, uint64_t align,
			 uint64_t min, uint64_t max)
{
	uint64_t first = 0;

	twin_gap_last(twin, size, align, min, max);
	ck_assert_int_eq(
		umaple_gap_last(&twin->tree, size, align, min, max, &first), 0);
	return first;
}

/* U1, U5, U6, U7, U10: the highest index alone, with its neighbour, and a high block. */
START_TEST(highest_index_is_an_index)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, MAX, MAX, value(1));
	twin_compare(&twin);
	twin_insert(&twin, MAX - 1, MAX, value(2)); /* overlaps */
	twin_insert(&twin, MAX - 1, MAX - 1, value(2));
	twin_compare(&twin);
	twin_erase(&twin, MAX);
	twin_compare(&twin);
	twin_insert(&twin, MAX, MAX, value(3));
	twin_compare(&twin);
	ck_assert_uint_eq(umaple_count(&twin.tree, MAX, MAX), 1);
	/* ff00::/8, by its first 64 bits */
	twin_store(&twin, (uint64_t)0xff << 56, MAX, value(4));
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 1);
	twin_fini(&twin);
}
END_TEST

/* U2, U3, U8, U11: the whole key space as one range: all is found, nothing is free. */
START_TEST(everything_as_one_range)
{
	uint64_t first = 9;
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0, MAX, value(1));
	twin_compare(&twin);
	twin_load(&twin, 65535);
	twin_find(&twin, MAX, MAX);
	twin_insert(&twin, 77, 77, value(2));
	ck_assert_int_eq(umaple_gap_first(&twin.tree, 1, 1, 0, MAX, &first),
			 -EBUSY);
	ck_assert_int_eq(umaple_gap_last(&twin.tree, 1, 1, 0, MAX, &first),
			 -EBUSY);
	ck_assert_uint_eq(first, 9);
	twin_fini(&twin);
}
END_TEST

/* U9: 0..65535 is full; the next index goes beyond, and does not join. */
START_TEST(range_up_to_a_power_of_two)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0, 65535, value(1));
	twin_load(&twin, 65535);
	twin_load(&twin, 65536);
	ck_assert_uint_eq(gap_first(&twin, 1, 1, 0, MAX), 65536);
	twin_insert(&twin, 65536, 65536, value(2));
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 2);
	twin_fini(&twin);
}
END_TEST

/* U4: points 0 and 1: the only hole is 2..MAX, and none is inverted. */
START_TEST(hole_after_the_first_points)
{
	struct umaple_cursor cursor;
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0, 0, value(1));
	twin_store(&twin, 1, 1, value(2));
	twin_compare(&twin);
	ck_assert_uint_eq(model_holes(&twin.model), 1);
	umaple_read_lock(&twin.tree);
	umaple_cursor_init(&cursor, &twin.tree, 2, 2);
	ck_assert_ptr_null(umaple_cursor_walk(&cursor));
	ck_assert_uint_eq(cursor.index, 2);
	ck_assert_uint_eq(cursor.last, MAX);
	umaple_read_unlock(&twin.tree);
	twin_fini(&twin);
}
END_TEST

/* U15, U27, U28: an iteration over 0..0 of an empty tree, and of one that starts later. */
START_TEST(iteration_over_nothing)
{
	struct umaple_range range;
	struct twin twin;

	init(&twin, _i);
	umaple_for_each(&twin.tree, range, 0, 0)
		ck_abort_msg("an entry in an empty tree");
	twin_store(&twin, 1, 5, value(1));
	umaple_for_each(&twin.tree, range, 0, 0) ck_abort_msg("an entry at 0");
	umaple_for_each(&twin.tree, range, 6, MAX)
		ck_abort_msg("an entry above 5");
	umaple_for_each(&twin.tree, range, 5, 1)
		ck_abort_msg("an entry from 5 down");
	twin_fini(&twin);
}
END_TEST

/* U16: a hole of exactly the size asked for is granted, to its last index. */
START_TEST(exact_fit_is_granted)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0x1000, MAX, value(1));
	ck_assert_uint_eq(gap_first(&twin, 0x1000, 1, 0, 0xfff), 0);
	ck_assert_uint_eq(gap_last(&twin, 0x1000, 0x1000, 0, MAX), 0);
	twin_gap_first(&twin, 0x1001, 1, 0, MAX);
	twin_fini(&twin);
}
END_TEST

/* U17: ids are distinct until they are given back, and then the lowest comes. */
START_TEST(ids_are_distinct_until_freed)
{
	struct twin twin;

	init(&twin, _i);
	for (uint64_t i = 5; i <= 260; i++) {
		ck_assert_uint_eq(gap_first(&twin, 1, 1, 5, 260), i);
		twin_insert(&twin, i, i, value(i));
	}
	twin_gap_first(&twin, 1, 1, 5, 260);
	twin_erase(&twin, 260);
	twin_erase(&twin, 5);
	twin_erase(&twin, 100);
	ck_assert_uint_eq(gap_first(&twin, 1, 1, 5, 260), 5);
	ck_assert_uint_eq(gap_last(&twin, 1, 1, 5, 260), 260);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* U18, U19, U20, U56: 2 GiB at the start and a slot of 4 GiB: 6 GiB is the end, not beyond it. */
START_TEST(slot_up_to_its_last_index)
{
	uint64_t end = 6 * GIB - 1;
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0, 2 * GIB - 1, value(1));
	ck_assert_uint_eq(gap_first(&twin, 4 * GIB, MIB, 0, end), 2 * GIB);
	twin_insert(&twin, 2 * GIB, end, value(2));
	twin_load(&twin, end);
	twin_load(&twin, end + 1);
	/* One after the end has no entry; what is nearest below, on request. */
	ck_assert_ptr_null(umaple_load(&twin.tree, end + 1));
	twin_find_rev(&twin, end + 1, 0);
	ck_assert_ptr_eq(umaple_find_rev(&twin.tree, end + 1, 0, NULL),
			 value(2));
	twin_gap_first(&twin, 1, 1, 0, end);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* U21, U22: 100000..165535 next to 165536..: each end belongs to its own range. */
START_TEST(ends_belong_to_their_range)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 100000, 165535, value(1));
	twin_store(&twin, 165536, 231071, value(2));
	twin_compare_ends(&twin, 100000, 165535);
	twin_compare_ends(&twin, 165536, 231071);
	/* .0 to .254 one country, .255 and on another. */
	twin_store(&twin, 0xa9886500, 0xa98865fe, value(3));
	twin_store(&twin, 0xa98865ff, 0xa98866ff, value(4));
	twin_load(&twin, 0xa98865fe);
	twin_load(&twin, 0xa98865ff);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* U31: large over small over the same place, and all taken away: no phantoms. */
START_TEST(nothing_is_left_of_nested_ranges)
{
	struct twin twin;

	init(&twin, _i);
	for (uint64_t i = 0; i < 50; i++) {
		twin_store(&twin, 1000 * i, 1000 * i + 900, value(1));
		twin_store(&twin, 1000 * i + 450, 1000 * i + 450, value(2));
		twin_store(&twin, 1000 * i, 1000 * i + 900, NULL);
		twin_store(&twin, 1000 * i + 450, 1000 * i + 450, NULL);
	}
	twin_compare(&twin);
	ck_assert(umaple_tree_is_empty(&twin.tree));
	twin_fini(&twin);
}
END_TEST

/* U37: the same part written again and again: the outside keeps its entry. */
START_TEST(overwritten_part_leaves_the_rest)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 99, 200, value(7));
	twin_store(&twin, 190, 200, value(6));
	twin_compare(&twin);
	twin_store(&twin, 190, 200, value(7));
	twin_compare(&twin);
	twin_store(&twin, 58, 105, value(65));
	twin_store(&twin, 65, 105, value(36));
	twin_store(&twin, 65, 105, value(65));
	twin_compare(&twin);
	/* A hole inside: the parent still covers both sides. */
	twin_store(&twin, 120, 130, NULL);
	twin_load(&twin, 119);
	twin_load(&twin, 125);
	twin_load(&twin, 131);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* U25, U34, U36: any index that is taken refuses the insert, and nothing changes. */
START_TEST(insert_refuses_each_kind_of_overlap)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 100, 199, value(1));
	twin_insert(&twin, 50, 100, value(2));
	twin_insert(&twin, 199, 250, value(2));
	twin_insert(&twin, 120, 130, value(2));
	twin_insert(&twin, 50, 250, value(2));
	twin_insert(&twin, 100, 199, value(1));
	twin_insert(&twin, 0, MAX, value(2));
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 1);
	twin_insert(&twin, 50, 99, value(2));
	twin_insert(&twin, 200, 250, value(3));
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count, 3);
	twin_fini(&twin);
}
END_TEST

/* U42: gaps before the first and after the last entry count when the window does. */
START_TEST(gaps_at_the_outside_count)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 1000, 1999, value(1));
	twin_store(&twin, 3000, 3999, value(2));
	ck_assert_uint_eq(gap_first(&twin, 1000, 1, 0, 4999), 0);
	ck_assert_uint_eq(gap_last(&twin, 1000, 1, 0, 4999), 4000);
	ck_assert_uint_eq(gap_first(&twin, 1000, 1, 1, 4999), 2000);
	ck_assert_uint_eq(gap_last(&twin, 1000, 1, 0, 4998), 2000);
	twin_fini(&twin);
}
END_TEST

/* U47, U48: large alignments: space is there, and is found aligned. */
START_TEST(aligned_place_is_found)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0, 130 * MIB - 1, value(1));
	twin_store(&twin, 500 * MIB, 4 * GIB - 1, value(2));
	/* The lowest aligned start is inside the hole, not at its edge. */
	ck_assert_uint_eq(gap_first(&twin, 128 * MIB, 128 * MIB, 0,
				    4 * GIB - 1),
			  256 * MIB);
	ck_assert_uint_eq(gap_last(&twin, 128 * MIB, 128 * MIB, 0, 4 * GIB - 1),
			  256 * MIB);
	twin_gap_first(&twin, 256 * MIB, 256 * MIB, 0, 4 * GIB - 1);
	ck_assert_uint_eq(gap_last(&twin, 0x1000, 0x1000, 0, 4 * GIB - 1),
			  500 * MIB - 0x1000);
	/* Just below 4 GiB multiples and across them. */
	ck_assert_uint_eq(gap_first(&twin, 0x4000, 0x1000, 0x280000000,
				    0x280003fff),
			  0x280000000);
	/* An alignment of half of everything. */
	ck_assert_uint_eq(gap_first(&twin, 1, (uint64_t)1 << 63, 1, MAX),
			  (uint64_t)1 << 63);
	ck_assert_uint_eq(gap_last(&twin, 1, (uint64_t)1 << 63, 0, MAX),
			  (uint64_t)1 << 63);
	twin_fini(&twin);
}
END_TEST

/* U46: top down, the window's end is honoured to the index. */
START_TEST(window_end_is_honoured)
{
	uint64_t top = 0xfffffffff;
	struct twin twin;

	init(&twin, _i);
	for (uint64_t i = 1; i <= 300; i++) {
		uint64_t first = gap_last(&twin, 0x1000, 0x1000, 0x1000, top);

		ck_assert_uint_eq(first, top + 1 - i * 0x1000);
		twin_insert(&twin, first, first + 0xfff, value(i));
	}
	twin_gap_last(&twin, 0x1000, 1, top - 300 * 0x1000 + 1, top);
	twin_gap_last(&twin, 0x1000, 1, top - 301 * 0x1000 + 1, top);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* U14: 65536 ids for each of many owners, beyond 32 bits. */
START_TEST(ids_beyond_32_bits)
{
	struct twin twin;

	init(&twin, _i);
	for (uint64_t owner = 65000; owner < 66000; owner++)
		twin_insert(&twin, owner * 65536, owner * 65536 + 65535,
			    value(owner));
	twin_compare(&twin);
	ck_assert_ptr_eq(umaple_load(&twin.tree, (uint64_t)65999 * 65536),
			 value(65999));
	ck_assert_ptr_null(umaple_load(&twin.tree, 65999u * 65536u));
	ck_assert_int_eq(umaple_insert_range(&twin.tree, MAX, 65535, value(1)),
			 -EINVAL);
	twin_fini(&twin);
}
END_TEST

/* U52: what is free costs nothing, however much of it there is. */
START_TEST(sparse_ids_cost_what_is_taken)
{
	struct umaple_tree_info info;
	struct twin twin;

	init(&twin, _i);
	for (uint64_t i = 0; i < 7; i++)
		twin_store(&twin, i << 60, i << 60, value(i + 1));
	umaple_tree_measure(&twin.tree, &info);
	ck_assert_uint_eq(info.nodes, 1);
	twin_fini(&twin);
}
END_TEST

/* U12: sizes and alignments that add up past the highest index. */
START_TEST(sums_past_the_highest_index)
{
	struct twin twin;

	init(&twin, _i);
	twin_store(&twin, 0, MAX - 10, value(1));
	for (uint64_t size = 1; size <= 12; size++) {
		for (unsigned int shift = 0; shift < 64; shift++) {
			uint64_t align = (uint64_t)1 << shift;

			twin_gap_first(&twin, size, align, 0, MAX);
			twin_gap_last(&twin, size, align, 0, MAX);
			twin_gap_first(&twin, size, align, MAX - 5, MAX);
			twin_gap_last(&twin, MAX - size, align, 0, MAX);
			twin_gap_first(&twin, MAX - size, align, size, MAX);
		}
	}
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("regress.boundaries");

	tcase_add_loop_test(tc, highest_index_is_an_index, 0, MODES);
	tcase_add_loop_test(tc, everything_as_one_range, 0, MODES);
	tcase_add_loop_test(tc, range_up_to_a_power_of_two, 0, MODES);
	tcase_add_loop_test(tc, hole_after_the_first_points, 0, MODES);
	tcase_add_loop_test(tc, iteration_over_nothing, 0, MODES);
	tcase_add_loop_test(tc, exact_fit_is_granted, 0, MODES);
	tcase_add_loop_test(tc, ids_are_distinct_until_freed, 0, MODES);
	tcase_add_loop_test(tc, slot_up_to_its_last_index, 0, MODES);
	tcase_add_loop_test(tc, ends_belong_to_their_range, 0, MODES);
	tcase_add_loop_test(tc, nothing_is_left_of_nested_ranges, 0, MODES);
	tcase_add_loop_test(tc, overwritten_part_leaves_the_rest, 0, MODES);
	tcase_add_loop_test(tc, insert_refuses_each_kind_of_overlap, 0, MODES);
	tcase_add_loop_test(tc, gaps_at_the_outside_count, 0, MODES);
	tcase_add_loop_test(tc, aligned_place_is_found, 0, MODES);
	tcase_add_loop_test(tc, window_end_is_honoured, 0, MODES);
	tcase_add_loop_test(tc, ids_beyond_32_bits, 0, MODES);
	tcase_add_loop_test(tc, sparse_ids_cost_what_is_taken, 0, MODES);
	tcase_add_loop_test(tc, sums_past_the_highest_index, 0, MODES);
	suite_add_tcase(s, tc);
}
