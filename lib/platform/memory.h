/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/memory.h - memory for our own bookkeeping, from malloc().
 *
 * Objects of caches never come from here: platform/pages.h.
 */

#ifndef PLATFORM_MEMORY_H
#define PLATFORM_MEMORY_H

#include <stddef.h>

/* @size zeroed bytes at a multiple of @align, a power of two, or %NULL. */
void *umaple_zalloc_aligned(size_t align, size_t size);

/* Gives back what that returned; %NULL is ignored. */
void umaple_zfree(void *memory);

#endif /* PLATFORM_MEMORY_H */
