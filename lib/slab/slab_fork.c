/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_fork.c - the slabs of a process that forks.
 *
 * The parent holds all three locks across the fork, so in the child the lists are
 * whole.  What other threads were doing between two holds has no thread to finish
 * it in the child, and reset does, slab by slab:
 *
 *   - a slab with free objects and off the list was parked, or was about to be
 *     parked or listed (or given back, or listed for the first time): it is
 *     listed;
 *   - a collection that was out is deferred again, to wait for a grace period of
 *     the child's own.
 */

#include "platform/assert.h"
#include "platform/lock.h"
#include "slab/slab_priv.h"

void umaple_slab_node_lock_all(struct umaple_slab_node *node)
{
	umaple_lock_take(&node->defer_lock);
	umaple_lock_take(&node->list_lock);
	umaple_lock_take(&node->pool_lock);
}

void umaple_slab_node_unlock_all(struct umaple_slab_node *node)
{
	umaple_lock_drop(&node->pool_lock);
	umaple_lock_drop(&node->list_lock);
	umaple_lock_drop(&node->defer_lock);
}

static void defer_again(struct umaple_slab_node *node, struct umaple_slab *slab)
{
	slab->pending |= slab->waiting;
	slab->waiting = 0;
	if (!slab->pending)
		return;
	slab->next_pending = node->deferred;
	node->deferred = slab;
}

static void slab_reset(struct umaple_slab_node *node, struct umaple_slab *slab,
		       struct list_link *discard)
{
	if (!slab->in_use)
		return;
	defer_again(node, slab);
	slab->parked = false;
	if (slab->free && !slab->listed)
		umaple_slab_free_finish(node, slab, 0, FREE_LIST, discard);
}

static void chunks_reset(struct umaple_slab_node *node,
			 struct list_link *chunks, struct list_link *discard)
{
	const struct umaple_slab_layout *layout = &node->layout;
	struct list_link *link;

	for (link = chunks->next; link != chunks; link = link->next) {
		struct umaple_chunk *chunk = umaple_chunk_of_link(link);

		for (unsigned int i = layout->first;
		     i < umaple_layout_positions(layout); i++)
			slab_reset(node, &chunk->slabs[i], discard);
	}
}

void umaple_slab_node_reset(struct umaple_slab_node *node)
{
	struct list_link discard;

	umaple_lock_reset(&node->pool_lock);
	umaple_lock_reset(&node->list_lock);
	umaple_lock_reset(&node->defer_lock);
	umaple_slab_unpark(node);
	store_relaxed(&node->parked->park_slab, node->unpark_slab);
	node->deferred = NULL;
	node->collecting = false;
	node->nr_released = node->nr_collected;
	list_init(&discard);
	chunks_reset(node, &node->chunks_avail, &discard);
	chunks_reset(node, &node->chunks_full, &discard);
	umaple_pool_free_slabs(node, &discard);
}
