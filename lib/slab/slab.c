/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab.c - init, fini, and taking objects.
 *
 * Role:  Claims free objects of partial slabs, then of fresh ones.
 * Above: the cache layer.
 * Below: slab/slab_list.c, slab/slab_park.c, slab/slab_pool.c.
 * Locks: list_lock, for as long as it takes to clear bits; addresses are worked
 *        out after it is dropped.
 *
 * Only the holder of list_lock clears bits of a free set, and only of a listed
 * slab; frees set bits without a lock.  So under list_lock bits may appear in a
 * listed slab's set but not vanish, and a claim is one compare-and-swap that
 * seldom has to be repeated.
 */

#include "slab/slab.h"

#include <errno.h>
#include <string.h>

#include "platform/assert.h"
#include "platform/bits.h"
#include "platform/delay.h"
#include "platform/lock.h"
#include "slab/slab_priv.h"

/* Slabs per hold of list_lock: bounds the hold, and the array on the stack. */
#define CLAIMS 16

/* Objects of one slab that are the caller's from now on. */
struct claim {
	struct umaple_slab *slab;
	uint64_t objects;
};

static bool geometry_is_sound(const struct umaple_slab_geometry *geo)
{
	return geo->slot_size && geo->slot_size >= geo->object_size &&
	       is_power_of_two(geo->slab_bytes) &&
	       geo->slab_bytes <= UMAPLE_CHUNK_BYTES / 2 &&
	       geo->objs_per_slab >= 1 && geo->objs_per_slab <= 64 &&
	       geo->objs_per_slab * geo->slot_size <= geo->slab_bytes &&
	       geo->slabs_per_chunk >= 1;
}

static void layout_init(struct umaple_slab_layout *layout, uintptr_t id,
			const struct umaple_slab_geometry *geo)
{
	layout->all = bits_below(geo->objs_per_slab);
	layout->id = id;
	layout->inverse =
		(UINT64_C(1) << UMAPLE_INVERSE_SHIFT) / geo->slot_size + 1;
	layout->slot_size = geo->slot_size;
	layout->slab_shift = ilog2(geo->slab_bytes);
	layout->nr_objects = geo->objs_per_slab;
	layout->first = umaple_layout_positions(layout) - geo->slabs_per_chunk;
}

int umaple_slab_node_init(struct umaple_slab_node *node,
			  const struct umaple_slab_geometry *geo,
			  const char *name)
{
	if (!geometry_is_sound(geo))
		return -EINVAL;
	memset(node, 0, sizeof(*node));
	node->geo = *geo;
	node->name = name;
	layout_init(&node->layout, (uintptr_t)node, geo);
	list_init(&node->partial);
	list_init(&node->chunks_avail);
	list_init(&node->chunks_full);
	node->parked = &node->parked_apart;
	return 0;
}

void umaple_slab_node_set_parking(struct umaple_slab_node *node,
				  const struct umaple_parking *parking)
{
	UMAPLE_ASSERT(!node->nr_slabs);
	node->parking = *parking;
	node->parked =
		parking->beside ? &node->parked_beside : &node->parked_apart;
}

size_t umaple_slab_node_fini(struct umaple_slab_node *node)
{
	struct umaple_slab_stats stats;

	umaple_slab_stats(node, &stats);
	if (stats.objects)
		return stats.objects;
	umaple_slab_shrink(node, NULL, NULL);
	UMAPLE_ASSERT(!node->nr_slabs && !node->idle);
	return 0;
}

/*
 * At most @count of what a listed slab has free; it is unlisted when that is all,
 * and before it is taken: from then on the slab is whose free finds it full, and
 * may be parked at once.
 */
static uint64_t claim_from(struct umaple_slab_node *node,
			   struct umaple_slab *slab, size_t count)
{
	uint64_t free = load_relaxed(&slab->free);
	uint64_t objects;

	UMAPLE_ASSERT(free);
	do {
		objects = bits_lowest(free, count);
		if (objects == free && slab->listed)
			umaple_slab_unlist(node, slab);
		/*
		 * ORDER(slab-free), load side.  What the former users of these
		 * objects did with them is over.
		 * Store side: umaple_slab_free_begin() in slab/slab_free.c.
		 * Without it: a late store of a former user lands in the new
		 * object.
		 */
	} while (!cmpxchg_acq_rel(&slab->free, &free, free & ~objects));
	if (free != objects && !slab->listed)
		umaple_slab_list_front(node, slab);
	return objects;
}

/* One hold of list_lock; returns the number of claims. */
static unsigned int claim_partial(struct umaple_slab_node *node,
				  struct claim *claims, size_t count)
{
	struct umaple_slab *slab;
	struct list_link discard;
	unsigned int nr = 0;

	list_init(&discard);
	umaple_lock_take(&node->list_lock);
	umaple_slab_unpark_locked(node, &discard);
	while (nr < CLAIMS && count && !list_is_empty(&node->partial)) {
		slab = umaple_slab_of_link(node->partial.next);
		claims[nr].slab = slab;
		claims[nr].objects = claim_from(node, slab, count);
		count -= bits_count(claims[nr].objects);
		nr++;
		umaple_delay();
	}
	umaple_lock_drop(&node->list_lock);
	umaple_pool_free_slabs(node, &discard);
	return nr;
}

/* Write the addresses of a claim's objects; returns how many. */
static size_t emit(const struct umaple_slab_layout *layout,
		   const struct claim *claim, void **objects)
{
	char *base = umaple_layout_base(layout, claim->slab);
	uint64_t rest = claim->objects;
	size_t count = 0;

	for (; rest; rest &= rest - 1)
		objects[count++] = base + bits_first(rest) * layout->slot_size;
	return count;
}

/* By hints. */
static bool has_partial(const struct umaple_slab_node *node)
{
	return load_relaxed(&node->nr_partial) ||
	       load_relaxed(&node->parked->head);
}

static size_t take_partial(struct umaple_slab_node *node, void **objects,
			   size_t count)
{
	struct claim claims[CLAIMS];
	unsigned int nr;
	size_t taken = 0;

	while (taken < count && has_partial(node)) {
		nr = claim_partial(node, claims, count - taken);
		for (unsigned int i = 0; i < nr; i++)
			taken += emit(&node->layout, &claims[i],
				      objects + taken);
	}
	return taken;
}

/* A fresh slab's objects in address order; the slab is listed if any are left. */
static size_t take_fresh(struct umaple_slab_node *node, void **objects,
			 size_t count)
{
	const struct umaple_slab_layout *layout = &node->layout;
	struct umaple_slab *slab = umaple_pool_alloc_slab(node);
	char *object;

	if (!slab)
		return 0;
	if (count > layout->nr_objects)
		count = layout->nr_objects;
	object = umaple_layout_base(layout, slab);
	for (size_t i = 0; i < count; i++, object += layout->slot_size)
		objects[i] = object;
	store_relaxed(&slab->free,
		      layout->all & ~bits_below((unsigned int)count));
	if (count < layout->nr_objects) {
		umaple_lock_take(&node->list_lock);
		umaple_slab_list_front(node, slab);
		umaple_lock_drop(&node->list_lock);
	}
	return count;
}

size_t umaple_slab_take(struct umaple_slab_node *node, void **objects,
			size_t count)
{
	size_t taken = take_partial(node, objects, count);
	size_t fresh;

	while (taken < count) {
		fresh = take_fresh(node, objects + taken, count - taken);
		if (!fresh)
			break;
		taken += fresh;
	}
	return taken;
}
