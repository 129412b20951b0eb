/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_reclaim.c - shrinking and statistics.
 *
 * Above: the cache layer.
 * Locks: defer_lock, list_lock, pool_lock, in this order.
 */

#include <string.h>

#include "platform/bits.h"
#include "platform/lock.h"
#include "slab/slab_priv.h"

/* Partial slabs by the number of their free objects, 1 to 64. */
struct buckets {
	struct list_link lists[65];
};

/* Empty slabs leave the list for @discard, the others for their buckets. */
static void sort_out(struct umaple_slab_node *node, struct buckets *buckets,
		     struct list_link *discard)
{
	struct list_link *link, *next;

	for (link = node->partial.next; link != &node->partial; link = next) {
		struct umaple_slab *slab = umaple_slab_of_link(link);
		uint64_t free = load_relaxed(&slab->free);

		next = link->next;
		if (free == node->layout.all) {
			umaple_slab_unlist(node, slab);
			list_push_back(discard, link);
		} else {
			list_remove(link);
			list_push_back(&buckets->lists[bits_count(free)], link);
		}
	}
}

void umaple_slab_shrink(struct umaple_slab_node *node, size_t *ret_before,
			size_t *ret_after)
{
	struct buckets buckets;
	struct list_link discard;

	if (ret_before)
		*ret_before = load_relaxed(&node->nr_slabs);
	list_init(&discard);
	for (size_t i = 0; i < ARRAY_SIZE(buckets.lists); i++)
		list_init(&buckets.lists[i]);

	umaple_lock_take(&node->list_lock);
	umaple_slab_unpark_locked(node, &discard);
	sort_out(node, &buckets, &discard);
	for (size_t i = 0; i < ARRAY_SIZE(buckets.lists); i++)
		list_append(&node->partial, &buckets.lists[i]);
	umaple_lock_drop(&node->list_lock);

	umaple_pool_free_slabs(node, &discard);
	umaple_pool_trim(node);
	if (ret_after)
		*ret_after = load_relaxed(&node->nr_slabs);
}

void umaple_slab_stats(struct umaple_slab_node *node,
		       struct umaple_slab_stats *stats)
{
	size_t free;

	umaple_slab_unpark(node);
	umaple_lock_take(&node->list_lock);
	umaple_lock_take(&node->pool_lock);
	free = umaple_slab_count_free(node);
	stats->alloc_slab = node->alloc_slab;
	stats->free_slab = node->free_slab;
	stats->free_add_partial = node->free_add_partial;
	stats->free_remove_partial = node->free_remove_partial;
	stats->park_slab = load_relaxed(&node->parked->park_slab);
	stats->unpark_slab = node->unpark_slab;
	stats->unpark_event = node->unpark_event;
	stats->slabs = node->nr_slabs;
	stats->partial = node->nr_partial;
	stats->total_objects = stats->slabs * node->layout.nr_objects;
	stats->objects = stats->total_objects - free;
	stats->objects_partial =
		stats->partial * node->layout.nr_objects - free;
	umaple_lock_drop(&node->pool_lock);
	umaple_lock_drop(&node->list_lock);
}

void umaple_slab_stats_reset(struct umaple_slab_node *node)
{
	umaple_slab_unpark(node);
	umaple_lock_take(&node->list_lock);
	node->free_add_partial = 0;
	node->free_remove_partial = 0;
	/* What is parked now is counted as parked after the reset, too. */
	fetch_sub_relaxed(&node->parked->park_slab, node->unpark_slab);
	node->unpark_slab = 0;
	node->unpark_event = 0;
	umaple_lock_drop(&node->list_lock);
	umaple_lock_take(&node->pool_lock);
	node->alloc_slab = 0;
	node->free_slab = 0;
	umaple_lock_drop(&node->pool_lock);
}
