/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/cursor.h - a position in a tree.
 *
 * A cursor lives on the caller's stack and belongs to one thread.  While it is
 * used, the caller holds a read-side section of the tree's flavour (to read), or
 * the tree's lock (to read or write).  Before letting go of either, call
 * umaple_cursor_pause(), or stop using the cursor.
 *
 * Public fields: @index and @last, the range at hand.  Read them; change them
 * with the set functions only.
 *
 * One rule for all directions:
 *  - after a set function the cursor is *fresh*: it names a range, but has not
 *    looked.  The first find or find_rev then considers that place itself.
 *  - a call that finds something puts the cursor there.  The next find, next,
 *    prev or find_rev continues outside the range at hand.  Of a range that has
 *    grown across the end of the range at hand meanwhile, it reports the part
 *    outside.
 *  - a call that finds nothing moves nothing: range at hand and freshness stay.
 *    A search that would start beyond its limit finds nothing.
 *  - walk puts the cursor on the range or the hole that it names.
 *  - after a store or erase the cursor is on the range written or erased.
 *  - pause changes none of this; other writers may change the tree meanwhile,
 *    and the cursor continues by index.
 *
 * doc/cursor.md has a table: what each call returns in each state, and where the
 * cursor then stands.
 */

#ifndef UMAPLE_CURSOR_H
#define UMAPLE_CURSOR_H

#include <stddef.h>
#include <stdint.h>

#include <umaple/attr.h>
#include <umaple/tree.h>

UMAPLE_BEGIN_DECLS

struct umaple_sheaf;

/** Most levels that a tree can have: enough for any that fits into memory. */
#define UMAPLE_MAX_HEIGHT 16

/* One level of the way from the root to a leaf.  Private. */
struct umaple_level_ {
	void *node;
	unsigned int slot; /* the slot at hand in it */
};

/* The way from the root to a leaf, leaf first.  Private. */
struct umaple_path_ {
	unsigned int height;
	struct umaple_level_ at[UMAPLE_MAX_HEIGHT];
};

/**
 * struct umaple_cursor - A position; all fields but the first two are private.
 * @index: First index of the range at hand.
 * @last:  Its last index, included.
 */
struct umaple_cursor {
	uint64_t index;
	uint64_t last;
	struct umaple_tree *tree_;
	unsigned long generation_;
	uint32_t state_;
	uint32_t promised_hole_;
	uint64_t promised_first_;
	uint64_t promised_last_;
	struct umaple_sheaf *promised_;
	void *reserved_[3];
	struct umaple_path_ path_;
};

/**
 * umaple_cursor_init() - Make a fresh cursor at [@first, @last].
 * @cursor: Memory to initialise.
 * @tree:   Tree it belongs to.
 * @first:  First index.
 * @last:   Last index, included; not below @first (aborts).
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cursor_init(struct umaple_cursor *cursor,
				      struct umaple_tree *tree, uint64_t first,
				      uint64_t last);

/**
 * umaple_cursor_set() - Make the cursor fresh at one index.
 * @cursor: A cursor.
 * @index:  The index.
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cursor_set(struct umaple_cursor *cursor,
				     uint64_t index);

/**
 * umaple_cursor_set_range() - Make the cursor fresh at [@first, @last].
 * @cursor: A cursor.
 * @first:  First index.
 * @last:   Last index, included; not below @first (aborts).
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cursor_set_range(struct umaple_cursor *cursor,
					   uint64_t first, uint64_t last);

/**
 * umaple_cursor_reset() - Make the cursor fresh at the range at hand.
 * @cursor: A cursor.
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cursor_reset(struct umaple_cursor *cursor);

/**
 * umaple_cursor_is_fresh() - Has the cursor not looked yet?
 * @cursor: A cursor.
 *
 * Return:  True after a set function, reset or a gap search, until something is
 *          found or written.
 * Since:   0.1
 */
UMAPLE_EXPORT bool umaple_cursor_is_fresh(const struct umaple_cursor *cursor);

