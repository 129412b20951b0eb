/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/geometry.c - how many objects of a size share a slab.
 *
 * More objects per slab mean fewer visits to the slab lists, larger slabs mean
 * more memory held by one forgotten object.  The rules are those of the kernel's
 * allocator as its published figures show them, so that figures compare.
 */

#include <errno.h>

#include "platform/bits.h"
#include "platform/pages.h"
#include "slab/slab.h"

/* Slabs are made of these, also where the system's pages are larger. */
#define UNIT_BYTES ((size_t)4096)

/* Orders above this are only used for objects that do not fit otherwise. */
#define MAX_ORDER 3

/* The free set of a slab is one word. */
#define MAX_OBJECTS 64

/* Slots keep to words, so that sanitizers can tell neighbours apart. */
#define MIN_SLOT_ALIGN 8

/*
 * A touched huge page is 2 MiB of memory, and the first slab's place in a chunk
 * goes to metadata: larger slabs than this would waste more than 1/32 of it.
 */
#define MAX_HUGE_SLAB_BYTES ((size_t)64 << 10)

/* malloc() aligns to 16, but an object shorter than that to what fits in it. */
static size_t natural_align(size_t size)
{
	return size >= 16 ? 16 : (size_t)1 << ilog2(size);
}

static size_t min_objects(unsigned int ncpu)
{
	return 4 * ((size_t)bits_last_set(ncpu) + 1);
}

static unsigned int order_of(size_t bytes)
{
	unsigned int order = 0;

	while (UNIT_BYTES << order < bytes)
		order++;
	return order;
}

/* The smallest order from @first on that leaves at most 1/@share unused. */
static int order_wasting(size_t slot, unsigned int first, unsigned int share)
{
	for (unsigned int order = first; order <= MAX_ORDER; order++) {
		size_t bytes = UNIT_BYTES << order;

		if (bytes % slot <= bytes / share)
			return (int)order;
	}
	return -1;
}

static unsigned int choose_order(size_t slot, unsigned int ncpu)
{
	unsigned int first = order_of(min_objects(ncpu) * slot);
	int order;

	if (first > MAX_ORDER)
		first = MAX_ORDER;
	for (unsigned int share = 16; share >= 2; share /= 2) {
		order = order_wasting(slot, first, share);
		if (order >= 0)
			return (unsigned int)order;
	}
	return order_of(slot);
}

static unsigned int choose_min_partial(size_t size)
{
	unsigned int half = ilog2(size) / 2;

	if (half < 5)
		return 5;
	return half > 10 ? 10 : half;
}

/* Positions of a chunk, less those that header and metadata cover. */
static unsigned int slabs_per_chunk(size_t slab_bytes)
{
	size_t positions = UMAPLE_CHUNK_BYTES / slab_bytes;
	size_t metadata = sizeof(struct umaple_chunk) +
			  positions * sizeof(struct umaple_slab);

	return (unsigned int)(positions -
			      round_up(metadata, slab_bytes) / slab_bytes);
}

int umaple_slab_geometry(struct umaple_slab_geometry *geo, size_t size,
			 size_t align, unsigned int ncpu)
{
	struct umaple_slab_geometry g = { 0 };

	if (!size || size > UMAPLE_SLAB_MAX_OBJECT)
		return -EINVAL;
	g.align = align ? align : natural_align(size);
	if (!is_power_of_two(g.align) || g.align > umaple_page_size())
		return -EINVAL;
	g.object_size = round_up(size, g.align);
	g.slot_size = round_up(g.object_size, MIN_SLOT_ALIGN);
	g.order = choose_order(g.slot_size,
			       ncpu ? ncpu : UMAPLE_SLAB_DEFAULT_NCPU);
	g.slab_bytes = UNIT_BYTES << g.order;
	g.objs_per_slab = (unsigned int)(g.slab_bytes / g.slot_size);
	if (g.objs_per_slab > MAX_OBJECTS)
		g.objs_per_slab = MAX_OBJECTS;
	g.slabs_per_chunk = slabs_per_chunk(g.slab_bytes);
	g.min_partial = choose_min_partial(g.object_size);
	g.huge_pages = g.slab_bytes <= MAX_HUGE_SLAB_BYTES;
	*geo = g;
	return 0;
}
