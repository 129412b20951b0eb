/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_tree_check.c - tree/tree_check.c: a damaged tree is found out, under the
 * right number and at the right node; a sound one passes, and is counted right.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <umaple/debug.h>

#include "harness.h"
#include "shape.h"

const char *const suite_name = "tree_check";

static struct twin twin;

static void set_up(unsigned int flags, const char *shape)
{
	shape_set_up(&twin, flags, shape);
}

/* -- damage, one node at a time ------------------------------------------------- */

static void wrong_level(struct node *node)
{
	node->level++;
}

static void wrong_layout(struct node *node)
{
	node->gapped = !node->gapped;
}

static void die(struct node *node)
{
	node->dead = 1;
}

static void one_slot(struct node *node)
{
	node->count = 1;
}

static void no_slot(struct node *node)
{
	node->count = 0;
}

/* One less than a node that is not the root must have. */
static void too_few(struct node *node)
{
	node->count = (uint8_t)(node_minimum(node->gapped) - 1);
}

static void too_many(struct node *node)
{
	node->count = (uint8_t)(node_capacity(node->gapped) + 1);
}

static void most_slots(struct node *node)
{
	node->count = UINT8_MAX;
}

static void pivot_again(struct node *node)
{
	node_pivots(node)[2] = node_pivots(node)[1];
}

static void pivot_back(struct node *node)
{
	node_pivots(node)[2] = node_pivots(node)[1] - 1;
}

/* A node that starts at 50. */
static void pivot_below(struct node *node)
{
	node_pivots(node)[0] = 49;
}

/* A node that ends at 99. */
static void pivot_at_the_end(struct node *node)
{
	node_pivots(node)[3] = 99;
}

static void pivot_at_the_very_end(struct node *node)
{
	node_pivots(node)[node->count - 2] = UINT64_MAX;
}

static void unused_pivot(struct node *node)
{
	node_pivots(node)[node->count] = UINT64_MAX - 1;
}

static void pivot_of_the_last_slot(struct node *node)
{
	node_pivots(node)[node->count - 1] = 99;
}

static void unused_slot(struct node *node)
{
	node_slots(node)[node->count] = &twin;
}

static void very_last_slot(struct node *node)
{
	node_slots(node)[node_capacity(node->gapped) - 1] = &twin;
}

static void unused_gap(struct node *node)
{
	node->gap.gap[node->count] = 1;
}

static void no_child(struct node *node)
{
	node_slots(node)[3] = NULL;
}

static void crooked_child(struct node *node)
{
	node_slots(node)[1] = (char *)node_slots(node)[1] + 64;
}

static void hole_after_a_hole(struct node *node)
{
	node->plain.slot[3] = NULL;
}

static void hole_at_the_start(struct node *node)
{
	node->plain.slot[0] = NULL;
}

static void gap_too_large(struct node *node)
{
	node->gap.gap[0]++;
}

static void gap_too_small(struct node *node)
{
	node->gap.gap[0]--;
}

static void gap_of_nothing(struct node *node)
{
	node->gap.gap[1] = 1;
}

static void entry_beside_itself(struct node *node)
{
	node->plain.slot[4] = node->plain.slot[3];
}

static void entry_of_the_leaf_before(struct node *node)
{
	node->plain.slot[0] = shape_entry(4);
}

/* Trees with one hole, at 20; the second leaf starts at 50 and ends at 99. */
#define PLAIN "2/5*2/xx.xx 5*9"
#define GAPS  "2/4*2/xx.xx 5*7"
#define FLAT  "3/xx.x. 5*2"

