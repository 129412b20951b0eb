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

/* A leaf without entries, to begin with: all of a path is nothing but a slot. */
static const struct node hole = {
	.count = 1,
	.plain.pivot = { [0 ... NODE_SLOTS - 2] = UINT64_MAX },
};

/*
 * A leaf once a write is done: the first slots of it as it was, the new slot, and
 * its last slots as they were.  A slot that is cut in two is among both.
 */
struct splice {
	unsigned int head;  /* slots before the new one */
	unsigned int tail;  /* the first slot that stays after it */
	unsigned int count; /* slots in the end */
};

static void splice_make(struct splice *splice, const struct edit *edit)
{
	splice->head = edit->left->at[0].slot + edit->keep_left;
	splice->tail = edit->right.at[0].slot + !edit->keep_right;
	splice->count = splice->head + 1 + path_node(edit->left, 0)->count -
			splice->tail;
}

/* Does one slot get another entry, and nothing else change? */
static bool splice_is_exact(const struct splice *splice,
			    const struct edit *edit)
{
	return splice->tail == splice->head + 1 &&
	       edit->left->at[0].slot == edit->right.at[0].slot;
}

/* Move slots from @tail on upwards to @to. */
static void leaf_move_up(struct node *leaf, unsigned int tail, unsigned int to)
{
	uint64_t *pivot = leaf->plain.pivot;
	void **slot = leaf->plain.slot;
	unsigned int by = to - tail, i = leaf->count - 1u;

	if (tail > i)
		return;
	/* The pivot of the last slot is UINT64_MAX, or there is none. */
	slot[i + by] = slot[i];
	while (i-- > tail) {
		pivot[i + by] = pivot[i];
		slot[i + by] = slot[i];
	}
}

/* Move them downwards, and empty the slots that are left behind. */
static void leaf_move_down(struct node *leaf, unsigned int tail,
			   unsigned int to)
{
	unsigned int by = tail - to, last = leaf->count - 1u, i;
	uint64_t *pivot = leaf->plain.pivot;
	void **slot = leaf->plain.slot;

	for (i = tail; i < last; i++) {
		pivot[i - by] = pivot[i];
		slot[i - by] = slot[i];
	}
	if (tail <= last)
		slot[last - by] = slot[last];
	for (i = last - by; i < last; i++) {
		pivot[i] = UINT64_MAX;
		slot[i + 1] = NULL;
	}
}

/* Do the splice to a leaf that readers do not see. */
static void leaf_splice(struct node *leaf, const struct edit *edit,
			const struct splice *splice)
{
	unsigned int left = edit->left->at[0].slot, head = splice->head;
	uint64_t *pivot = leaf->plain.pivot;

	if (head + 1 > splice->tail)
		leaf_move_up(leaf, splice->tail, head + 1);
	else if (head + 1 < splice->tail)
		leaf_move_down(leaf, splice->tail, head + 1);
	/* Without a branch on whether the left slot keeps a part. */
	if (likely(left < NODE_SLOTS - 1))
		pivot[left] = edit->first - 1;
	if (likely(head < NODE_SLOTS - 1))
		pivot[head] = edit->last;
	leaf->plain.slot[head] = edit->entry;
	if (likely(splice->count < NODE_SLOTS))
		pivot[splice->count - 1] = UINT64_MAX;
	leaf->count = (uint8_t)splice->count;
}

/* A copy of a leaf, in memory out of the promise, or else out of the cache. */
static int copy_leaf(const struct edit *edit, const struct node *old,
		     struct node **ret_leaf)
{
	struct umaple_cache *cache = tree_cache(edit->tree);
	struct node *leaf;

	if (edit->promised)
		leaf = umaple_cache_take(cache, edit->promised);
	else
		leaf = umaple_cache_alloc(cache);
	if (!leaf)
		return edit->promised ? -ESTALE : -ENOMEM;
	memcpy(leaf, old, sizeof(*leaf));
	leaf->draft = edit->tree->draft_ != NULL;
	*ret_leaf = leaf;
	return 0;
}

/* Case A. */
static int write_first(struct edit *edit, uint64_t first, uint64_t last,
		       void *entry)
{
	struct umaple_path_ path = { .height = 1 };
	struct splice splice;
	struct node *leaf;
	int err;

	if (!entry)
		return 0;
	err = copy_leaf(edit, &hole, &leaf);
	if (err)
		return err;
	path.at[0].node = leaf;
	umaple_edit_plan(edit, edit->tree, &path, first, last, entry);
	splice_make(&splice, edit);
	leaf_splice(leaf, edit, &splice);
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
		err = copy_leaf(edit, old, &leaf);
		if (err)
			return err;
	}
	leaf_splice(leaf, edit, splice);
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

	splice_make(&splice, edit);
	if (splice.count == 1 && !edit->entry && edit->left->height == 1) {
		write_last_hole(edit);
		return 0;
	}
	if (splice_is_exact(&splice, edit) && slot_may_change(edit)) {
		write_exact(edit);
		return 0;
	}
	if (leaf_may_hold(edit, splice.count))
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
