/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/write.c - stores that stay in one leaf, and the way to those that do not.
 *
 * Kinds of write, as the code below takes them apart:
 *   A  the first entry of an empty tree: a root leaf is made
 *   B  exact fit: one slot gets another entry, in place even beside readers
 *   C  one leaf, and it stays within its limits: with readers about, a changed
 *      copy takes its place; in a serial tree the leaf itself is changed
 *   D  everything else changes the number of nodes or their ranges: rebuild.c
 *
 * Locks: the tree's lock is held.  On -ENOMEM nothing has changed.
 */

#include <errno.h>
#include <string.h>

#include <umaple/debug.h>

#include "tree/tree_priv.h"

/* The slots that a write puts in place of those it touches: two at most stay. */
struct splice {
	unsigned int from;  /* first slot that goes */
	unsigned int until; /* one past the last slot that goes */
	unsigned int nr;    /* slots that come */
	uint64_t last[3];
	void *slot[3];
};

static void splice_add(struct splice *splice, uint64_t last, void *slot)
{
	splice->last[splice->nr] = last;
	splice->slot[splice->nr++] = slot;
}

static void splice_make(struct splice *splice, const struct edit *edit)
{
	splice->from = edit->left->at[0].slot;
	splice->until = edit->right.at[0].slot + 1;
	splice->nr = 0;
	if (edit->keep_left)
		splice_add(splice, edit->first - 1, path_entry(edit->left));
	splice_add(splice, edit->last, edit->entry);
	if (edit->keep_right)
		splice_add(splice, path_slot_last(&edit->right, 0),
			   path_entry(&edit->right));
}

static unsigned int splice_count(const struct splice *splice,
				 const struct node *leaf)
{
	return leaf->count - (splice->until - splice->from) + splice->nr;
}

/* Move slots [@from, @from + @nr) of @old to @to of @leaf; may be the same node. */
static void leaf_move(struct node *leaf, unsigned int to, struct node *old,
		      unsigned int from, unsigned int nr)
{
	unsigned int pivots = nr;

	if (!nr)
		return;
	/* Slot 15 has no pivot, in either place. */
	if (from + pivots > NODE_SLOTS - 1)
		pivots = NODE_SLOTS - 1 - from;
	if (to + pivots > NODE_SLOTS - 1)
		pivots = NODE_SLOTS - 1 - to;
	memmove(&leaf->plain.pivot[to], &old->plain.pivot[from],
		pivots * sizeof(uint64_t));
	memmove(&leaf->plain.slot[to], &old->plain.slot[from],
		nr * sizeof(void *));
}

/* From the last slot in use on, pivots are UINT64_MAX and slots empty. */
static void leaf_pad(struct node *leaf, unsigned int until)
{
	unsigned int i;

	for (i = leaf->count - 1u; i < NODE_SLOTS - 1u && i < until; i++)
		leaf->plain.pivot[i] = UINT64_MAX;
	for (i = leaf->count; i < until; i++)
		leaf->plain.slot[i] = NULL;
}

/* Write @old with the splice done to it into @leaf; may be the same node. */
static void leaf_splice(struct node *leaf, struct node *old,
			const struct splice *splice)
{
	unsigned int count = splice_count(splice, old);
	unsigned int tail = splice->from + splice->nr;
	unsigned int old_count = old->count;
	unsigned int i;

	if (leaf != old)
		leaf_move(leaf, 0, old, 0, splice->from);
	leaf_move(leaf, tail, old, splice->until, old_count - splice->until);
	for (i = 0; i < splice->nr; i++) {
		if (splice->from + i < NODE_SLOTS - 1)
			leaf->plain.pivot[splice->from + i] = splice->last[i];
		leaf->plain.slot[splice->from + i] = splice->slot[i];
	}
	leaf->count = (uint8_t)count;
	leaf_pad(leaf,
		 leaf != old || count >= old_count ? NODE_SLOTS : old_count);
}

/* A leaf out of the promise, or else out of the cache. */
static int new_leaf(const struct edit *edit, struct node **ret_leaf)
{
	struct umaple_cache *cache = tree_cache(edit->tree);
	struct node *leaf;

	if (edit->promised)
		leaf = umaple_cache_take(cache, edit->promised);
	else
		leaf = umaple_cache_alloc(cache);
	if (!leaf)
		return edit->promised ? -ESTALE : -ENOMEM;
	node_init(leaf, 0, false);
	leaf->draft = edit->tree->draft_ != NULL;
	*ret_leaf = leaf;
	return 0;
}

