/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/tree.h - map from closed ranges of 64-bit indices to pointers,
 * readable under RCU while one writes.
 *
 * A range is [first, last], both ends included; 0 to UINT64_MAX are all usable.
 * An entry is any pointer but %NULL; %NULL means that nothing is there: a hole.
 *
 * Readers never block and never write to the tree.  Functions here that read
 * take the read side of the tree's RCU flavour themselves, and let go of it
 * before they return: to go on using the entry, hold a read-side section of your
 * own around the call (they nest), or own the entry in another way.
 *
 * Writers take the tree's lock themselves, unless the tree was made with
 * %UMAPLE_TREE_EXTERNAL_LOCK.  Each write is atomic for readers: at each index a
 * reader finds the old entry or the new one, never nothing in between.
 *
 * The tree never frees an entry.
 */

#ifndef UMAPLE_TREE_H
#define UMAPLE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <umaple/attr.h>

UMAPLE_BEGIN_DECLS

struct umaple_cache;

/** Keep the largest hole below each node, so that gaps are found in O(height). */
#define UMAPLE_TREE_GAPS 1u

/**
 * Nothing ever runs beside a writer, neither reader nor writer: the caller sees
 * to it.  Writes then take no lock, change nodes in place, and free replaced
 * nodes at once.
 */
#define UMAPLE_TREE_SERIAL 2u

/**
 * Writers exclude each other by a lock of the caller's; the tree takes none.  Its
 * writes then never wait for readers, since those may wait for that lock, and give
 * -ENOMEM while too many replaced nodes wait for them: call umaple_cache_throttle()
 * before taking the lock.
 */
#define UMAPLE_TREE_EXTERNAL_LOCK 4u

/** Ranges with the same entry that touch become one, whenever one is stored. */
#define UMAPLE_TREE_MERGE 8u

/**
 * struct umaple_displaced - What a write has displaced.
 * @first:     First index that no longer maps to @entry.
 * @last:      Last such index.
 * @entry:     The entry.
 * @remaining: Ranges left of the one that @entry had there: 0 when it is gone, or
 *             has become part of a neighbour (@first and @last are then all of
 *             it); 1 when it was shortened, 2 when it was cut in two.  After
 *             umaple_move_range() what has moved counts as well.
 */
struct umaple_displaced {
	uint64_t first;
	uint64_t last;
	void *entry;
	unsigned int remaining;
};

/**
 * typedef umaple_displaced_fn - Told of each entry that a write displaces.
 * @what: What was displaced; valid during the call.
 * @arg:  As given to umaple_tree_set_displaced().
 *
 * Context: Under the tree's lock: must not call anything on this tree.  Within a
 *          read-side section of its flavour, unless it is serial: writes to other
 *          trees do not wait for readers then, and may give -ENOMEM at the limit on
 *          waiting nodes; must not wait for grace periods of other flavours.
 *          Readers may still find the entry until a grace period has passed from
 *          now on.
 */
typedef void umaple_displaced_fn(const struct umaple_displaced *what,
				 void *arg);

/**
 * typedef umaple_merge_fn - Does a neighbour become part of what is stored?
 * @neighbour: Entry of the range that touches.
 * @entry:     What is stored.
 * @arg:       As given to umaple_store_merge().
 *
 * Not asked about reserved ranges, which join only a reserved one; nor in a tree
 * with %UMAPLE_TREE_MERGE about the same entry, which always joins.
 *
 * Context: As umaple_displaced_fn.
 * Return:  True: the neighbour's range will map to @entry as well.
 */
typedef bool umaple_merge_fn(void *neighbour, void *entry, void *arg);

/**
 * struct umaple_tree - A tree; embed it, or place it in static storage.
 *
 * Initialise with %UMAPLE_TREE_INIT or umaple_tree_init().  The fields are
 * private: they are here so that the compiler knows the size, which is part of
 * the ABI.
 */
