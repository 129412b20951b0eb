/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/walk.c - lookups, one at a time and many side by side.
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

#include <string.h>

#include "platform/delay.h"
#include "tree/tree_priv.h"

/* The value at an index of a leaf; a reserved range has none. */
static UMAPLE_ALWAYS_INLINE void *leaf_lookup(struct node *leaf, uint64_t index)
{
	unsigned int slot = node_search(leaf, false, index);
	void *entry = node_load_slot(&leaf->plain.slot[slot]);

	return entry == reserved_entry() ? NULL : entry;
}

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
		umaple_delay();
	}
	return leaf_lookup(node, index);
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

/* -- side by side ----------------------------------------------------------- */

/* Lookups that go down together: enough to keep all line fill buffers busy. */
#define BATCH 16

/* All of them have come to the same level; go down one. */
static UMAPLE_ALWAYS_INLINE void batch_descend(struct node **node,
					       const uint64_t *index,
					       unsigned int nr, bool gapped)
{
	void **slots;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		slots = gapped ? node[i]->gap.slot : node[i]->plain.slot;
		node[i] = node_load_slot(
			&slots[node_search(node[i], gapped, index[i])]);
		node_prefetch(node[i]);
		umaple_delay();
	}
}

static UMAPLE_ALWAYS_INLINE void batch_lookup(void *root, const uint64_t *index,
					      void **entry, unsigned int nr,
					      bool gapped)
{
	unsigned int level = root_height(root), i;
	struct node *node[BATCH];

	for (i = 0; i < nr; i++)
		node[i] = root_node(root);
	while (--level)
		batch_descend(node, index, nr, gapped);
	for (i = 0; i < nr; i++)
		entry[i] = leaf_lookup(node[i], index[i]);
}

/* The root is loaded for each batch, so that each lookup starts at it now. */
static void tree_lookup_many(const struct umaple_tree *tree,
			     const uint64_t *index, void **entry, size_t count)
{
	unsigned int nr;
	void *root;

	for (; count; count -= nr, index += nr, entry += nr) {
		nr = count < BATCH ? (unsigned int)count : BATCH;
		root = tree_root(tree);
		if (!root)
			memset(entry, 0, nr * sizeof(*entry));
		else if (tree_has_gaps(tree))
			batch_lookup(root, index, entry, nr, true);
		else
			batch_lookup(root, index, entry, nr, false);
	}
}

/* -- the public lookups ------------------------------------------------------ */

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

void umaple_load_many(const struct umaple_tree *tree, const uint64_t *indices,
		      void **ret_entries, size_t count)
{
	tree_section_enter(tree);
	tree_lookup_many(tree, indices, ret_entries, count);
	tree_section_leave(tree);
}