static const struct {
	const char *number;
	unsigned int depth; /* of the node that is named */
	unsigned int flags;
	const char *shape;
	unsigned int level; /* of the node that is damaged */
	size_t place;	    /* from the left */
	void (*damage)(struct node *node);
} damages[] = {
	{ "T1", 2, 0, PLAIN, 0, 0, wrong_level },
	{ "T1", 2, 0, PLAIN, 0, 9, wrong_level },
	{ "T1", 1, 0, PLAIN, 1, 1, wrong_level },
	{ "T1", 0, 0, PLAIN, 2, 0, wrong_level },
	{ "T2", 2, 0, PLAIN, 0, 3, wrong_layout },
	{ "T2", 1, 0, PLAIN, 1, 0, wrong_layout },
	{ "T2", 2, UMAPLE_TREE_GAPS, GAPS, 0, 3, wrong_layout },
	{ "T2", 1, UMAPLE_TREE_GAPS, GAPS, 1, 1, wrong_layout },
	{ "T2", 0, UMAPLE_TREE_GAPS, GAPS, 2, 0, wrong_layout },
	{ "T3", 2, 0, PLAIN, 0, 9, die },
	{ "T3", 1, 0, PLAIN, 1, 0, die },
	{ "T3", 0, UMAPLE_TREE_GAPS, GAPS, 2, 0, die },
	{ "T4", 2, 0, PLAIN, 0, 0, too_few },
	{ "T4", 2, 0, PLAIN, 0, 5, too_many },
	{ "T4", 2, 0, PLAIN, 0, 5, most_slots },
	{ "T4", 1, 0, PLAIN, 1, 1, too_few },
	{ "T4", 1, 0, PLAIN, 1, 1, too_many },
	{ "T4", 0, 0, PLAIN, 2, 0, one_slot },
	{ "T4", 0, 0, "5", 0, 0, no_slot },
	{ "T4", 1, UMAPLE_TREE_GAPS, GAPS, 1, 1, too_few },
	{ "T4", 1, UMAPLE_TREE_GAPS, GAPS, 1, 1, too_many },
	{ "T4", 0, UMAPLE_TREE_GAPS, GAPS, 2, 0, one_slot },
	{ "T5", 2, 0, PLAIN, 0, 1, pivot_again },
	{ "T5", 2, 0, PLAIN, 0, 1, pivot_back },
	{ "T5", 2, 0, PLAIN, 0, 1, pivot_below },
	{ "T5", 2, 0, PLAIN, 0, 1, pivot_at_the_end },
	{ "T5", 2, 0, PLAIN, 0, 9, pivot_at_the_very_end },
	{ "T5", 1, 0, PLAIN, 1, 0, pivot_again },
	{ "T5", 1, UMAPLE_TREE_GAPS, GAPS, 1, 1, pivot_back },
	{ "T5", 0, 0, PLAIN, 2, 0, pivot_at_the_very_end },
	{ "T6", 2, 0, PLAIN, 0, 1, unused_pivot },
	{ "T6", 2, 0, PLAIN, 0, 1, pivot_of_the_last_slot },
	{ "T6", 2, 0, PLAIN, 0, 1, unused_slot },
	{ "T6", 2, 0, PLAIN, 0, 1, very_last_slot },
	{ "T6", 1, 0, PLAIN, 1, 1, unused_pivot },
	{ "T6", 1, 0, PLAIN, 1, 1, very_last_slot },
	{ "T6", 1, 0, PLAIN, 1, 0, no_child },
	{ "T6", 1, 0, PLAIN, 1, 1, crooked_child },
	{ "T6", 0, 0, PLAIN, 2, 0, crooked_child },
	{ "T6", 1, UMAPLE_TREE_GAPS, GAPS, 1, 1, unused_pivot },
	{ "T6", 1, UMAPLE_TREE_GAPS, GAPS, 1, 1, unused_slot },
	{ "T6", 1, UMAPLE_TREE_GAPS, GAPS, 1, 0, unused_gap },
	{ "T6", 0, UMAPLE_TREE_GAPS, GAPS, 2, 0, unused_gap },
	{ "T7", 2, 0, PLAIN, 0, 0, hole_after_a_hole },
	{ "T7", 2, UMAPLE_TREE_GAPS, GAPS, 0, 0, hole_after_a_hole },
	{ "T7", 1, 0, FLAT, 0, 1, hole_at_the_start },
	{ "T9", 1, UMAPLE_TREE_GAPS, GAPS, 1, 0, gap_too_large },
	{ "T9", 1, UMAPLE_TREE_GAPS, GAPS, 1, 0, gap_too_small },
	{ "T9", 1, UMAPLE_TREE_GAPS, GAPS, 1, 1, gap_of_nothing },
	{ "T9", 0, UMAPLE_TREE_GAPS, GAPS, 2, 0, gap_too_large },
	{ "T9", 0, UMAPLE_TREE_GAPS, GAPS, 2, 0, gap_too_small },
	{ "T9", 0, UMAPLE_TREE_GAPS, GAPS, 2, 0, gap_of_nothing },
	{ "T10", 2, UMAPLE_TREE_MERGE, PLAIN, 0, 0, entry_beside_itself },
	{ "T10", 2, UMAPLE_TREE_MERGE, PLAIN, 0, 1, entry_of_the_leaf_before },
};

