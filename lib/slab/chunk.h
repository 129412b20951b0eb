/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/chunk.h - where slabs, their metadata and their objects lie.
 *
 * A chunk is 2 MiB, aligned to 2 MiB, and belongs to one node of one cache.  Its
 * start holds a header and a line of metadata per slab; the slabs follow, each at
 * a multiple of its own (power of two) size:
 *
 *   chunk                                                          chunk + 2 MiB
 *   | header | slabs[0] ... slabs[positions - 1] | slab first | ... | slab last |
 *
 * So an object finds its chunk by masking its address, its slab by a shift and
 * its place by a multiplication, and the metadata shares no cache set with the
 * objects.  slabs[] is indexed by position; those before the first slab, which
 * the metadata covers, are unused.
 */

#ifndef SLAB_CHUNK_H
#define SLAB_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/bits.h"
#include "platform/compiler.h"
#include "platform/list.h"

#define UMAPLE_CHUNK_SHIFT 21
#define UMAPLE_CHUNK_BYTES ((size_t)1 << UMAPLE_CHUNK_SHIFT)

/**
 * struct umaple_slab - What is known of one slab.
 *
 * @free, @pending and @waiting are sets of objects by their place in the slab.
 * An object is in none of them while it is used, and never in two.  Frees read
 * @pending and @waiting without a lock, to find those that come twice.
 */
struct umaple_slab {
	uint64_t free;	  /* atomic; all objects while the slab is in no use */
	uint64_t pending; /* deferred, not yet collected; under defer_lock */
	uint64_t waiting; /* in the collection that is out; its owner's */
	struct umaple_slab *next_pending; /* list of slabs with pending bits */
	struct umaple_slab *next_waiting; /* the collection that is out */
	union {
		/* partial list (list_lock), or unused slabs of the chunk
		   (pool_lock) */
		struct list_link link;
		struct umaple_slab *next_parked; /* the stack, while parked */
	};
	bool listed;  /* on the partial list; under list_lock */
	bool in_use;  /* under pool_lock */
	bool parked;  /* on the stack, or about to be: set by who parks it,
			 cleared under list_lock */
	bool awaited; /* empty, and about to be parked; under list_lock */
} UMAPLE_CACHELINE_ALIGNED;

_Static_assert(sizeof(struct umaple_slab) == UMAPLE_CACHELINE,
	       "freeing an object costs one line of metadata");

/**
 * struct umaple_chunk - The header of a chunk.
 *
 * The first line is only read once the chunk is made: every free looks at it.
 */
struct umaple_chunk {
	uintptr_t cookie; /* umaple_chunk_cookie() */
	struct list_link link UMAPLE_CACHELINE_ALIGNED; /* under pool_lock */
	struct list_link unused; /* slabs in no use, under pool_lock */
	size_t nr_used;		 /* slabs in use, under pool_lock */
	struct umaple_slab slabs[] UMAPLE_CACHELINE_ALIGNED;
};

/**
 * struct umaple_slab_layout - What it takes to get from an address to its object.
 * @all:        The set of all objects of a slab.
 * @id:         Of the node: what makes its chunks' cookies differ from others'.
 * @inverse:    2^UMAPLE_INVERSE_SHIFT / slot size, rounded up.
 * @slot_size:  Bytes per object.
 * @slab_shift: Binary logarithm of the bytes per slab.
 * @first:      Position of the first slab in a chunk.
 * @nr_objects: Objects per slab.
 */
struct umaple_slab_layout {
	uint64_t all;
	uintptr_t id;
	uint64_t inverse;
	size_t slot_size;
	uint32_t slab_shift;
	uint32_t first;
	uint32_t nr_objects;
};

/*
 * Multiplying by the rounded-up inverse and shifting divides exactly while
 * offset * slot size < 2^UMAPLE_INVERSE_SHIFT; both are at most 2^20.
 */
#define UMAPLE_INVERSE_SHIFT 42

static inline struct umaple_chunk *umaple_chunk_of(const void *address)
{
	return (struct umaple_chunk *)((uintptr_t)address &
				       ~(uintptr_t)(UMAPLE_CHUNK_BYTES - 1));
}

static inline size_t umaple_chunk_offset(const void *address)
{
	return (uintptr_t)address & (UMAPLE_CHUNK_BYTES - 1);
}

/* Differs between chunks and nodes, and hardly turns up by accident. */
static inline uintptr_t umaple_chunk_cookie(const struct umaple_chunk *chunk,
					    uintptr_t id)
{
	return (uintptr_t)chunk ^ id ^ (uintptr_t)UINT64_C(0x756d61706c65c00c);
}

static inline unsigned int umaple_slab_position(const struct umaple_slab *slab)
{
	return (unsigned int)(slab - umaple_chunk_of(slab)->slabs);
}

/* Start of the slab's objects. */
static inline char *umaple_layout_base(const struct umaple_slab_layout *layout,
				       const struct umaple_slab *slab)
{
	size_t position = umaple_slab_position(slab);

	return (char *)umaple_chunk_of(slab) + (position << layout->slab_shift);
}

static inline void *
umaple_layout_object(const struct umaple_slab_layout *layout,
		     const struct umaple_slab *slab, unsigned int place)
{
	return umaple_layout_base(layout, slab) + place * layout->slot_size;
}

/* The slab whose memory @address is in. */
static inline struct umaple_slab *
umaple_layout_slab(const struct umaple_slab_layout *layout, const void *address)
{
	size_t position = umaple_chunk_offset(address) >> layout->slab_shift;

	return &umaple_chunk_of(address)->slabs[position];
}

/* The place in its slab of the slot that @address is in. */
static inline unsigned int
umaple_layout_place(const struct umaple_slab_layout *layout,
		    const void *address)
{
	uint64_t offset =
		(uintptr_t)address & (((uintptr_t)1 << layout->slab_shift) - 1);

	return (unsigned int)((offset * layout->inverse) >>
			      UMAPLE_INVERSE_SHIFT);
}

static inline bool umaple_layout_owns(const struct umaple_slab_layout *layout,
				      const void *address)
{
	const struct umaple_chunk *chunk = umaple_chunk_of(address);
	uint64_t offset =
		(uintptr_t)address & (((uintptr_t)1 << layout->slab_shift) - 1);
	unsigned int place;

	if (unlikely(!chunk ||
		     chunk->cookie != umaple_chunk_cookie(chunk, layout->id)))
		return false;
	place = umaple_layout_place(layout, address);
	return place < layout->nr_objects &&
	       place * layout->slot_size == offset &&
	       umaple_chunk_offset(address) >> layout->slab_shift >=
		       layout->first;
}

#endif /* SLAB_CHUNK_H */
