/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_path.c - tree/path.c: the way to a leaf is right at each level, and leads
 * on to the neighbours on any level.
 */

#include <inttypes.h>
#include <string.h>

#include <umaple/debug.h>

#include "harness.h"
#include "quick.h"
#include "shape.h"

const char *const suite_name = "path";

/* The least trees of heights 1 to 4, plain and with gaps. */
static const char *const shapes[2][4] = {
	{ "3", "2/5*2", "2/5*2/5*10", "2/5*2/5*10/5*50" },
	{ "3", "2/5*2", "2/4*2/5*8", "2/4*2/4*8/5*32" },
};

static struct twin twin;
static unsigned int height;

/* Case @number: four heights of a plain tree, four of one with gaps. */
static void build_case(int number)
{
	unsigned int gaps = (unsigned int)number / 4;

	twin_init(&twin, gaps ? UMAPLE_TREE_GAPS : 0);
	height = (unsigned int)number % 4 + 1;
	shape_build(&twin, shapes[gaps][height - 1]);
}

/* -- walks ------------------------------------------------------------------ */

/* What one level of a path must be, by looking at each slot. */
static struct umaple_level_ expect_level(struct node *node, uint64_t index)
{
	struct umaple_level_ at = { node, 0 };

	while (at.slot + 1u < node->count && node_pivots(node)[at.slot] < index)
		at.slot++;
	return at;
}

static bool same_level(const struct umaple_level_ *a,
		       const struct umaple_level_ *b)
{
	return a->node == b->node && a->slot == b->slot;
}

static void assert_walk(const struct umaple_tree *tree, uint64_t index)
{
	struct node *node = shape_root(tree);
	uint64_t min = 0, max = UINT64_MAX;
	struct umaple_level_ wanted;
	struct umaple_path_ path;
	unsigned int level;

	umaple_path_walk(tree, tree_root(tree), &path, index);

	quick_assert(path.height == root_height(tree_root(tree)), "height %u",
		     path.height);
	for (level = path.height; level--;) {
		wanted = expect_level(node, index);
		quick_assert(same_level(&path.at[level], &wanted),
			     "the walk to %#" PRIx64 " is wrong on level %u",
			     index, level);
		quick_assert(path_min(&path, level) == min &&
				     path_max(&path, level) == max,
			     "the node of %#" PRIx64 " on level %u", index,
			     level);
		if (wanted.slot)
			min = node_pivots(node)[wanted.slot - 1] + 1;
		if (wanted.slot + 1u < node->count)
			max = node_pivots(node)[wanted.slot];
		quick_assert(path_slot_first(&path, level) == min &&
				     path_slot_last(&path, level) == max,
			     "the slot of %#" PRIx64 " on level %u", index,
			     level);
		node = node_slots(node)[wanted.slot];
	}
	quick_assert(path_entry(&path) == (void *)node,
		     "the entry at %#" PRIx64, index);
}

START_TEST(walk_is_right_at_each_level)
{
	uint64_t index;

	build_case(_i);
	for (index = 0; index < 60 * SHAPE_STEP; index++)
		assert_walk(&twin.tree, index);
	assert_walk(&twin.tree, UINT64_MAX - 1);
	assert_walk(&twin.tree, UINT64_MAX);
	twin_fini(&twin);
}
END_TEST

/* Trees that grew by stores, with full nodes in them. */
START_TEST(walk_is_right_in_a_grown_tree)
{
	struct rng rng;
	uint64_t first = 0;

	rng_seed(&rng, test_seed());
	twin_init(&twin, _i / 4 ? UMAPLE_TREE_GAPS : 0);
	while (root_height(tree_root(&twin.tree)) < (unsigned int)_i % 4 + 1) {
		uint64_t last = first + rng_below(&rng, 100);

		ck_assert_int_eq(umaple_store_range(&twin.tree, first, last,
						    shape_entry(last)),
				 0);
		first = last + 1 + rng_below(&rng, 2);
	}
	for (unsigned long n = test_scaled(2000); n; n--)
		assert_walk(&twin.tree, rng_below(&rng, first + 10));
	assert_walk(&twin.tree, 0);
	assert_walk(&twin.tree, UINT64_MAX);
	twin_fini(&twin);
}
END_TEST

/* -- neighbours -------------------------------------------------------------- */

/* At @level the path must be at @node, the nodes above must name each other. */
static void assert_at(const struct umaple_path_ *path, unsigned int level,
		      const struct node *node)
{
	ck_assert_ptr_eq(path->at[level].node, node);
	for (; level + 1 < path->height; level++) {
		const struct umaple_level_ *above = &path->at[level + 1];

		ck_assert_ptr_eq(node_slots(above->node)[above->slot],
				 path->at[level].node);
		ck_assert_uint_eq(path_min(path, level),
				  path_slot_first(path, level + 1));
		ck_assert_uint_eq(path_max(path, level),
				  path_slot_last(path, level + 1));
	}
}

