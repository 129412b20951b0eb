/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/kernel_cursor.h - mas_: a position in a tree, and the searches from it,
 * for callers who hold the tree's lock or are in a read-side section.
 *
 * Part of umaple/kernel.h.
 *
 * Where a search goes, what it leaves in index and last, and the status are the
 * kernel's: a search that finds nothing has moved over the holes it passed, and
 * notes the limit it met.  The rules, the same in both directions:
 *  - mas_find() looks at the place itself the first time, and goes on outside the
 *    range at hand afterwards.  mas_next() is always outside.
 *  - after a limit was met, going on the same way goes on from there; a search the
 *    other way looks at the place itself first.
 *  - index and last may also be assigned by hand, which is as __mas_set_range().
 *
 * Reserved ranges, %XA_ZERO_ENTRY, are shown.
 *
 * Context: a read-side section, or the tree's lock.
 */

#ifndef UMAPLE_KERNEL_CURSOR_H
#define UMAPLE_KERNEL_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include <umaple/attr.h>
#include <umaple/cursor.h>
#include <umaple/kernel_tree.h>
#include <umaple/kernel_types.h>

UMAPLE_BEGIN_DECLS

/**
 * enum maple_status - What the last call on a cursor has come to.
 * @ma_start:     Nothing: it was set up or reset.
 * @ma_active:    It stands on a range, or a hole.
 * @ma_pause:     It was paused, and goes on by index.
 * @ma_overflow:  Nothing up to the limit.
 * @ma_underflow: Nothing down to the limit.
 * @ma_error:     It failed: see struct ma_state, @node.
 */
enum maple_status {
	ma_start,
	ma_active,
	ma_pause,
	ma_overflow,
	ma_underflow,
	ma_error
};

/**
 * struct ma_state - A position.  Declare it with MA_STATE().
 * @index:  First index of the range at hand.
 * @last:   Its last index, included.
 * @tree:   The tree.
 * @node:   %NULL, or after a failure the error, for xa_err().
 * @status: See enum maple_status.
 *
 * The fields that end in _ are private: whether mas_nomem() has waited already, the
 * tree that the cursor belongs to, and the cursor, which may be uninitialised
 * until then.
 */
struct ma_state {
	unsigned long index;
	unsigned long last;
	struct maple_tree *tree;
	void *node;
	enum maple_status status;
	bool waited_;
	struct maple_tree *bound_;
	struct umaple_cursor cursor_;
};

/** mas_set_range() - Make the cursor fresh at [@first, @last]. */
static inline void mas_set_range(struct ma_state *mas, unsigned long first,
				 unsigned long last)
{
	mas->index = first;
	mas->last = last;
	mas->node = NULL;
	mas->status = ma_start;
}

/** mas_set() - Make the cursor fresh at one index. */
static inline void mas_set(struct ma_state *mas, unsigned long index)
{
	mas_set_range(mas, index, index);
}

/** __mas_set_range() - Name the range to be written next; keep the status. */
static inline void __mas_set_range(struct ma_state *mas, unsigned long first,
				   unsigned long last)
{
	mas->index = first;
	mas->last = last;
}

/** mas_reset() - Make the cursor fresh at the range at hand. */
static inline void mas_reset(struct ma_state *mas)
{
	mas_set_range(mas, mas->index, mas->last);
}

/** mas_init() - Make a cursor at one index. */
static inline void mas_init(struct ma_state *mas, struct maple_tree *tree,
			    unsigned long index)
{
	mas->tree = tree;
	mas->bound_ = NULL;
	mas->waited_ = false;
	mas_set(mas, index);
}

static inline struct ma_state umaple_mas_make_(struct maple_tree *tree,
					       unsigned long first,
					       unsigned long last)
{
	struct ma_state mas;

	mas_init(&mas, tree, first);
	mas.last = last;
	return mas;
}

/** MA_STATE() - Define a cursor at [@first, @last]; within a function. */
#define MA_STATE(name, mt, first, end)                                         \
	struct ma_state name = umaple_mas_make_((mt), (first), (end))

/** mas_is_active() - Does the cursor stand on a range, or a hole? */
static inline bool mas_is_active(const struct ma_state *mas)
{
	return mas->status == ma_active;
}