/**
 * umaple_cursor_is_cut() - Is the range at hand part of a larger one?
 * @cursor: A cursor.
 *
 * Return:  True after a search that found a range, or a hole, grown across the end
 *          of the range at hand before, or a part of one it had passed: @index and
 *          @last are the part outside.  umaple_cursor_walk() goes to the whole.
 * Since:   0.1
 */
UMAPLE_EXPORT bool umaple_cursor_is_cut(const struct umaple_cursor *cursor);

/**
 * umaple_cursor_pause() - Forget the nodes, keep the place.
 * @cursor: A cursor.
 *
 * To be called before the section or the lock is let go of.
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cursor_pause(struct umaple_cursor *cursor);

/**
 * umaple_cursor_walk() - Go to the range, or the hole, at @index.
 * @cursor: A cursor.
 *
 * Context: Read-side section or lock.
 * Return:  The entry there, or %NULL in a hole.  Either way @index and @last
 *          become that range.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_cursor_walk(struct umaple_cursor *cursor);

/**
 * umaple_cursor_find() - Go to the first range at (fresh) or after the cursor.
 * @cursor: A cursor.
 * @max:    Ranges that start above this do not count.
 *
 * Context: Read-side section or lock.
 * Return:  The entry, or %NULL when there is none; then the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_cursor_find(struct umaple_cursor *cursor,
				       uint64_t max);

/**
 * umaple_cursor_find_many() - As many calls of umaple_cursor_find(), in one.
 * @cursor: A cursor.
 * @max:    Ranges that start above this do not count.
 * @ret_ranges: Receives the ranges.
 * @count:  How many there is room for.
 *
 * The fastest way through a tree: what a call and a check for writers cost is paid
 * once a node.  Each range was there at some moment of the call.
 *
 * Context: Read-side section or lock.
 * Return:  How many were found; less than @count when there are no more.  The
 *          cursor is at the last of them, or unchanged when it is 0.
 * Since:   0.1
 */
UMAPLE_EXPORT size_t umaple_cursor_find_many(struct umaple_cursor *cursor,
					     uint64_t max,
					     struct umaple_range *ret_ranges,
					     size_t count);

