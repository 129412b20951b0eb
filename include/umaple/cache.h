/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/cache.h - cache of equal-sized objects whose free objects travel in
 * sheaves.
 *
 * A cache serves three needs that malloc() does not: objects promised in
 * advance (prefill), objects freed after a grace period in bundles (free_rcu),
 * and counters that say where each object went.
 *
 * Any thread may call any function at any time unless its Context says
 * otherwise; no thread has to register with the cache.  (liburcu flavours other
 * than the default want their readers registered: see struct
 * umaple_cache_attr.)  Nothing here is for signal handlers, nor is fork() in a
 * handler that may have interrupted a function of this library: it would wait for
 * what it interrupted.  Signals may arrive anywhere.
 *
 * A forked child may use all caches of the default flavour in full, whatever other
 * threads were doing.  What was queued to be freed is freed once in each process;
 * what other threads had in hand stays in use in the child.  The limits:
 *   - With other flavours, grace periods in the child need that only the forking
 *     thread was registered.
 *   - A fork inside a read-side section may leave the child without grace periods:
 *     what it frees after one then waits for ever, and umaple_cache_barrier() says
 *     so.
 *   - A fork under a lock that a reader in its section waits for may do the same,
 *     after a second; and if the program itself waits for a grace period of the
 *     default flavour meanwhile (synchronize_rcu(), call_rcu()), it waits for
 *     ever, as liburcu's urcu_bp_before_fork() does.
 *   - A program that blocks all signals round its forks is taken to have called
 *     urcu_bp_before_fork().  If it has not, a grace period that it waited for
 *     itself at the time may leave the child unable to wait for any.
 */

#ifndef UMAPLE_CACHE_H
#define UMAPLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <umaple/attr.h>

UMAPLE_BEGIN_DECLS

struct rcu_flavor_struct;
struct umaple_cache;
struct umaple_sheaf;

/**
 * struct umaple_cache_attr - What to create.  Zero means the default.
 * @size:           Bytes per object; 1 to 1,048,576.  Has no default.
 * @align:          Alignment in bytes, a power of two up to the page size; 0: as
 *                  malloc() would align @size.
 * @name:           For reports; copied.  %NULL: "unnamed".
 * @flavor:         The liburcu flavour whose grace periods umaple_cache_free_rcu()
 *                  waits for: &urcu_memb_flavor and so on from
 *                  <urcu/urcu-memb.h>.  %NULL: bp, which needs no registration
 *                  (a thread's first section, barrier or wait may allocate in
 *                  liburcu, which aborts if it cannot).  With qsbr, a thread that
 *                  is online counts as inside a read-side section: go offline
 *                  round barrier and destroy, and round writes that are to wait
 *                  at the limit.  The cache's own thread is no reader and needs
 *                  no registration.
 * @sheaf_capacity: Objects per sheaf; at most 1,024.  0: by object size.
 * @pending_limit:  Objects that may wait for a grace period, those in part-filled
 *                  sheaves aside, before callers that may wait are made to; at
 *                  twice this number, or 4,096 more if that is greater,
 *                  allocations fail with -ENOMEM until grace periods have passed.
 *                  0: 65,536.
 * @study:          Switches of umaple/experimental.h, to measure what a mechanism
 *                  is worth.
 */
struct umaple_cache_attr {
	size_t size;
	size_t align;
	const char *name;
	const struct rcu_flavor_struct *flavor;
	unsigned int sheaf_capacity;
	unsigned int study;
	size_t pending_limit;
	uint64_t reserved2_[4];
};

/**
 * umaple_cache_create() - Make a cache.
 * @attr:      What to create; copied.
 * @ret_cache: The cache.  Set only on success.
 *
 * Context: Any thread.
 * Return:  0; -EINVAL for a size, alignment, capacity, switch or reserved field
 *          out of range; -ENOMEM.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cache_create(const struct umaple_cache_attr *attr,
		    struct umaple_cache **ret_cache);

/**
 * umaple_cache_destroy() - Wait for queued frees and give all memory back.
 * @cache: Cache to destroy, or %NULL.  No other thread uses it any more.
 *
 * Objects that are still in use are a leak: their number is written to standard
 * error, the cache stays usable, and -EBUSY is returned.  The default cache is
 * never destroyed: -EBUSY as well.
 *
 * Context: Outside read-side sections of the cache's flavour; may wait for a
 *          grace period.
 * Return:  0; -EBUSY if objects or sheaves are still in use; -EDEADLK as
 *          umaple_cache_barrier().  On failure what is in use stays as it was.
 * Since:   0.1
 */
