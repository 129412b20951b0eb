/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_find.c - searches of the simple API: reserved ranges, holes, counts; and the
 * replacing of an entry in place.
 */

#include <errno.h>

#include <umaple/cursor.h>
#include <umaple/debug.h>
#include <umaple/tree.h>

#include "harness.h"
#include "spy.h"

const char *const suite_name = "find";

#define MAX UINT64_MAX

static char value[4];

static const unsigned int tree_flags[] = {
	0,
	UMAPLE_TREE_GAPS,
	UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
};

/* {10..19: 1, 20..29: reserved, 40..49: 2} */
static void build(struct umaple_tree *tree, unsigned int flags)
{
	umaple_tree_init(tree, flags);
	ck_assert_int_eq(umaple_store_range(tree, 10, 19, &value[1]), 0);
	ck_assert_int_eq(umaple_store_range(tree, 20, 29, UMAPLE_RESERVED), 0);
	ck_assert_int_eq(umaple_store_range(tree, 40, 49, &value[2]), 0);
}

START_TEST(reserved_range_reads_as_nothing)
{
	const uint64_t index[] = { 15, 25, 35, 45 };
	struct umaple_range range;
	struct umaple_tree tree;
	void *entry[4];
	int seen = 0;

	build(&tree, tree_flags[_i]);
	ck_assert_ptr_null(umaple_load(&tree, 25));
	umaple_load_many(&tree, index, entry, 4);
	ck_assert_ptr_eq(entry[0], &value[1]);
	ck_assert_ptr_null(entry[1]);
	ck_assert_ptr_null(entry[2]);
	ck_assert_ptr_eq(entry[3], &value[2]);
	ck_assert_ptr_eq(umaple_find(&tree, 20, MAX, &range), &value[2]);
	ck_assert_ptr_null(umaple_find(&tree, 20, 39, &range));
	ck_assert_ptr_eq(umaple_next(&tree, 10, MAX, &range), &value[2]);
	ck_assert_ptr_eq(umaple_prev(&tree, 40, 0, &range), &value[1]);
	umaple_for_each(&tree, range, 0, MAX) seen++;
	ck_assert_int_eq(seen, 2);
	ck_assert_uint_eq(umaple_count(&tree, 0, MAX), 2);
	umaple_tree_destroy(&tree);
}
END_TEST

/* U51: a range can be taken without a value. */
START_TEST(reserved_range_is_taken)
{
	struct umaple_range range;
	struct umaple_cursor cursor;
	struct umaple_tree tree;
	uint64_t first;

	build(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_insert_range(&tree, 25, 26, &value[3]),
			 -EEXIST);
	if (tree_flags[_i] & UMAPLE_TREE_GAPS) {
		ck_assert_int_eq(
			umaple_gap_first(&tree, 10, 1, 20, MAX, &first), 0);
		ck_assert_uint_eq(first, 30);
	}
	umaple_cursor_init(&cursor, &tree, 25, 25);
	umaple_read_lock(&tree);
	ck_assert_ptr_eq(umaple_cursor_walk(&cursor), UMAPLE_RESERVED);
	umaple_read_unlock(&tree);
	ck_assert_int_eq(umaple_erase(&tree, 25, &range), 0);
	ck_assert_ptr_eq(range.entry, UMAPLE_RESERVED);
	ck_assert_uint_eq(range.first, 20);
	ck_assert_uint_eq(range.last, 29);
	ck_assert_int_eq(umaple_insert_range(&tree, 25, 26, &value[3]), 0);
	umaple_tree_destroy(&tree);
}
END_TEST

START_TEST(holes_are_found_whole)
{
	struct umaple_range hole = { 0 };
	struct umaple_tree tree;

	build(&tree, tree_flags[_i]);
	ck_assert(umaple_find_hole(&tree, 5, MAX, &hole));
	ck_assert_uint_eq(hole.first, 0);
	ck_assert_uint_eq(hole.last, 9);
	ck_assert(umaple_find_hole(&tree, 10, MAX, &hole));
	ck_assert_uint_eq(hole.first, 30);
	ck_assert_uint_eq(hole.last, 39);
	ck_assert(umaple_find_hole(&tree, 40, 50, &hole));
	ck_assert_uint_eq(hole.first, 50);
	ck_assert_uint_eq(hole.last, MAX);
	ck_assert(!umaple_find_hole(&tree, 40, 49, &hole));
	umaple_tree_destroy(&tree);
	ck_assert(umaple_find_hole(&tree, 7, MAX, &hole));
	ck_assert_uint_eq(hole.first, 0);
	ck_assert_uint_eq(hole.last, MAX);
	ck_assert_int_eq(umaple_store_range(&tree, 0, MAX, &value[1]), 0);
	ck_assert(!umaple_find_hole(&tree, 0, MAX, &hole));
	umaple_tree_destroy(&tree);
}
END_TEST