/**
 * umaple_cursor_find_rev() - Go to the last range at (fresh) or before the cursor.
 * @cursor: A cursor.
 * @min:    Ranges that end below this do not count.
 *
 * Context: Read-side section or lock.
 * Return:  The entry, or %NULL when there is none; then the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_cursor_find_rev(struct umaple_cursor *cursor,
					   uint64_t min);

/**
 * umaple_cursor_next() - Go to the first range after the one, or the hole, at hand.
 * @cursor: A cursor.  If it is fresh, "at hand" is what is now at @index.
 * @max:    Ranges that start above this do not count.
 *
 * Context: Read-side section or lock.
 * Return:  The entry, or %NULL when there is none; then the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_cursor_next(struct umaple_cursor *cursor,
				       uint64_t max);

/**
 * umaple_cursor_prev() - Go to the last range before the one, or the hole, at hand.
 * @cursor: A cursor.  If it is fresh, "at hand" is what is now at @index.
 * @min:    Ranges that end below this do not count.
 *
 * Context: Read-side section or lock.
 * Return:  The entry, or %NULL when there is none; then the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_cursor_prev(struct umaple_cursor *cursor,
				       uint64_t min);

/**
 * umaple_cursor_find_range() - As find, but holes count.
 * @cursor: A cursor.
 * @max:    Ranges and holes that start above this do not count.
 * @ret_entry: The entry, or %NULL when a hole was found; may be %NULL.  Set only when
 *          something was found.
 *
 * Context: Read-side section or lock.
 * Return:  Whether there is one.  If not, the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT bool umaple_cursor_find_range(struct umaple_cursor *cursor,
					    uint64_t max, void **ret_entry);

/**
 * umaple_cursor_find_range_rev() - As find_rev, but holes count.
 * @cursor: A cursor.
 * @min:    Ranges and holes that end below this do not count.
 * @ret_entry: The entry, or %NULL when a hole was found; may be %NULL.  Set only when
 *          something was found.
 *
 * Context: Read-side section or lock.
 * Return:  Whether there is one.  If not, the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT bool umaple_cursor_find_range_rev(struct umaple_cursor *cursor,
						uint64_t min, void **ret_entry);

/**
 * umaple_cursor_next_range() - As next, but holes count.
 * @cursor: A cursor.
 * @max:    Ranges and holes that start above this do not count.
 * @ret_entry: The entry, or %NULL when a hole was found; may be %NULL.  Set only when
 *          something was found.
 *
 * Context: Read-side section or lock.
 * Return:  Whether there is one.  If not, the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT bool umaple_cursor_next_range(struct umaple_cursor *cursor,
					    uint64_t max, void **ret_entry);

/**
 * umaple_cursor_prev_range() - As prev, but holes count.
 * @cursor: A cursor.
 * @min:    Ranges and holes that end below this do not count.
 * @ret_entry: The entry, or %NULL when a hole was found; may be %NULL.  Set only when
 *          something was found.
 *
 * Context: Read-side section or lock.
 * Return:  Whether there is one.  If not, the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT bool umaple_cursor_prev_range(struct umaple_cursor *cursor,
					    uint64_t min, void **ret_entry);

/**
 * umaple_cursor_for_each() - Visit the ranges from the cursor up to an index.
 * @cursor: Pointer to a cursor.
 * @entry:  Variable that receives each entry.
 * @max:    Where to stop, included.
 *
 * The body may store or erase through the cursor.
 */
#define umaple_cursor_for_each(cursor, entry, max)                             \
	for ((entry) = umaple_cursor_find((cursor), (max)); (entry);           \
	     (entry) = umaple_cursor_find((cursor), (max)))

/**
 * umaple_cursor_for_each_rev() - Visit the ranges from the cursor down to an index.
 * @cursor: Pointer to a cursor.
 * @entry:  Variable that receives each entry.
 * @min:    Where to stop, included.
 *
 * The body may store or erase through the cursor.
 */
#define umaple_cursor_for_each_rev(cursor, entry, min)                         \
	for ((entry) = umaple_cursor_find_rev((cursor), (min)); (entry);       \
	     (entry) = umaple_cursor_find_rev((cursor), (min)))

/**
 * umaple_cursor_store() - Make the range at hand map to an entry.
 * @cursor: A cursor; [@index, @last] is the range written.
 * @entry:  What it maps to; %NULL empties it.
 *
 * Context: The write lock is held.  Never waits for a grace period.
 * Return:  0; -ENOMEM, and then tree and cursor are as they were.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cursor_store(struct umaple_cursor *cursor, void *entry);

/**
 * umaple_cursor_erase() - Remove the whole range that holds @index.
 * @cursor: A cursor.  Afterwards [@index, @last] is the range that was erased, or
 *          the hole that was there.
 * @ret_entry: Receives the entry that was erased, or %NULL; may be %NULL.
 *
 * Context: The write lock is held.  Never waits for a grace period.
 * Return:  0, also when nothing was there; -ENOMEM, and then tree and cursor are
 *          as they were.
 * Since:   0.1
 */
UMAPLE_EXPORT int umaple_cursor_erase(struct umaple_cursor *cursor,
				      void **ret_entry);