UMAPLE_EXPORT int umaple_cache_destroy(struct umaple_cache *cache);

/**
 * umaple_cache_default() - The cache that trees use unless told otherwise.
 *
 * Objects of 256 bytes aligned to 256, sheaves of 32, flavour bp.  Made at the
 * first call; lives as long as the process.
 *
 * Context: Any thread.
 * Return:  The cache, or %NULL when there is no memory for it.
 * Since:   0.1
 */
UMAPLE_EXPORT struct umaple_cache *umaple_cache_default(void);

/**
 * umaple_cache_object_size() - Bytes per object, as the cache lays them out.
 * @cache: A cache.
 *
 * Return:  The size asked for, rounded up to the alignment.
 * Since:   0.1
 */
UMAPLE_EXPORT size_t umaple_cache_object_size(const struct umaple_cache *cache);

/**
 * umaple_cache_alloc() - Take one object.
 * @cache: Cache to take it from.
 *
 * The object's contents are undefined.
 *
 * Context: Any thread.  Never waits for a grace period.  May map memory.
 * Cost:    A push or pop in the CPU's sheaf; one barn exchange every capacity
 *          objects.
 * Return:  The object, or %NULL when there is no memory or the pending limit is
 *          overrun.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD void *
umaple_cache_alloc(struct umaple_cache *cache);

/**
 * umaple_cache_free() - Give one object back at once.
 * @cache:  Cache it came from.
 * @object: The object, or %NULL.
 *
 * An address that is not an object of @cache aborts the process with a message (one
 * that is in no cache's memory may fault instead).
 * A double free does so when the object reaches its slab.
 *
 * Context: Any thread.  Never fails, never waits for a grace period.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cache_free(struct umaple_cache *cache, void *object);

/**
 * umaple_cache_alloc_bulk() - Take many objects: all, or none.
 * @cache:   Cache to take them from.
 * @objects: Filled in with @count objects.  After a failure what is in it means
 *           nothing.
 * @count:   How many; may be 0.
 *
 * The objects' contents are undefined.
 *
 * Context: Any thread.  Never waits for a grace period.  May map memory.
 * Cost:    The CPU's sheaves at once, then a barn exchange every capacity objects,
 *          then the slabs, which give what they have without a sheaf between.
 * Return:  0; -ENOMEM when there is no memory for all of them or the pending
 *          limit is overrun: then no object is kept.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cache_alloc_bulk(struct umaple_cache *cache, void **objects,
			size_t count);

/**
 * umaple_cache_free_bulk() - Give many objects back at once.
 * @cache:   Cache they came from.
 * @objects: The objects, in any order; none is %NULL, none comes twice.
 * @count:   How many; may be 0.
 *
 * As umaple_cache_free() for each.  All of them are looked at before the first is
 * freed.
 *
 * Context: Any thread.  Never fails, never waits for a grace period.
 * Cost:    As umaple_cache_alloc_bulk(); what goes to slabs takes an atomic
 *          operation per slab, not per object.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cache_free_bulk(struct umaple_cache *cache,
					  void *const *objects, size_t count);

/**
 * umaple_cache_free_rcu() - Give one object back after a grace period.
 * @cache:  Cache it came from.
 * @object: The object, which no new reader can find any more; or %NULL.
 *
 * Readers may go on reading @object until they leave the read-side section they
 * are in now: its memory is not touched before.
 *
 * Context: Any thread, also inside a read-side section.  Never waits, never
 *          fails, never touches the object's memory.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cache_free_rcu(struct umaple_cache *cache,
					 void *object);

/**
 * umaple_cache_prefill() - Borrow a sheaf that holds at least @count objects.
 * @cache: Cache to take them from.
 * @count: Objects promised; at least 1.  More than the sheaf capacity makes an
 *         oversize sheaf of exactly @count.
 *
 * Give the sheaf back with umaple_cache_return().
 *
 * Context: Any thread.  Never waits for a grace period.  May map memory.
 * Return:  The sheaf, or %NULL when there is no memory for all of @count; then
 *          nothing is kept.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD struct umaple_sheaf *
umaple_cache_prefill(struct umaple_cache *cache, size_t count);

/**
 * umaple_cache_take() - Take one object out of a borrowed sheaf.
 * @cache: Cache the sheaf belongs to.
 * @sheaf: Sheaf from umaple_cache_prefill(); one thread at a time.
 *
 * Return:  The object.  %NULL only when the sheaf is empty: more was taken than
 *          promised.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD void *
umaple_cache_take(struct umaple_cache *cache, struct umaple_sheaf *sheaf);

/**
 * umaple_cache_refill() - Make a borrowed sheaf hold at least @count again.
 * @cache: Cache the sheaf belongs to.
 * @sheaf: In and out: the sheaf may be replaced by another, also on failure.
 * @count: Objects wanted.
 *
 * Return:  0; -ENOMEM, and then the sheaf holds at least what it held before;
 *          -EINVAL if *@sheaf is %NULL.
 * Since:   0.1
 */
