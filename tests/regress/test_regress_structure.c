/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Writes that other maple trees got wrong: spans, splits, merges, destruction.
 *
 * Each case is a known fault of another implementation, or a way to provoke
 * one, with the answer that is right.  Case numbers are fixed: reports name
 * them.
 */

#include <umaple/debug.h>

#include "harness.h"
#include "keys.h"
#include "twin.h"

const char *const suite_name = "regress.structure";

static void *value(uint64_t number)
{
	return (void *)(uintptr_t)(number + 1);
}

/* Entry i at [step * i, step * i + width - 1], for i below @count. */
static void fill(struct twin *twin, uint64_t count, uint64_t step,
		 uint64_t width)
{
	for (uint64_t i = 0; i < count; i++)
		twin_store(twin, i * step, i * step + width - 1, value(i));
}

/* The same from the highest down, which makes other nodes. */
static void fill_down(struct twin *twin, uint64_t count, uint64_t step,
		      uint64_t width)
{
	for (uint64_t i = count; i--;)
		twin_store(twin, i * step, i * step + width - 1, value(i));
}

/* Trees of each kind, at the low end of the key space and mirrored at the high one. */
#define PLACES (2 * TWIN_FLAGS)

static void init(struct twin *twin, int i)
{
	twin_init(twin, twin_flags[i % TWIN_FLAGS]);
	twin->mirrored = i / TWIN_FLAGS % 2;
}

/*
 * The same at each height up to 5, made by ranges far away: the last index that the
 * case may use.
 */
#define HEIGHTS (6 * PLACES)

static uint64_t init_high(struct twin *twin, int i)
{
	init(twin, i);
	return twin_crowd(twin, (uint64_t)(i / PLACES));
}

/* At scale 0 two heights will do where a case is long. */
static bool is_left_out(int place)
{
	int height = place / PLACES;

	return test_scaled(20) < 20 && height && height != 3;
}

static uint64_t height(const struct twin *twin)
{
	struct umaple_tree_info info;

	umaple_tree_measure(&twin->tree, &info);
	return info.height;
}

/* One spanning store on an exact copy, compared with a copy of the model. */
static void span_on_copy(struct twin *origin, struct twin *copy, uint64_t first,
			 uint64_t last)
{
	for (int hole = 0; hole <= 1; hole++) {
		ck_assert_int_eq(umaple_tree_dup(&copy->tree, &origin->tree),
				 0);
		model_copy(&copy->model, &origin->model);
		twin_store(copy, first, last, hole ? NULL : value(99999));
		twin_compare(copy);
		twin_clear(copy);
	}
}

/*
 * Case T1: a spanning store that ends with the last entry of a node swallowed
 * the node after it.  400 ranges, and a store over i to j for each i < j when
 * the scale is large.  Else one i in 26, other ones each time (in 107 at scale
 * 0), and all short spans, from one leaf into the next or the one after, but few
 * of the long.
 */
START_TEST(store_over_any_two_ranges_keeps_the_rest)
{
	uint64_t width = _i / PLACES % 2 ? 10 : 7; /* without, with holes */
	bool all = test_scaled(20) >= 200;
	uint64_t step = all ? 1 : test_scaled(20) < 20 ? 107 : 26;
	struct twin origin, copy;

	init(&origin, _i);
	init(&copy, _i);
	if (_i / PLACES / 2)
		fill_down(&origin, 400, 10, width);
	else
		fill(&origin, 400, 10, width);
	for (uint64_t i = test_seed() % step; i < 400; i += step)
		for (uint64_t j = i + 1; j < 400;
		     j += all || j - i < 40 ? 1 : 37)
			span_on_copy(&origin, &copy, 10 * i, 10 * j + 9);
	twin_fini(&copy);
	twin_fini(&origin);
}
END_TEST

/*
 * Case T1 in trees of height 4 and 5, from a few places: what goes are nodes of every
 * level.
 */
START_TEST(store_over_two_ranges_of_a_high_tree_keeps_the_rest)
{
	uint64_t count = 600;
	struct twin origin, copy;

	init(&origin, _i);
	init(&copy, _i);
	twin_crowd(&origin, (uint64_t)(4 + _i / PLACES));
	fill(&origin, count, 10, 7);
	for (uint64_t i = test_seed() % 200; i < count; i += 200)
		for (uint64_t j = i + 1; j < count; j += j - i < 40 ? 3 : 61)
			span_on_copy(&origin, &copy, 10 * i, 10 * j + 9);
	twin_fini(&copy);
	twin_fini(&origin);
}
END_TEST