/* U53: ranges and holes in order, from any place on. */
START_TEST(loops_visit_what_meets_their_limits)
{
	struct umaple_range range;
	struct umaple_tree tree;
	uint64_t sum = 0;

	build(&tree, tree_flags[_i]);
	umaple_for_each_rev(&tree, range, MAX, 0) sum = 100 * sum + range.first;
	ck_assert_uint_eq(sum, 4010);
	sum = 0;
	umaple_for_each_rev(&tree, range, 45, 19) sum = 100 * sum + range.last;
	ck_assert_uint_eq(sum, 4919);
	umaple_for_each_rev(&tree, range, 39, 20) ck_abort_msg("reserved");
	sum = 0;
	umaple_for_each_hole(&tree, range, 5, 50)
	{
		ck_assert_ptr_null(range.entry);
		sum = 100 * sum + range.first;
	}
	ck_assert_uint_eq(sum, 3050);
	umaple_for_each_hole(&tree, range, 10, 29) ck_abort_msg("a hole");
	umaple_tree_destroy(&tree);
	umaple_for_each_rev(&tree, range, MAX, 0) ck_abort_msg("a range");
	sum = 0;
	umaple_for_each_hole(&tree, range, 0, MAX) sum += range.last;
	ck_assert_uint_eq(sum, MAX);
}
END_TEST

START_TEST(find_rev_starts_at_its_place)
{
	struct umaple_range range = { 1, 2, NULL };
	struct umaple_tree tree;

	build(&tree, tree_flags[_i]);
	ck_assert_ptr_null(umaple_find_rev(&tree, 9, 0, &range));
	ck_assert_ptr_null(umaple_find_rev(&tree, 45, 46, &range));
	ck_assert_ptr_null(umaple_find_rev(&tree, 39, 20, &range));
	ck_assert_uint_eq(range.first, 1);
	ck_assert_ptr_eq(umaple_find_rev(&tree, 39, 19, &range), &value[1]);
	ck_assert_ptr_eq(umaple_find_rev(&tree, 45, 45, &range), &value[2]);
	ck_assert_uint_eq(range.first, 40);
	ck_assert_uint_eq(range.last, 49);
	umaple_tree_destroy(&tree);
}
END_TEST

/* The same for the way down, and for holes. */
START_TEST(other_loops_report_no_index_twice)
{
	struct umaple_range range;
	struct umaple_tree tree;
	uint64_t next = 19, sum = 0;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, &value[1]), 0);
	umaple_for_each_rev(&tree, range, MAX, 0)
	{
		ck_assert_uint_eq(range.last, next);
		next = range.first - 1;
		ck_assert_int_eq(umaple_store_range(&tree, 5, 14, &value[2]),
				 0);
	}
	ck_assert_uint_eq(next, 4);
	umaple_for_each_hole(&tree, range, 0, MAX)
	{
		sum = 100 * sum + range.first;
		ck_assert_int_eq(umaple_store_range(&tree, 0, 9, NULL), 0);
	}
	ck_assert_uint_eq(sum, 520);
	umaple_tree_destroy(&tree);
}
END_TEST

START_TEST(for_each_reports_no_index_twice)
{
	struct umaple_range range;
	struct umaple_tree tree;
	uint64_t next = 0;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_store_range(&tree, 0, 9, &value[1]), 0);
	umaple_for_each(&tree, range, 0, MAX)
	{
		ck_assert_uint_eq(range.first, next);
		next = range.last + 1;
		ck_assert_int_eq(umaple_store_range(&tree, 5, 14, &value[2]),
				 0);
	}
	ck_assert_uint_eq(next, 15);
	umaple_tree_destroy(&tree);
}
END_TEST

