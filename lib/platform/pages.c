/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/pages.c - mmap(2) with alignment.
 *
 * Freeing an object may end in umaple_pages_unmap(), and free() is expected to
 * leave errno alone, so every function here does.
 */

#include "platform/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/assert.h"
#include "platform/bits.h"
#include "platform/fault.h"

size_t umaple_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Where the system likes, or NULL. */
static char *map_anywhere(size_t bytes)
{
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

/* Map more than needed, and give back what is not aligned. */
static char *map_and_trim(size_t bytes, size_t align)
{
	size_t slack = align - umaple_page_size();
	char *mapped, *start;
	size_t head;

	if (bytes > SIZE_MAX - slack)
		return NULL;
	mapped = map_anywhere(bytes + slack);
	if (!mapped)
		return NULL;
	head = round_up((uintptr_t)mapped, align) - (uintptr_t)mapped;
	start = mapped + head;
	if (head)
		umaple_pages_unmap(mapped, head);
	if (slack - head)
		umaple_pages_unmap(start + bytes, slack - head);
	return start;
}

void *umaple_pages_map(size_t bytes, size_t align)
{
	int saved_errno = errno;
	char *start;

	UMAPLE_ASSERT(is_power_of_two(align) && align >= umaple_page_size());
	UMAPLE_ASSERT(bytes && bytes % umaple_page_size() == 0);
	if (umaple_fault())
		return NULL;
	/* Newer kernels align large mappings by themselves. */
	start = map_anywhere(bytes);
	if (start && (uintptr_t)start % align) {
		umaple_pages_unmap(start, bytes);
		start = map_and_trim(bytes, align);
	}
	errno = saved_errno;
	return start;
}

void umaple_pages_unmap(void *start, size_t bytes)
{
	int saved_errno = errno;

	/* Cutting a hole into a mapping can exceed the limit of mappings. */
	if (munmap(start, bytes))
		(void)madvise(start, bytes, MADV_DONTNEED);
	errno = saved_errno;
}

void umaple_pages_huge(void *start, size_t bytes)
{
	int saved_errno = errno;

	(void)madvise(start, bytes, MADV_HUGEPAGE);
	errno = saved_errno;
}