UMAPLE_EXPORT UMAPLE_NODISCARD int
umaple_cache_refill(struct umaple_cache *cache, struct umaple_sheaf **sheaf,
		    size_t count);

/**
 * umaple_cache_return() - Give a borrowed sheaf and what is left in it back.
 * @cache: Cache the sheaf belongs to.
 * @sheaf: The sheaf, or %NULL.
 *
 * Context: Any thread.  Never fails.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cache_return(struct umaple_cache *cache,
				       struct umaple_sheaf *sheaf);

/**
 * umaple_cache_sheaf_count() - Objects now inside a borrowed sheaf.
 * @sheaf: The sheaf.
 *
 * Since:   0.1
 */
UMAPLE_EXPORT size_t umaple_cache_sheaf_count(const struct umaple_sheaf *sheaf);

/**
 * umaple_cache_barrier() - Wait until every object freed before is free.
 * @cache: A cache.
 *
 * Covers each umaple_cache_free_rcu() that returned before this call began, by
 * any thread.
 *
 * Context: Outside read-side sections of the cache's flavour; holds no lock a
 *          reader may wait for.
 * Return:  0; -EDEADLK inside a read-side section, or when there are no grace
 *          periods after a fork (nothing was waited for).
 * Since:   0.1
 */
UMAPLE_EXPORT int umaple_cache_barrier(struct umaple_cache *cache);

/**
 * umaple_cache_throttle() - Wait if too many objects wait for grace periods.
 * @cache: A cache.
 *
 * For one grace period at most; others may free as much meanwhile.
 *
 * Trees with an internal lock call this before they take it.  With a lock of
 * your own, call it before you take yours: see struct umaple_cache_attr,
 * @pending_limit.
 *
 * Context: Holding no lock a reader may wait for.  Returns at once inside a
 *          read-side section.
 * Cost:    One load below the limit.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cache_throttle(struct umaple_cache *cache);

/**
 * umaple_cache_shrink() - Give unused memory back to the system.
 * @cache:      Cache to shrink.
 * @ret_before: Slabs held at the start, or %NULL.
 * @ret_after:  Slabs held at the end, or %NULL.
 *
 * Empties every CPU's sheaves and the barn into the slabs, then unmaps what is
 * empty.  Objects in borrowed sheaves and objects that wait for a grace period
 * stay: umaple_cache_barrier() first frees those too.
 *
 * Context: Any thread; never waits for a grace period.
 * Return:  0.
 * Since:   0.1
 */
UMAPLE_EXPORT int umaple_cache_shrink(struct umaple_cache *cache,
				      size_t *ret_before, size_t *ret_after);

