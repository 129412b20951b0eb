/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/node.h - layout of a node, and how to find one's way inside it.
 *
 * A node is 256 bytes aligned to 256, so the low eight bits of its address are
 * free (the root word keeps the height there).  Slot i covers the indices above
 * pivot i - 1, up to and including pivot i; the ends come from the parent.
 *
 * There are two layouts.  Leaves, and the inner nodes of a plain tree, have 16
 * slots and 15 pivots.  The inner nodes of a gap tree have 10 slots, 9 pivots
 * and 10 gaps: the size of the largest hole below each child.  In both the
 * pivots stand at the same place, so that a search needs only to know how many
 * there are.
 *
 * Unused pivots are UINT64_MAX, and so is that of the last slot in use: a search
 * compares all pivots and needs no count.
 *
 * Once readers can reach a node its pivots and its range never change.  Only
 * single words do: a slot (an entry, or a child for another of the same range),
 * a gap, which readers do not look at, and the mark that it is dead.
 */

#ifndef TREE_NODE_H
#define TREE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/rcu.h"

#define NODE_BYTES 256

/* Most slots of the two layouts. */
#define NODE_SLOTS     16
#define NODE_GAP_SLOTS 10

/*
 * Least slots of a node that is not the root.  Low, so that a split may leave
 * nearly all in one half where indices come in order; but with at least four
 * children to an inner node, UMAPLE_MAX_HEIGHT levels reach over 4^15 leaves.
 */
#define NODE_MIN     5
#define NODE_GAP_MIN 4

struct node {
	uint8_t dead;  /* replaced: readers of old see it through old parents */
	uint8_t count; /* slots in use */
	uint8_t level; /* 0 for a leaf */
	uint8_t gapped; /* has gaps: an inner node of a gap tree */
	uint8_t draft;	/* made by a draft, and out of readers' sight */
	uint8_t unused[3];
	union {
		struct {
			uint64_t pivot[NODE_SLOTS - 1];
			void *slot[NODE_SLOTS];
		} plain;
		struct {
			uint64_t pivot[NODE_GAP_SLOTS - 1];
			uint64_t gap[NODE_GAP_SLOTS];
			void *slot[NODE_GAP_SLOTS];
		} gap;
	};
};

_Static_assert(sizeof(struct node) <= NODE_BYTES, "a node fits its object");
_Static_assert(offsetof(struct node, plain.pivot) ==
		       offsetof(struct node, gap.pivot),
	       "a search does not ask for the layout");

/* The header of a node that nobody else can see yet. */
static inline void node_init(struct node *node, unsigned int level, bool gapped)
{
	node->dead = 0;
	node->count = 0;
	node->level = (uint8_t)level;
	node->gapped = gapped;
	node->draft = 0;
}

static inline uint64_t *node_pivots(struct node *node)
{
	return node->plain.pivot;
}

static inline void **node_slots(struct node *node)
{
	return node->gapped ? node->gap.slot : node->plain.slot;
}

static inline unsigned int node_capacity(bool gapped)
{
	return gapped ? NODE_GAP_SLOTS : NODE_SLOTS;
}

static inline unsigned int node_minimum(bool gapped)
{
	return gapped ? NODE_GAP_MIN : NODE_MIN;
}

/* The pivot of a slot; the last slot a node can have is as any other last one. */
static inline uint64_t node_pivot(struct node *node, unsigned int i)
{
	if (unlikely(i + 1 >= node_capacity(node->gapped)))
		return UINT64_MAX;
	return node_pivots(node)[i];
}

/*
 * From the range of a node to that of a slot, without branches.  What stands before
 * the first pivot and after the last is loaded, and not used; it may change.
 */
static UMAPLE_ALWAYS_INLINE void node_narrow(const struct node *node,
					     unsigned int slot, bool gapped,
					     struct umaple_range *range)
{
	const uint64_t *word = (const uint64_t *)(const void *)node;
	uint64_t first = load_relaxed(&word[slot]) + 1;
	uint64_t last = load_relaxed(&word[slot + 1]);

	_Static_assert(offsetof(struct node, plain.pivot) == sizeof(*word),
		       "word i is pivot i - 1");
	last = slot + 1 < node_capacity(gapped) ? last : UINT64_MAX;
	range->first = slot ? first : range->first;
	range->last = last < range->last ? last : range->last;
}

/* First index of slot @i in a node whose first index is @min. */
static inline uint64_t node_slot_first(struct node *node, unsigned int i,
				       uint64_t min)
{
	return i ? node_pivots(node)[i - 1] + 1 : min;
}

/* Last index of slot @i in a node whose last index is @max. */
static inline uint64_t node_slot_last(struct node *node, unsigned int i,
				      uint64_t max)
{
	uint64_t last = node_pivot(node, i);

	return last < max ? last : max;
}

/*
 * The slot that covers @index, by comparing without branching: a mispredicted
 * branch costs more than the whole search.  Two rounds of comparisons that do not
 * wait for each other beat a binary search, whose four do.
 */
static UMAPLE_ALWAYS_INLINE unsigned int search_plain(const uint64_t *pivot,
						      uint64_t index)
{
	unsigned int i = pivot[3] < index;

	i += pivot[7] < index;
	i += pivot[11] < index;
	pivot += 4 * i;
	i *= 4;
	i += pivot[0] < index;
	i += pivot[1] < index;
	i += pivot[2] < index;
	return i;
}

static UMAPLE_ALWAYS_INLINE unsigned int search_gap(const uint64_t *pivot,
						    uint64_t index)
{
	unsigned int i = pivot[2] < index;

	i += pivot[5] < index;
	i *= 3;
	pivot += i;
	i += pivot[0] < index;
	i += pivot[1] < index;
	i += pivot[2] < index;
	return i;
}

static UMAPLE_ALWAYS_INLINE unsigned int
node_search(struct node *node, bool gapped, uint64_t index)
{
	const uint64_t *pivot = node_pivots(node);

	return gapped ? search_gap(pivot, index) : search_plain(pivot, index);
}

/* Ask for all four lines of a node before the first of them is needed. */
static UMAPLE_ALWAYS_INLINE void node_prefetch(const void *node)
{
	const char *line = node;

	__builtin_prefetch(line);
	__builtin_prefetch(line + 64);
	__builtin_prefetch(line + 128);
	__builtin_prefetch(line + 192);
}

/*
 * ORDER(publish-node), load side.  What is read from the node below depends on
 * this address, so it cannot be older than the store that published it.
 * Store side: umaple_publish_slot(), umaple_publish_root() in tree/publish.c.
 * Without it: a reader follows slots that were never filled.
 */
static UMAPLE_ALWAYS_INLINE void *node_load_slot(void *const *slot)
{
	return umaple_rcu_load(slot);
}

/*
 * ORDER(dead-node), load side.  A cursor that finds its node alive may read on
 * from it: what it reads was current at this moment or later.
 * Store side: umaple_retire_node() in tree/publish.c.
 * Without it: a cursor goes on in a part of the tree that a completed write has
 * replaced, and reports what is no longer there.
 */
static inline bool node_is_dead(const struct node *node)
{
	return load_acquire(&node->dead);
}

#endif /* TREE_NODE_H */