/* Case T2: too little data was left in a rebalance after a span. */
START_TEST(empty_span_to_far_above_keeps_what_is_below)
{
	struct twin twin;
	size_t count;

	init_high(&twin, _i);
	count = twin.model.count;
	fill_down(&twin, 51, 10, 10);
	twin_store(&twin, 240, 509, NULL);
	twin_compare(&twin);
	ck_assert_uint_eq(twin.model.count - count, 24);
	twin_fini(&twin);
}
END_TEST

/*
 * Case T3: a rebalance that empties the parent.  Each range cuts the end off
 * the one before; then all are erased from the highest down.
 */
START_TEST(erase_from_the_top_down_ends_empty)
{
	uint64_t wanted = UMAPLE_ASSERT_LEVEL >= 3 ? 3 : 5;
	unsigned long every = UMAPLE_ASSERT_LEVEL >= 3 ? 1 : 997;
	unsigned long n = 0;
	struct twin twin;
	uint64_t i = 0;

	init(&twin, _i);
	for (; n % 64 || height(&twin) < wanted; i += 9, n++)
		twin_store(&twin, i, i + 10, value(i));
	twin_compare(&twin);
	while (twin.model.count) {
		twin_erase(&twin, i - 9 + 10);
		i -= 9;
		if (n-- % every == 0 || n < 2000)
			twin_check(&twin);
	}
	twin_compare(&twin);
	ck_assert_uint_eq(height(&twin), 0);
	twin_fini(&twin);
}
END_TEST

/*
 * Case T6: split points off by one.  Entry and hole alternate for @count slots,
 * so that each split point is a hole once; then a store into the middle of each
 * slot on a fresh tree.
 */
START_TEST(store_inside_each_slot_of_an_alternating_leaf)
{
	uint64_t longest = _i < PLACES ? 40 : 12, top;
	struct twin twin;

	if (is_left_out(_i))
		return;
	top = init_high(&twin, _i);
	for (uint64_t count = 1; count <= longest; count++) {
		for (uint64_t slot = 0; slot < 2 * count; slot++) {
			uint64_t at = slot * 10 + 4;

			fill(&twin, count, 20, 10);
			twin_store(&twin, at, at + 1, value(7777));
			twin_check(&twin);
			twin_compare_ends(&twin, at, at + 1);
			twin_store(&twin, at, at + 1, NULL);
			twin_compare(&twin);
			twin_store(&twin, 0, top, NULL);
		}
	}
	twin_fini(&twin);
}
END_TEST

/*
 * Case T7: array bounds when the write ends in the last slot.  @count ranges;
 * the last is then overwritten, from each place inside it and before it, up to
 * exactly its end, and up to the end of everything.
 */
START_TEST(store_that_ends_where_the_leaf_ends)
{
	int place = _i / 2;
	uint64_t most = place < PLACES ? 36 : 9, top;
	struct twin twin;

	if (is_left_out(place))
		return;
	top = init_high(&twin, place);
	for (uint64_t count = 1; count <= most; count++) {
		uint64_t end = count * 10 - 1;
		uint64_t last = _i % 2 ? top : end;

		for (uint64_t first = end < 30 ? 0 : end - 30; first <= end;
		     first++) {
			fill(&twin, count, 10, 10);
			twin_store(&twin, count * 10, top, value(1000));
			twin_store(&twin, first, last, value(first));
			twin_compare(&twin);
			twin_store(&twin, first, last, NULL);
			twin_compare(&twin);
			twin_store(&twin, 0, top, NULL);
		}
	}
	twin_fini(&twin);
}
END_TEST

/*
 * Case T8: nodes counted too low.  At each height, stores that leave a root
 * with little below it.
 */
START_TEST(short_and_long_store_at_each_height)
{
	uint64_t highest = UMAPLE_ASSERT_LEVEL >= 3 ? 3 : 5;
	struct twin twin;

	init(&twin, _i);
	for (uint64_t wanted = 1; wanted <= highest; wanted++) {
		uint64_t count = 1;

		fill(&twin, 1, 10, 5);
		for (; height(&twin) < wanted; count++)
			twin_store(&twin, count * 10, count * 10 + 4,
				   value(count));
		twin_store(&twin, 1, 100, value(1));
		twin_compare_ends(&twin, 1, 100);
		twin_check(&twin);
		twin_store(&twin, 0, 200, value(2));
		twin_check(&twin);
		twin_store(&twin, 13, count * 10 - 13, value(3));
		twin_compare(&twin);
		twin_store(&twin, 13, count * 10 - 13, NULL);
		twin_compare(&twin);
		twin_clear(&twin);
	}
	twin_fini(&twin);
}
END_TEST

