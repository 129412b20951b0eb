/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab.h - runs of pages cut into equal objects.
 *
 * Role:  Objects of one size, taken and given back in batches.  Which objects of
 *        a slab are free is one word in the slab's metadata, so that freeing any
 *        number of them is one atomic operation and no object is ever touched.
 * Above: the cache layer, through the functions below.
 * Below: platform only.  Nothing here knows of sheaves, CPUs or RCU.
 * Locks: defer_lock (deferred objects), then list_lock (partial slabs), then
 *        pool_lock (chunks).  None is held while memory is mapped or unmapped;
 *        two are held together only for statistics.
 *
 * Marking for ASan and Valgrind: memory of a new chunk is marked free.  The cache
 * marks objects used when it hands them out and free when it takes them in.
 */

#ifndef SLAB_SLAB_H
#define SLAB_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/list.h"
#include "slab/chunk.h"

/* CPUs that the geometry is made for unless told: 64 nodes per 16 KiB slab. */
#define UMAPLE_SLAB_DEFAULT_NCPU 192

/* Bytes of the largest object. */
#define UMAPLE_SLAB_MAX_OBJECT ((size_t)1 << 20)

/**
 * struct umaple_slab_geometry - How a cache's objects lie in memory.
 * @object_size:    Bytes of an object: the size asked for, up to its alignment.
 * @align:          Alignment of an object.
 * @slot_size:      Bytes from one object of a slab to the next.
 * @order:          Slabs have 4 KiB << @order, whatever the system's page.
 * @slab_bytes:     The same in bytes.
 * @objs_per_slab:  At most 64: the free set of a slab is one word.  (A list
 *                  through the free objects will serve more.)
 * @slabs_per_chunk: Slabs in 2 MiB, beside their metadata.
 * @min_partial:    Partial slabs below which an empty one is kept.
 * @huge_pages:     Ask for huge pages; may be cleared before
 *                  umaple_slab_node_init().
 */
struct umaple_slab_geometry {
	size_t object_size;
	size_t align;
	size_t slot_size;
	unsigned int order;
	size_t slab_bytes;
	unsigned int objs_per_slab;
	unsigned int slabs_per_chunk;
	unsigned int min_partial;
	bool huge_pages;
};

/**
 * umaple_slab_geometry() - Choose how objects of a size lie in slabs.
 * @geo:   Set on success.
 * @size:  Bytes per object, 1 to %UMAPLE_SLAB_MAX_OBJECT.
 * @align: Power of two up to the page size; 0: as malloc() would align @size.
 * @ncpu:  CPUs to serve: more of them want more objects per slab; 0: the default.
 *
 * Return: 0; -EINVAL for a size or alignment out of range.
 */
int umaple_slab_geometry(struct umaple_slab_geometry *geo, size_t size,
			 size_t align, unsigned int ncpu);

/* Counters since the last reset, then levels.  doc/allocator.md defines each. */
struct umaple_slab_stats {
	uint64_t alloc_slab;
	uint64_t free_slab;
	uint64_t free_add_partial;
	uint64_t free_remove_partial;
	uint64_t park_slab;
	uint64_t unpark_slab;
	uint64_t unpark_event; /* holds of list_lock that unparked any */
	uint64_t slabs;
	uint64_t partial;
	uint64_t objects; /* all of total_objects but those free in partial */
	uint64_t objects_partial; /* used in partial slabs */
	uint64_t total_objects;
};

/* When a slab that a free finds full is parked instead of listed. */
enum umaple_park_when {
	PARK_CONTENDED, /* if list_lock is taken */
	PARK_NEVER,
	PARK_ALWAYS /* without trying list_lock */
};

/**
 * struct umaple_parking - How a node parks slabs; zero is the default.
 * @when:     See the enum.
 * @deferred: Slabs that have become empty stay parked until somebody consumes
 *            slabs or calls umaple_slab_unpark(), which the owner of the node
 *            must see to; else the free that empties one unparks it.
 * @beside:   The stack shares a cache line with list_lock, to measure that.
 */
