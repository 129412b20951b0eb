/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cursor_many.c - ranges by the batch are those found one by one.
 */

#include <inttypes.h>
#include <stdlib.h>

#include <umaple/cursor.h>

#include "harness.h"
#include "mix.h"
#include "quick.h"
#include "twin.h"

const char *const suite_name = "cursor_many";

#define MOST 70

static struct twin twin;

static bool same_place(const struct umaple_cursor *a,
		       const struct umaple_cursor *b)
{
	return a->index == b->index && a->last == b->last &&
	       umaple_cursor_is_fresh(a) == umaple_cursor_is_fresh(b);
}

/* The same from two cursors: one call, and one for each range. */
static size_t assert_batch(struct umaple_cursor *many,
			   struct umaple_cursor *single, uint64_t max,
			   size_t count)
{
	struct umaple_range ranges[MOST];
	size_t nr = umaple_cursor_find_many(many, max, ranges, count), i;
	void *entry;

	for (i = 0; i < nr; i++) {
		entry = umaple_cursor_find(single, max);
		quick_assert(ranges[i].entry == entry &&
				     ranges[i].first == single->index &&
				     ranges[i].last == single->last,
			     "range %zu of %zu is [%" PRIx64 ", %" PRIx64 "]",
			     i, nr, ranges[i].first, ranges[i].last);
	}
	if (nr < count)
		quick_assert(!umaple_cursor_find(single, max),
			     "%zu of %zu, but there are more", nr, count);
	quick_assert(same_place(many, single),
		     "the cursor is at [%" PRIx64 ", %" PRIx64 "] after %zu",
		     many->index, many->last, nr);
	return nr;
}

/* Batches to the end, paused or not; then on with another call. */
static void assert_batches(uint64_t from, uint64_t max, size_t count,
			   bool pause)
{
	struct umaple_cursor many, single;
	void *entry, *wanted;

	umaple_cursor_init(&many, &twin.tree, from, from);
	umaple_cursor_init(&single, &twin.tree, from, from);
	umaple_read_lock(&twin.tree);
	while (assert_batch(&many, &single, max, count) == count) {
		if (pause)
			umaple_cursor_pause(&many);
	}
	umaple_cursor_next_range(&many, UINT64_MAX, &entry);
	umaple_cursor_next_range(&single, UINT64_MAX, &wanted);
	quick_assert(same_place(&many, &single),
		     "after the last batch, from "
		     "%" PRIx64,
		     from);
	umaple_cursor_prev_range(&many, 0, &entry);
	umaple_cursor_prev_range(&single, 0, &wanted);
	quick_assert(same_place(&many, &single), "back again, from %" PRIx64,
		     from);
	umaple_read_unlock(&twin.tree);
}

START_TEST(batches_are_what_single_calls_find)
{
	static const unsigned int cells[] = { 20, 300, 3000 };
	struct keys keys = { .shape = (enum keys_shape)(_i % KEYS_SHAPES) };
	struct mix mix;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uint64_t)_i);
	for (int size = 0; size < 3; size++) {
		keys.cells = cells[size];
		twin_init(&twin, twin_flags[_i % TWIN_FLAGS]);
		mix_init(&mix, keys, keys.cells / 2, &rng);
		for (unsigned long n = test_scaled(600); n; n--) {
			for (int write = 0; write < 4; write++)
				mix_step(&mix, &twin);
			assert_batches(keys_index(&keys, &rng),
				       rng_below(&rng, 2)
					       ? UINT64_MAX
					       : keys_index(&keys, &rng),
				       1 + rng_below(&rng, MOST),
				       rng_below(&rng, 4) == 0);
		}
		twin_fini(&twin);
	}
}
END_TEST

