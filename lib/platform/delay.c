/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/delay.c - random delays: each thread draws from its own sequence.
 */

#include "platform/delay.h"

#if UMAPLE_FAULT_INJECTION

#include <sched.h>

uint32_t umaple_delay_seed;

static uint32_t nr_threads; /* atomic: makes the sequences differ */
static __thread uint32_t state;

static uint32_t draw(void)
{
	uint32_t x = state;

	if (!x)
		x = (load_relaxed(&umaple_delay_seed) +
		     0x9e3779b9u * fetch_add_relaxed(&nr_threads, 1)) |
		    1;
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	state = x;
	return x;
}

void umaple_delay_draw(void)
{
	uint32_t x = draw();
	unsigned int turns;

	if (x % 1024 == 0)
		sched_yield();
	else if (x % 16 == 0)
		for (turns = x >> 24; turns; turns--)
			cpu_relax();
}

#endif
