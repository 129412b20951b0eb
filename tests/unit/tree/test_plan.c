/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_plan.c - tree/plan.c: which slots a store touches, once a store of NULL
 * is widened over the holes beside it, and when there is nothing to do.
 */

#include <inttypes.h>
#include <stdio.h>

#include "harness.h"
#include "mix.h"
#include "quick.h"
#include "shape.h"

const char *const suite_name = "plan";

static struct twin twin;
static struct umaple_path_ left;
static struct edit edit;

/* The leaf that a path leads to, counted from the left, and the slot in it. */
static void tell_place(const struct umaple_path_ *path, char text[32])
{
	struct node *nodes[SHAPE_NODES];
	size_t nr = shape_level(&twin.tree, 0, nodes), i;

	for (i = 0; i < nr && nodes[i] != path->at[0].node; i++)
		;
	snprintf(text, 32, "%zu:%u", i, path->at[0].slot);
}

/* A path must be the one that a walk finds, on every level. */
static void assert_path(const struct umaple_path_ *path, uint64_t index)
{
	struct umaple_path_ walked;
	unsigned int level;

	umaple_path_walk(&twin.tree, tree_root(&twin.tree), &walked, index);
	quick_assert(path->height == walked.height, "height %u", path->height);
	for (level = 0; level < walked.height; level++) {
		const struct umaple_level_ *at = &path->at[level];
		const struct umaple_level_ *wanted = &walked.at[level];

		quick_assert(at->node == wanted->node &&
				     at->slot == wanted->slot,
			     "the way to %#" PRIx64 " is wrong on level %u",
			     index, level);
	}
}

static bool plan(uint64_t first, uint64_t last, void *entry)
{
	umaple_path_walk(&twin.tree, tree_root(&twin.tree), &left, first);
	return umaple_edit_plan(&edit, &twin.tree, &left, first, last, entry);
}

/* Whatever was planned: paths lead to its ends, and what is kept follows. */
static void assert_plan_is_consistent(void *entry)
{
	struct umaple_range at_first = model_at(&twin.model, edit.first);
	struct umaple_range at_last = model_at(&twin.model, edit.last);
	bool one_leaf = edit_is_one_leaf(&edit);

	quick_assert(edit.tree == &twin.tree && edit.entry == entry &&
			     edit.left == &left,
		     "the edit is of another store");
	umaple_edit_complete(&edit);
	assert_path(edit.left, edit.first);
	assert_path(&edit.right, edit.last);
	quick_assert(edit_is_one_leaf(&edit) == one_leaf,
		     "completing moved a path");
	quick_assert(edit.keep_left == (edit.first > at_first.first) &&
			     edit.keep_right == (edit.last < at_last.last),
		     "keeps %d, %d", edit.keep_left, edit.keep_right);
}

/* -- by table ------------------------------------------------------------------ */

#define MAX UINT64_MAX

