/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/gap.c - the largest hole below each node, and the search for one.
 *
 * Gaps are sizes: an index range that is a hole in a tree with at least one
 * entry has fewer than 2^64 indices.
 *
 * Locks: the tree's lock is held.  Readers never look at gaps, so they change in
 * place.
 */

#include <errno.h>

#include "tree/tree_priv.h"

/* Without branches on what a slot holds: a scan has no pattern to predict. */
static uint64_t leaf_gap(struct node *leaf, uint64_t min, uint64_t max)
{
	const uint64_t *pivot = leaf->plain.pivot;
	void *const *slot = leaf->plain.slot;
	unsigned int last = leaf->count - 1u, i;
	uint64_t gap = 0, before = min - 1, size;

	for (i = 0; i < last; i++) {
		size = slot[i] ? 0 : pivot[i] - before;
		gap = size > gap ? size : gap;
		before = pivot[i];
	}
	size = slot[last] ? 0 : max - before;
	return size > gap ? size : gap;
}

/* Gaps that are not in use are zero. */
static uint64_t inner_gap(const struct node *node)
{
	uint64_t gap = 0;
	unsigned int i;

	for (i = 0; i < NODE_GAP_SLOTS; i++)
		gap = node->gap.gap[i] > gap ? node->gap.gap[i] : gap;
	return gap;
}

uint64_t umaple_gap_of(struct node *node, uint64_t min, uint64_t max)
{
	return node->level ? inner_gap(node) : leaf_gap(node, min, max);
}

void umaple_gap_update(struct umaple_path_ *path, unsigned int level)
{
	struct umaple_level_ *above;
	uint64_t *gap, now;

	for (; level + 1 < path->height; level++) {
		above = &path->at[level + 1];
		gap = &((struct node *)above->node)->gap.gap[above->slot];
		now = umaple_gap_of(path_node(path, level),
				    path_min(path, level),
				    path_max(path, level));
		if (*gap == now)
			return;
		*gap = now;
	}
}

/* A search: what is wanted, and which end of the window is tried first. */
struct gap_search {
	uint64_t size;
	uint64_t align;
	uint64_t offset; /* of the first index, from a multiple of that */
	uint64_t min;
	uint64_t max;
	bool last;
	uint64_t found;
};

/* Does a fit lie in the hole [@first, @last]? */
static bool hole_fits(struct gap_search *search, uint64_t first, uint64_t last)
{
	uint64_t mask = search->align - 1;

	if (first < search->min)
		first = search->min;
	if (last > search->max)
		last = search->max;
	if (first > last || last - first < search->size - 1)
		return false;
	if (search->last) {
		last -= search->size - 1;
		search->found = last - ((last - search->offset) & mask);
		return search->found <= last && search->found >= first;
	}
	search->found = first + ((search->offset - first) & mask);
	return search->found >= first && search->found <= last &&
	       last - search->found >= search->size - 1;
}

/*
 * Slots of a leaf, upwards.  Whether one is a hole has no pattern, and neither has
 * its size: one branch on both together.
 */
static bool leaf_fits_up(struct gap_search *search, struct node *leaf,
			 uint64_t min, uint64_t max)
{
	uint64_t from = search->min > min ? search->min : min;
	unsigned int i = from > min ? search_plain(leaf->plain.pivot, from) : 0;
	uint64_t last, room;

	for (; i + 1u < leaf->count; i++) {
		last = leaf->plain.pivot[i];
		room = leaf->plain.slot[i] ? 0 : last - from + 1;
		if (room >= search->size && hole_fits(search, from, last))
			return true;
		from = last + 1;
		if (last >= search->max)
			return false;
	}
	return !leaf->plain.slot[i] && hole_fits(search, from, max);
}

static bool leaf_fits_down(struct gap_search *search, struct node *leaf,
			   uint64_t min, uint64_t max)
{
	uint64_t to = search->max < max ? search->max : max;
	unsigned int i = to < max ? search_plain(leaf->plain.pivot, to)
				  : leaf->count - 1u;
	uint64_t first, room;

	for (; i; i--) {
		first = leaf->plain.pivot[i - 1] + 1;
		room = leaf->plain.slot[i] ? 0 : to - first + 1;
		if (room >= search->size && hole_fits(search, first, to))
			return true;
		if (first <= search->min)
			return false;
		to = first - 1;
	}
	return !leaf->plain.slot[i] && hole_fits(search, min, to);
}