struct umaple_tree {
	/* what readers load; written when the tree grows or shrinks a level */
	void *root_;
	struct umaple_cache *cache_;
	uint32_t flags_;
	uint32_t reserved32_;
	umaple_displaced_fn *displaced_;
	void *displaced_arg_;
	void *draft_;
	void *reserved_[2];
	/* what each write changes, a cache line away from what readers load */
	unsigned long generation_;
	uint32_t lock_;
	uint32_t reserved32b_;
};

/**
 * Initialiser of a tree with the flags given: %UMAPLE_TREE_GAPS and so on.  Unknown
 * ones abort at the first store.
 */
#define UMAPLE_TREE_INIT_FLAGS(flags)                                          \
	{                                                                      \
		0, 0, (flags), 0, 0, 0, 0, { 0, 0 }, 0, 0, 0                   \
	}

/** Initialiser of a tree with no flags. */
#define UMAPLE_TREE_INIT UMAPLE_TREE_INIT_FLAGS(0)

/**
 * struct umaple_range - A range and its entry, as the searches return it.
 * @first: First index.
 * @last:  Last index, included.
 * @entry: What the range maps to.
 */
struct umaple_range {
	uint64_t first;
	uint64_t last;
	void *entry;
};

/**
 * UMAPLE_RESERVED - An entry that takes a range without giving it a value.
 *
 * Loads and searches of this header read %NULL there; insert and the gap
 * searches see it taken; cursors, and umaple_erase(), show it.
 */
#define UMAPLE_RESERVED (umaple_reserved())

