/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_list.c - the list of partial slabs.
 *
 * A slab that is in use is listed when some of its objects are free, or parked; but
 * for the moment between the free that made it so and that free's hold of
 * list_lock, or its push.
 *
 * Locks: the caller holds list_lock.
 */

#include "platform/bits.h"
#include "platform/lock.h"
#include "slab/slab_priv.h"

void umaple_slab_list_front(struct umaple_slab_node *node,
			    struct umaple_slab *slab)
{
	list_push_front(&node->partial, &slab->link);
	slab->listed = true;
	count_relaxed(&node->nr_partial, 1);
}

void umaple_slab_list_back(struct umaple_slab_node *node,
			   struct umaple_slab *slab)
{
	list_push_back(&node->partial, &slab->link);
	slab->listed = true;
	count_relaxed(&node->nr_partial, 1);
}

void umaple_slab_unlist(struct umaple_slab_node *node, struct umaple_slab *slab)
{
	list_remove(&slab->link);
	slab->listed = false;
	count_relaxed(&node->nr_partial, -1u);
}

void umaple_slab_list_or_discard(struct umaple_slab_node *node,
				 struct umaple_slab *slab,
				 struct list_link *discard)
{
	bool empty = load_relaxed(&slab->free) == node->layout.all;

	if (unlikely(slab->awaited)) {
		slab->awaited = false;
		count_relaxed(&node->parked->nr_awaited, -1u);
	}
	if (empty && node->nr_partial >= node->geo.min_partial) {
		/* Case e: full -> empty. */
		list_push_back(discard, &slab->link);
		return;
	}
	/* Case f: full -> empty, kept.  Case g: full -> partial. */
	umaple_slab_list_back(node, slab);
	node->free_add_partial++;
}

size_t umaple_slab_count_free(const struct umaple_slab_node *node)
{
	struct list_link *link;
	size_t count = 0;

	for (link = node->partial.next; link != &node->partial;
	     link = link->next)
		count += bits_count(
			load_relaxed(&umaple_slab_of_link(link)->free));
	return count;
}