static void assert_sound(void)
{
	char text[128] = "";

	ck_assert_msg(!umaple_tree_check(&twin.tree, text, sizeof(text)), "%s",
		      text);
	ck_assert_str_eq(text, "");
}

/* The text is "NUMBER: ..., node ADDRESS, depth DEPTH". */
static void assert_found(const char *number, const struct node *node,
			 unsigned int depth)
{
	char text[160] = "", head[8], tail[64];
	size_t length;

	ck_assert_int_eq(umaple_tree_check(&twin.tree, text, sizeof(text)),
			 -EUCLEAN);
	snprintf(head, sizeof(head), "%s: ", number);
	snprintf(tail, sizeof(tail), ", node %p, depth %u", (const void *)node,
		 depth);
	length = strlen(text);
	ck_assert_msg(!strncmp(text, head, strlen(head)), "not %s: %s", number,
		      text);
	ck_assert_uint_gt(length, strlen(tail));
	ck_assert_str_eq(text + length - strlen(tail), tail);
	ck_assert_ptr_null(strchr(text, '\n'));
	ck_assert_int_eq(umaple_tree_check(&twin.tree, NULL, 0), -EUCLEAN);
	ck_assert_int_eq(umaple_tree_check(&twin.tree, NULL, 99), -EUCLEAN);
}

START_TEST(damage_is_found_under_its_number)
{
	struct node *nodes[SHAPE_NODES], *node, copy;

	set_up(damages[_i].flags, damages[_i].shape);
	shape_level(&twin.tree, damages[_i].level, nodes);
	node = nodes[damages[_i].place];
	copy = *node;

	damages[_i].damage(node);
	assert_found(damages[_i].number, node, damages[_i].depth);

	*node = copy;
	assert_sound();
	twin_fini(&twin);
}
END_TEST

START_TEST(wrong_root_word_is_found)
{
	void *root;

	set_up(0, PLAIN);
	root = tree_root(&twin.tree);

	twin.tree.root_ = root_make(root_node(root), 4);
	assert_found("T1", root_node(root), 0);
	twin.tree.root_ = root_make(root_node(root), 2);
	assert_found("T1", root_node(root), 0);
	twin.tree.root_ = root;
	assert_sound();
	twin_fini(&twin);
}
END_TEST

START_TEST(impossible_root_word_is_found)
{
	struct node *node;
	char text[128] = "";
	void *root;

	set_up(0, PLAIN);
	root = tree_root(&twin.tree);
	node = root_node(root);

	twin.tree.root_ = root_make(node, UMAPLE_MAX_HEIGHT + 1);
	ck_assert_int_eq(umaple_tree_check(&twin.tree, text, sizeof(text)),
			 -EUCLEAN);
	ck_assert(!strncmp(text, "T1: height 17", 13));
	twin.tree.root_ = root_make(NULL, 1);
	ck_assert_int_eq(umaple_tree_check(&twin.tree, text, sizeof(text)),
			 -EUCLEAN);
	ck_assert(!strncmp(text, "T1: height 1,", 13));
	twin.tree.root_ = root;
	twin_fini(&twin);
}
END_TEST

