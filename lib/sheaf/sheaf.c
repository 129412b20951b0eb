/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * sheaf/sheaf.c - making and freeing sheaves.
 */

#include "sheaf/sheaf.h"

#include "platform/bits.h"
#include "platform/memory.h"

/* More would not fit the address space of a 32-bit machine. */
#define MAX_POINTERS (SIZE_MAX / sizeof(void *) / 2)

struct umaple_sheaf *umaple_sheaf_new(size_t capacity)
{
	struct umaple_sheaf *sheaf;
	size_t bytes;

	if (!capacity || capacity > UINT32_MAX || capacity > MAX_POINTERS)
		return NULL;
	bytes = sizeof(*sheaf) + capacity * sizeof(sheaf->objects[0]);
	sheaf = umaple_zalloc_aligned(UMAPLE_CACHELINE,
				      round_up(bytes, UMAPLE_CACHELINE));
	if (sheaf)
		sheaf->capacity = (uint32_t)capacity;
	return sheaf;
}

void umaple_sheaf_delete(struct umaple_sheaf *sheaf)
{
	UMAPLE_ASSERT(!sheaf || !sheaf->count);
	umaple_zfree(sheaf);
}
