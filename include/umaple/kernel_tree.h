/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/kernel_tree.h - mtree_ and mt_: trees, and the functions that take the
 * lock or enter a read-side section by themselves.
 *
 * Part of umaple/kernel.h.  For a tree with %MT_FLAGS_LOCK_EXTERN the functions
 * that write take no lock: the caller holds one.
 */

#ifndef UMAPLE_KERNEL_TREE_H
#define UMAPLE_KERNEL_TREE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <umaple/attr.h>
#include <umaple/cursor.h>
#include <umaple/debug.h>
#include <umaple/kernel_types.h>
#include <umaple/tree.h>

UMAPLE_BEGIN_DECLS

/*
 * Flags of a tree.  Readers need no lock in any tree, with %MT_FLAGS_USE_RCU or
 * without: the flag is only remembered.  So are the two kinds of lock that
 * exclude interrupts.
 */
#define MT_FLAGS_ALLOC_RANGE 0x01u /* gaps are searched for */
#define MT_FLAGS_USE_RCU     0x02u
#define MT_FLAGS_LOCK_IRQ    0x100u
#define MT_FLAGS_LOCK_BH     0x200u
#define MT_FLAGS_LOCK_EXTERN 0x300u /* writers hold a lock of the caller's */
#define MT_FLAGS_LOCK_MASK   0x300u

/**
 * struct maple_tree - A tree.
 * @tree:     The tree, for every function of umaple/tree.h.
 * @ma_flags: Flags as given; read only.
 * @wrapped_: The last index handed out was ULONG_MAX.  Under the lock.
 */
struct maple_tree {
	struct umaple_tree tree;
	unsigned int ma_flags;
	bool wrapped_;
};

/* The flags of the tree inside, as a constant expression. */
#define UMAPLE_KERNEL_FLAGS_(flags)                                            \
	((MT_FLAGS_ALLOC_RANGE & (flags) ? UMAPLE_TREE_GAPS : 0u) |            \
	 ((MT_FLAGS_LOCK_MASK & (flags)) == MT_FLAGS_LOCK_EXTERN               \
		  ? UMAPLE_TREE_EXTERNAL_LOCK                                  \
		  : 0u))

/** MTREE_INIT() - Initialiser of the tree @name. */
#define MTREE_INIT(name, flags)                                                \
	{                                                                      \
		UMAPLE_TREE_INIT_FLAGS(UMAPLE_KERNEL_FLAGS_(flags)), (flags),  \
			false                                                  \
	}

/** MTREE_INIT_EXT() - The same, with @lock as its lock, which is not recorded. */
#define MTREE_INIT_EXT(name, flags, lock)                                      \
	MTREE_INIT(name, (flags) | MT_FLAGS_LOCK_EXTERN)

/** DEFINE_MTREE() - Define a tree without flags. */
#define DEFINE_MTREE(name) struct maple_tree name = MTREE_INIT(name, 0u)

/** mt_init_flags() - Make an empty tree. */
static inline void mt_init_flags(struct maple_tree *mt, unsigned int flags)
{
	umaple_tree_init(&mt->tree, UMAPLE_KERNEL_FLAGS_(flags));
	mt->ma_flags = flags;
	mt->wrapped_ = false;
}

/** mt_init() - Make an empty tree without flags. */
static inline void mt_init(struct maple_tree *mt)
{
	mt_init_flags(mt, 0);
}

/** mt_external_lock() - Do writers hold a lock of the caller's? */
static inline bool mt_external_lock(const struct maple_tree *mt)
{
	return (mt->ma_flags & MT_FLAGS_LOCK_MASK) == MT_FLAGS_LOCK_EXTERN;
}

/**
 * mt_set_external_lock() - Name the lock of a tree with %MT_FLAGS_LOCK_EXTERN.
 *
 * Changes nothing: who holds the lock is not checked.
 */
#define mt_set_external_lock(mt, lock) ((void)(mt), (void)(lock))

/** mt_in_rcu() - Was %MT_FLAGS_USE_RCU asked for? */
static inline bool mt_in_rcu(const struct maple_tree *mt)
{
	return mt->ma_flags & MT_FLAGS_USE_RCU;
}

