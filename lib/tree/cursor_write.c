/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/cursor_write.c - writes at a cursor, and nodes promised for them.
 *
 * A write may start from the path of a cursor when nothing at all has changed in
 * the tree since; otherwise it walks.
 *
 * Locks: the tree's lock is held, but for umaple_cursor_prealloc() and
 * umaple_cursor_finish().
 */

#include <errno.h>

#include "tree/tree_priv.h"

/* The path, if a write may start from it: nothing has changed since the walk. */
static struct umaple_path_ *cursor_write_path(struct umaple_cursor *cursor)
{
	if (!(cursor->state_ & CURSOR_PATH) ||
	    cursor->generation_ != cursor->tree_->generation_)
		return NULL;
	return &cursor->path_;
}

/* A path outlives only a write that changes no node. */
static void cursor_wrote(struct umaple_cursor *cursor)
{
	cursor->state_ =
		CURSOR_AT | (cursor_write_path(cursor) ? CURSOR_PATH : 0);
}

int umaple_cursor_store(struct umaple_cursor *cursor, void *entry)
{
	struct umaple_tree *tree = cursor->tree_;
	int err = umaple_tree_bind_cache(tree);

	UMAPLE_ASSERT(!tree_locks_itself(tree) ||
		      umaple_lock_is_held(&tree->lock_));
	if (!err)
		err = umaple_tree_write(tree, cursor_write_path(cursor),
					cursor->index, cursor->last, entry);
	if (err)
		umaple_cursor_pause(cursor);
	else
		cursor_wrote(cursor);
	return err;
}

int umaple_cursor_erase(struct umaple_cursor *cursor, void **ret_entry)
{
	struct umaple_tree *tree = cursor->tree_;
	uint64_t first = 0, last = UINT64_MAX;
	void *entry = NULL;
	int err = 0;

	UMAPLE_ASSERT(!tree_locks_itself(tree) ||
		      umaple_lock_is_held(&tree->lock_));
	umaple_cursor_pause(cursor);
	if (umaple_cursor_walk_to(cursor, cursor->index)) {
		first = path_slot_first(&cursor->path_, 0);
		last = path_slot_last(&cursor->path_, 0);
		entry = path_entry(&cursor->path_);
	}
	if (entry)
		err = umaple_tree_write(tree, &cursor->path_, first, last,
					NULL);
	if (err)
		return err;
	cursor->index = first;
	cursor->last = last;
	cursor->state_ = CURSOR_AT;
	if (ret_entry)
		*ret_entry = entry;
	return 0;
}

/* -- nodes promised in advance ---------------------------------------------------- */

void umaple_cursor_finish(struct umaple_cursor *cursor)
{
	if (cursor->promised_)
		umaple_cache_return(tree_cache(cursor->tree_),
				    cursor->promised_);
	cursor->promised_ = NULL;
}

int umaple_cursor_prealloc(struct umaple_cursor *cursor, void *entry)
{
	struct umaple_tree *tree = cursor->tree_;
	unsigned int most = umaple_write_most_nodes(tree);
	int err = umaple_tree_bind_cache(tree);

	if (err)
		return err;
	if (cursor->promised_)
		err = umaple_cache_refill(tree_cache(tree), &cursor->promised_,
					  most);
	else
		cursor->promised_ =
			umaple_cache_prefill(tree_cache(tree), most);
	if (err || !cursor->promised_)
		return -ENOMEM;
	cursor->promised_first_ = cursor->index;
	cursor->promised_last_ = cursor->last;
	cursor->promised_hole_ = !entry;
	return 0;
}

int umaple_cursor_store_prealloc(struct umaple_cursor *cursor, void *entry)
{
	struct edit edit = { .promised = cursor->promised_ };
	struct umaple_tree *tree = cursor->tree_;
	int err;

	UMAPLE_ASSERT(!tree_locks_itself(tree) ||
		      umaple_lock_is_held(&tree->lock_));
	if (!cursor->promised_ || cursor->index != cursor->promised_first_ ||
	    cursor->last != cursor->promised_last_ ||
	    (entry == NULL) != cursor->promised_hole_)
		return -EINVAL;
	err = umaple_edit_write(&edit, tree, cursor_write_path(cursor),
				cursor->index, cursor->last, entry);
	if (err) {
		umaple_cursor_pause(cursor);
		return err;
	}
	umaple_cursor_finish(cursor);
	cursor_wrote(cursor);
	return 0;
}
