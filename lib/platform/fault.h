/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/fault.h - make allocations fail on purpose (test builds only).
 *
 * Every place that can run out of memory asks umaple_fault() first: page runs,
 * metadata, and the cache's own alloc, prefill and refill, so that a failure can
 * be placed even where sheaves would hide it.
 */

#ifndef PLATFORM_FAULT_H
#define PLATFORM_FAULT_H

#include <stdbool.h>

#if UMAPLE_FAULT_INJECTION

/* Does this allocation have to fail? */
bool umaple_fault(void);

/*
 * Let the n-th allocation from now on (0: the next one) fail in this thread;
 * with @forever, all after it too.  A negative @n turns faults off.
 */
void umaple_fault_set(long n, bool forever);

/* Has a fault fired since umaple_fault_set()? */
bool umaple_fault_fired(void);

#else

static inline bool umaple_fault(void)
{
	return false;
}

#endif

#endif /* PLATFORM_FAULT_H */