/**
 * umaple_reserved() - What %UMAPLE_RESERVED stands for.
 *
 * A function, because a data symbol may have two addresses in one program.
 *
 * Context: Any.
 * Return:  The same pointer always; not to be followed.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_reserved(void);

/**
 * umaple_tree_init() - Make an empty tree.
 * @tree:  Memory to initialise.
 * @flags: Zero or more of the UMAPLE_TREE_ flags; others abort.
 *
 * Context: Nobody uses @tree yet.  Allocates nothing.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_tree_init(struct umaple_tree *tree,
				    unsigned int flags);

/**
 * umaple_tree_init_cache() - Make an empty tree whose nodes come from a cache.
 * @tree:  Memory to initialise.
 * @flags: Zero or more of the UMAPLE_TREE_ flags; others abort.
 * @cache: Cache of objects of 256 bytes aligned to 256.  Its RCU flavour becomes
 *         the tree's.  Must outlive the tree's nodes.
 *
 * Return:  0; -EINVAL if the cache's objects do not fit.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_tree_init_cache(struct umaple_tree *tree, unsigned int flags,
		       struct umaple_cache *cache);

/**
 * umaple_tree_set_serial() - Turn %UMAPLE_TREE_SERIAL on or off.
 * @tree:   Tree to change.
 * @serial: Whether nothing will run beside writers from now on.
 *
 * Context: Nobody else uses @tree, and no reader that may have begun earlier still
 *          does (wait for a grace period first).  No cursor has a position in it.
 *          Not between umaple_lock() and umaple_unlock().
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_tree_set_serial(struct umaple_tree *tree,
					  bool serial);

/**
 * umaple_tree_set_displaced() - Be told of each entry that a write displaces.
 * @tree:      Tree to watch.
 * @displaced: Called once for each range, in ascending order, after each write that
 *             succeeds: for what it overwrites, erases, cuts, or merges away, and
 *             for all at umaple_tree_destroy().  %NULL for no more.
 * @arg:       Passed on.
 *
 * So an owner who counts ranges can let go of an entry when its last is gone:
 * subtract one for each call, and add what remains.  A store counts as displacing
 * the same entry at the same place, too.  Reserved ranges are not reported.
 *
 * Context: Nobody writes to @tree meanwhile.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_tree_set_displaced(struct umaple_tree *tree,
					     umaple_displaced_fn *displaced,
					     void *arg);

/**
 * umaple_tree_destroy() - Empty a tree and free its nodes, not its entries.
 * @tree: Tree to empty.  It can be used again at once, with the same flags.
 *
 * Concurrent readers may finish: nodes are freed after a grace period unless
 * the tree is %UMAPLE_TREE_SERIAL.
 *
 * Context: Takes the tree's lock unless it is external.  May wait for a grace
 *          period, before the lock is taken, as umaple_store_range().
 * Cost:    O(nodes).
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_tree_destroy(struct umaple_tree *tree);

/**
 * umaple_tree_destroy_locked() - As umaple_tree_destroy(), with the lock held.
 * @tree: Tree to empty.
 *
 * Context: The caller holds the write lock: umaple_lock()'s, or the external one.
 *          Never waits.
 * Cost:    O(nodes).
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_tree_destroy_locked(struct umaple_tree *tree);

/**
 * umaple_tree_dup() - Copy a tree.
 * @dst: Initialised and empty tree with the flags of @src; receives the copy.
 * @src: Tree to copy.  Its entries are copied as pointers.
 *
 * The copy is exact, node by node, and independent of @src afterwards.  It does not
 * take over the callback of umaple_tree_set_displaced(), nor is anybody told that
 * entries have a second range now.
 *
 * Context: Takes both trees' locks, unless external.  May wait for grace periods,
 *          one for each tree, before they are taken.
 * Cost:    O(nodes); faster than storing each range.
 * Return:  0; -EINVAL if @dst is not empty or flags differ; -ENOMEM.  On failure
 *          @dst is empty.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int umaple_tree_dup(struct umaple_tree *dst,
						   struct umaple_tree *src);

/**
 * umaple_tree_dup_locked() - As umaple_tree_dup(), with both locks held.
 * @dst: As for umaple_tree_dup().
 * @src: As for umaple_tree_dup().
 *
 * Context: The caller holds both write locks: umaple_lock()'s, or the external
 *          ones.  Never waits for a grace period.
 * Cost:    O(nodes).
 * Return:  As umaple_tree_dup().
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_tree_dup_locked(struct umaple_tree *dst, struct umaple_tree *src);

/**
 * umaple_tree_build() - Fill an empty tree from sorted ranges.
 * @tree:   Empty tree.
 * @ranges: Ranges in ascending order that do not overlap, with entries that are
 *          not %NULL; in a tree with %UMAPLE_TREE_MERGE already merged.
 * @count:  Number of ranges; may be 0.
 * @fill:   Per cent of each node to fill, 50 to 100; 0 for 100.  Room saves a split
 *          later.
 *
 * Context: Takes the tree's lock unless it is external.  May wait as
 *          umaple_store_range().
 * Cost:    O(@count); about ten times faster than storing each range.
 * Return:  0; -EINVAL if @tree is not empty, the ranges are not as described
 *          (the first that is not is at fault), or @fill is out of range; -ENOMEM.
 *          On failure @tree is empty.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_tree_build(struct umaple_tree *tree, const struct umaple_range *ranges,
		  size_t count, unsigned int fill);

/**
 * umaple_tree_is_empty() - Does no index have an entry?
 * @tree: A tree.
 *
 * Context: Any thread.
 * Since:   0.1
 */
UMAPLE_EXPORT bool umaple_tree_is_empty(const struct umaple_tree *tree);

