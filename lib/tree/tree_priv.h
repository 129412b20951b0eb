/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/tree_priv.h - the root word, the lock, and what the parts of the tree
 * call of each other.
 *
 * Root word: NULL for an empty tree, else the address of the root node with the
 * height (1 for a leaf alone) in the low eight bits, so that one load tells a
 * reader where to start and how far to go.
 *
 * Lock order: the tree's lock comes before every lock of the node cache.
 * Nothing here waits for a grace period with the lock held.
 */

#ifndef TREE_TREE_PRIV_H
#define TREE_TREE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include <umaple/cache.h>
#include <umaple/cursor.h>
#include <umaple/tree.h>

#include "cache/cache.h"
#include "platform/assert.h"
#include "platform/delay.h"
#include "platform/lock.h"
#include "tree/node.h"

/* What UMAPLE_RESERVED points at; nobody reads it. */
extern const char umaple_reserved_mark;

static inline void *reserved_entry(void)
{
	return (void *)(uintptr_t)&umaple_reserved_mark;
}

/* A cursor holds its tree to be able to write; one that only reads does not. */
static inline struct umaple_tree *tree_writable(const struct umaple_tree *tree)
{
	return (struct umaple_tree *)(uintptr_t)tree;
}

static inline bool tree_has_gaps(const struct umaple_tree *tree)
{
	return tree->flags_ & UMAPLE_TREE_GAPS;
}

static inline bool tree_merges(const struct umaple_tree *tree)
{
	return tree->flags_ & UMAPLE_TREE_MERGE;
}

static inline bool tree_is_serial(const struct umaple_tree *tree)
{
	return tree->flags_ & UMAPLE_TREE_SERIAL;
}

/*
 * Do its functions take its lock?  Then whoever holds it through umaple_lock() is
 * in a read-side section, too.
 */
static inline bool tree_locks_itself(const struct umaple_tree *tree)
{
	return !(tree->flags_ &
		 (UMAPLE_TREE_SERIAL | UMAPLE_TREE_EXTERNAL_LOCK));
}

/* A read-side section, which nothing runs beside in a serial tree. */
static inline void tree_section_enter(const struct umaple_tree *tree)
{
	if (!tree_is_serial(tree))
		umaple_read_lock(tree);
}

static inline void tree_section_leave(const struct umaple_tree *tree)
{
	if (!tree_is_serial(tree))
		umaple_read_unlock(tree);
}

/* Does the level above the leaves and higher have gaps?  Leaves never do. */
static inline bool tree_level_gapped(const struct umaple_tree *tree,
				     unsigned int level)
{
	return level > 0 && tree_has_gaps(tree);
}

static inline struct node *root_node(void *root)
{
	return (struct node *)((uintptr_t)root & ~(uintptr_t)(NODE_BYTES - 1));
}

static inline unsigned int root_height(void *root)
{
	return (uintptr_t)root & (NODE_BYTES - 1);
}

static inline void *root_make(struct node *node, unsigned int height)
{
	return (void *)((uintptr_t)node | height);
}

/*
 * The root word, from which readers and writers alike go down.
 *
 * ORDER(publish-node), load side.  What is read from the root node depends on
 * this address, so it cannot be older than the store that published it.
 * Store side: umaple_publish_root() in tree/publish.c.
 * Without it: a reader follows slots that were never filled.
 */
static inline void *tree_root(const struct umaple_tree *tree)
{
	return umaple_rcu_load(&tree->root_);
}

/*
 * ORDER(tree-cache), load side.  Whoever sees the cache pointer sees a cache that
 * is ready.
 * Store side: umaple_tree_bind_cache() in tree/tree.c.
 * Without it: a reader calls through a flavour pointer that is not there yet.
 */
static inline struct umaple_cache *tree_cache(const struct umaple_tree *tree)
{
	return load_acquire(&tree->cache_);
}

/* -- path.c: the way from the root to a leaf ----------------------------- */

/*
 * Walk down with the layout of the inner nodes known to the compiler.  @range, if
 * it is wanted, becomes that of the slot at the end.
 */
static UMAPLE_ALWAYS_INLINE void path_walk_down(struct umaple_path_ *path,
						void *root, uint64_t index,
						bool gapped,
						struct umaple_range *range)
{
	struct umaple_level_ *at = &path->at[root_height(root) - 1];
	struct node *node = root_node(root);
	unsigned int slot;

	path->height = root_height(root);
	for (; at > path->at; at--) {
		slot = node_search(node, gapped, index);
		at->node = node;
		at->slot = slot;
		if (range)
			node_narrow(node, slot, gapped, range);
		node = node_load_slot(gapped ? &node->gap.slot[slot]
					     : &node->plain.slot[slot]);
		node_prefetch(node);
		umaple_delay();
	}
	slot = node_search(node, false, index);
	at->node = node;
	at->slot = slot;
	if (range)
		node_narrow(node, slot, false, range);
}

