/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/rcu_fork.c - tells liburcu-bp of forks, without telling it twice.
 *
 * urcu_bp_before_fork() blocks all signals and takes two locks that are not
 * recursive, so a second call in the same thread would hang.  Programs that
 * follow liburcu's manual make the first; they then reach us with all signals
 * blocked, and nothing is taken.
 *
 * It also waits for a grace period that is under way, whoever waits for it, and so
 * for readers.  Inside a read-side section that could be for ever, so then nothing
 * is taken either.
 *
 * The child drops the readers that are gone in every case.  When nothing was
 * taken this unlocks two locks that are not locked, or not by us, which the C
 * libraries we know allow for locks of the default kind; a grace period that
 * another thread of the program (not of this library) had under way at the fork
 * may then have left the list of readers unfit for use in the child.
 */

#include "platform/rcu_fork.h"

#include <signal.h>
#include <stdbool.h>

#include "platform/rcu.h"
#include "platform/thread.h"

/* How long a thread may take to start and to register as a reader. */
#define PROBE_MS 20

void urcu_bp_before_fork(void);
void urcu_bp_after_fork_parent(void);
void urcu_bp_after_fork_child(void);

/* Of the thread that forks, across the fork; others may fork beside it. */
static __thread struct forking {
	bool prepared;
	bool told;
	bool taken; /* told by us: liburcu's locks are ours */
} forking;

static bool all_signals_blocked(void)
{
	sigset_t blocked;

	if (pthread_sigmask(SIG_BLOCK, NULL, &blocked))
		return false;
	for (int signal = 1; signal < 32; signal++) {
		if (signal != SIGKILL && signal != SIGSTOP &&
		    sigismember(&blocked, signal) == 0)
			return false;
	}
	return true;
}

/*
 * A new reader registers under a lock that grace periods let go of while they
 * wait, and that a program which has told liburcu of a fork holds.
 */
static uint32_t passed; /* number of the latest probe that could register */

static void *probe(void *number)
{
	const struct rcu_flavor_struct *bp = umaple_rcu_default();
	uint32_t mine = (uint32_t)(uintptr_t)number;
	uint32_t latest = load_relaxed(&passed);

	umaple_rcu_read_lock(bp);
	umaple_rcu_read_unlock(bp);
	/* It may be late, for a fork that is long over. */
	while ((int32_t)(mine - latest) > 0 &&
	       !cmpxchg_acq_rel(&passed, &latest, mine))
		;
	umaple_word_wake(&passed);
	return NULL;
}

bool umaple_rcu_fork_is_told(void)
{
	static uint32_t probes;
	uint64_t start = umaple_clock_ms();
	uint32_t mine, latest;

	if (forking.told || !all_signals_blocked())
		return forking.told;
	mine = fetch_add_relaxed(&probes, 1) + 1;
	if (!umaple_thread_start(probe, (void *)(uintptr_t)mine))
		return false;
	while ((int32_t)((latest = load_acquire(&passed)) - mine) < 0 &&
	       umaple_clock_ms() - start < PROBE_MS)
		umaple_word_wait(&passed, latest, PROBE_MS);
	forking.told = (int32_t)(load_acquire(&passed) - mine) < 0;
	return forking.told;
}

bool umaple_rcu_fork_was_told(void)
{
	return forking.told;
}

void umaple_rcu_fork_prepare(bool may_wait)
{
	forking.prepared = true;
	forking.taken = may_wait && !all_signals_blocked() &&
			!umaple_rcu_read_ongoing(umaple_rcu_default());
	if (!forking.taken)
		return;
	urcu_bp_before_fork();
	forking.told = true;
}

static void forget(void)
{
	forking = (struct forking){ 0 };
}

void umaple_rcu_fork_parent(void)
{
	if (forking.taken)
		urcu_bp_after_fork_parent();
	forget();
}

void umaple_rcu_fork_child(void)
{
	sigset_t mask;
	bool kept;

	if (!forking.prepared)
		return;
	kept = !forking.taken && !pthread_sigmask(SIG_BLOCK, NULL, &mask);
	urcu_bp_after_fork_child();
	if (kept)
		pthread_sigmask(SIG_SETMASK, &mask, NULL);
	forget();
}
