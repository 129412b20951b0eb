/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/pages.h - aligned runs of pages, straight from the system.
 *
 * Any thread may call any of these at any time; errno is kept.
 */

#ifndef PLATFORM_PAGES_H
#define PLATFORM_PAGES_H

#include <stddef.h>

/* Bytes per page of the system. */
size_t umaple_page_size(void);

/**
 * umaple_pages_map() - Map zeroed, private, readable and writable memory.
 * @bytes: Length, a multiple of the page size.
 * @align: Alignment of the start, a power of two, at least the page size.
 *
 * Return: The start, or %NULL.
 */
void *umaple_pages_map(size_t bytes, size_t align);

/*
 * Give a whole run back.  When the system has no room for the bookkeeping of the
 * hole, the pages go back all the same and only the addresses stay taken.
 */
void umaple_pages_unmap(void *start, size_t bytes);

/* Ask for huge pages.  Best effort: a system without them is left alone. */
void umaple_pages_huge(void *start, size_t bytes);

#endif /* PLATFORM_PAGES_H */
