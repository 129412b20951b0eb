/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/tree_check.c - the invariants T1 to T10 of doc/invariants.md, and the
 * census that walks the same way.
 *
 * Locks: the tree's lock is held, or nobody writes.  Allocates nothing.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <umaple/debug.h>

#include "platform/report.h"
#include "tree/tree_priv.h"

struct check {
	const struct umaple_tree *tree;
	struct report report;
	unsigned int height;
	bool after_any; /* there was a slot before, maybe in another leaf */
	void *before;	/* what it held */
	uint64_t ranges;
};

/* Every violation names the node and how far it is from the root. */
#define broken(check, node, level, format, ...)                                \
	(umaple_report(&(check)->report, format ", node %p, depth %u",         \
		       __VA_ARGS__, (void *)(node),                            \
		       (check)->height - 1 - (level)),                         \
	 false)

/* T1 to T4: what stands in the header. */
static bool header_is_right(struct check *check, struct node *node,
			    unsigned int level)
{
	bool gapped = tree_level_gapped(check->tree, level);
	unsigned int least = node_minimum(gapped);

	if (level + 1 == check->height)
		least = level ? 2 : 1;
	if (node->level != level)
		return broken(check, node, level, "T1: level %u, is %u",
			      node->level, level);
	if (node->gapped != gapped)
		return broken(check, node, level,
			      "T2: gaps %u, tree's flags %#x", node->gapped,
			      check->tree->flags_);
	if (node->dead)
		return broken(check, node, level, "T3: reachable and dead (%u)",
			      node->dead);
	if (node->count < least || node->count > node_capacity(gapped))
		return broken(check, node, level,
			      "T4: %u slots, %u to %u allowed", node->count,
			      least, node_capacity(gapped));
	return true;
}

/* T5: pivots rise within the node's range.  T6: what is unused is clean. */
static bool pivots_are_right(struct check *check, struct node *node,
			     unsigned int level, uint64_t min, uint64_t max)
{
	const uint64_t *pivot = node_pivots(node);
	unsigned int capacity = node_capacity(node->gapped), i;
	uint64_t floor = min;

	for (i = 0; i + 1 < node->count; i++) {
		if (pivot[i] < floor || pivot[i] >= max)
			return broken(check, node, level,
				      "T5: pivot %u (%#" PRIx64
				      ") outside [%#" PRIx64 ", %#" PRIx64 ")",
				      i, pivot[i], floor, max);
		floor = pivot[i] + 1;
	}
	for (; i + 1 < capacity; i++)
		if (pivot[i] != UINT64_MAX)
			return broken(check, node, level,
				      "T6: unused pivot %u (%#" PRIx64 ")", i,
				      pivot[i]);
	for (i = node->count; i < capacity; i++)
		if (node_slots(node)[i] || (node->gapped && node->gap.gap[i]))
			return broken(check, node, level,
				      "T6: unused slot %u (%p)", i,
				      node_slots(node)[i]);
	return true;
}

/* T7: no hole beside a hole.  T10: in a tree that merges, no entry beside itself. */
static bool leaf_is_right(struct check *check, struct node *leaf)
{
	unsigned int i;
	void *entry;

	for (i = 0; i < leaf->count; i++) {
		entry = leaf->plain.slot[i];
		if (!entry && check->after_any && !check->before)
			return broken(check, leaf, 0,
				      "T7: slot %u is a hole after a hole", i);
		if (tree_merges(check->tree) && entry && entry == check->before)
			return broken(
				check, leaf, 0,
				"T10: slot %u has the entry of the one before",
				i);
		check->after_any = true;
		check->before = entry;
		check->ranges += !!entry;
	}
	return true;
}

static bool node_is_right(struct check *check, struct node *node,
			  unsigned int level, uint64_t min, uint64_t max);

/* T9: a gap is the size of the largest hole below.  Then the child itself. */
static bool child_is_right(struct check *check, struct node *node,
			   unsigned int level, unsigned int i, uint64_t min,
			   uint64_t max)
{
	struct node *child = node_slots(node)[i];
	uint64_t gap;

	if (!child || ((uintptr_t)child & (NODE_BYTES - 1)))
		return broken(check, node, level, "T6: child %u (%p)", i,
			      (void *)child);
	if (!node_is_right(check, child, level - 1, min, max))
		return false;
	gap = node->gapped ? umaple_gap_of(child, min, max) : 0;
	if (node->gapped && node->gap.gap[i] != gap)
		return broken(check, node, level,
			      "T9: gap %u is %" PRIu64 ", should be %" PRIu64,
			      i, node->gap.gap[i], gap);
	return true;
}

static bool node_is_right(struct check *check, struct node *node,
			  unsigned int level, uint64_t min, uint64_t max)
{
	unsigned int i;

	if (!header_is_right(check, node, level) ||
	    !pivots_are_right(check, node, level, min, max))
		return false;
	if (!level)
		return leaf_is_right(check, node);
	for (i = 0; i < node->count; i++)
		if (!child_is_right(check, node, level, i,
				    node_slot_first(node, i, min),
				    node_slot_last(node, i, max)))
			return false;
	return true;
}

int umaple_tree_check(const struct umaple_tree *tree, char *text, size_t size)
{
	void *root = tree_root(tree);
	struct check check = { .tree = tree, .report = { text, size } };

	if (!root)
		return 0;
	check.height = root_height(root);
	if (!root_node(root) || check.height > UMAPLE_MAX_HEIGHT)
		return umaple_report(&check.report, "T1: height %u, node %p",
				     check.height, (void *)root_node(root));
	if (!node_is_right(&check, root_node(root), check.height - 1, 0,
			   UINT64_MAX))
		return -EUCLEAN;
	if (!check.ranges)
		return umaple_report(&check.report, "T8: nodes, but no entry");
	return 0;
}

/* -- census ------------------------------------------------------------------- */

static void measure_node(struct umaple_tree_info *info, struct node *node)
{
	unsigned int i;

	info->nodes++;
	info->leaves += !node->level;
	for (i = 0; i < node->count; i++) {
		if (node->level)
			measure_node(info, node_slots(node)[i]);
		else if (node->plain.slot[i])
			info->ranges++;
		else
			info->holes++;
	}
}

void umaple_tree_measure(const struct umaple_tree *tree,
			 struct umaple_tree_info *info)
{
	void *root = tree_root(tree);

	memset(info, 0, sizeof(*info));
	info->holes = root ? 0 : 1;
	if (root)
		measure_node(info, root_node(root));
	info->height = root_height(root);
	info->bytes = info->nodes * NODE_BYTES;
}