struct umaple_parking {
	enum umaple_park_when when;
	bool deferred;
	bool beside;
};

/* Slabs that are parked: slab/slab_park.c. */
struct umaple_slab_stack {
	struct umaple_slab *head; /* atomic */
	uint64_t park_slab;	  /* atomic; slabs, counted before the push */
	uint32_t nr_awaited;	  /* written under list_lock */
};

/**
 * struct umaple_slab_node - All slabs of one cache on one NUMA node.
 *
 * Embedded in the cache, and never moved.  A line that everybody reads and nobody
 * writes, then one line per thing that is written.
 *
 * Invariants, checked by umaple_slab_check(): slab/slab_check.c.
 */
struct umaple_slab_node {
	/* fixed by umaple_slab_node_init() */
	struct umaple_slab_layout layout;
	struct umaple_slab_geometry geo;
	const char *name;
	struct umaple_parking parking;
	struct umaple_slab_stack *parked; /* one of the two below */

	/* partial slabs: under list_lock; nr_partial is read without as a hint */
	uint32_t list_lock UMAPLE_CACHELINE_ALIGNED;
	uint32_t nr_partial;
	struct list_link partial;
	uint64_t free_add_partial;
	uint64_t free_remove_partial;
	struct umaple_slab_stack parked_beside;
	uint64_t unpark_slab;
	uint64_t unpark_event;

	/* changed without list_lock, while its holder is at work */
	struct umaple_slab_stack parked_apart UMAPLE_CACHELINE_ALIGNED;

	/* chunks: under pool_lock */
	uint32_t pool_lock UMAPLE_CACHELINE_ALIGNED;
	struct list_link chunks_avail; /* some slabs in use, some not */
	struct list_link chunks_full;  /* all slabs in use */
	struct umaple_chunk *idle;     /* none in use; at most one is kept */
	size_t nr_slabs; /* in use; read without the lock as a hint */
	uint64_t alloc_slab;
	uint64_t free_slab;

	/* objects that wait without a sheaf: under defer_lock */
	uint32_t defer_lock UMAPLE_CACHELINE_ALIGNED;
	bool collecting;	      /* a collection is out */
	struct umaple_slab *deferred; /* slabs with pending objects */
};

/*
 * @name is not copied.  No memory is mapped before the first object is taken.
 * Return: 0; -EINVAL for a geometry that umaple_slab_geometry() did not make.
 */
int umaple_slab_node_init(struct umaple_slab_node *node,
			  const struct umaple_slab_geometry *geo,
			  const char *name);

/* Choose how slabs are parked, before the first object is taken. */
void umaple_slab_node_set_parking(struct umaple_slab_node *node,
				  const struct umaple_parking *parking);

/*
 * Give all memory back.  Return: 0; else the number of objects still in use, and
 * nothing was done.  No other call on @node is running.
 */
size_t umaple_slab_node_fini(struct umaple_slab_node *node);

/**
 * umaple_slab_take() - Take objects.
 * @node:    Where from.
 * @objects: Receives them.
 * @count:   How many are wanted.
 *
 * From partial slabs first.  Objects of a fresh slab go straight into @objects.
 *
 * Context: Any thread.  Takes list_lock and pool_lock; may map memory.
 * Return:  How many were taken: less than @count only when memory ran out.
 */
size_t umaple_slab_take(struct umaple_slab_node *node, void **objects,
			size_t count);

/**
 * umaple_slab_give() - Give objects back.
 * @node:    Where they came from.
 * @objects: The objects, in any order.
 * @count:   How many.
 *
 * Aborts the process when an object is not one of @node or is free already.
 *
 * Context: Any thread.  May take list_lock and pool_lock; may unmap memory.
 * Cost:    Per 32 objects: one atomic operation per slab they came from, and at
 *          most one hold of list_lock and one push of slabs that are parked.
 */
void umaple_slab_give(struct umaple_slab_node *node, void *const *objects,
		      size_t count);

