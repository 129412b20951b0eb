/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/guard.c - reaching the stacks of other CPUs.
 *
 * In the rseq form a closer sets @closed, which every restartable sequence of the
 * CPU tests, and then makes sequences under way start over (membarrier(2)).  What
 * was not committed by then never will be, so only a holder of @lock can still be
 * at the stacks, and the closer waits for it to let go.
 *
 * In the atomic form the closer takes the lock like anybody else.
 */

#include "platform/guard.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

/* Turns of each kind of waiting before the next, which leaves the CPU longer. */
#define SPINS  100
#define YIELDS 100

static void wait_a_little(unsigned int turn)
{
	struct timespec pause = { .tv_nsec = 100000 };
	int saved_errno = errno;

	if (turn < SPINS)
		cpu_relax();
	else if (turn < SPINS + YIELDS)
		sched_yield();
	else /* the holder may be of lower priority, on this very CPU */
		nanosleep(&pause, NULL);
	errno = saved_errno;
}

void umaple_guard_close(const struct umaple_guard_table *table,
			unsigned int cpu)
{
	/*
	 * ORDER(close), store side: a sequence that commits after the fence has
	 * seen @closed, and one that committed before is seen by
	 * umaple_guard_wait().
	 * Load side: the test of lock and closed in platform/guard_x86_64.h; the
	 * fence between is umaple_guard_fence()'s, for both sides.
	 * Without it: two threads have the same stack.
	 */
	if (table->rseq)
		store_relaxed(&umaple_guard_of(table, cpu)->closed, 1);
}

void umaple_guard_fence(const struct umaple_guard_table *table)
{
	if (table->rseq)
		umaple_rseq_fence();
}

static bool guard_is_ours(const struct umaple_guard_table *table,
			  struct umaple_guard *guard)
{
	if (table->rseq)
		return load_acquire(&guard->lock) == 0;
	return load_relaxed(&guard->lock) == 0 &&
	       xchg_acq_rel(&guard->lock, 1) == 0;
}

void umaple_guard_wait(const struct umaple_guard_table *table, unsigned int cpu)
{
	struct umaple_guard *guard = umaple_guard_of(table, cpu);

	for (unsigned int turn = 0; !guard_is_ours(table, guard); turn++)
		wait_a_little(turn);
}

void umaple_guard_open(const struct umaple_guard_table *table, unsigned int cpu)
{
	struct umaple_guard *guard = umaple_guard_of(table, cpu);

	store_release(table->rseq ? &guard->closed : &guard->lock, 0);
}
