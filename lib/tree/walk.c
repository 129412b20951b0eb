/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/walk.c - one lookup.
 *
 * A reader needs neither dead marks nor a second try.  It loads the root once
 * and follows child pointers.  Each node it reaches was in the tree at some
 * moment since it began: a live parent names live children, and the slots of a
 * dead one stay as they were when it died.  The range of a node never changes,
 * so the leaf it ends at is the right one, and the entry it finds there was
 * current at one moment of the lookup.
 *
 * Context: a read-side section, or the tree's lock.
 */

#include "tree/tree_priv.h"

/* Descend with the layout of the inner nodes known to the compiler. */
static UMAPLE_ALWAYS_INLINE void *lookup(void *root, uint64_t index,
					 bool gapped)
{
	unsigned int level = root_height(root);
	struct node *node = root_node(root);
	void **slots;

	while (--level) {
		slots = gapped ? node->gap.slot : node->plain.slot;
		node = node_load_slot(&slots[node_search(node, gapped, index)]);
		node_prefetch(node);
	}
	return node_load_slot(
		&node->plain.slot[node_search(node, false, index)]);
}

static UMAPLE_ALWAYS_INLINE void *tree_lookup(const struct umaple_tree *tree,
					      uint64_t index)
{
	void *root = tree_root(tree);

	if (!root)
		return NULL;
	return tree_has_gaps(tree) ? lookup(root, index, true)
				   : lookup(root, index, false);
}

void *umaple_load(const struct umaple_tree *tree, uint64_t index)
{
	const struct rcu_flavor_struct *flavor;
	struct umaple_cache *cache;
	void *entry;

	if (tree_is_serial(tree))
		return tree_lookup(tree, index);
	cache = tree_cache(tree);
	if (!cache)
		return NULL;
	flavor = umaple_cache_flavor(cache);
	umaple_rcu_read_lock(flavor);
	entry = tree_lookup(tree, index);
	umaple_rcu_read_unlock(flavor);
	return entry;
}