/**
 * umaple_lock() - Take a tree's write lock.
 * @tree: A tree; not one with an external lock, which aborts.
 *
 * For writes through a cursor, or several writes as one.  If too many nodes wait
 * for a grace period it waits for one first, outside the lock.  With the lock held
 * the thread is inside a read-side section, so that nodes which are replaced
 * meanwhile stay readable through older cursors.
 *
 * The functions of this header that write take the lock themselves: do not call
 * them while you hold it, use a cursor.
 *
 * Context: May block.  Not recursive.  Not for signal handlers.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_lock(struct umaple_tree *tree);

/**
 * umaple_unlock() - Let a tree's write lock go.
 * @tree: A tree that the caller has locked.
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_unlock(struct umaple_tree *tree);

/**
 * umaple_read_lock() - Enter a read-side section of the tree's RCU flavour.
 * @tree: A tree.
 *
 * The same as the flavour's own function.  Sections nest.  Until
 * umaple_read_unlock(), nodes that a cursor of this thread stands on stay, and
 * so do entries that their owner frees after a grace period of that flavour.
 *
 * Context: A registered thread, where the flavour asks for that.  With the default
 *          flavour a thread's first section may allocate: liburcu aborts if it
 *          cannot.  (So may the first umaple_load(), search or umaple_lock() of a
 *          thread; enter and leave a section early where that matters.)
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_read_lock(const struct umaple_tree *tree);

/**
 * umaple_read_unlock() - Leave the read-side section.
 * @tree: The tree given to umaple_read_lock().
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_read_unlock(const struct umaple_tree *tree);

/**
 * umaple_load() - The entry at an index.
 * @tree:  Tree to read.
 * @index: Any index.
 *
 * Context: Any thread (a registered one, where the flavour asks for that).
 *          Never blocks.
 * Cost:    One node per level.
 * Return:  The entry, or %NULL in a hole.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_load(const struct umaple_tree *tree, uint64_t index);

/**
 * umaple_load_many() - The entries at many indices.
 * @tree:      Tree to read.
 * @indices:   Any indices, in any order.
 * @ret_entries: Receives for each index its entry, or %NULL in a hole.
 * @count:     Number of indices.
 *
 * As @count calls of umaple_load(), but lookups go down the tree side by side, so
 * that their cache misses overlap: several times faster in a tree that does not
 * fit the CPU's caches.  Each lookup is atomic; together they are not.
 *
 * Context: Any thread (a registered one, where the flavour asks for that).
 *          Never blocks.  One read-side section for all.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_load_many(const struct umaple_tree *tree,
				    const uint64_t *indices, void **ret_entries,
				    size_t count);

/**
 * umaple_store() - Make one index map to an entry.
 * @tree:  Tree to change.
 * @index: The index.
 * @entry: What it maps to from now on; %NULL empties it.
 *
 * As umaple_store_range() for [@index, @index].
 *
 * Return:  0; -ENOMEM.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int umaple_store(struct umaple_tree *tree,
						uint64_t index, void *entry);

/**
 * umaple_store_range() - Make every index of a range map to one entry.
 * @tree:  Tree to change.
 * @first: First index.
 * @last:  Last index, included; not below @first.
 * @entry: What they map to from now on; %NULL empties the range.
 *
 * Ranges that this one overlaps are shortened, cut in two or dropped.  Equal
 * neighbours stay two ranges.
 *
 * Context: Takes the tree's lock unless it is external; then the caller holds
 *          it.  May wait for a grace period, before the lock is taken, when too
 *          many nodes wait for one.  Inside a read-side section it does not.
 * Cost:    O(height) nodes written, and each node that the range covers dropped.
 * Return:  0; -EINVAL if @first > @last; -ENOMEM.  On failure the tree is as it
 *          was.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int umaple_store_range(struct umaple_tree *tree,
						      uint64_t first,
						      uint64_t last,
						      void *entry);

/**
 * umaple_store_merge() - Store, and become one with neighbours of the same kind.
 * @tree:  Tree to change.
 * @first: First index.
 * @last:  Last index, included; not below @first.
 * @entry: Not %NULL.
 * @merge: Asked for each range that touches, outwards until it says no; %NULL: is it
 *         the same entry?  What is left of ranges that are overwritten in part is
 *         asked for too.
 * @arg:   Passed on.
 *
 * Overwriting and merging are one step for readers.
 *
 * Context: As umaple_store_range().
 * Return:  0; -EINVAL if @first > @last or @entry is %NULL; -ENOMEM.  On failure the
 *          tree is as it was.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_store_merge(struct umaple_tree *tree, uint64_t first, uint64_t last,
		   void *entry, umaple_merge_fn *merge, void *arg);

/**
 * umaple_move_range() - Move a range, with all entries in it, as one step.
 * @tree:  Tree to change.
 * @first: First index of the range.
 * @last:  Last index, included; not below @first.
 * @to:    Where @first goes.  The two places may overlap.
 *
 * Afterwards [@to, @to + (@last - @first)] holds what [@first, @last] held, holes
 * included, and what is left of [@first, @last] is a hole.  Ranges that reach
 * across its ends are cut.  What the new place held is overwritten.  If @to is
 * @first nothing changes, nor is anything cut.
 *
 * The callback of umaple_tree_set_displaced() is told of what was overwritten, of
 * what was cut, and of what became part of a neighbour that moved there; not of
 * what moved whole.
 *
 * Readers go from all before to all after by one store; a lookup that started
 * before it may still see the tree before.
 *
 * Context: As umaple_store_range().
 * Cost:    O(ranges moved or overwritten * height).
 * Return:  0; -EINVAL if @first > @last or the new place would end above
 *          UINT64_MAX; -ENOMEM.  On failure the tree is as it was.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int umaple_move_range(struct umaple_tree *tree,
						     uint64_t first,
						     uint64_t last,
						     uint64_t to);

/**
 * umaple_insert() - Store at one index if nothing is there.
 * @tree:  Tree to change.
 * @index: The index.
 * @entry: Not %NULL.
 *
 * Return:  As umaple_insert_range().
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int umaple_insert(struct umaple_tree *tree,
						 uint64_t index, void *entry);

/**
 * umaple_insert_range() - Store if nothing is there.
 * @tree:  Tree to change.
 * @first: First index.
 * @last:  Last index, included.
 * @entry: Not %NULL.
 *
 * Context: As umaple_store_range().
 * Return:  0; -EEXIST if any index of the range has an entry; -EINVAL if
 *          @first > @last or @entry is %NULL; -ENOMEM.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int umaple_insert_range(struct umaple_tree *tree,
						       uint64_t first,
						       uint64_t last,
						       void *entry);

/**
 * umaple_erase() - Remove the whole range that holds an index.
 * @tree:  Tree to change.
 * @index: Any index of the range.
 * @ret:   Receives what was erased, or the hole at @index with a %NULL entry;
 *         may be %NULL.  Set only on success.
 *
 * Context: As umaple_store_range().
 * Return:  0, also when nothing was there; -ENOMEM, and then nothing is erased.
 * Since:   0.1
 */
