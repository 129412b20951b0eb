/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/memory.c - malloc() for our own bookkeeping, with faults on request.
 */

#include "platform/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fault.h"

void *umaple_zalloc_aligned(size_t align, size_t size)
{
	int saved_errno = errno;
	void *memory;

	if (umaple_fault())
		return NULL;
	/* posix_memalign() wants at least the alignment of a pointer. */
	if (align < sizeof(void *))
		align = sizeof(void *);
	if (posix_memalign(&memory, align, size))
		memory = NULL;
	else
		memset(memory, 0, size);
	errno = saved_errno;
	return memory;
}

void umaple_zfree(void *memory)
{
	free(memory);
}
