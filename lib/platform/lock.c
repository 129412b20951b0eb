/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/lock.c - what happens when a lock is not free: spin, then sleep.
 *
 * A sleeper first sets the word to LOCK_CONTENDED, so that whoever drops the lock
 * knows to wake one; and takes the lock as LOCK_CONTENDED, since it cannot know
 * whether it was the last sleeper.  The price is one futile wake.
 */

#include "platform/lock.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * 100 turns cost less than a sleep and a wake; more only keep the holder off the
 * CPU when threads outnumber CPUs.
 */
#define SPINS 100

/* Sleep while *word is @value; returns early for no reason at times. */
static void futex_wait(uint32_t *word, uint32_t value)
{
	(void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL,
		      0);
}

static bool lock_spin(uint32_t *word)
{
	for (int i = 0; i < SPINS; i++) {
		if (load_relaxed(word) == LOCK_FREE && umaple_lock_try(word))
			return true;
		cpu_relax();
	}
	return false;
}

void umaple_lock_slow(uint32_t *word)
{
	int saved_errno = errno;

	if (lock_spin(word))
		return;
	/* ORDER(lock), load side: as in umaple_lock_try(). */
	while (xchg_acq_rel(word, LOCK_CONTENDED) != LOCK_FREE)
		futex_wait(word, LOCK_CONTENDED);
	errno = saved_errno;
}

void umaple_lock_wake(uint32_t *word)
{
	int saved_errno = errno;

	/*
	 * The lock is dropped by now and its owner may have freed the word:
	 * waking an address that nobody sleeps on is harmless.
	 */
	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	errno = saved_errno;
}