/**
 * struct umaple_cache_stats - Where objects went.
 *
 * Counters since creation or the last reset; exact when no call is running,
 * never negative.  The names are those of the published tables for the kernel's
 * node cache, and mean the same; doc/allocator.md defines each.
 */
struct umaple_cache_stats {
	/* objects */
	uint64_t alloc_fastpath; /* taken from a CPU's sheaves */
	uint64_t alloc_slowpath; /* taken from slabs, outside refill */
	uint64_t free_fastpath;	 /* absorbed by a CPU's sheaves */
	uint64_t free_slowpath;	 /* given to slabs, outside flush */
	uint64_t sheaf_refill;	 /* slab to sheaf */
	uint64_t sheaf_flush;	 /* sheaf to slab */
	uint64_t free_rcu_sheaf; /* put into a CPU's rcu_free sheaf */
	uint64_t sheaf_take;	 /* taken from borrowed sheaves */
	/* calls */
	uint64_t free_rcu_sheaf_fail; /* marked in the slab instead */
	uint64_t sheaf_prefill_fast;  /* served by the CPU's spare */
	uint64_t sheaf_prefill_slow;
	uint64_t sheaf_prefill_oversize;
	uint64_t sheaf_return_fast; /* became the CPU's spare */
	uint64_t sheaf_return_slow;
	uint64_t guard_busy; /* the CPU's guard was held: slow path taken */
	uint64_t throttled;  /* waits for the pending limit */
	/* sheaves */
	uint64_t sheaf_alloc;	/* created, oversize included */
	uint64_t sheaf_free;	/* destroyed */
	uint64_t barn_get;	/* taken from the barn with objects */
	uint64_t barn_get_fail; /* none there */
	uint64_t barn_put;	/* full sheaf accepted by the barn */
	uint64_t barn_put_fail; /* refused: the barn is full */
	uint64_t rcu_reuse;	/* taken back by a CPU after the grace period */
	/* slabs */
	uint64_t alloc_slab;
	uint64_t free_slab;
	uint64_t free_add_partial;
	uint64_t free_remove_partial;
	uint64_t park_slab;
	uint64_t unpark_slab;
	uint64_t unpark_event;	/* times that any were unparked */
	uint64_t grace_periods; /* waited for by the cache's ticker */
	/* levels, now */
	uint64_t slabs;	  /* held */
	uint64_t partial; /* on the partial list */
	uint64_t objects; /* used in slabs; includes idle ones in sheaves */
	uint64_t objects_partial; /* used in slabs of the partial list */
	uint64_t total_objects;	  /* slabs * objs_per_slab */
	uint64_t pending;	  /* objects that wait for a grace period */
	/* constants */
	uint64_t object_size;
	uint64_t slab_size; /* bytes an object takes in its slab */
	uint64_t objs_per_slab;
	uint64_t order; /* slab is 4 KiB << order, whatever the page size */
	uint64_t min_partial;
	uint64_t sheaf_capacity;
};

/**
 * umaple_cache_stats_get() - Sum the counters of all CPUs.
 * @cache: A cache.
 * @stats: Filled in.
 *
 * Context: Any thread.
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cache_stats_get(struct umaple_cache *cache,
					  struct umaple_cache_stats *stats);

/**
 * umaple_cache_stats_reset() - Count from zero again.  Levels and constants stay.
 * @cache: A cache.
 *
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_cache_stats_reset(struct umaple_cache *cache);

/**
 * struct umaple_cache_stat_name - One field of struct umaple_cache_stats by name.
 * @name:   The field's name.
 * @offset: Its place, for generic printers.
 */
struct umaple_cache_stat_name {
	const char *name;
	size_t offset;
};

/**
 * umaple_cache_stat_names() - Names of all fields, in order.
 * @ret_count: Number of entries.
 *
 * Return:  A constant array.
 * Since:   0.1
 */
UMAPLE_EXPORT const struct umaple_cache_stat_name *
umaple_cache_stat_names(size_t *ret_count);

UMAPLE_END_DECLS

#endif /* UMAPLE_CACHE_H */