/** mt_set_in_rcu() - Remember that it is; readers need no lock before, either. */
static inline void mt_set_in_rcu(struct maple_tree *mt)
{
	mt->ma_flags |= MT_FLAGS_USE_RCU;
}

/** mt_clear_in_rcu() - Remember that it is not; readers still need no lock. */
static inline void mt_clear_in_rcu(struct maple_tree *mt)
{
	mt->ma_flags &= ~MT_FLAGS_USE_RCU;
}

/**
 * mtree_lock() - Take the tree's own lock; aborts if the lock is external.
 *
 * Sleeps where the kernel spins, and may wait for grace periods before.
 */
static inline void mtree_lock(struct maple_tree *mt)
{
	umaple_lock(&mt->tree);
}

/** mtree_lock_nested() - As mtree_lock(). */
#define mtree_lock_nested(mt, subclass) ((void)(subclass), mtree_lock(mt))

/** mtree_unlock() - Let go of it. */
static inline void mtree_unlock(struct maple_tree *mt)
{
	umaple_unlock(&mt->tree);
}

/*
 * Nothing waits inside a read-side section: so a call that must not wait is made
 * inside one.
 */
static inline void umaple_kernel_enter_(struct maple_tree *mt, gfp_t gfp)
{
	if (!gfpflags_allow_blocking(gfp))
		umaple_read_lock(&mt->tree);
}

static inline void umaple_kernel_leave_(struct maple_tree *mt, gfp_t gfp)
{
	if (!gfpflags_allow_blocking(gfp))
		umaple_read_unlock(&mt->tree);
}

/** mtree_destroy() - Empty a tree.  Entries are not freed. */
static inline void mtree_destroy(struct maple_tree *mt)
{
	umaple_tree_destroy(&mt->tree);
}

/** __mt_destroy() - As mtree_destroy(), with the lock held. */
static inline void __mt_destroy(struct maple_tree *mt)
{
	umaple_tree_destroy_locked(&mt->tree);
}

/** mtree_empty() - Has no index an entry? */
static inline bool mtree_empty(const struct maple_tree *mt)
{
	return umaple_tree_is_empty(&mt->tree);
}

/**
 * mt_height() - Levels of nodes; 0 for an empty tree, 1 for a single entry.
 *
 * Counts all nodes, and nobody may write meanwhile.
 */
static inline unsigned int mt_height(const struct maple_tree *mt)
{
	struct umaple_tree_info info;

	umaple_tree_measure(&mt->tree, &info);
	return (unsigned int)info.height;
}

/* Can one tree be a copy of the other? */
static inline bool umaple_kernel_match_(const struct maple_tree *mt,
					const struct maple_tree *copy)
{
	return mt->ma_flags == copy->ma_flags;
}

/** mtree_dup() - Copy @mt into @copy, an empty tree with the same flags. */
static inline int mtree_dup(struct maple_tree *mt, struct maple_tree *copy,
			    gfp_t gfp)
{
	int err = -EINVAL;

	umaple_kernel_enter_(mt, gfp);
	if (umaple_kernel_match_(mt, copy))
		err = umaple_tree_dup(&copy->tree, &mt->tree);
	umaple_kernel_leave_(mt, gfp);
	return err;
}

/** __mt_dup() - As mtree_dup(), with both locks held. */
static inline int __mt_dup(struct maple_tree *mt, struct maple_tree *copy,
			   gfp_t gfp)
{
	(void)gfp;
	if (!umaple_kernel_match_(mt, copy))
		return -EINVAL;
	return umaple_tree_dup_locked(&copy->tree, &mt->tree);
}

/** mtree_load() - The entry at an index, or %NULL, also for %XA_ZERO_ENTRY. */
static inline void *mtree_load(const struct maple_tree *mt, unsigned long index)
{
	return umaple_load(&mt->tree, index);
}