UMAPLE_EXPORT int umaple_erase(struct umaple_tree *tree, uint64_t index,
			       struct umaple_range *ret);

/**
 * umaple_replace() - Give the range at an index another entry, if it has the one
 * expected.
 * @tree:  Tree to change.
 * @index: Any index of the range.
 * @old:   The entry expected; not %NULL.
 * @entry: The new one; not %NULL.
 *
 * The range stays as it is, and nothing is allocated; except that in a tree with
 * %UMAPLE_TREE_MERGE it becomes one with what touches it and has @entry.
 *
 * Context: As umaple_store_range().
 * Return:  0; -EAGAIN if the entry there is not @old; -EINVAL for a %NULL entry;
 *          -ENOMEM only where ranges would have become one.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int umaple_replace(struct umaple_tree *tree,
						  uint64_t index, void *old,
						  void *entry);

/**
 * umaple_find() - The range at an index, or else the first one after it.
 * @tree:  Tree to read.
 * @index: Where to start.
 * @max:   Ranges that start above this do not count.
 * @ret:   The range found; may be %NULL.  Set only when there is one.
 *
 * Return:  The entry, or %NULL when there is none, or @index > @max.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_find(const struct umaple_tree *tree, uint64_t index,
				uint64_t max, struct umaple_range *ret);

/**
 * umaple_find_rev() - The range at an index, or else the last one before it.
 * @tree:  Tree to read.
 * @index: Where to start.
 * @min:   Ranges that end below this do not count.
 * @ret:   The range found; may be %NULL.  Set only when there is one.
 *
 * Return:  The entry, or %NULL when there is none, or @index < @min.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_find_rev(const struct umaple_tree *tree,
				    uint64_t index, uint64_t min,
				    struct umaple_range *ret);

/**
 * umaple_next() - The first range after the one (or the hole) at an index.
 * @tree:  Tree to read.
 * @index: Any index.
 * @max:   Ranges that start above this do not count.
 * @ret:   The range found; may be %NULL.  Set only when there is one.
 *
 * Return:  The entry, or %NULL when there is none.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_next(const struct umaple_tree *tree, uint64_t index,
				uint64_t max, struct umaple_range *ret);

/**
 * umaple_prev() - The last range before the one (or the hole) at an index.
 * @tree:  Tree to read.
 * @index: Any index.
 * @min:   Ranges that end below this do not count.
 * @ret:   The range found; may be %NULL.  Set only when there is one.
 *
 * Return:  The entry, or %NULL when there is none.
 * Since:   0.1
 */