static UMAPLE_ALWAYS_INLINE void
path_walk(const struct umaple_tree *tree, void *root, struct umaple_path_ *path,
	  uint64_t index, struct umaple_range *range)
{
	if (tree_has_gaps(tree))
		path_walk_down(path, root, index, true, range);
	else
		path_walk_down(path, root, index, false, range);
}

/* Walk to the leaf of @index.  The tree is not empty. */
void umaple_path_walk(const struct umaple_tree *tree, void *root,
		      struct umaple_path_ *path, uint64_t index);
void umaple_path_copy(struct umaple_path_ *to, const struct umaple_path_ *from);
/*
 * The level at which the way to the node before (after) the one at @level turns:
 * the lowest above it with a slot on that side; 0 if there is no such node.
 */
unsigned int umaple_path_turn_prev(const struct umaple_path_ *path,
				   unsigned int level);
unsigned int umaple_path_turn_next(const struct umaple_path_ *path,
				   unsigned int level);
/* Go to that node; slots below @level are left alone, that of @level is set. */
void umaple_path_prev(struct umaple_path_ *path, unsigned int level);
void umaple_path_next(struct umaple_path_ *path, unsigned int level);

static inline struct node *path_node(const struct umaple_path_ *path,
				     unsigned int level)
{
	return path->at[level].node;
}

/* The range of the node at @level, by the pivots beside the way to it. */
static inline uint64_t path_min(const struct umaple_path_ *path,
				unsigned int level)
{
	const struct umaple_level_ *at;

	while (++level < path->height) {
		at = &path->at[level];
		if (at->slot)
			return node_pivots(at->node)[at->slot - 1] + 1;
	}
	return 0;
}

static inline uint64_t path_max(const struct umaple_path_ *path,
				unsigned int level)
{
	uint64_t max = UINT64_MAX;

	while (max == UINT64_MAX && ++level < path->height)
		max = node_pivot(path->at[level].node, path->at[level].slot);
	return max;
}

/* The range of the slot at hand at @level. */
static inline uint64_t path_slot_first(const struct umaple_path_ *path,
				       unsigned int level)
{
	const struct umaple_level_ *at = &path->at[level];

	if (likely(at->slot))
		return node_pivots(at->node)[at->slot - 1] + 1;
	return path_min(path, level);
}

static inline uint64_t path_slot_last(const struct umaple_path_ *path,
				      unsigned int level)
{
	const struct umaple_level_ *at = &path->at[level];
	uint64_t last = node_pivot(at->node, at->slot);

	return likely(last != UINT64_MAX) ? last : path_max(path, level);
}

static inline void *path_entry(const struct umaple_path_ *path)
{
	return node_load_slot(
		&path_node(path, 0)->plain.slot[path->at[0].slot]);
}

/* -- cursor.c -------------------------------------------------------------- */

enum cursor_state {
	CURSOR_AT = 1,	 /* at a range; otherwise fresh */
	CURSOR_PATH = 2, /* the path leads there */
	CURSOR_CUT = 4,	 /* at the part of a range outside the one before */
};

/* Walk to an index.  False if the tree is empty. */
bool umaple_cursor_walk_to(struct umaple_cursor *cursor, uint64_t index);

/* -- write.c: stores ------------------------------------------------------ */

/*
 * Make [first, last] map to @entry.  @path: the way to the leaf of @first if the
 * caller has just walked there, else NULL; it is used up.  0 or -ENOMEM.  Locked.
 */
int umaple_tree_write(struct umaple_tree *tree, struct umaple_path_ *path,
		      uint64_t first, uint64_t last, void *entry);

/*
 * What a write does to the leaves: [first, last], widened over neighbouring holes
 * when it makes a hole, replaces all between slot i of the left leaf and slot j
 * of the right one (the same leaf, mostly).
 */
struct edit {
	struct umaple_tree *tree;
	uint64_t first;
	uint64_t last;
	void *entry;
	struct umaple_path_ *left; /* to the leaf and slot of @first */
	struct umaple_path_ right; /* to those of @last */
	bool keep_left;	 /* the left slot keeps what is below @first */
	bool keep_right; /* the right slot keeps what is above @last */

	/* what the caller sets beforehand; zero for none */
	struct umaple_sheaf *promised; /* take nodes from here only */
	umaple_merge_fn *merge;	       /* which neighbours join */
	void *merge_arg;
};

/* The same, with the wishes in @edit.  Also -ESTALE, for too small a promise. */
int umaple_edit_write(struct edit *edit, struct umaple_tree *tree,
		      struct umaple_path_ *path, uint64_t first, uint64_t last,
		      void *entry);
/* Most nodes that any write to the tree, as it is, can need. */
unsigned int umaple_write_most_nodes(const struct umaple_tree *tree);

/*
 * plan.c: fill in an edit; @path leads to @first, and may be moved to a hole that
 * lies before it.  False if there is nothing to do.
 */
bool umaple_edit_plan(struct edit *edit, struct umaple_tree *tree,
		      struct umaple_path_ *path, uint64_t first, uint64_t last,
		      void *entry);

/* Fill in the upper levels of the right path, which one leaf does not need. */
void umaple_edit_complete(struct edit *edit);

