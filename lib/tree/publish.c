/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/publish.c - the only place where readers gain or lose sight of a node.
 *
 * Role:  Store a finished node, or an entry, where readers find it; mark replaced
 *        nodes dead; give them to the cache.  Whoever reviews memory order reads
 *        this file, tree/node.h and tree/walk.c, and is done.
 * Above: write.c, rebuild.c, bulk.c, dup.c, draft.c and tree.c; they never write
 *        to a slot that readers can see in another way.
 * Below: tree/node.h for the layout, and the cache.
 * Locks: the caller holds the tree's lock; none is taken here.
 *
 * The order of a write that replaces nodes is always: publish, publish_done,
 * retire.  One that replaces none (the first entry, an exact fit) only publishes:
 * the positions of cursors stay good.
 */

#include "platform/delay.h"
#include "tree/tree_priv.h"

void umaple_publish_root(struct umaple_tree *tree, struct node *node,
			 unsigned int height)
{
	void *root = node ? root_make(node, height) : NULL;

	UMAPLE_ASSERT(height <= UMAPLE_MAX_HEIGHT);
	/*
	 * ORDER(publish-node), store side.  A reader that starts at @node sees
	 * everything written into it, and into all below it, before now.
	 * Load side: tree_root() and node_load_slot().
	 * Without it: a reader follows slots that were never filled.
	 */
	store_release(&tree->root_, root);
	umaple_delay();
}

void umaple_publish_slot(void **slot, void *value)
{
	/*
	 * ORDER(publish-node), store side.  As in umaple_publish_root(); an entry
	 * is published in the same way, for the caller's sake.
	 * Load side: node_load_slot() in tree/node.h.
	 */
	store_release(slot, value);
	umaple_delay();
}

void umaple_publish_node(struct umaple_tree *tree, struct umaple_path_ *path,
			 unsigned int level, struct node *node)
{
	struct umaple_level_ *above = &path->at[level + 1];

	if (level + 1 == path->height)
		umaple_publish_root(tree, node, path->height);
	else
		umaple_publish_slot(&node_slots(above->node)[above->slot],
				    node);
	path->at[level].node = node;
}

void umaple_publish_done(struct umaple_tree *tree)
{
	/*
	 * ORDER(generation), store side.  Whoever sees the old generation later
	 * than this sees none of the nodes freed, because that comes after.
	 * Load side: cursor_sync() in tree/cursor.c.
	 * Without it: a cursor of a tree without readers trusts a node that is
	 * free.
	 */
	store_release(&tree->generation_, tree->generation_ + 1);
	umaple_delay();
}

void umaple_retire_node(struct umaple_tree *tree, struct node *node)
{
	if (unlikely(tree->draft_)) {
		umaple_draft_retire_node(tree->draft_, node);
		return;
	}
	if (tree_is_serial(tree)) {
		umaple_cache_free(tree_cache(tree), node);
		return;
	}
	/*
	 * ORDER(dead-node), store side.  The node's successor was published
	 * before: a reader that sees the mark and starts again at the root cannot
	 * meet this node once more.  (Marking first would let it spin.)
	 * Load side: node_is_dead() in tree/node.h.
	 */
	store_release(&node->dead, 1);
	umaple_delay();
	umaple_cache_free_rcu(tree_cache(tree), node);
}

void umaple_retire_subtree(struct umaple_tree *tree, struct node *node)
{
	unsigned int i;

	if (unlikely(tree->draft_)) {
		umaple_draft_retire_subtree(tree->draft_, node);
		return;
	}
	if (node->level)
		for (i = 0; i < node->count; i++)
			umaple_retire_subtree(tree, node_slots(node)[i]);
	umaple_retire_node(tree, node);
}

void umaple_tree_discard(struct umaple_cache *cache, struct node *node)
{
	unsigned int i;

	if (node->level)
		for (i = 0; i < node->count; i++)
			umaple_tree_discard(cache, node_slots(node)[i]);
	umaple_cache_free(cache, node);
}