UMAPLE_EXPORT void *umaple_prev(const struct umaple_tree *tree, uint64_t index,
				uint64_t min, struct umaple_range *ret);

/**
 * umaple_find_hole() - The hole at an index, or else the first one after it.
 * @tree:  Tree to read.
 * @index: Where to start.
 * @max:   Holes that start above this do not count.
 * @ret:   The whole hole, with a %NULL entry; may be %NULL.  Set only when there is
 *         one.
 *
 * For holes of a size or alignment, umaple_gap_first().
 *
 * Cost:    O(height + ranges passed over).
 * Return:  Whether there is one.
 * Since:   0.1
 */
UMAPLE_EXPORT bool umaple_find_hole(const struct umaple_tree *tree,
				    uint64_t index, uint64_t max,
				    struct umaple_range *ret);

/**
 * umaple_count() - How many ranges meet [@first, @last]?
 * @tree:  Tree to read.
 * @first: First index.
 * @last:  Last index, included.
 *
 * What is written meanwhile may be counted or not; ranges that are counted do not
 * overlap, and each was there as a whole at one moment.
 *
 * Cost:    O(height + ranges counted).
 * Return:  The number; reserved ranges are not counted.
 * Since:   0.1
 */
UMAPLE_EXPORT uint64_t umaple_count(const struct umaple_tree *tree,
				    uint64_t first, uint64_t last);

/**
 * umaple_for_each() - Visit the ranges that meet [from, to], in order.
 * @tree:  Tree to read.
 * @range: A struct umaple_range to hold the range at hand.
 * @from:  Where to start.
 * @to:    Where to stop, included; evaluated more than once.
 *
 * Each step is one umaple_find(): what happens to the tree between two steps is
 * seen.  No index is reported twice: a range that has grown back over the place
 * reached comes from there on.  umaple_cursor_for_each() is faster.
 */
#define umaple_for_each(tree, range, from, to)                                 \
	for (umaple_find_into_((tree), (from), (to), &(range)); (range).entry; \
	     umaple_find_after_into_((tree), (to), &(range)))

/**
 * umaple_for_each_rev() - Visit the ranges that meet [to, from], the last first.
 * @tree:  Tree to read.
 * @range: A struct umaple_range to hold the range at hand.
 * @from:  Where to start.
 * @to:    Where to stop, included, not above @from; evaluated more than once.
 *
 * As umaple_for_each(), by umaple_find_rev().
 */
