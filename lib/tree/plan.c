/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/plan.c - what a store will do to the leaves, before anything is done.
 *
 * Holes are maximal: no two stand side by side, not even in two leaves, or a
 * search for a gap would miss one that straddles.  So a store of NULL is first
 * widened over the holes that it touches; that is how it may come to reach into
 * a neighbouring leaf.
 *
 * Context: the tree's lock.  Allocates nothing, changes nothing.
 */

#include "tree/tree_priv.h"

/* Fill in the right path.  Within one leaf, only its lowest level is set. */
static void plan_right(struct edit *edit)
{
	struct umaple_level_ *leaf = &edit->right.at[0];

	edit->right.height = edit->left->height;
	if (edit->last > edit->left->at[0].max) {
		umaple_path_walk(edit->tree, tree_root(edit->tree),
				 &edit->right, edit->last);
		return;
	}
	*leaf = edit->left->at[0];
	if (edit->last > path_slot_last(edit->left, 0))
		leaf->slot = node_search(leaf->node, false, edit->last);
}

/* The upper levels of the right path, where they are needed. */
void umaple_edit_complete(struct edit *edit)
{
	struct umaple_level_ leaf = edit->right.at[0];

	if (!edit_is_one_leaf(edit))
		return;
	umaple_path_copy(&edit->right, edit->left);
	edit->right.at[0] = leaf;
}

/* The hole that ends just below @first, if there is one, is taken along. */
static void widen_left(struct edit *edit)
{
	struct umaple_path_ before;

	if (!path_entry(edit->left)) {
		edit->first = path_slot_first(edit->left, 0);
		return;
	}
	if (edit->first > path_slot_first(edit->left, 0) || edit->first == 0)
		return;
	if (edit->left->at[0].slot) {
		edit->left->at[0].slot--;
		if (path_entry(edit->left))
			edit->left->at[0].slot++;
		else
			edit->first = path_slot_first(edit->left, 0);
		return;
	}
	umaple_path_copy(&before, edit->left);
	umaple_path_prev(&before, 0);
	if (path_entry(&before))
		return;
	umaple_edit_complete(edit);
	umaple_path_copy(edit->left, &before);
	edit->first = path_slot_first(edit->left, 0);
}

/* The hole that starts just above @last, if there is one, is taken along. */
static void widen_right(struct edit *edit)
{
	struct umaple_level_ *leaf = &edit->right.at[0];
	struct umaple_path_ after;

	if (!path_entry(&edit->right)) {
		edit->last = path_slot_last(&edit->right, 0);
		return;
	}
	if (edit->last < path_slot_last(&edit->right, 0) ||
	    edit->last == UINT64_MAX)
		return;
	if (leaf->slot + 1u < path_node(&edit->right, 0)->count) {
		leaf->slot++;
		if (path_entry(&edit->right))
			leaf->slot--;
		else
			edit->last = path_slot_last(&edit->right, 0);
		return;
	}
	umaple_edit_complete(edit);
	umaple_path_copy(&after, &edit->right);
	umaple_path_next(&after, 0);
	if (path_entry(&after))
		return;
	umaple_path_copy(&edit->right, &after);
	edit->last = path_slot_last(&edit->right, 0);
}

/* Is all of [first, last] this entry already, as one range? */
static bool plan_is_nothing(const struct edit *edit)
{
	return edit_is_one_leaf(edit) &&
	       edit->left->at[0].slot == edit->right.at[0].slot &&
	       !edit->keep_left && !edit->keep_right &&
	       path_entry(edit->left) == edit->entry;
}

bool umaple_edit_plan(struct edit *edit, struct umaple_tree *tree,
		      struct umaple_path_ *path, uint64_t first, uint64_t last,
		      void *entry)
{
	edit->tree = tree;
	edit->first = first;
	edit->last = last;
	edit->entry = entry;
	edit->left = path;
	plan_right(edit);
	if (!entry) {
		widen_left(edit);
		widen_right(edit);
	}
	edit->keep_left = edit->first > path_slot_first(edit->left, 0);
	edit->keep_right = edit->last < path_slot_last(&edit->right, 0);
	return !plan_is_nothing(edit);
}
