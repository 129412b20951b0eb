/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/displaced.c - telling owners which entries a write has displaced.
 *
 * The callback runs after the write is published, so that an owner who waits for
 * a grace period from then on waits for every reader that could still find the
 * entry.  It runs before the old nodes are retired, which is where a write over
 * several leaves reads what was there.
 *
 * Locks: the tree's lock is held, also while the callback runs.
 */

#include "tree/tree_priv.h"

void umaple_tree_set_displaced(struct umaple_tree *tree,
			       umaple_displaced_fn *displaced, void *arg)
{
	tree->displaced_ = displaced;
	tree->displaced_arg_ = arg;
}

/*
 * In a section, as all that a user's function does under the tree's lock: it may
 * write to another tree, which must not wait for readers then.  One of them may be
 * waiting for this lock.
 */
void umaple_displaced_tell(const struct umaple_tree *tree,
			   const struct umaple_displaced *what)
{
	tree_section_enter(tree);
	tree->displaced_(what, tree->displaced_arg_);
	tree_section_leave(tree);
}

/* What of the slot at hand of @at the edit displaces.  False if nothing. */
static bool slot_displaced(const struct edit *edit,
			   const struct umaple_path_ *at,
			   struct umaple_displaced *what)
{
	const struct umaple_level_ *leaf = &at->at[0];
	const struct umaple_level_ *left = &edit->left->at[0];
	const struct umaple_level_ *right = &edit->right.at[0];

	what->entry = path_entry(at);
	what->first = path_slot_first(at, 0);
	what->last = path_slot_last(at, 0);
	what->remaining = 0;
	if (leaf->node == left->node && leaf->slot == left->slot &&
	    edit->keep_left) {
		what->first = edit->first;
		what->remaining++;
	}
	if (leaf->node == right->node && leaf->slot == right->slot &&
	    edit->keep_right) {
		what->last = edit->last;
		what->remaining++;
	}
	return what->entry && what->entry != reserved_entry();
}

void umaple_displaced_collect(const struct edit *edit,
			      struct displaced_list *list)
{
	struct umaple_path_ at;

	umaple_path_copy(&at, edit->left);
	list->nr = 0;
	for (; at.at[0].slot <= edit->right.at[0].slot; at.at[0].slot++)
		if (slot_displaced(edit, &at, &list->item[list->nr]))
			list->nr++;
}

void umaple_displaced_report(const struct umaple_tree *tree,
			     const struct displaced_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		umaple_displaced_tell(tree, &list->item[i]);
}

void umaple_displaced_report_span(const struct edit *edit)
{
	const struct umaple_level_ *right = &edit->right.at[0];
	struct umaple_displaced what;
	struct umaple_path_ at;

	umaple_path_copy(&at, edit->left);
	for (;;) {
		if (slot_displaced(edit, &at, &what))
			umaple_displaced_tell(edit->tree, &what);
		if (at.at[0].node == right->node &&
		    at.at[0].slot == right->slot)
			break;
		if (at.at[0].slot + 1u < path_node(&at, 0)->count)
			at.at[0].slot++;
		else
			umaple_path_next(&at, 0);
	}
}

static void report_subtree(const struct umaple_tree *tree, struct node *node,
			   uint64_t min, uint64_t max)
{
	struct umaple_displaced what = { 0 };
	unsigned int i;

	for (i = 0; i < node->count; i++) {
		what.first = node_slot_first(node, i, min);
		what.last = node_slot_last(node, i, max);
		what.entry = node_slots(node)[i];
		if (node->level)
			report_subtree(tree, what.entry, what.first, what.last);
		else if (what.entry && what.entry != reserved_entry())
			umaple_displaced_tell(tree, &what);
	}
}

void umaple_displaced_report_all(const struct umaple_tree *tree, void *root)
{
	report_subtree(tree, root_node(root), 0, UINT64_MAX);
}
