/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_pool.c - slabs out of chunks, chunks out of pages.
 *
 * Role:  The stand-in for the kernel's page allocator: alloc_slab and free_slab
 *        count what passes here.
 * Above: slab/slab.c and slab/slab_free.c.
 * Below: platform/pages.h.
 * Locks: pool_lock, inside; not held while a chunk is mapped or unmapped.
 *
 * A chunk with no slab in use is idle.  One idle chunk is kept, so that a cache
 * that swings round a chunk's boundary does not map and unmap at each swing; any
 * other goes back to the system at once.
 *
 * The free set of a slab in no use is full: an object freed twice, the second
 * time after its slab has gone back, is found like any other.
 */

#include "platform/annotate.h"
#include "platform/assert.h"
#include "platform/lock.h"
#include "platform/pages.h"
#include "slab/slab_priv.h"

static void chunk_init(struct umaple_slab_node *node,
		       struct umaple_chunk *chunk)
{
	const struct umaple_slab_layout *layout = &node->layout;
	size_t start = (size_t)layout->first << layout->slab_shift;

	chunk->cookie = umaple_chunk_cookie(chunk, layout->id);
	list_init(&chunk->unused);
	for (unsigned int i = layout->first;
	     i < umaple_layout_positions(layout); i++) {
		store_relaxed(&chunk->slabs[i].free, layout->all);
		list_push_back(&chunk->unused, &chunk->slabs[i].link);
	}
	umaple_mark_free((char *)chunk + start, UMAPLE_CHUNK_BYTES - start);
}

static struct umaple_chunk *chunk_new(struct umaple_slab_node *node)
{
	struct umaple_chunk *chunk =
		umaple_pages_map(UMAPLE_CHUNK_BYTES, UMAPLE_CHUNK_BYTES);

	if (!chunk)
		return NULL;
	if (node->geo.huge_pages)
		umaple_pages_huge(chunk, UMAPLE_CHUNK_BYTES);
	chunk_init(node, chunk);
	return chunk;
}

static void chunk_delete(struct umaple_chunk *chunk)
{
	umaple_mark_plain(chunk, UMAPLE_CHUNK_BYTES);
	umaple_pages_unmap(chunk, UMAPLE_CHUNK_BYTES);
}

/* Under pool_lock: a slab of a chunk that has one, or NULL. */
static struct umaple_slab *slab_get(struct umaple_slab_node *node)
{
	struct umaple_chunk *chunk;
	struct umaple_slab *slab;

	if (list_is_empty(&node->chunks_avail)) {
		if (!node->idle)
			return NULL;
		list_push_front(&node->chunks_avail, &node->idle->link);
		node->idle = NULL;
	}
	chunk = umaple_chunk_of_link(node->chunks_avail.next);
	slab = umaple_slab_of_link(chunk->unused.next);
	list_remove(&slab->link);
	slab->in_use = true;
	chunk->nr_used++;
	if (list_is_empty(&chunk->unused)) {
		list_remove(&chunk->link);
		list_push_front(&node->chunks_full, &chunk->link);
	}
	count_relaxed(&node->nr_slabs, 1);
	node->alloc_slab++;
	return slab;
}

/* Under pool_lock: a chunk that has become idle is kept or goes to @dead. */
static void chunk_retire(struct umaple_slab_node *node,
			 struct umaple_chunk *chunk, struct list_link *dead)
{
	list_remove(&chunk->link);
	if (!node->idle)
		node->idle = chunk;
	else
		list_push_back(dead, &chunk->link);
}

/* Under pool_lock. */
static void slab_put(struct umaple_slab_node *node, struct umaple_slab *slab,
		     struct list_link *dead)
{
	struct umaple_chunk *chunk = umaple_chunk_of(slab);

	UMAPLE_ASSERT(slab->in_use && !slab->listed);
	UMAPLE_ASSERT(load_relaxed(&slab->free) == node->layout.all);
	if (list_is_empty(&chunk->unused)) {
		list_remove(&chunk->link);
		list_push_front(&node->chunks_avail, &chunk->link);
	}
	slab->in_use = false;
	list_push_front(&chunk->unused, &slab->link);
	chunk->nr_used--;
	if (!chunk->nr_used)
		chunk_retire(node, chunk, dead);
	count_relaxed(&node->nr_slabs, -(size_t)1);
	node->free_slab++;
}

struct umaple_slab *umaple_pool_alloc_slab(struct umaple_slab_node *node)
{
	struct umaple_slab *slab;
	struct umaple_chunk *chunk;

	umaple_lock_take(&node->pool_lock);
	slab = slab_get(node);
	umaple_lock_drop(&node->pool_lock);
	if (slab)
		return slab;

	chunk = chunk_new(node);
	if (!chunk)
		return NULL;
	umaple_lock_take(&node->pool_lock);
	list_push_front(&node->chunks_avail, &chunk->link);
	slab = slab_get(node);
	umaple_lock_drop(&node->pool_lock);
	return slab;
}

void umaple_pool_free_slabs(struct umaple_slab_node *node,
			    struct list_link *slabs)
{
	struct list_link dead, *link, *next;

	if (list_is_empty(slabs))
		return;
	list_init(&dead);
	umaple_lock_take(&node->pool_lock);
	for (link = slabs->next; link != slabs; link = next) {
		next = link->next;
		slab_put(node, umaple_slab_of_link(link), &dead);
	}
	umaple_lock_drop(&node->pool_lock);
	for (link = dead.next; link != &dead; link = next) {
		next = link->next;
		chunk_delete(umaple_chunk_of_link(link));
	}
}

void umaple_pool_trim(struct umaple_slab_node *node)
{
	struct umaple_chunk *idle;

	umaple_lock_take(&node->pool_lock);
	idle = node->idle;
	node->idle = NULL;
	umaple_lock_drop(&node->pool_lock);
	if (idle)
		chunk_delete(idle);
}