START_TEST(count_takes_ranges_that_reach_in)
{
	struct umaple_tree tree;

	build(&tree, tree_flags[_i]);
	ck_assert_uint_eq(umaple_count(&tree, 19, 40), 2);
	ck_assert_uint_eq(umaple_count(&tree, 20, 39), 0);
	ck_assert_uint_eq(umaple_count(&tree, 15, 15), 1);
	ck_assert_uint_eq(umaple_count(&tree, 50, MAX), 0);
	umaple_tree_destroy(&tree);
}
END_TEST

/* What a writer does after the first step of a count, and how many it then is. */
static const struct {
	uint64_t first;
	uint64_t last;
	uint64_t count;
} grown[] = { { 10, 24, 2 }, { 10, 44, 2 }, { 10, MAX, 1 }, { 15, 49, 1 } };

static struct umaple_tree *counted;
static int grown_to;

static void grow_once(void)
{
	spy.on_find = NULL;
	ck_assert_int_eq(umaple_store_range(counted, grown[grown_to].first,
					    grown[grown_to].last, &value[3]),
			 0);
}

START_TEST(range_that_grows_is_counted_once)
{
	struct umaple_tree tree;

	build(&tree, tree_flags[_i % 2]);
	counted = &tree;
	grown_to = _i / 2;
	spy.on_find = grow_once;
	ck_assert_uint_eq(umaple_count(&tree, 12, MAX), grown[grown_to].count);
	ck_assert_ptr_null(spy.on_find);
	umaple_tree_destroy(&tree);
}
END_TEST

/* U43: an entry is updated and its range stays. */
START_TEST(replace_wants_the_entry_it_was_told)
{
	struct umaple_tree tree;

	build(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_replace(&tree, 15, &value[2], &value[3]),
			 -EAGAIN);
	ck_assert_int_eq(umaple_replace(&tree, 35, &value[2], &value[3]),
			 -EAGAIN);
	ck_assert_int_eq(umaple_replace(&tree, 35, NULL, &value[3]), -EINVAL);
	ck_assert_int_eq(umaple_replace(&tree, 15, &value[1], NULL), -EINVAL);
	ck_assert_ptr_eq(umaple_load(&tree, 15), &value[1]);
	ck_assert_int_eq(umaple_replace(&tree, 15, &value[1], &value[3]), 0);
	ck_assert_ptr_eq(umaple_load(&tree, 10), &value[3]);
	ck_assert_ptr_eq(umaple_load(&tree, 19), &value[3]);
	umaple_tree_destroy(&tree);
	ck_assert_int_eq(umaple_replace(&tree, 15, &value[1], &value[3]),
			 -EAGAIN);
}
END_TEST

START_TEST(serial_can_be_turned_on_and_off)
{
	struct umaple_tree tree;

	build(&tree, 0);
	umaple_tree_set_serial(&tree, true);
	ck_assert_int_eq(umaple_store_range(&tree, 12, 44, &value[3]), 0);
	umaple_tree_set_serial(&tree, false);
	ck_assert_int_eq(umaple_store_range(&tree, 0, 5, &value[1]), 0);
	ck_assert_ptr_eq(umaple_load(&tree, 30), &value[3]);
	ck_assert_int_eq(umaple_tree_check(&tree, NULL, 0), 0);
	umaple_tree_destroy(&tree);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("find");

	tcase_add_loop_test(tc, reserved_range_reads_as_nothing, 0, 4);
	tcase_add_loop_test(tc, reserved_range_is_taken, 0, 4);
	tcase_add_loop_test(tc, holes_are_found_whole, 0, 4);
	tcase_add_loop_test(tc, find_rev_starts_at_its_place, 0, 4);
	tcase_add_loop_test(tc, loops_visit_what_meets_their_limits, 0, 4);
	tcase_add_loop_test(tc, other_loops_report_no_index_twice, 0, 4);
	tcase_add_loop_test(tc, for_each_reports_no_index_twice, 0, 4);
	tcase_add_loop_test(tc, count_takes_ranges_that_reach_in, 0, 4);
	tcase_add_loop_test(tc, range_that_grows_is_counted_once, 0, 8);
	tcase_add_loop_test(tc, replace_wants_the_entry_it_was_told, 0, 4);
	tcase_add_test(tc, serial_can_be_turned_on_and_off);
	suite_add_tcase(s, tc);
}