#define umaple_for_each_rev(tree, range, from, to)                             \
	for (umaple_find_rev_into_((tree), (from), (to), &(range));            \
	     (range).entry; umaple_find_before_into_((tree), (to), &(range)))

/**
 * umaple_for_each_hole() - Visit the holes that meet [from, to], in order.
 * @tree:  Tree to read.
 * @hole:  A struct umaple_range to hold the hole at hand; its entry is %NULL.
 * @from:  Where to start.
 * @to:    Where to stop, included; evaluated more than once.
 *
 * Each step is one umaple_find_hole(), under the rules of umaple_for_each().
 */
#define umaple_for_each_hole(tree, hole, from, to)                             \
	for (umaple_hole_start_((from), &(hole));                              \
	     umaple_hole_step_((tree), (to), &(hole));)

/**
 * umaple_gap_first() - The lowest hole that fits.
 * @tree:      Tree with %UMAPLE_TREE_GAPS.
 * @size:      Indices wanted; at least 1.
 * @align:     The first index must be a multiple of this power of two; 1 for any.
 * @min:       Lowest index that may be used.
 * @max:       Highest index that may be used.
 * @ret_first: First index of the lowest fit.  Set only on success.
 *
 * Each search is independent of those before.
 *
 * Context: Takes the tree's lock for the search unless it is external; then the
 *          caller holds it.  May wait for a grace period, before the lock is
 *          taken, as umaple_store_range().  (With umaple_lock() held, use the
 *          cursor's functions, so that the hole is still there when you store.)
 * Cost:    O(height) when any hole will do; more when window or alignment refuse
 *          holes that are large enough.
 * Return:  0; -EBUSY if nothing fits; -EINVAL if @size is 0 or does not fit into
 *          [@min, @max], @min > @max, @align is no power of two, or @tree keeps
 *          no gaps.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_gap_first(struct umaple_tree *tree, uint64_t size, uint64_t align,
		 uint64_t min, uint64_t max, uint64_t *ret_first);

/**
 * umaple_gap_last() - The highest hole that fits.
 * @tree:      Tree with %UMAPLE_TREE_GAPS.
 * @size:      Indices wanted; at least 1.
 * @align:     The first index must be a multiple of this power of two; 1 for any.
 * @min:       Lowest index that may be used.
 * @max:       Highest index that may be used.
 * @ret_first: First index of the highest fit.  Set only on success.
 *
 * Context: As umaple_gap_first().
 * Return:  As umaple_gap_first().
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_gap_last(struct umaple_tree *tree, uint64_t size, uint64_t align,
		uint64_t min, uint64_t max, uint64_t *ret_first);

/**
 * umaple_alloc_range() - Store into the lowest hole that fits.
 * @tree:      Tree with %UMAPLE_TREE_GAPS.
 * @entry:     Not %NULL.
 * @size:      Indices wanted; at least 1.
 * @align:     The first index must be a multiple of this power of two; 1 for any.
 * @min:       Lowest index that may be used.
 * @max:       Highest index that may be used.
 * @ret_first: First index of the range stored.  Set only on success.
 *
 * Search and store are one step: no other writer comes between.
 *
 * Context: As umaple_store_range().
 * Return:  0; -EBUSY if nothing fits; -EINVAL as umaple_gap_first(), or for a
 *          %NULL @entry; -ENOMEM.  On failure the tree is as it was.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_alloc_range(struct umaple_tree *tree, void *entry, uint64_t size,
		   uint64_t align, uint64_t min, uint64_t max,
		   uint64_t *ret_first);

/**
 * umaple_alloc_range_rev() - Store into the highest hole that fits.
 * @tree:      Tree with %UMAPLE_TREE_GAPS.
 * @entry:     Not %NULL.
 * @size:      Indices wanted; at least 1.
 * @align:     The first index must be a multiple of this power of two; 1 for any.
 * @min:       Lowest index that may be used.
 * @max:       Highest index that may be used.
 * @ret_first: First index of the range stored.  Set only on success.
 *
 * Context: As umaple_store_range().
 * Return:  As umaple_alloc_range().
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_alloc_range_rev(struct umaple_tree *tree, void *entry, uint64_t size,
		       uint64_t align, uint64_t min, uint64_t max,
		       uint64_t *ret_first);

/**
 * struct umaple_cyclic - Where umaple_alloc_cyclic() goes on.
 * @next:     Index to try first; zero to begin with.
 * @past_end: The last index handed out was UINT64_MAX.
 * @wrapped:  Set by each success: the search had to start again at the low end.
 */
