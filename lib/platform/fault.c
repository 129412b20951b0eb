/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/fault.c - counting down to the allocation that fails.
 *
 * Per thread, so that a test of one thread stays exact while helpers allocate.
 */

#include "platform/fault.h"

#if UMAPLE_FAULT_INJECTION

static __thread struct {
	bool armed;
	bool forever;
	bool fired;
	long countdown; /* allocations that still succeed */
} fault;

void umaple_fault_set(long n, bool forever)
{
	fault.armed = n >= 0;
	fault.forever = forever;
	fault.fired = false;
	fault.countdown = n;
}

bool umaple_fault_fired(void)
{
	return fault.fired;
}

bool umaple_fault(void)
{
	if (!fault.armed)
		return false;
	if (fault.countdown > 0) {
		fault.countdown--;
		return false;
	}
	fault.armed = fault.forever;
	fault.fired = true;
	return true;
}

#endif