/** mtree_store_range() - Store over whatever is there; any pointer will do. */
static inline int mtree_store_range(struct maple_tree *mt, unsigned long first,
				    unsigned long last, void *entry, gfp_t gfp)
{
	int err;

	umaple_kernel_enter_(mt, gfp);
	err = umaple_store_range(&mt->tree, first, last, entry);
	umaple_kernel_leave_(mt, gfp);
	return err;
}

/** mtree_store() - Store at one index over whatever is there. */
static inline int mtree_store(struct maple_tree *mt, unsigned long index,
			      void *entry, gfp_t gfp)
{
	return mtree_store_range(mt, index, index, entry, gfp);
}

/** mtree_insert_range() - Store where nothing is; -EINVAL for a %NULL entry. */
static inline int mtree_insert_range(struct maple_tree *mt, unsigned long first,
				     unsigned long last, void *entry, gfp_t gfp)
{
	int err;

	umaple_kernel_enter_(mt, gfp);
	err = umaple_insert_range(&mt->tree, first, last, entry);
	umaple_kernel_leave_(mt, gfp);
	return err;
}

/** mtree_insert() - The same at one index. */
static inline int mtree_insert(struct maple_tree *mt, unsigned long index,
			       void *entry, gfp_t gfp)
{
	return mtree_insert_range(mt, index, index, entry, gfp);
}

/**
 * mtree_erase() - Remove the whole range that holds an index.
 *
 * Return: Its entry, or %NULL when nothing was removed: because nothing is there,
 *         or because there was no memory, and then the entry is still there.
 *         mas_erase() tells one from the other.
 */
static inline void *mtree_erase(struct maple_tree *mt, unsigned long index)
{
	struct umaple_range range;

	return umaple_erase(&mt->tree, index, &range) ? NULL : range.entry;
}

/* umaple_alloc_range(), or umaple_alloc_range_rev(). */
typedef int umaple_kernel_alloc_fn_(struct umaple_tree *tree, void *entry,
				    uint64_t size, uint64_t align, uint64_t min,
				    uint64_t max, uint64_t *ret_first);

static inline int umaple_kernel_alloc_(umaple_kernel_alloc_fn_ *alloc,
				       struct maple_tree *mt,
				       unsigned long *startp, void *entry,
				       unsigned long size, unsigned long min,
				       unsigned long max, gfp_t gfp)
{
	uint64_t first;
	int err;

	umaple_kernel_enter_(mt, gfp);
	err = alloc(&mt->tree, entry, size, 1, min, max, &first);
	umaple_kernel_leave_(mt, gfp);
	if (!err)
		*startp = (unsigned long)first;
	return err;
}

/** mtree_alloc_range() - Store into the lowest hole of @size in a window. */
static inline int mtree_alloc_range(struct maple_tree *mt,
				    unsigned long *startp, void *entry,
				    unsigned long size, unsigned long min,
				    unsigned long max, gfp_t gfp)
{
	return umaple_kernel_alloc_(umaple_alloc_range, mt, startp, entry, size,
				    min, max, gfp);
}

/** mtree_alloc_rrange() - Store into the highest hole of @size in a window. */
static inline int mtree_alloc_rrange(struct maple_tree *mt,
				     unsigned long *startp, void *entry,
				     unsigned long size, unsigned long min,
				     unsigned long max, gfp_t gfp)
{
	return umaple_kernel_alloc_(umaple_alloc_range_rev, mt, startp, entry,
				    size, min, max, gfp);
}

/* The lowest free index from *@next on, else from @low on: 0, or 1 for the latter. */
static inline int umaple_kernel_next_free_(struct umaple_cursor *cursor,
					   unsigned long low,
					   unsigned long high,
					   unsigned long next)
{
	unsigned long from = next > low ? next : low;
	int err = -EBUSY;

	if (low > high)
		return -EINVAL;
	if (from <= high)
		err = umaple_cursor_gap_first(cursor, 1, 1, from, high);
	if (err != -EBUSY || from == low)
		return err;
	err = umaple_cursor_gap_first(cursor, 1, 1, low, high);
	return err ? err : 1;
}

