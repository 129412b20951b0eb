/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/flat.h - one level of a change, laid out flat.
 *
 * Role:  Slots of old nodes and new slots, side by side, to be cut into new nodes.
 *        A slot is the last index it covers, what it holds, and the largest hole
 *        below it (of use in the inner nodes of a gap tree only).
 * Above: rebuild.c.
 * Below: tree/node.h, and paths.
 *
 * Whole nodes are copied in and out, as many words as a node can have, whatever it
 * has: a copy of fixed length takes no branch, and lengths here have no pattern.
 * What is too much is overwritten by what comes next, or never read.
 */

#ifndef TREE_FLAT_H
#define TREE_FLAT_H

#include "tree/tree_priv.h"

/* Most slots that are ever laid out: two nodes, what joins, what is new. */
#define FLAT_SLOTS 40

/* Words that a copy of fixed length may write, or read, past the last slot. */
#define FLAT_SLACK NODE_SLOTS

/**
 * struct flat - A row of slots.
 * @nr:    How many.
 * @focus: The first that is new.
 * @fresh: How many are new.
 */
struct flat {
	unsigned int nr;
	unsigned int focus;
	unsigned int fresh;
	uint64_t last[FLAT_SLOTS + FLAT_SLACK];
	void *slot[FLAT_SLOTS + FLAT_SLACK];
	uint64_t gap[FLAT_SLOTS + FLAT_SLACK];
};

static inline void flat_add(struct flat *flat, uint64_t last, void *slot,
			    uint64_t gap)
{
	UMAPLE_ASSERT(flat->nr < FLAT_SLOTS);
	flat->last[flat->nr] = last;
	flat->slot[flat->nr] = slot;
	flat->gap[flat->nr++] = gap;
}

/* Add the first @nr slots of a node; of its very last one, @last is not set. */
void umaple_flat_add_head(struct flat *flat, struct node *node,
			  unsigned int nr);
/* Add all slots of the node at one level of a path. */
void umaple_flat_add_node(struct flat *flat, const struct umaple_path_ *path,
			  unsigned int level);
/* Add its slots from @from on; there may be none. */
void umaple_flat_add_tail(struct flat *flat, const struct umaple_path_ *path,
			  unsigned int level, unsigned int from);
/* Fill a node with @nr slots, from @at on. */
void umaple_flat_fill(const struct flat *flat, unsigned int at, unsigned int nr,
		      struct node *node);

/* Do new slots stand at the end (start) of what was laid out? */
static inline bool flat_is_append(unsigned int focus, unsigned int fresh,
				  unsigned int nr)
{
	return focus + fresh + 1 >= nr;
}

static inline bool flat_is_prepend(unsigned int focus)
{
	return focus <= 1;
}

#endif /* TREE_FLAT_H */