START_TEST(nothing_is_asked_for_or_there)
{
	struct umaple_range range = { 7, 8, &twin };
	struct umaple_cursor cursor;

	twin_init(&twin, twin_flags[_i]);
	umaple_cursor_init(&cursor, &twin.tree, 5, 6);
	ck_assert_uint_eq(
		umaple_cursor_find_many(&cursor, UINT64_MAX, &range, 1), 0);
	twin_store(&twin, 10, 19, &twin);
	ck_assert_uint_eq(
		umaple_cursor_find_many(&cursor, UINT64_MAX, &range, 0), 0);
	ck_assert_uint_eq(umaple_cursor_find_many(&cursor, 9, &range, 1), 0);
	ck_assert_uint_eq(range.first, 7);
	ck_assert(umaple_cursor_is_fresh(&cursor));
	ck_assert_uint_eq(cursor.index, 5);
	ck_assert_uint_eq(cursor.last, 6);
	twin_fini(&twin);
}
END_TEST

/* Another writer has let the range at hand grow: no index comes twice. */
START_TEST(part_outside_the_range_at_hand_comes_first)
{
	struct umaple_range ranges[2];
	struct umaple_cursor cursor;

	twin_init(&twin, twin_flags[_i]);
	twin_store(&twin, 10, 19, &ranges[0]);
	twin_store(&twin, 40, 49, &ranges[1]);
	umaple_cursor_init(&cursor, &twin.tree, 0, 0);
	umaple_read_lock(&twin.tree);
	ck_assert_uint_eq(
		umaple_cursor_find_many(&cursor, UINT64_MAX, ranges, 1), 1);
	umaple_read_unlock(&twin.tree);
	twin_store(&twin, 5, 29, &ranges[0]);

	umaple_read_lock(&twin.tree);
	ck_assert_uint_eq(
		umaple_cursor_find_many(&cursor, UINT64_MAX, ranges, 2), 2);
	umaple_read_unlock(&twin.tree);
	ck_assert_uint_eq(ranges[0].first, 20);
	ck_assert_uint_eq(ranges[0].last, 29);
	ck_assert_uint_eq(ranges[1].first, 40);
	twin_fini(&twin);
}
END_TEST

/* The range at hand has been cut and its leaf replaced: nothing is left out. */
START_TEST(replaced_leaf_is_read_to_its_end)
{
	struct umaple_range ranges[100];
	struct umaple_cursor cursor;
	size_t count;

	twin_init(&twin, twin_flags[_i]);
	for (uint64_t i = 0; i < 100; i++)
		twin_store(&twin, 10 * i, 10 * i + 9, (char *)&twin + i);
	umaple_cursor_init(&cursor, &twin.tree, 0, 0);
	umaple_read_lock(&twin.tree);
	ck_assert_uint_eq(
		umaple_cursor_find_many(&cursor, UINT64_MAX, ranges, 1), 1);
	umaple_cursor_pause(&cursor);
	umaple_read_unlock(&twin.tree);
	twin_store(&twin, 5, 12, &twin.tree);

	umaple_read_lock(&twin.tree);
	count = umaple_cursor_find_many(&cursor, UINT64_MAX, ranges, 100);
	umaple_read_unlock(&twin.tree);
	ck_assert_uint_eq(count, 100);
	ck_assert_uint_eq(ranges[0].first, 10);
	ck_assert_uint_eq(ranges[0].last, 12);
	for (uint64_t i = 1; i < count; i++)
		ck_assert_uint_eq(ranges[i].first, ranges[i - 1].last + 1);
	ck_assert_uint_eq(ranges[count - 1].last, 999);
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("cursor_many");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, batches_are_what_single_calls_find, 0,
			    KEYS_SHAPES * TWIN_FLAGS);
	tcase_add_loop_test(tc, nothing_is_asked_for_or_there, 0, TWIN_FLAGS);
	tcase_add_loop_test(tc, part_outside_the_range_at_hand_comes_first, 0,
			    TWIN_FLAGS);
	tcase_add_loop_test(tc, replaced_leaf_is_read_to_its_end, 0,
			    TWIN_FLAGS);
	suite_add_tcase(s, tc);
}
