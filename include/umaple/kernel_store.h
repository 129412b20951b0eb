/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/kernel_store.h - mas_: what changes a tree at a position, and the search
 * for a place to do so.
 *
 * Part of umaple/kernel.h.
 *
 * A call that fails leaves the tree as it was, and index and last as they were;
 * mas_is_err() and the field node tell of it.  The next write starts afresh.
 *
 * Context: the tree's lock is held.  A function that is allowed to wait may let go
 * of the tree's own lock and take it again when memory runs out; never of an
 * external one.
 */

#ifndef UMAPLE_KERNEL_STORE_H
#define UMAPLE_KERNEL_STORE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <umaple/attr.h>
#include <umaple/cursor.h>
#include <umaple/kernel_cursor.h>
#include <umaple/kernel_tree.h>
#include <umaple/kernel_types.h>

UMAPLE_BEGIN_DECLS

static inline int umaple_mas_fail_(struct ma_state *mas, int err)
{
	mas->node = umaple_kernel_error_(err);
	mas->status = ma_error;
	return err;
}

static inline int umaple_mas_done_(struct ma_state *mas)
{
	mas->waited_ = false;
	umaple_mas_show_(mas, ma_active);
	return 0;
}

/*
 * A write starts afresh from [index, last], whatever failed before.  (The last hole
 * may go on above ULONG_MAX; it is not written there.)
 */
static inline int umaple_mas_begin_(struct ma_state *mas)
{
	if (mas_is_err(mas))
		mas_reset(mas);
	if (mas->index > mas->last)
		return umaple_mas_fail_(mas, -EINVAL);
	if (umaple_mas_cursor_(mas)->last != mas->last)
		umaple_cursor_set_range(&mas->cursor_, mas->index, mas->last);
	return 0;
}

/* With nodes got in advance if there are any for this range, else with new ones. */
static inline int umaple_mas_put_(struct ma_state *mas, void *entry)
{
	if (!umaple_cursor_store_prealloc(&mas->cursor_, entry))
		return 0;
	return umaple_cursor_store(&mas->cursor_, entry);
}

/*
 * After -ENOMEM: let readers leave, so that the nodes they hold come back.  Return:
 * whether that was possible.
 */
static inline bool umaple_mas_wait_(struct ma_state *mas, gfp_t gfp)
{
	if (!gfpflags_allow_blocking(gfp) || mt_external_lock(mas->tree))
		return false;
	mas_unlock(mas);
	mas_lock(mas);
	return true;
}

/**
 * mas_store() - Make [index, last] map to @entry.
 *
 * Return: The entry that was at index.  After a failure, which mas_is_err() tells,
 *         %NULL.
 */
static inline void *mas_store(struct ma_state *mas, void *entry)
{
	unsigned long first = mas->index, last = mas->last;
	void *old;
	int err;

	if (umaple_mas_begin_(mas))
		return NULL;
	old = umaple_cursor_walk(&mas->cursor_);
	umaple_cursor_set_range(&mas->cursor_, first, last);
	err = umaple_mas_put_(mas, entry);
	if (err) {
		umaple_mas_fail_(mas, err);
		return NULL;
	}
	umaple_mas_done_(mas);
	return old;
}

/** mas_store_gfp() - Make [index, last] map to @entry; 0, -EINVAL or -ENOMEM. */
static inline int mas_store_gfp(struct ma_state *mas, void *entry, gfp_t gfp)
{
	int err = umaple_mas_begin_(mas);

	if (err)
		return err;
	err = umaple_mas_put_(mas, entry);
	if (err == -ENOMEM && umaple_mas_wait_(mas, gfp))
		err = umaple_mas_put_(mas, entry);
	return err ? umaple_mas_fail_(mas, err) : umaple_mas_done_(mas);
}

/**
 * mas_nomem() - After -ENOMEM: can the write be tried again?
 *
 * Return: True once after each failure, if waiting was possible; then the cursor
 *         is as before the write.
 */
static inline bool mas_nomem(struct ma_state *mas, gfp_t gfp)
{
	if (xa_err(mas->node) != -ENOMEM)
		return false;
	if (mas->waited_ || !umaple_mas_wait_(mas, gfp)) {
		mas->waited_ = false;
		return false;
	}
	mas_reset(mas);
	mas->waited_ = true;
	return true;
}

