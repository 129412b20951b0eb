/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/plan.c - what a store will do to the leaves, before anything is done.
 *
 * Holes are maximal: no two stand side by side, not even in two leaves, or a
 * search for a gap would miss one that straddles.  So a store of NULL is first
 * widened over the holes that it touches, as one that merges is over the
 * neighbours it merges with; that is how it may come to reach into other leaves.
 *
 * Context: the tree's lock.  Allocates nothing, changes nothing.
 */

#include "tree/tree_priv.h"

/* Fill in the right path.  Within one leaf, only its lowest level is set. */
static void plan_right(struct edit *edit)
{
	struct umaple_level_ *leaf = &edit->right.at[0];

	edit->right.height = edit->left->height;
	*leaf = edit->left->at[0];
	if (likely(edit->last <= path_slot_last(edit->left, 0)))
		return;
	if (edit->last <= path_max(edit->left, 0))
		leaf->slot = node_search(leaf->node, false, edit->last);
	else
		umaple_path_walk(edit->tree, tree_root(edit->tree),
				 &edit->right, edit->last);
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

/* As it is told of displaced entries, the user is asked in a section. */
static bool user_joins(const struct edit *edit, void *neighbour)
{
	bool yes;

	tree_section_enter(edit->tree);
	yes = edit->merge(neighbour, edit->entry, edit->merge_arg);
	tree_section_leave(edit->tree);
	return yes;
}

/* Does what lies beside the range become part of it? */
static bool joins(const struct edit *edit, void *neighbour)
{
	void *entry = edit->entry;

	if (!entry || !neighbour)
		return !entry && !neighbour;
	if (tree_merges(edit->tree) && neighbour == entry)
		return true;
	if (!edit->merge)
		return false;
	/* Nobody but the tree may look at what is reserved. */
	if (entry == reserved_entry() || neighbour == reserved_entry())
		return entry == neighbour;
	return user_joins(edit, neighbour);
}

/* Move the left path to the slot before, if that joins. */
static bool prev_joins(struct edit *edit)
{
	struct umaple_level_ *leaf = &edit->left->at[0];
	struct umaple_path_ before;

	if (leaf->slot) {
		leaf->slot--;
		if (joins(edit, path_entry(edit->left)))
			return true;
		leaf->slot++;
		return false;
	}
	umaple_path_copy(&before, edit->left);
	umaple_path_prev(&before, 0);
	if (!joins(edit, path_entry(&before)))
		return false;
	umaple_edit_complete(edit);
	umaple_path_copy(edit->left, &before);
	return true;
}

static bool next_joins(struct edit *edit)
{
	struct umaple_level_ *leaf = &edit->right.at[0];
	struct umaple_path_ after;

	if (leaf->slot + 1u < path_node(&edit->right, 0)->count) {
		leaf->slot++;
		if (joins(edit, path_entry(&edit->right)))
			return true;
		leaf->slot--;
		return false;
	}
	umaple_edit_complete(edit);
	umaple_path_copy(&after, &edit->right);
	umaple_path_next(&after, 0);
	if (!joins(edit, path_entry(&after)))
		return false;
	umaple_path_copy(&edit->right, &after);
	return true;
}

/* What the range leaves of its first slot, and slots before it, may join. */
static void widen_left(struct edit *edit)
{
	void *here = path_entry(edit->left);

	if (edit->first > path_slot_first(edit->left, 0)) {
		if (!joins(edit, here))
			return;
		edit->first = path_slot_first(edit->left, 0);
	}
	/* A hole has no hole beside it. */
	if (!edit->entry && !here)
		return;
	while (edit->first && prev_joins(edit))
		edit->first = path_slot_first(edit->left, 0);
}

/* What the range leaves of its last slot, and slots after it, may join. */
static void widen_right(struct edit *edit)
{
	void *here = path_entry(&edit->right);

	if (edit->last < edit_right_last(edit)) {
		if (!joins(edit, here))
			return;
		edit->last = edit_right_last(edit);
	}
	if (!edit->entry && !here)
		return;
	while (edit->last < UINT64_MAX && next_joins(edit))
		edit->last = edit_right_last(edit);
}

/*
 * The same for a hole within one leaf, and not at its ends: what lies beside it has
 * no pattern, so there are no branches on it.  A hole has no hole beside it, and
 * of what the range cuts nothing joins but holes.
 */
static void widen_hole(struct edit *edit)
{
	struct umaple_level_ *left = &edit->left->at[0];
	struct umaple_level_ *right = &edit->right.at[0];
	void **slot = path_node(edit->left, 0)->plain.slot;
	bool here, beside;

	here = !slot[left->slot];
	beside = !slot[left->slot - 1] &
		 (edit->first == path_slot_first(edit->left, 0)) & !here;
	left->slot -= beside;
	edit->first =
		(here | beside) ? path_slot_first(edit->left, 0) : edit->first;
	here = !slot[right->slot];
	beside = !slot[right->slot + 1] &
		 (edit->last == edit_right_last(edit)) & !here;
	right->slot += beside;
	edit->last = (here | beside) ? edit_right_last(edit) : edit->last;
}

static bool is_inside_leaf(const struct edit *edit)
{
	return edit_is_one_leaf(edit) && edit->left->at[0].slot > 0 &&
	       edit->right.at[0].slot + 1u < path_node(edit->left, 0)->count;
}

static void widen(struct edit *edit)
{
	if (!edit->entry && is_inside_leaf(edit)) {
		widen_hole(edit);
		return;
	}
	widen_left(edit);
	widen_right(edit);
}

/*
 * Is all of [first, last] this entry already, as one range?  Who wants to be told
 * of displaced entries is told of this one as well: each store displaces.
 */
static bool plan_is_nothing(const struct edit *edit)
{
	return path_entry(edit->left) == edit->entry &&
	       edit_is_one_leaf(edit) &&
	       edit->left->at[0].slot == edit->right.at[0].slot &&
	       !edit->keep_left && !edit->keep_right &&
	       !(edit->entry && edit->tree->displaced_);
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
	if (!entry || edit->merge || tree_merges(tree))
		widen(edit);
	edit->keep_left = edit->first > path_slot_first(edit->left, 0);
	edit->keep_right = edit->last < edit_right_last(edit);
	return !plan_is_nothing(edit);
}
