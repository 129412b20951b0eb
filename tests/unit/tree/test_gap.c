/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_gap.c - tree/gap.c: gaps are exact on every level whatever was written,
 * and a search finds the one right place or says that there is none.
 */

#include <errno.h>
#include <string.h>

#include "harness.h"
#include "mix.h"
#include "quick.h"
#include "shape.h"

const char *const suite_name = "gap";

#define MAX UINT64_MAX

static struct twin twin;

static void set_up(unsigned int flags, const char *shape)
{
	shape_set_up(&twin, UMAPLE_TREE_GAPS | flags, shape);
}

/* -- gaps ---------------------------------------------------------------------- */

/* The largest hole of a subtree, by looking at each slot; checks those below. */
static uint64_t largest_hole(struct node *node, uint64_t min, uint64_t max)
{
	uint64_t largest = 0, first, last, size;
	unsigned int i;

	for (i = 0; i < node->count; i++) {
		first = node_slot_first(node, i, min);
		last = node_slot_last(node, i, max);
		size = 0;
		if (node->level) {
			size = largest_hole(node->gap.slot[i], first, last);
			quick_assert(node->gap.gap[i] == size,
				     "gap %u on level %u is wrong", i,
				     node->level);
		} else if (!node->plain.slot[i]) {
			size = last - first + 1;
		}
		if (size > largest)
			largest = size;
	}
	quick_assert(umaple_gap_of(node, min, max) == largest,
		     "gap of a node on level %u is wrong", node->level);
	return largest;
}

static void assert_gaps(void)
{
	if (!umaple_tree_is_empty(&twin.tree))
		largest_hole(shape_root(&twin.tree), 0, MAX);
}

/* A leaf of @count slots at one end of the key space. */
static struct node leaf_at(bool high, unsigned int count, uint64_t *ret_min,
			   uint64_t *ret_max)
{
	struct node leaf;
	unsigned int i;

	memset(&leaf, 0, sizeof(leaf));
	node_init(&leaf, 0, false);
	memset(leaf.plain.pivot, 0xff, sizeof(leaf.plain.pivot));
	leaf.count = (uint8_t)count;
	*ret_min = high ? MAX - 10 * count : 0;
	for (i = 0; i + 1 < count; i++)
		leaf.plain.pivot[i] = *ret_min + 5 * (i + 1);
	*ret_max = high ? MAX : 10 * count;
	return leaf;
}

START_TEST(gap_of_a_leaf_is_its_largest_hole)
{
	uint64_t min, max;
	struct node leaf;
	unsigned int count, hole, i;

	for (count = 1; count <= NODE_SLOTS; count++) {
		leaf = leaf_at(_i, count, &min, &max);
		for (i = 0; i < count; i++)
			leaf.plain.slot[i] = &twin;
		ck_assert_uint_eq(umaple_gap_of(&leaf, min, max), 0);
		for (hole = 0; hole < count; hole++) {
			leaf.plain.slot[hole] = NULL;
			largest_hole(&leaf, min, max);
			leaf.plain.slot[hole] = &twin;
		}
		for (hole = 0; hole < count; hole += 2)
			leaf.plain.slot[hole] = NULL;
		largest_hole(&leaf, min, max);
	}
}
END_TEST

/* One write of each kind, at places where it changes a gap, or does not. */
static const struct {
	const char *before;
	uint64_t first, last;
	bool hole;
	const char *after;
} writes[] = {
	/* B: a hole comes and goes */
	{ "2/4*2/5*8", 20, 29, true, "2/4*2/xx.xx 5*7" },
	{ "2/4*2/xx.xx 5*7", 20, 29, false, "2/4*2/5*8" },
	/* C: it grows, shrinks, is cut in two */
	{ "2/4*2/6 5*7", 23, 26, true, "2/4*2/xxx.xxxx 5*7" },
	{ "2/4*2/xx.xxx 5*7", 30, 39, true, "2/4*2/xx.xx 5*7" },
	{ "2/4*2/xx.xx 5*7", 20, 24, false, "2/4*2/xxx.xx 5*7" },
	{ "2/4*2/xx.xx 5*7", 24, 26, false, "2/4*2/xx.x.xx 5*7" },
	/* the largest of all is elsewhere, so the root's gap stays */
	{ "2/4*2/xx.xx 5 x.x.x 5*5", 20, 25, false,
	  "2/4*2/xxx.xx 5 x.x.x 5*5" },
	/* D: over leaves, over inner nodes, up to another level */
	{ "2/4*2/5*8", 70, 129, true, "7/5 xx.xx 5*5" },
	{ "2/4*2/5*8", 170, 229, true, "7/5*3 xx.xx 5*3" },
	{ "2/4*2/5*8", 5, 394, true, "x.x" },
	{ "10/16*10", 703, 705, true, "2/6 5/16*4 xxxxxxx.x 9 16*5" },
};