/**
 * mas_preallocate() - Get all nodes that storing @entry in [index, last] may take.
 *
 * Does not let go of the lock, whatever @gfp says.
 *
 * Return: 0; -ENOMEM; -EINVAL if index is above last.
 */
static inline int mas_preallocate(struct ma_state *mas, void *entry, gfp_t gfp)
{
	int err = umaple_mas_begin_(mas);

	(void)gfp;
	if (!err)
		err = umaple_cursor_prealloc(&mas->cursor_, entry);
	if (err)
		mas_reset(mas);
	return err;
}

/**
 * mas_store_prealloc() - Store with the nodes got in advance, and free the rest.
 *
 * Cannot fail after mas_preallocate() for the same range, and for %NULL or for an
 * entry as it is here, under the same lock.  Otherwise mas_is_err() tells.
 */
static inline void mas_store_prealloc(struct ma_state *mas, void *entry)
{
	int err = umaple_mas_begin_(mas);

	if (err)
		return;
	err = umaple_cursor_store_prealloc(&mas->cursor_, entry);
	if (err == -ESTALE)
		err = umaple_cursor_store(&mas->cursor_, entry);
	if (err) {
		umaple_mas_fail_(mas, err);
		return;
	}
	mas_destroy(mas);
	umaple_mas_done_(mas);
}

/**
 * mas_erase() - Remove the whole range that holds index.
 *
 * Afterwards [index, last] is what was removed.
 *
 * Return: Its entry.  %NULL if nothing is there, or after a failure, which
 *         mas_is_err() tells, and then it is still there.
 */
static inline void *mas_erase(struct ma_state *mas)
{
	void *entry = NULL;
	int err;

	umaple_mas_cursor_(mas);
	err = umaple_cursor_erase(&mas->cursor_, &entry);
	if (err == -ENOMEM && umaple_mas_wait_(mas, GFP_KERNEL))
		err = umaple_cursor_erase(&mas->cursor_, &entry);
	if (err) {
		umaple_mas_fail_(mas, err);
		return NULL;
	}
	umaple_mas_done_(mas);
	return entry;
}

/* What a gap search came to. */
static inline int umaple_mas_gap_(struct ma_state *mas, int err)
{
	if (!err)
		umaple_mas_show_(mas, ma_active);
	return err;
}

/** mas_empty_area() - Go to the lowest hole of @size in [@min, @max]. */
static inline int mas_empty_area(struct ma_state *mas, unsigned long min,
				 unsigned long max, unsigned long size)
{
	return umaple_mas_gap_(mas,
			       umaple_cursor_gap_first(umaple_mas_cursor_(mas),
						       size, 1, min, max));
}

/** mas_empty_area_rev() - Go to the highest hole of @size in [@min, @max]. */
static inline int mas_empty_area_rev(struct ma_state *mas, unsigned long min,
				     unsigned long max, unsigned long size)
{
	return umaple_mas_gap_(mas,
			       umaple_cursor_gap_last(umaple_mas_cursor_(mas),
						      size, 1, min, max));
}

/** mas_alloc_cyclic() - As mtree_alloc_cyclic(), with the lock held. */
static inline int mas_alloc_cyclic(struct ma_state *mas, unsigned long *startp,
				   void *entry, unsigned long range_lo,
				   unsigned long range_hi, unsigned long *next,
				   gfp_t gfp)
{
	struct umaple_cursor *cursor = umaple_mas_cursor_(mas);
	int ret = umaple_kernel_cyclic_(cursor, mas->tree, startp, entry,
					range_lo, range_hi, next);

	if (ret == -ENOMEM && umaple_mas_wait_(mas, gfp))
		ret = umaple_kernel_cyclic_(cursor, mas->tree, startp, entry,
					    range_lo, range_hi, next);
	if (ret >= 0)
		umaple_mas_done_(mas);
	return ret;
}

UMAPLE_END_DECLS

#endif /* UMAPLE_KERNEL_STORE_H */
