/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/delay.h - lose some time on purpose (test builds only).
 *
 * Called where a reader or a writer stands between two accesses whose order
 * matters, so that tests meet interleavings that are rare otherwise.  Off until a
 * test turns it on; any thread may call it, with locks held or not.
 */

#ifndef PLATFORM_DELAY_H
#define PLATFORM_DELAY_H

#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"

#if UMAPLE_FAULT_INJECTION

extern uint32_t umaple_delay_seed; /* atomic; 0: off */

/* Mostly nothing, now and then a short loop, rarely another thread's turn. */
void umaple_delay_draw(void);

static inline void umaple_delay(void)
{
	if (unlikely(load_relaxed(&umaple_delay_seed)))
		umaple_delay_draw();
}

/* Turn delays on, with a seed, or off, with 0. */
static inline void umaple_delay_set(uint32_t seed)
{
	store_relaxed(&umaple_delay_seed, seed);
}

#else

static inline void umaple_delay(void)
{
}

static inline void umaple_delay_set(uint32_t seed)
{
	(void)seed;
}

#endif

#endif /* PLATFORM_DELAY_H */
