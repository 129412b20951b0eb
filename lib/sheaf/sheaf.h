/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * sheaf/sheaf.h - bundles of free objects that are handed over as a whole.
 *
 * Above: sheaf/barn.h stores them; the cache layer fills, empties and lends them.
 * Below: platform only.  A sheaf does not know where its objects come from.
 */

#ifndef SHEAF_SHEAF_H
#define SHEAF_SHEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "platform/assert.h"
#include "platform/compiler.h"

/**
 * struct umaple_sheaf - A bounded stack of free objects.
 *
 * Owner: one thread, a CPU, or the barn; never two of them.  Only the owner
 *        touches it, so no field is atomic and there is no lock in here.
 * Size:  a header of 32 bytes, then the objects; it starts on a cache line of its
 *        own, so that sheaves of two CPUs never share one.
 * Invariants, checked by umaple_sheaf_check():
 *        S1  capacity is at least 1 and count is at most capacity.
 *        S2  objects[0..count) are distinct and not NULL.
 */
struct umaple_sheaf {
	struct umaple_sheaf *next; /* list of whoever owns it */
	uint64_t sequence;	   /* for the cache: grace period to wait for */
	const void *owner; /* for the cache: itself, in borrowed sheaves */
	uint32_t count;	   /* objects held */
	uint32_t capacity; /* objects that fit; fixed at creation */
	void *objects[];   /* the stack; objects[count - 1] is its top */
};

_Static_assert(sizeof(void *) != 8 ||
		       offsetof(struct umaple_sheaf, objects) == 32,
	       "32 + 8 * 28 fills 256 bytes: capacities are chosen by this");

/* An empty sheaf, or %NULL. */
struct umaple_sheaf *umaple_sheaf_new(size_t capacity);

/* Frees the sheaf; it must be empty. %NULL is ignored. */
void umaple_sheaf_delete(struct umaple_sheaf *sheaf);

/* 0, or -EUCLEAN and the first violation of S1 or S2 in @text (may be NULL). */
int umaple_sheaf_check(const struct umaple_sheaf *sheaf, char *text,
		       size_t size);

static inline size_t umaple_sheaf_room(const struct umaple_sheaf *sheaf)
{
	return sheaf->capacity - sheaf->count;
}

static inline bool umaple_sheaf_is_full(const struct umaple_sheaf *sheaf)
{
	return sheaf->count == sheaf->capacity;
}

/* The sheaf must have room. */
static inline void umaple_sheaf_push(struct umaple_sheaf *sheaf, void *object)
{
	UMAPLE_ASSERT(sheaf->count < sheaf->capacity);
	sheaf->objects[sheaf->count++] = object;
}

/* The last object pushed; the sheaf must hold one. */
static inline void *umaple_sheaf_pop(struct umaple_sheaf *sheaf)
{
	UMAPLE_ASSERT(sheaf->count > 0);
	return sheaf->objects[--sheaf->count];
}

/* The @count objects on top of @from, in their order, to the top of @to. */
static inline void umaple_sheaf_move(struct umaple_sheaf *to,
				     struct umaple_sheaf *from, size_t count)
{
	UMAPLE_ASSERT(count <= from->count && count <= umaple_sheaf_room(to));
	from->count -= (uint32_t)count;
	memcpy(to->objects + to->count, from->objects + from->count,
	       count * sizeof(from->objects[0]));
	to->count += (uint32_t)count;
}

#endif /* SHEAF_SHEAF_H */