/* Case A. */
static int write_first(struct edit *edit, uint64_t first, uint64_t last,
		       void *entry)
{
	struct node empty = { .count = 1 };
	struct splice splice = { .until = 1 };
	struct node *leaf;
	int err;

	if (!entry)
		return 0;
	err = new_leaf(edit, &leaf);
	if (err)
		return err;
	if (first)
		splice_add(&splice, first - 1, NULL);
	splice_add(&splice, last, entry);
	if (last < UINT64_MAX)
		splice_add(&splice, UINT64_MAX, NULL);
	leaf_splice(leaf, &empty, &splice);
	umaple_publish_root(edit->tree, leaf, 1);
	return 0;
}

/* Case B. */
static void write_exact(struct edit *edit)
{
	struct umaple_level_ *leaf = &edit->left->at[0];
	void **slot = &path_node(edit->left, 0)->plain.slot[leaf->slot];
	bool gaps_change =
		tree_has_gaps(edit->tree) && (!*slot || !edit->entry);

	umaple_publish_slot(slot, edit->entry);
	if (gaps_change)
		umaple_gap_update(edit->left, 0);
}

/* The last entry goes: an empty tree has no nodes. */
static void write_last_hole(struct edit *edit)
{
	umaple_publish_root(edit->tree, NULL, 0);
	umaple_publish_done(edit->tree);
	umaple_retire_node(edit->tree, path_node(edit->left, 0));
}

/* Case C. */
static int write_leaf(struct edit *edit, const struct splice *splice)
{
	struct umaple_tree *tree = edit->tree;
	struct node *old = path_node(edit->left, 0);
	struct node *leaf = old;
	int err;

	if (!node_is_ours(tree, old)) {
		err = new_leaf(edit, &leaf);
		if (err)
			return err;
	}
	leaf_splice(leaf, old, splice);
	if (leaf != old)
		umaple_publish_node(tree, edit->left, 0, leaf);
	if (tree_has_gaps(tree))
		umaple_gap_update(edit->left, 0);
	umaple_publish_done(tree);
	if (leaf != old)
		umaple_retire_node(tree, old);
	return 0;
}

static bool leaf_may_hold(const struct edit *edit, unsigned int count)
{
	return count <= NODE_SLOTS &&
	       (count >= NODE_MIN || edit->left->height == 1);
}

/* One word may change beside readers, but not in a node that a draft borrows. */
static bool slot_may_change(const struct edit *edit)
{
	return !edit->tree->draft_ || path_node(edit->left, 0)->draft;
}

static int write_within(struct edit *edit)
{
	struct splice splice;
	unsigned int count;

	splice_make(&splice, edit);
	count = splice_count(&splice, path_node(edit->left, 0));
	if (count == 1 && !edit->entry && edit->left->height == 1) {
		write_last_hole(edit);
		return 0;
	}
	if (splice.nr == 1 && splice.until == splice.from + 1 &&
	    slot_may_change(edit)) {
		write_exact(edit);
		return 0;
	}
	if (leaf_may_hold(edit, count))
		return write_leaf(edit, &splice);
	return umaple_tree_rebuild(edit);
}

/* A serial tree's leaf is overwritten: what it displaces is noted beforehand. */
static int write_one_leaf(struct edit *edit)
{
	struct displaced_list list;
	int err;

	if (likely(!edit->tree->displaced_))
		return write_within(edit);
	umaple_displaced_collect(edit, &list);
	err = write_within(edit);
	if (!err)
		umaple_displaced_report(edit->tree, &list);
	return err;
}

static int write_any(struct edit *edit, struct umaple_tree *tree,
		     struct umaple_path_ *path, uint64_t first, uint64_t last,
		     void *entry)
{
	void *root = tree_root(tree);
	struct umaple_path_ walked;
	int err;

	edit->tree = tree;
	if (!root)
		return write_first(edit, first, last, entry);
	if (!path) {
		path = &walked;
		umaple_path_walk(tree, root, path, first);
	}
	if (unlikely(tree->draft_)) {
		err = umaple_draft_own(tree->draft_, path);
		if (err)
			return err;
	}
	if (!umaple_edit_plan(edit, tree, path, first, last, entry))
		return 0;
	if (edit_is_one_leaf(edit))
		return write_one_leaf(edit);
	return umaple_tree_rebuild(edit);
}

int umaple_edit_write(struct edit *edit, struct umaple_tree *tree,
		      struct umaple_path_ *path, uint64_t first, uint64_t last,
		      void *entry)
{
	int err;

	UMAPLE_ASSERT(first <= last);
	err = write_any(edit, tree, path, first, last, entry);
	UMAPLE_ASSERT_FULL(!umaple_tree_check(tree, NULL, 0));
	return err;
}

int umaple_tree_write(struct umaple_tree *tree, struct umaple_path_ *path,
		      uint64_t first, uint64_t last, void *entry)
{
	struct edit edit;

	edit.promised = NULL;
	edit.merge = NULL;
	return umaple_edit_write(&edit, tree, path, first, last, entry);
}