/* A store of NULL, and what it becomes. */
static const struct {
	const char *shape;
	uint64_t first, last;
	uint64_t wide_first, wide_last;
	const char *left, *right;
} holes[] = {
	/* within one leaf */
	{ "5", 10, 19, 10, 19, "0:1", "0:1" },
	{ "5", 12, 15, 12, 15, "0:1", "0:1" },
	{ "5", 12, 35, 12, 35, "0:1", "0:3" },
	{ "xx.xx", 10, 19, 10, 29, "0:1", "0:2" },
	{ "xx.xx", 15, 19, 15, 29, "0:1", "0:2" },
	{ "xx.xx", 10, 18, 10, 18, "0:1", "0:1" },
	{ "xx.xx", 30, 39, 20, 39, "0:2", "0:3" },
	{ "xx.xx", 30, 35, 20, 35, "0:2", "0:3" },
	{ "xx.xx", 31, 39, 31, 39, "0:3", "0:3" },
	{ "xx.x.x", 30, 39, 20, 49, "0:2", "0:4" },
	{ "xx.x.x", 25, 45, 20, 49, "0:2", "0:4" },
	{ "xx.x.x", 25, 35, 20, 35, "0:2", "0:3" },
	{ "xx.x.x", 35, 45, 35, 49, "0:3", "0:4" },
	/* at the ends of everything */
	{ ".xxxx", 10, 19, 0, 19, "0:0", "0:1" },
	{ "xxxx.", 30, 39, 30, MAX, "0:3", "0:4" },
	{ "5", 0, 9, 0, 9, "0:0", "0:0" },
	{ "5", 40, MAX, 40, MAX, "0:4", "0:4" },
	{ "5", 0, MAX, 0, MAX, "0:0", "0:4" },
	{ ".xxx.", 10, 39, 0, MAX, "0:0", "0:4" },
	{ "5", 0, 0, 0, 0, "0:0", "0:0" },
	{ "5", MAX, MAX, MAX, MAX, "0:4", "0:4" },
	/* into the leaf before */
	{ "2/xxxx. 5", 50, 59, 40, 59, "0:4", "1:0" },
	{ "2/xxxx. 5", 50, 57, 40, 57, "0:4", "1:0" },
	{ "2/xxxx. 5", 51, 59, 51, 59, "1:0", "1:0" },
	{ "2/xxxx. 5", 50, 75, 40, 75, "0:4", "1:2" },
	{ "2/5 5", 50, 59, 50, 59, "1:0", "1:0" },
	/* into the leaf after */
	{ "2/5 .xxxx", 40, 49, 40, 59, "0:4", "1:0" },
	{ "2/5 .xxxx", 42, 49, 42, 59, "0:4", "1:0" },
	{ "2/5 .xxxx", 40, 48, 40, 48, "0:4", "0:4" },
	{ "2/5 .xxxx", 25, 49, 25, 59, "0:2", "1:0" },
	{ "2/5 5", 40, 49, 40, 49, "0:4", "0:4" },
	/* into both, and over leaves that vanish in between */
	{ "3/xxxx. 5 .xxxx", 50, 99, 40, 109, "0:4", "2:0" },
	{ "3/xxxx. 5 .xxxx", 55, 99, 55, 109, "1:0", "2:0" },
	{ "3/xxxx. 5 .xxxx", 50, 95, 40, 95, "0:4", "1:4" },
	{ "3/xxxx. 5 .xxxx", 45, 105, 40, 109, "0:4", "2:0" },
	{ "5/xxxx. 5*3 .xxxx", 50, 199, 40, 209, "0:4", "4:0" },
	/* ... of other parents */
	{ "2/5*2/5*4 xxxx. 5*5", 250, 259, 240, 259, "4:4", "5:0" },
	{ "2/5*2/5*5 .xxxx 5*4", 240, 249, 240, 259, "4:4", "5:0" },
	{ "2/5*2/5*4 xxxx. 5*5", 250, 490, 240, 490, "4:4", "9:4" },
	{ "2/5*2/5*9 xxxx.", 240, 489, 240, MAX, "4:4", "9:4" },
	{ "2/5*2/.xxxx 5*9", 10, 259, 0, 259, "0:0", "5:0" },
};

START_TEST(store_of_null_takes_the_holes_beside_it_along)
{
	char from[32], to[32];

	shape_set_up(&twin, 0, holes[_i].shape);

	ck_assert(plan(holes[_i].first, holes[_i].last, NULL));

	ck_assert_uint_eq(edit.first, holes[_i].wide_first);
	ck_assert_uint_eq(edit.last, holes[_i].wide_last);
	tell_place(edit.left, from);
	tell_place(&edit.right, to);
	ck_assert_str_eq(from, holes[_i].left);
	ck_assert_str_eq(to, holes[_i].right);
	assert_plan_is_consistent(NULL);
	twin_fini(&twin);
}
END_TEST

START_TEST(store_of_an_entry_stays_as_wide_as_it_is)
{
	shape_set_up(&twin, 0, holes[_i].shape);

	ck_assert(plan(holes[_i].first, holes[_i].last, &twin));

	ck_assert_uint_eq(edit.first, holes[_i].first);
	ck_assert_uint_eq(edit.last, holes[_i].last);
	assert_plan_is_consistent(&twin);
	twin_fini(&twin);
}
END_TEST

/* -- nothing to do ---------------------------------------------------------------- */

/* Stores into "2/xx.xx xxxx.": @slot is what is stored again, or a hole. */
static const struct {
	uint64_t first, last;
	int slot;
	bool nothing;
} again[] = {
	{ 20, 29, -1, true },	/* the hole itself */
	{ 22, 25, -1, true },	/* a part of it */
	{ 20, 20, -1, true },	/* its first index */
	{ 29, 29, -1, true },	/* its last index */
	{ 90, MAX, -1, true },	/* the last hole of all */
	{ MAX, MAX, -1, true }, /* its last index */
	{ 19, 29, -1, false },	/* one index more */
	{ 20, 30, -1, false },	/* ... */
	{ 10, 19, 1, true },	/* what is there */
	{ 10, 18, 1, false },	/* would cut it in two: equal neighbours stay */
	{ 11, 19, 1, false },	/* ... */
	{ 10, 20, 1, false },	/* grows */
	{ 9, 19, 1, false },	/* ... */
	{ 10, 19, 0, false },	/* another entry */
	{ 0, 9, 0, true },	/* at the low end */
	{ 80, 89, 8, true },	/* in the second leaf */
	{ 0, MAX, 0, false },	/* everything */
};