static bool node_fits_up(struct gap_search *search, struct node *node,
			 uint64_t min, uint64_t max)
{
	unsigned int i = 0;
	uint64_t first = min, last;

	if (!node->level)
		return leaf_fits_up(search, node, min, max);
	if (search->min > min) {
		i = search_gap(node->gap.pivot, search->min);
		first = node_slot_first(node, i, min);
	}
	for (; i < node->count && first <= search->max; i++) {
		last = node_slot_last(node, i, max);
		node_prefetch(node->gap.slot[i]);
		if (node->gap.gap[i] >= search->size &&
		    node_fits_up(search, node->gap.slot[i], first, last))
			return true;
		first = last + 1;
	}
	return false;
}

static bool node_fits_down(struct gap_search *search, struct node *node,
			   uint64_t min, uint64_t max)
{
	unsigned int i = node->count - 1u;
	uint64_t first, last = max;

	if (!node->level)
		return leaf_fits_down(search, node, min, max);
	if (search->max < max) {
		i = search_gap(node->gap.pivot, search->max);
		last = node_slot_last(node, i, max);
	}
	for (;; i--) {
		first = node_slot_first(node, i, min);
		node_prefetch(node->gap.slot[i]);
		if (node->gap.gap[i] >= search->size &&
		    node_fits_down(search, node->gap.slot[i], first, last))
			return true;
		if (!i || first <= search->min)
			return false;
		last = first - 1;
	}
}

static bool tree_fits(struct gap_search *search, struct node *root)
{
	return search->last ? node_fits_down(search, root, 0, UINT64_MAX)
			    : node_fits_up(search, root, 0, UINT64_MAX);
}

static int gap_search_run(struct umaple_tree *tree, struct gap_search *search)
{
	void *root = tree_root(tree);

	if (!tree_has_gaps(tree) || !search->size ||
	    search->min > search->max ||
	    search->size - 1 > search->max - search->min || !search->align ||
	    (search->align & (search->align - 1)) ||
	    search->offset >= search->align)
		return -EINVAL;
	if (!root)
		return hole_fits(search, 0, UINT64_MAX) ? 0 : -EBUSY;
	return tree_fits(search, root_node(root)) ? 0 : -EBUSY;
}

/* -- the public searches -------------------------------------------------- */

static int cursor_gap(struct umaple_cursor *cursor, struct gap_search *search)
{
	int err = gap_search_run(cursor->tree_, search);

	if (!err)
		umaple_cursor_set_range(cursor, search->found,
					search->found + (search->size - 1));
	return err;
}

static int tree_gap(struct umaple_tree *tree, struct gap_search *search,
		    uint64_t *ret_first)
{
	int err;

	umaple_tree_enter(tree);
	err = gap_search_run(tree, search);
	umaple_tree_leave(tree);
	if (!err)
		*ret_first = search->found;
	return err;
}

int umaple_cursor_gap_first(struct umaple_cursor *cursor, uint64_t size,
			    uint64_t align, uint64_t min, uint64_t max)
{
	struct gap_search search = { size, align, 0, min, max, .last = false };

	return cursor_gap(cursor, &search);
}

int umaple_cursor_gap_last(struct umaple_cursor *cursor, uint64_t size,
			   uint64_t align, uint64_t min, uint64_t max)
{
	struct gap_search search = { size, align, 0, min, max, .last = true };

	return cursor_gap(cursor, &search);
}

int umaple_cursor_gap_first_offset(struct umaple_cursor *cursor, uint64_t size,
				   uint64_t align, uint64_t offset,
				   uint64_t min, uint64_t max)
{
	struct gap_search search = { size, align, offset,
				     min,  max,	  .last = false };

	return cursor_gap(cursor, &search);
}

int umaple_cursor_gap_last_offset(struct umaple_cursor *cursor, uint64_t size,
				  uint64_t align, uint64_t offset, uint64_t min,
				  uint64_t max)
{
	struct gap_search search = {
		size, align, offset, min, max, .last = true
	};

	return cursor_gap(cursor, &search);
}

int umaple_gap_first(struct umaple_tree *tree, uint64_t size, uint64_t align,
		     uint64_t min, uint64_t max, uint64_t *ret_first)
{
	struct gap_search search = { size, align, 0, min, max, .last = false };

	return tree_gap(tree, &search, ret_first);
}

int umaple_gap_last(struct umaple_tree *tree, uint64_t size, uint64_t align,
		    uint64_t min, uint64_t max, uint64_t *ret_first)
{
	struct gap_search search = { size, align, 0, min, max, .last = true };

	return tree_gap(tree, &search, ret_first);
}