/** mas_is_err() - Has the last call failed?  xa_err(mas->node) tells how. */
static inline bool mas_is_err(const struct ma_state *mas)
{
	return mas->status == ma_error;
}

/*
 * The cursor within, at the place that index and last name.  It is fresh if it
 * was set to another place.
 */
static inline struct umaple_cursor *umaple_mas_cursor_(struct ma_state *mas)
{
	unsigned long last = mas->last < mas->index ? mas->index : mas->last;
	struct umaple_cursor *cursor = &mas->cursor_;

	if (mas->bound_ != mas->tree) {
		umaple_cursor_init(cursor, &mas->tree->tree, mas->index, last);
		mas->bound_ = mas->tree;
	} else if (mas->status == ma_start || cursor->index != mas->index ||
		   (unsigned long)cursor->last != last) {
		umaple_cursor_set_range(cursor, mas->index, last);
	}
	return cursor;
}

/* What is at hand is that of the cursor within. */
static inline void umaple_mas_show_(struct ma_state *mas,
				    enum maple_status status)
{
	mas->index = (unsigned long)mas->cursor_.index;
	mas->last = (unsigned long)mas->cursor_.last;
	mas->node = NULL;
	mas->status = status;
}

/** mas_pause() - To be called before the section or the lock is let go of. */
static inline void mas_pause(struct ma_state *mas)
{
	if (mas->status == ma_error)
		mas_reset(mas);
	if (mas->status == ma_start)
		return;
	umaple_cursor_pause(&mas->cursor_);
	mas->status = ma_pause;
}

/** mas_destroy() - Give back what mas_preallocate() got. */
static inline void mas_destroy(struct ma_state *mas)
{
	if (mas->bound_)
		umaple_cursor_finish(&mas->cursor_);
}

/** mas_lock() - Take the lock of the cursor's tree. */
static inline void mas_lock(struct ma_state *mas)
{
	mtree_lock(mas->tree);
	if (mas->bound_)
		umaple_cursor_pause(&mas->cursor_);
}

/** mas_unlock() - Let go of it. */
static inline void mas_unlock(struct ma_state *mas)
{
	if (mas->bound_)
		umaple_cursor_pause(&mas->cursor_);
	mtree_unlock(mas->tree);
}

/* -- searches ---------------------------------------------------------------- */

/* Go up, to an entry or (with @holes) to whatever comes next. */
static inline void *umaple_mas_up_(struct ma_state *mas, unsigned long max,
				   bool holes, enum maple_status miss)
{
	void *entry = NULL;

	do {
		if (!umaple_cursor_next_range(&mas->cursor_, max, &entry)) {
			umaple_mas_show_(mas, miss);
			return NULL;
		}
		if (miss == ma_pause)
			miss = ma_active;
	} while (!entry && !holes);
	umaple_mas_show_(mas, ma_active);
	return entry;
}

static inline void *umaple_mas_down_(struct ma_state *mas, unsigned long min,
				     bool holes)
{
	void *entry = NULL;

	do {
		if (!umaple_cursor_prev_range(&mas->cursor_, min, &entry)) {
			umaple_mas_show_(mas, ma_underflow);
			return NULL;
		}
	} while (!entry && !holes);
	umaple_mas_show_(mas, ma_active);
	return entry;
}

/*
 * Does a search look at the place itself first?  If the cursor has met the limit
 * that lies the other way, and if it has not found anything yet.
 */
static inline bool umaple_mas_looks_(const struct ma_state *mas,
				     enum maple_status other_way)
{
	return mas->status == ma_start || mas->status == other_way ||
	       (mas->status != ma_active &&
		umaple_cursor_is_fresh(&mas->cursor_));
}

/* Stand on the range at the place itself. */
static inline void *umaple_mas_look_(struct ma_state *mas)
{
	void *entry = umaple_cursor_walk(&mas->cursor_);

	umaple_mas_show_(mas, ma_active);
	return entry;
}

static inline void *umaple_mas_find_(struct ma_state *mas, unsigned long max,
				     bool holes)
{
	void *entry;

	if (mas_is_err(mas))
		return NULL;
	umaple_mas_cursor_(mas);
	if (umaple_mas_looks_(mas, ma_underflow)) {
		if (mas->index > max)
			return NULL;
		entry = umaple_mas_look_(mas);
		if (entry)
			return entry;
	}
	return umaple_mas_up_(mas, max, holes,
			      mas->status == ma_pause ? ma_pause : ma_active);
}