START_TEST(nothing_to_do_is_seen)
{
	void *entry = NULL;

	if (again[_i].slot >= 0)
		entry = shape_entry((uint64_t)again[_i].slot);
	shape_set_up(&twin, 0, "2/xx.xx xxxx.");

	ck_assert_int_eq(plan(again[_i].first, again[_i].last, entry),
			 !again[_i].nothing);

	assert_plan_is_consistent(entry);
	twin_fini(&twin);
}
END_TEST

START_TEST(one_entry_in_two_ranges_becomes_one)
{
	shape_set_up(&twin, 0, "5");
	twin_store(&twin, 20, 29, shape_entry(1));

	ck_assert(plan(10, 29, shape_entry(1)));
	twin_fini(&twin);
}
END_TEST

/* -- at random ---------------------------------------------------------------------- */

/* The first index of the hole that touches [@first, ...] from below or in it. */
static uint64_t wide_first(uint64_t first)
{
	struct umaple_range at = model_at(&twin.model, first);
	struct umaple_range below;

	if (!at.entry)
		return at.first;
	if (first == 0)
		return first;
	below = model_at(&twin.model, first - 1);
	return below.entry ? first : below.first;
}

static uint64_t wide_last(uint64_t last)
{
	struct umaple_range at = model_at(&twin.model, last);
	struct umaple_range above;

	if (!at.entry)
		return at.last;
	if (last == UINT64_MAX)
		return last;
	above = model_at(&twin.model, last + 1);
	return above.entry ? last : above.last;
}

static void assert_random_plan(const struct keys *keys, struct rng *rng)
{
	uint64_t a = keys_index(keys, rng), b = keys_index(keys, rng);
	void *entry = rng_below(rng, 3) ? NULL : &twin;
	uint64_t first = a < b ? a : b, last = a < b ? b : a;
	uint64_t wanted_first = entry ? first : wide_first(first);
	uint64_t wanted_last = entry ? last : wide_last(last);
	struct umaple_range at = model_at(&twin.model, wanted_first);
	bool nothing = wanted_first == at.first && wanted_last == at.last &&
		       at.entry == entry;

	quick_assert(plan(first, last, entry) == !nothing,
		     "nothing to do for [%" PRIx64 ", %" PRIx64
		     "], or is there",
		     first, last);
	quick_assert(edit.first == wanted_first && edit.last == wanted_last,
		     "[%" PRIx64 ", %" PRIx64 "] became [%" PRIx64 ", %" PRIx64
		     "]",
		     first, last, edit.first, edit.last);
	assert_plan_is_consistent(entry);
}

START_TEST(random_plans_agree_with_the_model)
{
	unsigned int cells[] = { 60, 600, 3000 };
	struct keys keys = {
		.shape = (enum keys_shape)(_i % KEYS_SHAPES),
		.cells = cells[_i / KEYS_SHAPES],
	};
	struct mix mix;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uint64_t)_i);
	twin_init(&twin, UMAPLE_TREE_SERIAL);
	mix_init(&mix, keys, keys.cells / 2, &rng);
	for (unsigned long n = test_scaled(6000); n; n--) {
		mix_step(&mix, &twin);
		if (!umaple_tree_is_empty(&twin.tree))
			assert_random_plan(&keys, &rng);
	}
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("plan.widen");

	tcase_add_loop_test(tc, store_of_null_takes_the_holes_beside_it_along,
			    0, (int)ARRAY_SIZE(holes));
	tcase_add_loop_test(tc, store_of_an_entry_stays_as_wide_as_it_is, 0,
			    (int)ARRAY_SIZE(holes));
	suite_add_tcase(s, tc);

	tc = tcase_create("plan.nothing");
	tcase_add_loop_test(tc, nothing_to_do_is_seen, 0,
			    (int)ARRAY_SIZE(again));
	tcase_add_test(tc, one_entry_in_two_ranges_becomes_one);
	suite_add_tcase(s, tc);

	tc = tcase_create("plan.random");
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, random_plans_agree_with_the_model, 0,
			    3 * KEYS_SHAPES);
	suite_add_tcase(s, tc);
}
