/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_park.c - slabs that became partial while list_lock was taken.
 *
 * Role:  A free that owes slabs a place on the partial list does not wait for
 *        list_lock: it pushes them on a stack.  Whoever takes the lock to
 *        consume partial slabs moves those parked to the list first.
 * Above: slab/slab_free.c, which parks; all who take list_lock to consume.
 * Below: slab/slab_list.c, slab/slab_pool.c.
 * Locks: none to park, list_lock to unpark.
 *
 * The stack is pushed to by one compare-and-swap and only ever taken as a whole, so
 * a head that comes back does no harm.  While a slab is parked nobody takes objects
 * of it; frees add to its free set as to that of any partial slab.
 *
 * Nobody may forget a slab.  A parked slab with used objects may lie until somebody
 * wants partial slabs: it is no more memory than its objects need.  An empty one
 * must not.  The free that empties a parked slab holds list_lock (as any that may
 * free the last object of a slab) and unparks.  But a slab between the free that
 * found it full and that free's push is on no list yet: then it is flagged and
 * counted as awaited, and whoever has pushed a slab while any is awaited unparks.
 * He may not look at the slab itself: once it is pushed others may unpark, fill and
 * empty it, and give it back.  A free that finds a slab full and empties it at once
 * does not park it.
 *
 * With deferred unparking empty slabs are parked like others, and the owner of the
 * node calls umaple_slab_unpark() in time.
 *
 * doc/models/parking.pml is this protocol, with the faults that it avoids.
 */

#include "platform/assert.h"
#include "platform/delay.h"
#include "platform/lock.h"
#include "slab/slab_priv.h"

void umaple_slab_chain_add(struct umaple_slab_chain *chain,
			   struct umaple_slab *slab)
{
	UMAPLE_ASSERT(!slab->parked);
	slab->parked = true;
	slab->next_parked = chain->first;
	chain->first = slab;
	if (!chain->length++)
		chain->last = slab;
}

static void push(struct umaple_slab_stack *stack,
		 const struct umaple_slab_chain *chain)
{
	struct umaple_slab *head = load_relaxed(&stack->head);

	do {
		chain->last->next_parked = head;
		/*
		 * ORDER(park), store side: who takes the stack sees the links, and
		 * what was freed into the slabs.
		 * Load side: take_all().
		 * Without it: the rest of the stack would be lost.
		 */
	} while (!cmpxchg_acq_rel(&stack->head, &head, chain->first));
}

static struct umaple_slab *take_all(struct umaple_slab_stack *stack)
{
	/* ORDER(park), load side.  Store side: push(). */
	return xchg_acq_rel(&stack->head, NULL);
}

void umaple_slab_park(struct umaple_slab_node *node,
		      const struct umaple_slab_chain *chain)
{
	struct umaple_slab_stack *stack = node->parked;

	fetch_add_relaxed(&stack->park_slab, chain->length);
	umaple_delay();
	push(stack, chain);
	umaple_delay();
	/*
	 * ORDER(await), load side: either the free that emptied a slab found it on
	 * the stack, or its exchange of the head came before our push, which
	 * then sees what was written before that exchange.
	 * Store side: umaple_slab_await().
	 * Without it: an empty slab stays parked.
	 */
	if (unlikely(load_relaxed(&stack->nr_awaited)))
		umaple_slab_unpark(node);
}

static void unpark_all(struct umaple_slab_node *node, struct list_link *discard)
{
	struct umaple_slab *slab = take_all(node->parked), *next;

	if (!slab)
		return;
	node->unpark_event++;
	for (; slab; slab = next) {
		next = slab->next_parked;
		slab->parked = false;
		node->unpark_slab++;
		umaple_slab_list_or_discard(node, slab, discard);
	}
}

void umaple_slab_unpark_locked(struct umaple_slab_node *node,
			       struct list_link *discard)
{
	if (load_relaxed(&node->parked->head))
		unpark_all(node, discard);
}

void umaple_slab_await(struct umaple_slab_node *node, struct umaple_slab *slab,
		       struct list_link *discard)
{
	if (node->parking.when == PARK_NEVER || node->parking.deferred)
		return;
	slab->awaited = true;
	count_relaxed(&node->parked->nr_awaited, 1);
	/*
	 * ORDER(await), store side: counted before the head is exchanged, even if
	 * nothing is there.
	 * Load side: umaple_slab_park().
	 */
	umaple_delay();
	unpark_all(node, discard);
}

void umaple_slab_unpark(struct umaple_slab_node *node)
{
	struct list_link discard;

	if (!load_relaxed(&node->parked->head))
		return;
	list_init(&discard);
	umaple_lock_take(&node->list_lock);
	umaple_slab_unpark_locked(node, &discard);
	umaple_lock_drop(&node->list_lock);
	umaple_pool_free_slabs(node, &discard);
}