static inline void *umaple_mas_find_rev_(struct ma_state *mas,
					 unsigned long min, bool holes)
{
	void *entry;

	if (mas_is_err(mas))
		return NULL;
	umaple_mas_cursor_(mas);
	if (umaple_mas_looks_(mas, ma_overflow)) {
		if (mas->index < min)
			return NULL;
		entry = umaple_mas_look_(mas);
		if (entry)
			return entry;
	}
	return umaple_mas_down_(mas, min, holes);
}

static inline void *umaple_mas_next_(struct ma_state *mas, unsigned long max,
				     bool holes)
{
	bool back = mas->status == ma_underflow;
	void *entry;

	if (mas_is_err(mas))
		return NULL;
	if (umaple_mas_cursor_(mas)->last >= max) {
		umaple_mas_show_(mas, ma_overflow);
		return NULL;
	}
	if (back || umaple_cursor_is_fresh(&mas->cursor_)) {
		entry = umaple_mas_look_(mas);
		if (entry && back)
			return entry;
	}
	return umaple_mas_up_(mas, max, holes, ma_overflow);
}

static inline void *umaple_mas_prev_(struct ma_state *mas, unsigned long min,
				     bool holes)
{
	bool back = mas->status == ma_overflow;
	void *entry;

	if (mas_is_err(mas))
		return NULL;
	if (umaple_mas_cursor_(mas)->index <= min) {
		umaple_mas_show_(mas, ma_underflow);
		return NULL;
	}
	if (back || umaple_cursor_is_fresh(&mas->cursor_)) {
		entry = umaple_mas_look_(mas);
		if (entry && back)
			return entry;
	}
	return umaple_mas_down_(mas, min, holes);
}

/** mas_walk() - Go to the range, or the hole, at index, wherever the cursor is. */
static inline void *mas_walk(struct ma_state *mas)
{
	umaple_mas_cursor_(mas);
	return umaple_mas_look_(mas);
}

/** mas_find() - The first entry at, later after the cursor that starts up to @max. */
static inline void *mas_find(struct ma_state *mas, unsigned long max)
{
	return umaple_mas_find_(mas, max, false);
}

/** mas_find_range() - As mas_find(), but stops at holes after the first place. */
static inline void *mas_find_range(struct ma_state *mas, unsigned long max)
{
	return umaple_mas_find_(mas, max, true);
}

/** mas_find_rev() - The last entry at, later before the cursor down to @min. */
static inline void *mas_find_rev(struct ma_state *mas, unsigned long min)
{
	return umaple_mas_find_rev_(mas, min, false);
}

/** mas_find_range_rev() - As mas_find_rev(), but stops at holes. */
static inline void *mas_find_range_rev(struct ma_state *mas, unsigned long min)
{
	return umaple_mas_find_rev_(mas, min, true);
}

/** mas_next() - The first entry after the cursor's place that starts up to @max. */
static inline void *mas_next(struct ma_state *mas, unsigned long max)
{
	return umaple_mas_next_(mas, max, false);
}

/** mas_next_range() - As mas_next(), but stops at holes. */
static inline void *mas_next_range(struct ma_state *mas, unsigned long max)
{
	return umaple_mas_next_(mas, max, true);
}

/** mas_prev() - The last entry before the cursor's place that ends down to @min. */
static inline void *mas_prev(struct ma_state *mas, unsigned long min)
{
	return umaple_mas_prev_(mas, min, false);
}

/** mas_prev_range() - As mas_prev(), but stops at holes. */
static inline void *mas_prev_range(struct ma_state *mas, unsigned long min)
{
	return umaple_mas_prev_(mas, min, true);
}

/** mas_for_each() - Visit the ranges from the cursor up to @max. */
#define mas_for_each(mas, entry, max)                                          \
	while (((entry) = mas_find((mas), (max))) != NULL)

/** mas_for_each_rev() - Visit the ranges from the cursor down to @min. */
#define mas_for_each_rev(mas, entry, min)                                      \
	while (((entry) = mas_find_rev((mas), (min))) != NULL)

UMAPLE_END_DECLS

#endif /* UMAPLE_KERNEL_CURSOR_H */