START_TEST(gaps_are_exact_after_each_kind_of_write)
{
	for (unsigned int i = TWIN_FLAGS_GAPS; i < TWIN_FLAGS; i++) {
		set_up(twin_flags[i], writes[_i].before);
		assert_gaps();

		twin_store(&twin, writes[_i].first, writes[_i].last,
			   writes[_i].hole ? NULL : &twin);

		ck_assert_shape(&twin, writes[_i].after);
		assert_gaps();
		twin_fini(&twin);
	}
}
END_TEST

START_TEST(gaps_are_exact_after_random_writes)
{
	unsigned int cells[] = { 60, 600, 6000 };
	struct keys keys = {
		.shape = (enum keys_shape)(_i % KEYS_SHAPES),
		.cells = cells[_i / KEYS_SHAPES],
	};
	struct mix mix;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uint64_t)_i);
	set_up(_i % 2 ? UMAPLE_TREE_SERIAL : 0, "");
	mix_init(&mix, keys, keys.cells / 2, &rng);
	for (unsigned long n = test_scaled(TWIN_BIG(6000)); n; n--) {
		mix_step(&mix, &twin);
		assert_gaps();
	}
	twin_fini(&twin);
}
END_TEST

/* -- searches --------------------------------------------------------------------- */

/* Holes 20..29, 70..79, 310..319 and 330..339, in three leaves. */
#define HOLES "2/4*2/xx.xx xx.xx 5*4 x.x.x 5"

struct search {
	const char *shape;
	uint64_t size, align, min, max;
	int err;
	uint64_t lowest, highest;
};

