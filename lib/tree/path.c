/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/path.c - the way from the root to a leaf, and to its neighbours.
 *
 * A path replaces parent pointers: each level keeps its node and the slot taken.
 * The range of a node is between the pivots above it, beside the slots taken:
 * path_min() and path_max() look it up where it is asked for, which is seldom.
 * Nothing here looks at dead marks; a reader's path is only as good as the check
 * its user makes (tree/cursor.c).
 *
 * Context: the tree's lock, or a read-side section.
 */

#include "platform/delay.h"
#include "tree/tree_priv.h"

void umaple_path_copy(struct umaple_path_ *to, const struct umaple_path_ *from)
{
	unsigned int i;

	to->height = from->height;
	for (i = 0; i < from->height; i++)
		to->at[i] = from->at[i];
}

/* Step from the slot at hand of @level into the child below it. */
static void path_descend(struct umaple_path_ *path, unsigned int level)
{
	struct umaple_level_ *below = &path->at[level - 1];
	struct node *node = path_node(path, level);

	below->node = node_load_slot(&node_slots(node)[path->at[level].slot]);
	node_prefetch(below->node);
	umaple_delay();
}

void umaple_path_walk(const struct umaple_tree *tree, void *root,
		      struct umaple_path_ *path, uint64_t index)
{
	path_walk(tree, root, path, index, NULL);
}

/* Who goes from node to node will want the one after this. */
static void prefetch_sibling(const struct umaple_path_ *path,
			     unsigned int level, int step)
{
	const struct umaple_level_ *above = &path->at[level + 1];
	unsigned int slot = above->slot + (unsigned int)step;
	struct node *parent = above->node;

	if (slot < parent->count)
		node_prefetch(node_load_slot(&node_slots(parent)[slot]));
}

unsigned int umaple_path_turn_prev(const struct umaple_path_ *path,
				   unsigned int level)
{
	while (++level < path->height)
		if (path->at[level].slot)
			return level;
	return 0;
}

unsigned int umaple_path_turn_next(const struct umaple_path_ *path,
				   unsigned int level)
{
	while (++level < path->height)
		if (path->at[level].slot + 1u < path_node(path, level)->count)
			return level;
	return 0;
}

void umaple_path_prev(struct umaple_path_ *path, unsigned int level)
{
	unsigned int above = umaple_path_turn_prev(path, level);

	UMAPLE_ASSERT(above > level);
	path->at[above].slot--;
	while (above > level) {
		path_descend(path, above--);
		path->at[above].slot = path_node(path, above)->count - 1u;
	}
	prefetch_sibling(path, level, -1);
}

void umaple_path_next(struct umaple_path_ *path, unsigned int level)
{
	unsigned int above = umaple_path_turn_next(path, level);

	UMAPLE_ASSERT(above > level);
	path->at[above].slot++;
	while (above > level) {
		path_descend(path, above--);
		path->at[above].slot = 0;
	}
	prefetch_sibling(path, level, 1);
}
