/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_defer.c - objects that wait for a grace period without a sheaf.
 *
 * Role:  When not even an empty sheaf can be had, an object that must outlive its
 *        readers waits as a bit in its slab's metadata: that takes no memory.
 * Above: the cache layer, which knows what a grace period is.
 * Locks: defer_lock.  A list without a lock would not do: while one thread had
 *        set a slab's first bit and not yet listed the slab, a second one could
 *        defer an object of it, return, and find it in no collection.
 *
 * Deferred objects count as used, so their slab stays.  A slab with pending bits
 * is listed once.  A collection moves the bits to the waiting set and the slabs
 * to a list of its own; one collection at a time is out, and its slabs' waiting
 * sets and links belong to whoever took it.
 */

#include "platform/assert.h"
#include "platform/bits.h"
#include "platform/lock.h"
#include "slab/slab_priv.h"

void umaple_slab_defer(struct umaple_slab_node *node, void *object)
{
	struct umaple_slab *slab = umaple_slab_must_own(node, object);
	uint64_t bit = bits_one(umaple_layout_place(&node->layout, object));
	uint64_t pending;

	umaple_lock_take(&node->defer_lock);
	pending = load_relaxed(&slab->pending);
	if ((load_relaxed(&slab->free) | pending |
	     load_relaxed(&slab->waiting)) &
	    bit)
		umaple_die("cache \"%s\": object %p is freed twice", node->name,
			   object);
	if (!pending) {
		slab->next_pending = node->deferred;
		node->deferred = slab;
	}
	store_relaxed(&slab->pending, pending | bit);
	umaple_lock_drop(&node->defer_lock);
}

struct umaple_slab *umaple_slab_defer_collect(struct umaple_slab_node *node)
{
	struct umaple_slab *collection = NULL, *slab;

	umaple_lock_take(&node->defer_lock);
	if (!node->collecting && node->deferred) {
		collection = node->deferred;
		node->deferred = NULL;
		node->collecting = true;
	}
	for (slab = collection; slab; slab = slab->next_waiting) {
		slab->next_waiting = slab->next_pending;
		store_relaxed(&slab->waiting, load_relaxed(&slab->pending));
		store_relaxed(&slab->pending, 0);
	}
	umaple_lock_drop(&node->defer_lock);
	return collection;
}

void umaple_slab_defer_visit(const struct umaple_slab_node *node,
			     struct umaple_slab *collection,
			     void (*visit)(void *object, void *arg), void *arg)
{
	struct umaple_slab *slab;
	uint64_t rest;

	for (slab = collection; slab; slab = slab->next_waiting) {
		rest = load_relaxed(&slab->waiting);
		for (; rest; rest &= rest - 1)
			visit(umaple_layout_object(&node->layout, slab,
						   bits_first(rest)),
			      arg);
	}
}

size_t umaple_slab_defer_release(struct umaple_slab_node *node,
				 struct umaple_slab *collection)
{
	struct umaple_slab *slab, *next;
	uint64_t objects;
	size_t count = 0;

	for (slab = collection; slab; slab = next) {
		next = slab->next_waiting;
		objects = load_relaxed(&slab->waiting);
		store_relaxed(&slab->waiting, 0);
		count += bits_count(objects);
		umaple_slab_free_objects(node, slab, objects);
	}
	/* Here nobody waits for it, and nobody would come after it. */
	if (umaple_slab_wants_unpark(node))
		umaple_slab_unpark(node);
	umaple_lock_take(&node->defer_lock);
	UMAPLE_ASSERT(node->collecting);
	node->collecting = false;
	umaple_lock_drop(&node->defer_lock);
	return count;
}