static const struct search searches[] = {
	/* sizes, up to the largest hole */
	{ HOLES, 1, 1, 0, MAX, 0, 20, 339 },
	{ HOLES, 10, 1, 0, MAX, 0, 20, 330 },
	{ HOLES, 11, 1, 0, MAX, -EBUSY, 0, 0 },
	/* the window cuts holes at either end */
	{ HOLES, 1, 1, 0, 20, 0, 20, 20 },
	{ HOLES, 1, 1, 0, 19, -EBUSY, 0, 0 },
	{ HOLES, 1, 1, 30, 69, -EBUSY, 0, 0 },
	{ HOLES, 1, 1, 29, 70, 0, 29, 70 },
	{ HOLES, 2, 1, 29, 71, 0, 70, 70 },
	{ HOLES, 2, 1, 28, 70, 0, 28, 28 },
	{ HOLES, 2, 1, 29, 70, -EBUSY, 0, 0 },
	{ HOLES, 5, 1, 25, 74, 0, 25, 70 },
	{ HOLES, 6, 1, 25, 74, -EBUSY, 0, 0 },
	{ HOLES, 10, 1, 21, MAX, 0, 70, 330 },
	{ HOLES, 10, 1, 0, 338, 0, 20, 310 },
	{ HOLES, 3, 1, 22, 24, 0, 22, 22 },
	/* the first index must be a multiple */
	{ HOLES, 1, 16, 0, MAX, 0, 336, 336 },
	{ HOLES, 1, 8, 0, MAX, 0, 24, 336 },
	{ HOLES, 6, 8, 0, MAX, 0, 24, 312 },
	{ HOLES, 7, 8, 0, MAX, 0, 72, 312 },
	{ HOLES, 8, 8, 0, 79, 0, 72, 72 },
	{ HOLES, 9, 8, 0, 79, -EBUSY, 0, 0 },
	{ HOLES, 1, 64, 0, 319, -EBUSY, 0, 0 },
	{ HOLES, 1, UINT64_C(1) << 63, 0, MAX, -EBUSY, 0, 0 },
	/* both ends of everything */
	{ ".xxxx", 1, 1, 0, MAX, 0, 0, 9 },
	{ ".xxxx", 10, 1, 0, MAX, 0, 0, 0 },
	{ ".xxxx", 1, 1, 0, 0, 0, 0, 0 },
	{ ".xxxx", 10, UINT64_C(1) << 63, 0, MAX, 0, 0, 0 },
	{ "xxxx.", 1, 1, 0, MAX, 0, 40, MAX },
	{ "xxxx.", MAX - 39, 1, 0, MAX, 0, 40, 40 },
	{ "xxxx.", MAX - 38, 1, 0, MAX, -EBUSY, 0, 0 },
	{ "xxxx.", 1, 1, MAX, MAX, 0, MAX, MAX },
	{ "xxxx.", 1, 2, MAX, MAX, -EBUSY, 0, 0 },
	{ "xxxx.", 2, 2, MAX - 1, MAX, 0, MAX - 1, MAX - 1 },
	{ "xxxx.", 1, UINT64_C(1) << 63, 0, MAX, 0, UINT64_C(1) << 63,
	  UINT64_C(1) << 63 },
	{ "5", 1, 1, 0, MAX, -EBUSY, 0, 0 },
	/* an empty tree is one hole */
	{ "", 1, 1, 0, MAX, 0, 0, MAX },
	{ "", MAX, 1, 0, MAX, 0, 0, 1 },
	{ "", MAX, 1, 1, MAX, 0, 1, 1 },
	{ "", 10, 1, 5, 14, 0, 5, 5 },
	{ "", 10, 16, 5, 30, 0, 16, 16 },
	{ "", 10, 16, 5, 24, -EBUSY, 0, 0 },
	/* arguments */
	{ HOLES, 0, 1, 0, MAX, -EINVAL, 0, 0 },
	{ HOLES, 1, 0, 0, MAX, -EINVAL, 0, 0 },
	{ HOLES, 1, 3, 0, MAX, -EINVAL, 0, 0 },
	{ HOLES, 1, MAX, 0, MAX, -EINVAL, 0, 0 },
	{ HOLES, 1, 1, 21, 20, -EINVAL, 0, 0 },
	{ HOLES, 3, 1, 20, 21, -EINVAL, 0, 0 },
	{ HOLES, MAX, 1, 2, MAX, -EINVAL, 0, 0 },
	{ "", 2, 1, 5, 5, -EINVAL, 0, 0 },
};

typedef int tree_fn(struct umaple_tree *tree, uint64_t size, uint64_t align,
		    uint64_t min, uint64_t max, uint64_t *ret_first);

static void assert_tree_search(tree_fn *search, const struct search *t,
			       uint64_t wanted)
{
	uint64_t first = 77;

	ck_assert_int_eq(search(&twin.tree, t->size, t->align, t->min, t->max,
				&first),
			 t->err);
	ck_assert_uint_eq(first, t->err ? 77 : wanted);
	ck_assert(!umaple_lock_is_held(&twin.tree.lock_));
}

typedef int cursor_fn(struct umaple_cursor *cursor, uint64_t size,
		      uint64_t align, uint64_t min, uint64_t max);

static void assert_cursor_search(cursor_fn *search, const struct search *t,
				 uint64_t wanted)
{
	struct umaple_cursor cursor;

	umaple_cursor_init(&cursor, &twin.tree, 11, 12);
	twin_lock(&twin);
	umaple_cursor_walk(&cursor);
	umaple_cursor_set_range(&cursor, 11, 12);
	ck_assert_int_eq(search(&cursor, t->size, t->align, t->min, t->max),
			 t->err);
	twin_unlock(&twin);
	ck_assert(umaple_cursor_is_fresh(&cursor));
	if (t->err)
		wanted = 11;
	ck_assert_uint_eq(cursor.index, wanted);
	ck_assert_uint_eq(cursor.last, t->err ? 12 : wanted + (t->size - 1));
}