START_TEST(next_visits_all_nodes_of_each_level_in_order)
{
	struct node *nodes[SHAPE_NODES];
	struct umaple_path_ path;
	unsigned int level;

	build_case(_i);
	for (level = 0; level < height; level++) {
		size_t nr = shape_level(&twin.tree, level, nodes), i;

		umaple_path_walk(&twin.tree, tree_root(&twin.tree), &path, 0);
		for (i = 0; i < nr; i++) {
			assert_at(&path, level, nodes[i]);
			if (i + 1 == nr)
				break;
			ck_assert_uint_gt(umaple_path_turn_next(&path, level),
					  level);
			umaple_path_next(&path, level);
			ck_assert_uint_eq(path.at[level].slot, 0);
		}
		ck_assert_uint_eq(umaple_path_turn_next(&path, level), 0);
		ck_assert_uint_eq(path_max(&path, level), UINT64_MAX);
	}
	twin_fini(&twin);
}
END_TEST

START_TEST(prev_visits_all_nodes_of_each_level_in_reverse)
{
	struct node *nodes[SHAPE_NODES];
	struct umaple_path_ path;
	unsigned int level;

	build_case(_i);
	for (level = 0; level < height; level++) {
		size_t i = shape_level(&twin.tree, level, nodes);

		umaple_path_walk(&twin.tree, tree_root(&twin.tree), &path,
				 UINT64_MAX);
		while (i--) {
			assert_at(&path, level, nodes[i]);
			if (!i)
				break;
			ck_assert_uint_gt(umaple_path_turn_prev(&path, level),
					  level);
			umaple_path_prev(&path, level);
			ck_assert_uint_eq(path.at[level].slot,
					  path_node(&path, level)->count - 1u);
		}
		ck_assert_uint_eq(umaple_path_turn_prev(&path, level), 0);
		ck_assert_uint_eq(path_min(&path, level), 0);
	}
	twin_fini(&twin);
}
END_TEST

/* In "2/5*2/5*10/5*50", leaves that are first or last below a node. */
static const struct {
	unsigned int leaf;
	unsigned int prev;
	unsigned int next;
} turns[] = {
	{ 0, 0, 1 },  { 1, 1, 1 },  { 4, 1, 2 },  { 5, 2, 1 },
	{ 24, 1, 3 }, { 25, 3, 1 }, { 45, 2, 1 }, { 49, 1, 0 },
};

START_TEST(turn_is_the_lowest_level_with_a_way_on)
{
	struct umaple_path_ path;

	build_case(3);
	umaple_path_walk(&twin.tree, tree_root(&twin.tree), &path,
			 turns[_i].leaf * 5 * SHAPE_STEP);

	ck_assert_uint_eq(umaple_path_turn_prev(&path, 0), turns[_i].prev);
	ck_assert_uint_eq(umaple_path_turn_next(&path, 0), turns[_i].next);
	twin_fini(&twin);
}
END_TEST

START_TEST(moves_on_a_level_leave_those_below_alone)
{
	struct umaple_path_ path, before;

	build_case(3);
	umaple_path_walk(&twin.tree, tree_root(&twin.tree), &path,
			 24 * 5 * SHAPE_STEP + 13);
	umaple_path_copy(&before, &path);

	umaple_path_next(&path, 1);
	ck_assert(same_level(&path.at[0], &before.at[0]));
	umaple_path_prev(&path, 1);
	ck_assert(same_level(&path.at[0], &before.at[0]));
	ck_assert_ptr_eq(path.at[1].node, before.at[1].node);
	ck_assert_uint_eq(path.at[1].slot, path_node(&path, 1)->count - 1u);
	twin_fini(&twin);
}
END_TEST

START_TEST(copy_takes_the_levels_in_use)
{
	struct umaple_path_ from, to;
	unsigned int level;

	build_case(_i);
	memset(&to, 0x22, sizeof(to));
	umaple_path_walk(&twin.tree, tree_root(&twin.tree), &from, 27);

	umaple_path_copy(&to, &from);

	ck_assert_uint_eq(to.height, height);
	for (level = 0; level < height; level++)
		ck_assert(same_level(&to.at[level], &from.at[level]));
	ck_assert_uint_eq(to.at[height].slot, 0x22222222);
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("path.walk");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, walk_is_right_at_each_level, 0, 8);
	tcase_add_loop_test(tc, walk_is_right_in_a_grown_tree, 0, 8);
	suite_add_tcase(s, tc);

	tc = tcase_create("path.neighbours");
	tcase_add_loop_test(tc, next_visits_all_nodes_of_each_level_in_order, 0,
			    8);
	tcase_add_loop_test(tc, prev_visits_all_nodes_of_each_level_in_reverse,
			    0, 8);
	tcase_add_loop_test(tc, turn_is_the_lowest_level_with_a_way_on, 0,
			    (int)ARRAY_SIZE(turns));
	tcase_add_test(tc, moves_on_a_level_leave_those_below_alone);
	tcase_add_loop_test(tc, copy_takes_the_levels_in_use, 0, 8);
	suite_add_tcase(s, tc);
}
