/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/bulk.c - build a tree from sorted ranges, out of sight, in one pass.
 *
 * How many nodes each level has is known from the number of slots, so the tree is
 * built top down, each node sharing out what is left evenly; the ranges are read
 * once, in order, as the leaves are filled.
 *
 * Locks: the tree's lock is taken unless it is the caller's.
 */

#include <errno.h>

#include <umaple/debug.h>

#include "tree/tree_priv.h"

/* The slots that the ranges make, one after the other: entries, holes between. */
struct source {
	const struct umaple_range *range;
	size_t left;
	uint64_t next; /* first index not yet covered */
	bool end;      /* all indices are covered */
};

static void source_take(struct source *source, uint64_t *ret_last,
			void **ret_entry)
{
	const struct umaple_range *range = source->range;

	if (!source->left || source->next < range->first) {
		*ret_last = source->left ? range->first - 1 : UINT64_MAX;
		*ret_entry = NULL;
	} else {
		*ret_last = range->last;
		*ret_entry = range->entry;
		source->range++;
		source->left--;
	}
	source->end = *ret_last == UINT64_MAX;
	source->next = *ret_last + 1;
}

/* Do two ranges have to be one? */
static bool must_merge(const struct umaple_tree *tree,
		       const struct umaple_range *before,
		       const struct umaple_range *range)
{
	return tree_merges(tree) && before->entry == range->entry &&
	       before->last + 1 == range->first;
}

/* Number of slots that the ranges make; 0 if they are not as they should be. */
static uint64_t count_slots(const struct umaple_tree *tree,
			    const struct umaple_range *range, size_t count)
{
	uint64_t next = 0, slots = 0;
	bool end = false;
	size_t i;

	for (i = 0; i < count; i++) {
		if (end || range[i].first < next ||
		    range[i].last < range[i].first || !range[i].entry)
			return 0;
		if (i && must_merge(tree, &range[i - 1], &range[i]))
			return 0;
		slots += range[i].first > next ? 2 : 1;
		next = range[i].last + 1;
		end = range[i].last == UINT64_MAX;
	}
	return slots + !end;
}

struct build {
	struct umaple_tree *tree;
	struct source source;
	unsigned int fill;		   /* per cent */
	uint64_t nodes[UMAPLE_MAX_HEIGHT]; /* still to be made, per level */
	unsigned int height;
};

/* As the fill wants it, but none with fewer slots than a node must have. */
static uint64_t nodes_for(const struct build *build, unsigned int level,
			  uint64_t slots)
{
	bool gapped = tree_level_gapped(build->tree, level);
	unsigned int per_node = node_capacity(gapped) * build->fill / 100;
	uint64_t wanted = (slots + per_node - 1) / per_node;
	uint64_t most = slots / node_minimum(gapped);

	if (wanted > most)
		wanted = most;
	return wanted ? wanted : 1;
}

/* How many nodes each level will have; the highest has one. */
static void plan_levels(struct build *build, uint64_t slots)
{
	unsigned int level = 0;

	do {
		slots = nodes_for(build, level, slots);
		build->nodes[level++] = slots;
	} while (slots > 1);
	build->height = level;
}

static struct node *build_node(struct build *build, unsigned int level,
			       uint64_t *slots, uint64_t *ret_last,
			       uint64_t *ret_gap);

/* Fill slot @i.  False when there is no memory: then the slot is not there. */
static bool build_slot(struct build *build, struct node *node, unsigned int i,
		       uint64_t *slots, uint64_t *ret_last)
{
	uint64_t gap;

	if (!node->level) {
		source_take(&build->source, ret_last, &node->plain.slot[i]);
		return true;
	}
	node_slots(node)[i] =
		build_node(build, node->level - 1u, slots, ret_last, &gap);
	if (node->gapped)
		node->gap.gap[i] = gap;
	return node_slots(node)[i];
}

/* What is not in use, and the last pivot in use: as searches want it. */
static void pad_node(struct node *node)
{
	unsigned int capacity = node_capacity(node->gapped), i;

	for (i = node->count - 1u; i < capacity - 1; i++)
		node_pivots(node)[i] = UINT64_MAX;
	for (i = node->count; i < capacity; i++) {
		node_slots(node)[i] = NULL;
		if (node->gapped)
			node->gap.gap[i] = 0;
	}
}

/*
 * The next node of a level and all below it, or NULL: then nothing is left of it.
 * @slots: leaf slots that are still to be shared out.
 */
static struct node *build_node(struct build *build, unsigned int level,
			       uint64_t *slots, uint64_t *ret_last,
			       uint64_t *ret_gap)
{
	struct node *node = umaple_cache_alloc(tree_cache(build->tree));
	uint64_t *below = level ? &build->nodes[level - 1] : slots;
	uint64_t first = build->source.next, last = 0;
	unsigned int share, i;

	if (!node)
		return NULL;
	share = (unsigned int)((*below + build->nodes[level] - 1) /
			       build->nodes[level]);
	build->nodes[level]--;
	if (!level)
		*slots -= share;
	node_init(node, level, tree_level_gapped(build->tree, level));
	for (i = 0; i < share; i++) {
		if (!build_slot(build, node, i, slots, &last)) {
			node->count = (uint8_t)i;
			umaple_tree_discard(tree_cache(build->tree), node);
			return NULL;
		}
		if (i + 1 < node_capacity(node->gapped))
			node_pivots(node)[i] = last;
	}
	node->count = (uint8_t)share;
	pad_node(node);
	*ret_last = last;
	*ret_gap = tree_has_gaps(build->tree) ? umaple_gap_of(node, first, last)
					      : 0;
	return node;
}

static int build_locked(struct umaple_tree *tree,
			const struct umaple_range *ranges, size_t count,
			unsigned int fill)
{
	uint64_t slots = count_slots(tree, ranges, count), last, gap;
	struct build build = { .tree = tree,
			       .source = { ranges, count, 0, false } };
	struct node *root;
	int err;

	if (tree_root(tree) || !slots)
		return -EINVAL;
	if (!count)
		return 0;
	err = umaple_tree_bind_cache(tree);
	if (err)
		return err;
	build.fill = fill;
	plan_levels(&build, slots);
	root = build_node(&build, build.height - 1, &slots, &last, &gap);
	if (!root)
		return -ENOMEM;
	umaple_publish_root(tree, root, build.height);
	umaple_publish_done(tree);
	UMAPLE_ASSERT_FULL(!umaple_tree_check(tree, NULL, 0));
	return 0;
}

int umaple_tree_build(struct umaple_tree *tree,
		      const struct umaple_range *ranges, size_t count,
		      unsigned int fill)
{
	int err;

	if (!fill)
		fill = 100;
	if (fill < 50 || fill > 100)
		return -EINVAL;
	umaple_tree_enter(tree);
	err = build_locked(tree, ranges, count, fill);
	umaple_tree_leave(tree);
	return err;
}