START_TEST(search_finds_the_end_of_the_window_that_is_asked_for)
{
	const struct search *t = &searches[_i];

	for (unsigned int i = TWIN_FLAGS_GAPS; i < TWIN_FLAGS; i++) {
		set_up(twin_flags[i], t->shape);
		assert_tree_search(umaple_gap_first, t, t->lowest);
		assert_tree_search(umaple_gap_last, t, t->highest);
		assert_cursor_search(umaple_cursor_gap_first, t, t->lowest);
		assert_cursor_search(umaple_cursor_gap_last, t, t->highest);
		twin_fini(&twin);
	}
}
END_TEST

/* Every window of a small tree of three levels, in all sizes and alignments. */
START_TEST(search_agrees_with_the_model_in_each_window)
{
	uint64_t min, max, size;
	uint64_t align = UINT64_C(1) << _i;

	set_up(0, "2/4*2/x.x.x 5*2 xx.xx 5 .xxx. 5 xxxx.");
	for (min = 15; min < 400; min += 7)
		for (max = min; max < 420; max += 9)
			for (size = 1; size < 14 && size <= max - min + 1;
			     size += 2) {
				twin_gap_first(&twin, size, align, min, max);
				twin_gap_last(&twin, size, align, min, max);
			}
	twin_fini(&twin);
}
END_TEST

/* The first index of the window, or the last one, that is free and stands right. */
static bool look_everywhere(bool want_last, uint64_t size, uint64_t align,
			    uint64_t offset, uint64_t min, uint64_t max,
			    uint64_t *ret_first)
{
	struct umaple_range taken;
	bool found = false;
	uint64_t at;

	for (at = min; max - at >= size - 1; at++) {
		if (at % align == offset &&
		    !model_find(&twin.model, at, at + size - 1, &taken)) {
			*ret_first = at;
			found = true;
			if (!want_last)
				break;
		}
		if (at == max)
			break;
	}
	return found;
}

static void compare_offset(uint64_t size, uint64_t align, uint64_t offset,
			   uint64_t min, uint64_t max)
{
	struct umaple_cursor cursor;
	uint64_t first = 0;
	int err, last;
	bool found;

	umaple_cursor_init(&cursor, &twin.tree, 1, 2);
	for (last = 0; last < 2; last++) {
		umaple_cursor_set_range(&cursor, 1, 2);
		found = look_everywhere(last, size, align, offset, min, max,
					&first);
		err = last ? umaple_cursor_gap_last_offset(&cursor, size, align,
							   offset, min, max)
			   : umaple_cursor_gap_first_offset(
				     &cursor, size, align, offset, min, max);
		quick_assert(err == (found ? 0 : -EBUSY) &&
				     cursor.index == (found ? first : 1) &&
				     cursor.last ==
					     (found ? first + size - 1 : 2),
			     "%d: %d, %d", last, err, (int)cursor.index);
	}
}

/* Each offset, at the low end of the key space and mirrored at the high one. */
START_TEST(offset_moves_the_place_beside_the_alignment)
{
	uint64_t align = UINT64_C(1) << (_i / 2);
	uint64_t offset, size, min, low, high;

	twin_init(&twin, UMAPLE_TREE_GAPS);
	twin.mirrored = _i % 2;
	for (min = 7; min < 120; min += 9 + min % 5)
		twin_store(&twin, min, min + 2, shape_entry(1));
	twin_lock(&twin);
	for (offset = 0; offset < align; offset++)
		for (size = 1; size < 12; size += 2)
			for (min = 0; min < 60; min += 7) {
				low = _i % 2 ? MAX - 130 + min : min;
				high = _i % 2 ? MAX - min : 130 - min;
				compare_offset(size, align, offset, low, high);
			}
	twin_unlock(&twin);
	twin_fini(&twin);
}
END_TEST

