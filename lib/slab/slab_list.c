/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_list.c - the list of partial slabs.
 *
 * A slab that is in use is listed when some of its objects are free, but for the
 * moment between the free that made it so and that free's hold of list_lock.
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