/* Case T10: destroying a tree that is empty, has one leaf, or was destroyed. */
START_TEST(destroy_works_at_every_small_size)
{
	struct twin twin;

	twin_init(&twin, twin_flags[_i]);
	twin_clear(&twin);
	twin_clear(&twin);
	for (uint64_t count = 0; count < 400; count++) {
		fill(&twin, count, 10, 5);
		twin_clear(&twin);
		twin_check(&twin);
	}
	/* It is a tree again at once. */
	fill(&twin, 100, 10, 5);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* Case T46: destroying a large tree took bookkeeping for children. */
/* Less in a short run. */
static uint64_t large(uint64_t count)
{
	count = TWIN_BIG(count);
	return test_scaled(count) < count ? count / 16 : count;
}

START_TEST(destroy_works_at_large_sizes)
{
	static const uint64_t counts[] = { 3000, 10000, 100000 };
	struct twin twin;

	twin_init(&twin, twin_flags[_i]);
	for (unsigned int n = 0; n < 3; n++) {
		uint64_t count = large(counts[n]);

		for (uint64_t i = 0; i < count; i++)
			twin_store(&twin, 16 * i, 16 * i + 7, value(i));
		twin_check(&twin);
		twin_clear(&twin);
	}
	twin_fini(&twin);
}
END_TEST

/* The copy has the same answers, and goes its own way afterwards. */
START_TEST(duplicate_is_equal_and_independent)
{
	struct twin twin, copy;
	struct rng rng;

	rng_seed(&rng, test_seed());
	twin_init(&twin, twin_flags[_i]);
	twin_init(&copy, twin_flags[_i]);
	for (uint64_t count = 0; count < 1500; count = count * 2 + 1) {
		struct umaple_tree_info a, b;

		fill(&twin, count, 10, 5);
		ck_assert_int_eq(umaple_tree_dup(&copy.tree, &twin.tree), 0);
		model_copy(&copy.model, &twin.model);
		twin_compare(&copy);
		umaple_tree_measure(&twin.tree, &a);
		umaple_tree_measure(&copy.tree, &b);
		ck_assert_mem_eq(&a, &b, sizeof(a));
		for (uint64_t i = 0; i < 50; i++) {
			uint64_t at = rng_below(&rng, 10 * count + 10);

			twin_erase(&twin, at);
			twin_store(&copy, at, at + rng_below(&rng, 40),
				   value(i));
		}
		twin_compare(&twin);
		twin_compare(&copy);
		twin_clear(&twin);
		twin_clear(&copy);
	}
	twin_fini(&twin);
	twin_fini(&copy);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("regress.structure");

	tcase_set_timeout(tc, 200);
	tcase_add_loop_test(tc, store_over_any_two_ranges_keeps_the_rest, 0,
			    4 * PLACES);
	tcase_add_loop_test(tc,
			    store_over_two_ranges_of_a_high_tree_keeps_the_rest,
			    0, 2 * PLACES);
	tcase_add_loop_test(tc, empty_span_to_far_above_keeps_what_is_below, 0,
			    HEIGHTS);
	tcase_add_loop_test(tc, erase_from_the_top_down_ends_empty, 0, PLACES);
	tcase_add_loop_test(tc, store_inside_each_slot_of_an_alternating_leaf,
			    0, HEIGHTS);
	tcase_add_loop_test(tc, store_that_ends_where_the_leaf_ends, 0,
			    2 * HEIGHTS);
	tcase_add_loop_test(tc, short_and_long_store_at_each_height, 0, PLACES);
	tcase_add_loop_test(tc, destroy_works_at_every_small_size, 0,
			    TWIN_FLAGS);
	tcase_add_loop_test(tc, destroy_works_at_large_sizes, 0, TWIN_FLAGS);
	tcase_add_loop_test(tc, duplicate_is_equal_and_independent, 0,
			    TWIN_FLAGS);
	suite_add_tcase(s, tc);
}