/* One cyclic allocation, with the lock held. */
static inline int umaple_kernel_cyclic_(struct umaple_cursor *cursor,
					struct maple_tree *mt,
					unsigned long *startp, void *entry,
					unsigned long low, unsigned long high,
					unsigned long *next)
{
	int wrapped, err;

	if (!entry)
		return -EINVAL;
	wrapped = umaple_kernel_next_free_(cursor, low, high, *next);
	if (wrapped < 0)
		return wrapped;
	err = umaple_cursor_store(cursor, entry);
	if (err)
		return err;
	if (mt->wrapped_)
		wrapped = 1;
	*startp = (unsigned long)cursor->index;
	*next = *startp + 1;
	mt->wrapped_ = !*next;
	return wrapped;
}

/**
 * mtree_alloc_cyclic() - Store at the next free index, round and round.
 *
 * @next changes under the lock, and only on success.
 *
 * Return: 0; 1, which is success too, if it has come round; -EBUSY, -EINVAL,
 *         -ENOMEM.
 */
static inline int mtree_alloc_cyclic(struct maple_tree *mt,
				     unsigned long *startp, void *entry,
				     unsigned long range_lo,
				     unsigned long range_hi,
				     unsigned long *next, gfp_t gfp)
{
	bool external = mt_external_lock(mt);
	struct umaple_cursor cursor;
	int ret;

	umaple_cursor_init(&cursor, &mt->tree, 0, 0);
	umaple_kernel_enter_(mt, gfp);
	if (!external)
		mtree_lock(mt);
	ret = umaple_kernel_cyclic_(&cursor, mt, startp, entry, range_lo,
				    range_hi, next);
	if (!external)
		mtree_unlock(mt);
	umaple_kernel_leave_(mt, gfp);
	return ret;
}

/**
 * mt_find() - The first entry at or after *@index that starts at or below @max.
 *
 * On success *@index is where to go on: one past the range found, and 0 past
 * ULONG_MAX.  Otherwise it is unchanged.
 */
static inline void *mt_find(const struct maple_tree *mt, unsigned long *index,
			    unsigned long max)
{
	struct umaple_range range;
	void *entry = umaple_find(&mt->tree, *index, max, &range);

	if (entry)
		*index = (unsigned long)(range.last + 1);
	return entry;
}

/** mt_find_after() - As mt_find(), but *@index 0 means that the end is passed. */
static inline void *mt_find_after(const struct maple_tree *mt,
				  unsigned long *index, unsigned long max)
{
	return *index ? mt_find(mt, index, max) : NULL;
}

/**
 * mt_for_each() - Visit each range from @index up to @max.
 *
 * @index is a variable; each step is one search, and sees what was changed.
 */
#define mt_for_each(mt, entry, index, max)                                     \
	for ((entry) = mt_find((mt), &(index), (max)); (entry);                \
	     (entry) = mt_find_after((mt), &(index), (max)))

/** mt_next() - The first entry after the range, or the hole, at @index. */
static inline void *mt_next(const struct maple_tree *mt, unsigned long index,
			    unsigned long max)
{
	return umaple_next(&mt->tree, index, max, NULL);
}

/** mt_prev() - The last entry before the range, or the hole, at @index. */
static inline void *mt_prev(const struct maple_tree *mt, unsigned long index,
			    unsigned long min)
{
	return umaple_prev(&mt->tree, index, min, NULL);
}

/** enum mt_dump_format - How mt_dump() prints: both alike, in hexadecimal. */
enum mt_dump_format {
	mt_dump_dec,
	mt_dump_hex
};

/** mt_dump() - Print a tree to standard error. */
static inline void mt_dump(const struct maple_tree *mt,
			   enum mt_dump_format format)
{
	(void)format;
	umaple_tree_dump(&mt->tree, UMAPLE_DUMP_TEXT, stderr);
}

/** mt_validate() - Check every invariant; say which is broken and abort. */
static inline void mt_validate(const struct maple_tree *mt)
{
	char text[256];

	if (!umaple_tree_check(&mt->tree, text, sizeof(text)))
		return;
	fprintf(stderr, "mt_validate: %s\n", text);
	abort();
}

UMAPLE_END_DECLS

#endif /* UMAPLE_KERNEL_TREE_H */
