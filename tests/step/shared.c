/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "shared.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "platform/annotate.h"
#include "platform/bits.h"

#define MAX_RUNS 64

static struct {
	void *start;
	size_t bytes;
} runs[MAX_RUNS];
static size_t nr_runs;

/* The linker lets the library call this for umaple_pages_map(). */
void *__wrap_umaple_pages_map(size_t bytes, size_t align);

void *__wrap_umaple_pages_map(size_t bytes, size_t align)
{
	char *mapped = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mapped == MAP_FAILED || nr_runs == MAX_RUNS)
		abort();
	mapped += round_up((uintptr_t)mapped, align) - (uintptr_t)mapped;
	runs[nr_runs].start = mapped;
	runs[nr_runs++].bytes = bytes;
	return mapped;
}

void *shared_alloc(size_t bytes)
{
	return __wrap_umaple_pages_map(bytes, 4096);
}

void shared_reveal(void)
{
	for (size_t i = 0; i < nr_runs; i++)
		umaple_mark_plain(runs[i].start, runs[i].bytes);
}