struct umaple_cyclic {
	uint64_t next;
	bool past_end;
	bool wrapped;
};

/**
 * umaple_alloc_cyclic() - Store at the next free index, round and round.
 * @tree:      Tree with %UMAPLE_TREE_GAPS.
 * @entry:     Not %NULL.
 * @min:       Lowest index that may be used.
 * @max:       Highest index that may be used.
 * @cyclic:    In and out: where to go on.  Unchanged on failure.
 * @ret_index: The index.  Set only on success.
 *
 * Takes the lowest free index at or above @cyclic->next; if there is none up to
 * @max, the lowest free from @min on.  So an index that was given back is not
 * used again at once.
 *
 * Context: As umaple_store_range().  One thread at a time for the same @cyclic.
 * Return:  0, and @cyclic->wrapped tells whether it came round; -EBUSY if all of
 *          [@min, @max] is taken; -EINVAL if @min > @max, @entry is %NULL, or
 *          @tree keeps no gaps; -ENOMEM.  On failure the tree is as it was.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_alloc_cyclic(struct umaple_tree *tree, void *entry, uint64_t min,
		    uint64_t max, struct umaple_cyclic *cyclic,
		    uint64_t *ret_index);

/* The steps of the loops above; not for direct use. */
static inline void umaple_find_into_(const struct umaple_tree *tree,
				     uint64_t index, uint64_t max,
				     struct umaple_range *range)
{
	range->entry = umaple_find(tree, index, max, range);
}

static inline void umaple_find_after_into_(const struct umaple_tree *tree,
					   uint64_t max,
					   struct umaple_range *range)
{
	uint64_t next = range->last + 1;

	if (range->last >= max) {
		range->entry = NULL;
		return;
	}
	umaple_find_into_(tree, next, max, range);
	/* Of a range that has grown over what was reported, the part outside. */
	if (range->entry && range->first < next)
		range->first = next;
}

static inline void umaple_find_rev_into_(const struct umaple_tree *tree,
					 uint64_t index, uint64_t min,
					 struct umaple_range *range)
{
	range->entry = umaple_find_rev(tree, index, min, range);
}

static inline void umaple_find_before_into_(const struct umaple_tree *tree,
					    uint64_t min,
					    struct umaple_range *range)
{
	uint64_t next = range->first - 1;

	if (range->first <= min) {
		range->entry = NULL;
		return;
	}
	umaple_find_rev_into_(tree, next, min, range);
	if (range->entry && range->last > next)
		range->last = next;
}

/* An entry, which no hole has, stands for "nothing was visited yet". */
static inline void umaple_hole_start_(uint64_t from, struct umaple_range *hole)
{
	hole->first = from;
	hole->last = from;
	hole->entry = hole;
}

static inline bool umaple_hole_step_(const struct umaple_tree *tree,
				     uint64_t max, struct umaple_range *hole)
{
	uint64_t next = hole->last + 1;

	if (hole->entry)
		return umaple_find_hole(tree, hole->first, max, hole);
	if (hole->last >= max || !umaple_find_hole(tree, next, max, hole))
		return false;
	if (hole->first < next)
		hole->first = next;
	return true;
}

UMAPLE_END_DECLS

#endif /* UMAPLE_TREE_H */