/**
 * umaple_slab_owns() - Is this the address of an object of this node?
 * @node:   The node.
 * @object: Any address within memory of any cache.  (Another one may fault.)
 *
 * Says nothing of whether the object is free.
 *
 * Cost: One load from the chunk's header, a line that is hardly ever written; a
 *       multiplication.
 */
static inline bool umaple_slab_owns(const struct umaple_slab_node *node,
				    const void *object)
{
	return umaple_layout_owns(&node->layout, object);
}

/* Slab of an object of @node; NULL if @object cannot be one.  As owns(). */
static inline struct umaple_slab *
umaple_slab_of(const struct umaple_slab_node *node, const void *object)
{
	return umaple_layout_owns(&node->layout, object)
		       ? umaple_layout_slab(&node->layout, object)
		       : NULL;
}

/**
 * umaple_slab_shrink() - Give empty slabs and idle chunks back.
 * @node:       The node.
 * @ret_before: Slabs held at the start, or %NULL.
 * @ret_after:  Slabs held at the end, or %NULL.
 *
 * Empty slabs go whatever min_partial says.  The other partial slabs are sorted,
 * fullest first, so that the emptiest get a chance to become empty.
 *
 * Context: Any thread.  Takes list_lock, then pool_lock; may unmap memory.
 */
void umaple_slab_shrink(struct umaple_slab_node *node, size_t *ret_before,
			size_t *ret_after);

/**
 * umaple_slab_unpark() - Put all parked slabs on the partial list.
 * @node: The node.
 *
 * Empty ones beyond min_partial are given back.  With deferred unparking the owner
 * of the node calls this some time after objects were given back.
 *
 * Context: Any thread.  Takes list_lock, then pool_lock; may unmap memory.
 * Cost:    One load when nothing is parked.
 */
void umaple_slab_unpark(struct umaple_slab_node *node);

/* Is there something to unpark that nobody else sees to? */
static inline bool umaple_slab_wants_unpark(const struct umaple_slab_node *node)
{
	return node->parking.deferred && load_relaxed(&node->parked->head);
}

/*
 * Unparks, so that no parked slab is left out.  Takes list_lock and pool_lock.
 * Exact when no other call is running.
 */
void umaple_slab_stats(struct umaple_slab_node *node,
		       struct umaple_slab_stats *stats);

/* Counters to zero; levels stay. */
void umaple_slab_stats_reset(struct umaple_slab_node *node);

/**
 * umaple_slab_defer() - Mark an object as waiting for a grace period.
 * @node:   Where it came from.
 * @object: The object; its memory is not touched.
 *
 * For when no sheaf can be had to wait in: costs no memory and cannot fail.
 * Aborts when the object is not one of @node, is free or is waiting already.
 *
 * Context: Any thread.  Takes defer_lock.
 */
void umaple_slab_defer(struct umaple_slab_node *node, void *object);

/**
 * umaple_slab_defer_collect() - Take all objects that are deferred now.
 * @node: The node.
 *
 * One collection is out at a time.  The caller waits for a grace period, then
 * calls umaple_slab_defer_release(); objects deferred meanwhile are not part of
 * it.
 *
 * Context: Any thread.  Takes defer_lock.
 * Return:  The collection; %NULL when nothing is deferred or another collection
 *          is out.
 */
struct umaple_slab *umaple_slab_defer_collect(struct umaple_slab_node *node);

/* Call a function for each object of a collection, before it is given back. */
void umaple_slab_defer_visit(const struct umaple_slab_node *node,
			     struct umaple_slab *collection,
			     void (*visit)(void *object, void *arg), void *arg);

/* Give the objects of a collection back.  Return: how many. */
size_t umaple_slab_defer_release(struct umaple_slab_node *node,
				 struct umaple_slab *collection);

/*
 * 0, or -EUCLEAN and the first violation of L1 to L9 in @text (may be NULL).
 * No other call on @node is running.
 */
int umaple_slab_check(struct umaple_slab_node *node, char *text, size_t size);

#endif /* SLAB_SLAB_H */