static inline bool edit_is_one_leaf(const struct edit *edit)
{
	return path_node(edit->left, 0) == path_node(&edit->right, 0);
}

/* Last index of the slot of the right path, whose upper levels may not be set. */
static inline uint64_t edit_right_last(const struct edit *edit)
{
	const struct umaple_level_ *leaf = &edit->right.at[0];
	uint64_t last = node_pivot(leaf->node, leaf->slot);

	if (likely(last != UINT64_MAX))
		return last;
	return path_max(edit_is_one_leaf(edit) ? edit->left : &edit->right, 0);
}

/* rebuild.c: a write that changes the number or the ranges of nodes. */
int umaple_tree_rebuild(struct edit *edit);

/* -- draft.c: several writes that readers see as one ------------------------- */

/*
 * A private version of a tree.  Writes to draft->tree copy what they change, from
 * the root down, and leave the nodes of the original alone; nodes that are copies
 * already are changed in place.  So a draft can be dropped at any time, and is
 * published by one store.
 */
struct draft {
	struct umaple_tree tree; /* what is written to */
	struct umaple_tree *original;
	struct draft_record *record; /* nodes of the original that go */
	size_t nr_records;
	size_t room;
	bool failed; /* a record was lost: cannot be published */
};

void umaple_draft_begin(struct draft *draft, struct umaple_tree *original);
/* Make the nodes above the leaf of a path the draft's own.  0 or -ENOMEM. */
int umaple_draft_own(struct draft *draft, struct umaple_path_ *path);
/* A node or subtree goes out of the draft. */
void umaple_draft_retire_node(struct draft *draft, struct node *node);
void umaple_draft_retire_subtree(struct draft *draft, struct node *node);
/* Publish, or -ENOMEM and drop. */
int umaple_draft_publish(struct draft *draft);
void umaple_draft_retire_all(struct draft *draft);
void umaple_draft_drop(struct draft *draft);

/* May a write change this node in place? */
static inline bool node_is_ours(const struct umaple_tree *tree,
				const struct node *node)
{
	return tree->draft_ ? node->draft : tree_is_serial(tree);
}

/* -- displaced.c: telling owners what a write has displaced ------------------ */

/* Call the owner's function, which there is. */
void umaple_displaced_tell(const struct umaple_tree *tree,
			   const struct umaple_displaced *what);

struct displaced_list {
	unsigned int nr;
	struct umaple_displaced item[NODE_SLOTS];
};

/* What an edit of one leaf will displace: to be collected before it is done. */
void umaple_displaced_collect(const struct edit *edit,
			      struct displaced_list *list);
void umaple_displaced_report(const struct umaple_tree *tree,
			     const struct displaced_list *list);
/* What an edit of several leaves has displaced: published, but not yet retired. */
void umaple_displaced_report_span(const struct edit *edit);
/* All entries of a tree with this root. */
void umaple_displaced_report_all(const struct umaple_tree *tree, void *root);

/* -- gap.c ---------------------------------------------------------------- */

/* Size of the largest hole of a leaf, or below an inner node of a gap tree. */
uint64_t umaple_gap_of(struct node *node, uint64_t min, uint64_t max);
/* The node at @level of the path has changed: correct the gaps above it. */
void umaple_gap_update(struct umaple_path_ *path, unsigned int level);

/* -- publish.c: what readers see ------------------------------------------ */

void umaple_publish_root(struct umaple_tree *tree, struct node *node,
			 unsigned int height);
void umaple_publish_slot(void **slot, void *value);
/* Put @node, of the same range, in the place of the one at @level of the path. */
void umaple_publish_node(struct umaple_tree *tree, struct umaple_path_ *path,
			 unsigned int level, struct node *node);
/* Old positions in the tree are not to be trusted any more. */
void umaple_publish_done(struct umaple_tree *tree);
/* Mark dead and free: one node, or all nodes of a subtree. */
void umaple_retire_node(struct umaple_tree *tree, struct node *node);
void umaple_retire_subtree(struct umaple_tree *tree, struct node *node);

/* Free a subtree that was never published. */
void umaple_tree_discard(struct umaple_cache *cache, struct node *node);

/* -- tree.c --------------------------------------------------------------- */

/* The flavour of a tree that may not have its cache yet: the default is bp's. */
const struct rcu_flavor_struct *
umaple_tree_flavor(const struct umaple_tree *tree);
/* Give the tree the default cache if it has none.  0 or -ENOMEM.  Any thread. */
int umaple_tree_bind_cache(struct umaple_tree *tree);
/* The lock that the functions of tree.h take by themselves. */
void umaple_tree_enter(struct umaple_tree *tree);
/*
 * The same for two trees, the one at the lower address first, so that two callers
 * with the same two do not wait for each other.  Whatever waits for readers does
 * so before the first lock is taken.
 */
void umaple_tree_enter_both(struct umaple_tree *a, struct umaple_tree *b);
void umaple_tree_leave(struct umaple_tree *tree);

#endif /* TREE_TREE_PRIV_H */