START_TEST(nodes_without_an_entry_are_found)
{
	char text[128] = "";

	set_up(0, "1");
	hole_at_the_start(shape_root(&twin.tree));

	ck_assert_int_eq(umaple_tree_check(&twin.tree, text, sizeof(text)),
			 -EUCLEAN);

	ck_assert(!strncmp(text, "T8: ", 4));
	twin_fini(&twin);
}
END_TEST

START_TEST(equal_neighbours_are_right_where_nothing_merges)
{
	set_up(0, PLAIN);
	entry_beside_itself(shape_leaf(&twin.tree, 0));
	entry_of_the_leaf_before(shape_leaf(&twin.tree, 1));

	assert_sound();
	twin_fini(&twin);
}
END_TEST

START_TEST(text_is_cut_to_fit)
{
	char whole[160], text[160];
	size_t size;

	set_up(0, PLAIN);
	die(shape_leaf(&twin.tree, 3));
	ck_assert_int_eq(umaple_tree_check(&twin.tree, whole, sizeof(whole)),
			 -EUCLEAN);
	for (size = 0; size < sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		ck_assert_int_eq(umaple_tree_check(&twin.tree, text, size),
				 -EUCLEAN);
		ck_assert_int_eq(text[size], '#');
		if (size) {
			ck_assert_uint_lt(strlen(text), size);
			ck_assert(!strncmp(text, whole, size - 1));
		}
	}
	twin_fini(&twin);
}
END_TEST

/* -- census ------------------------------------------------------------------------ */

static const struct {
	unsigned int flags;
	const char *shape;
	struct umaple_tree_info info;
} trees[] = {
	{ 0, "", { 0, 1, 0, 0, 0, 0 } },
	{ 0, "1", { 1, 0, 1, 1, 1, 256 } },
	{ 0, ".x.", { 1, 2, 1, 1, 1, 256 } },
	{ 0, "16", { 16, 0, 1, 1, 1, 256 } },
	{ 0, "3/xx.x. 5*2", { 13, 2, 4, 3, 2, 4 * 256 } },
	{ 0, PLAIN, { 49, 1, 13, 10, 3, 13 * 256 } },
	{ UMAPLE_TREE_GAPS, GAPS, { 39, 1, 11, 8, 3, 11 * 256 } },
	{ UMAPLE_TREE_GAPS,
	  "2/4*2/4*8/5*31 x.x.x",
	  { 158, 2, 43, 32, 4, 43 * 256 } },
};

START_TEST(sound_tree_passes_and_is_counted)
{
	struct umaple_tree_info info;

	set_up(trees[_i].flags, trees[_i].shape);

	assert_sound();
	memset(&info, 0xff, sizeof(info));
	umaple_tree_measure(&twin.tree, &info);

	ck_assert_uint_eq(info.ranges, trees[_i].info.ranges);
	ck_assert_uint_eq(info.holes, trees[_i].info.holes);
	ck_assert_uint_eq(info.nodes, trees[_i].info.nodes);
	ck_assert_uint_eq(info.leaves, trees[_i].info.leaves);
	ck_assert_uint_eq(info.height, trees[_i].info.height);
	ck_assert_uint_eq(info.bytes, trees[_i].info.bytes);
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("tree_check.damage");

	tcase_add_loop_test(tc, damage_is_found_under_its_number, 0,
			    (int)ARRAY_SIZE(damages));
	tcase_add_test(tc, wrong_root_word_is_found);
	tcase_add_test(tc, impossible_root_word_is_found);
	tcase_add_test(tc, nodes_without_an_entry_are_found);
	tcase_add_test(tc, equal_neighbours_are_right_where_nothing_merges);
	tcase_add_test(tc, text_is_cut_to_fit);
	suite_add_tcase(s, tc);

	tc = tcase_create("tree_check.sound");
	tcase_add_loop_test(tc, sound_tree_passes_and_is_counted, 0,
			    (int)ARRAY_SIZE(trees));
	suite_add_tcase(s, tc);
}
