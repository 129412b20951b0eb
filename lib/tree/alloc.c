/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/alloc.c - find a hole and store into it, as one step.
 *
 * The lock is never let go of between search and store, and nothing waits, so
 * there is no race to lose and no search to repeat.
 *
 * Locks: the tree's lock is taken unless it is the caller's.
 */

#include <errno.h>

#include "tree/tree_priv.h"

typedef int gap_fn(struct umaple_cursor *cursor, uint64_t size, uint64_t align,
		   uint64_t min, uint64_t max);

static int alloc_locked(struct umaple_tree *tree, gap_fn *gap, void *entry,
			uint64_t size, uint64_t align, uint64_t min,
			uint64_t max, uint64_t *ret_first)
{
	struct umaple_cursor cursor;
	int err;

	umaple_cursor_init(&cursor, tree, 0, 0);
	err = gap(&cursor, size, align, min, max);
	if (!err)
		err = umaple_cursor_store(&cursor, entry);
	if (!err)
		*ret_first = cursor.index;
	return err;
}

static int alloc_range(struct umaple_tree *tree, gap_fn *gap, void *entry,
		       uint64_t size, uint64_t align, uint64_t min,
		       uint64_t max, uint64_t *ret_first)
{
	int err;

	if (!entry)
		return -EINVAL;
	umaple_tree_enter(tree);
	err = alloc_locked(tree, gap, entry, size, align, min, max, ret_first);
	umaple_tree_leave(tree);
	return err;
}

int umaple_alloc_range(struct umaple_tree *tree, void *entry, uint64_t size,
		       uint64_t align, uint64_t min, uint64_t max,
		       uint64_t *ret_first)
{
	return alloc_range(tree, umaple_cursor_gap_first, entry, size, align,
			   min, max, ret_first);
}

int umaple_alloc_range_rev(struct umaple_tree *tree, void *entry, uint64_t size,
			   uint64_t align, uint64_t min, uint64_t max,
			   uint64_t *ret_first)
{
	return alloc_range(tree, umaple_cursor_gap_last, entry, size, align,
			   min, max, ret_first);
}

/* From @cyclic->next on, then from @min on. */
static int cyclic_locked(struct umaple_tree *tree, void *entry, uint64_t min,
			 uint64_t max, struct umaple_cyclic *cyclic,
			 uint64_t *ret_index)
{
	uint64_t from = cyclic->next > min ? cyclic->next : min;
	bool wrapped = cyclic->past_end || from > max;
	int err = -EBUSY;

	if (!wrapped)
		err = alloc_locked(tree, umaple_cursor_gap_first, entry, 1, 1,
				   from, max, ret_index);
	if (err == -EBUSY && (wrapped || from > min)) {
		wrapped = true;
		err = alloc_locked(tree, umaple_cursor_gap_first, entry, 1, 1,
				   min, max, ret_index);
	}
	if (!err)
		*cyclic = (struct umaple_cyclic){
			.next = *ret_index + 1,
			.past_end = *ret_index == UINT64_MAX,
			.wrapped = wrapped,
		};
	return err;
}

int umaple_alloc_cyclic(struct umaple_tree *tree, void *entry, uint64_t min,
			uint64_t max, struct umaple_cyclic *cyclic,
			uint64_t *ret_index)
{
	int err;

	if (!entry || min > max)
		return -EINVAL;
	umaple_tree_enter(tree);
	err = cyclic_locked(tree, entry, min, max, cyclic, ret_index);
	umaple_tree_leave(tree);
	return err;
}