START_TEST(offset_is_below_a_large_alignment)
{
	uint64_t half = UINT64_C(1) << 63;
	struct umaple_cursor cursor;

	twin_init(&twin, UMAPLE_TREE_GAPS);
	twin_store(&twin, 0, 5, shape_entry(1));
	twin_lock(&twin);
	umaple_cursor_init(&cursor, &twin.tree, 1, 2);
	ck_assert_int_eq(umaple_cursor_gap_last_offset(&cursor, 1, half, 777, 0,
						       MAX),
			 0);
	ck_assert_uint_eq(cursor.index, half + 777);
	ck_assert_int_eq(umaple_cursor_gap_last_offset(&cursor, 1, half, 777, 0,
						       half + 776),
			 0);
	ck_assert_uint_eq(cursor.index, 777);
	ck_assert_int_eq(umaple_cursor_gap_last_offset(&cursor, 1, half, 777, 0,
						       776),
			 -EBUSY);
	ck_assert_int_eq(umaple_cursor_gap_first_offset(&cursor, 1, half, 777,
							778, half + 776),
			 -EBUSY);
	ck_assert_int_eq(umaple_cursor_gap_first_offset(&cursor, 1, 8, 8, 0,
							MAX),
			 -EINVAL);
	ck_assert_int_eq(umaple_cursor_gap_last_offset(&cursor, 1, 1, 1, 0,
						       MAX),
			 -EINVAL);
	ck_assert_uint_eq(cursor.index, 777);
	twin_unlock(&twin);
	twin_fini(&twin);
}
END_TEST

START_TEST(failed_search_leaves_a_cursor_on_its_range)
{
	struct umaple_cursor cursor;

	set_up(0, HOLES);
	twin_lock(&twin);
	umaple_cursor_init(&cursor, &twin.tree, 15, 15);
	umaple_cursor_walk(&cursor);

	ck_assert_int_eq(umaple_cursor_gap_first(&cursor, 11, 1, 0, MAX),
			 -EBUSY);
	ck_assert_int_eq(umaple_cursor_gap_last(&cursor, 0, 1, 0, MAX),
			 -EINVAL);

	ck_assert(!umaple_cursor_is_fresh(&cursor));
	ck_assert_uint_eq(cursor.index, 10);
	ck_assert_uint_eq(cursor.last, 19);
	ck_assert_ptr_eq(umaple_cursor_find(&cursor, MAX), shape_entry(3));
	twin_unlock(&twin);
	twin_fini(&twin);
}
END_TEST

START_TEST(tree_without_gaps_refuses)
{
	uint64_t first = 77;

	twin_init(&twin, twin_flags[_i]);

	ck_assert_int_eq(umaple_gap_first(&twin.tree, 1, 1, 0, MAX, &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_gap_last(&twin.tree, 1, 1, 0, MAX, &first),
			 -EINVAL);

	ck_assert_uint_eq(first, 77);
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("gap.sizes");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, gap_of_a_leaf_is_its_largest_hole, 0, 2);
	tcase_add_loop_test(tc, gaps_are_exact_after_each_kind_of_write, 0,
			    (int)ARRAY_SIZE(writes));
	tcase_add_loop_test(tc, gaps_are_exact_after_random_writes, 0,
			    3 * KEYS_SHAPES);
	suite_add_tcase(s, tc);

	tc = tcase_create("gap.search");
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(
		tc, search_finds_the_end_of_the_window_that_is_asked_for, 0,
		(int)ARRAY_SIZE(searches));
	tcase_add_loop_test(tc, search_agrees_with_the_model_in_each_window, 0,
			    5);
	tcase_add_loop_test(tc, offset_moves_the_place_beside_the_alignment, 0,
			    12);
	tcase_add_test(tc, offset_is_below_a_large_alignment);
	tcase_add_test(tc, failed_search_leaves_a_cursor_on_its_range);
	tcase_add_loop_test(tc, tree_without_gaps_refuses, 0, TWIN_FLAGS_GAPS);
	suite_add_tcase(s, tc);
}