/**
 * umaple_cursor_prealloc() - Get all nodes that storing the range at hand may take.
 * @cursor: A cursor; [@index, @last] is the range.
 * @entry:  What will be stored, or any other entry; %NULL if it will be %NULL.
 *
 * For a store that must not fail: umaple_cursor_store_prealloc().  May be called
 * before the lock is taken.  Call umaple_cursor_finish() if no store follows.
 *
 * Context: Outside or under the write lock.  Never waits for a grace period.
 * Return:  0; -ENOMEM, and then nothing has changed.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cursor_prealloc(struct umaple_cursor *cursor, void *entry);

/**
 * umaple_cursor_store_prealloc() - Store with the nodes got in advance.
 * @cursor: A cursor after umaple_cursor_prealloc() for this range.
 * @entry:  What the range maps to; %NULL only if prealloc was told so.
 *
 * Gives back what is left of the nodes.  Cannot fail if the lock has been held
 * since the prealloc, and the tree was changed through nothing else.
 *
 * Context: The write lock is held.  Needs no memory.
 * Return:  0; -EINVAL without a prealloc for this range and kind of entry;
 *          -ESTALE if the tree has grown a level meanwhile: prealloc again.  On
 *          failure tree, cursor and what was got in advance are as they were.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cursor_store_prealloc(struct umaple_cursor *cursor, void *entry);

/**
 * umaple_cursor_finish() - Give back what umaple_cursor_prealloc() got.
 * @cursor: A cursor; nothing happens without a prealloc.
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cursor_finish(struct umaple_cursor *cursor);

/**
 * umaple_cursor_gap_first() - Make the cursor fresh at the lowest hole that fits.
 * @cursor: A cursor of a tree with %UMAPLE_TREE_GAPS; its place does not matter.
 * @size:   Indices wanted; at least 1.
 * @align:  The first index must be a multiple of this power of two; 1 for any.
 * @min:    Lowest index that may be used.
 * @max:    Highest index that may be used.
 *
 * Context: The write lock is held.
 * Return:  0, and [@index, @last] is the gap, of exactly @size; else as
 *          umaple_gap_first(), and the cursor is unchanged.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cursor_gap_first(struct umaple_cursor *cursor, uint64_t size,
			uint64_t align, uint64_t min, uint64_t max);

/**
 * umaple_cursor_gap_last() - Make the cursor fresh at the highest hole that fits.
 * @cursor: A cursor of a tree with %UMAPLE_TREE_GAPS; its place does not matter.
 * @size:   Indices wanted; at least 1.
 * @align:  The first index must be a multiple of this power of two; 1 for any.
 * @min:    Lowest index that may be used.
 * @max:    Highest index that may be used.
 *
 * Context: The write lock is held.
 * Return:  As umaple_cursor_gap_first().
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cursor_gap_last(struct umaple_cursor *cursor, uint64_t size,
		       uint64_t align, uint64_t min, uint64_t max);

/**
 * umaple_cursor_gap_first_offset() - As gap_first, beside multiples of the alignment.
 * @cursor: As for umaple_cursor_gap_first().
 * @size:   As there.
 * @align:  A power of two.
 * @offset: The first index must be a multiple of @align, plus this; below @align.
 * @min:    As there.
 * @max:    As there.
 *
 * So that indices which belong together in two places (of a file and of a mapping of
 * it, say) have the same remainder.
 *
 * Context: The write lock is held.
 * Return:  As umaple_cursor_gap_first(); also -EINVAL if @offset is not below @align.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cursor_gap_first_offset(struct umaple_cursor *cursor, uint64_t size,
			       uint64_t align, uint64_t offset, uint64_t min,
			       uint64_t max);

/**
 * umaple_cursor_gap_last_offset() - As gap_last, beside multiples of the alignment.
 * @cursor: As for umaple_cursor_gap_first().
 * @size:   As there.
 * @align:  A power of two.
 * @offset: The first index must be a multiple of @align, plus this; below @align.
 * @min:    As there.
 * @max:    As there.
 *
 * Context: The write lock is held.
 * Return:  As umaple_cursor_gap_first_offset().
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cursor_gap_last_offset(struct umaple_cursor *cursor, uint64_t size,
			      uint64_t align, uint64_t offset, uint64_t min,
			      uint64_t max);

UMAPLE_END_DECLS

#endif /* UMAPLE_CURSOR_H */
