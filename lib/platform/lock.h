/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/lock.h - a mutex in one 32-bit word: spins briefly, then sleeps.
 *
 * Zero is unlocked, so that it can be part of a static initialiser.  Spinning
 * about 100 times and then sleeping kept its throughput with 64 threads on two
 * CPUs, where spinning and ticket locks collapsed; doc/performance.md.
 */

#ifndef PLATFORM_LOCK_H
#define PLATFORM_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"

enum {
	LOCK_FREE = 0,
	LOCK_HELD = 1,
	LOCK_CONTENDED = 2
};

/* Spin, then sleep, until the word is ours. */
UMAPLE_COLD void umaple_lock_slow(uint32_t *word);
/* Wake one sleeper. */
UMAPLE_COLD void umaple_lock_wake(uint32_t *word);

static inline bool umaple_lock_try(uint32_t *word)
{
	uint32_t expected = LOCK_FREE;

	/*
	 * ORDER(lock), load side.  Whoever holds the lock sees all that earlier
	 * holders wrote under it.
	 * Store side: umaple_lock_drop().
	 * Without it: lists would be followed before their links were there.
	 */
	return cmpxchg_acquire(word, &expected, LOCK_HELD);
}

static inline void umaple_lock_take(uint32_t *word)
{
	if (unlikely(!umaple_lock_try(word)))
		umaple_lock_slow(word);
}

static inline void umaple_lock_drop(uint32_t *word)
{
	/*
	 * ORDER(lock), store side.  What was written under the lock is seen by
	 * the next holder.
	 * Load side: umaple_lock_try() and umaple_lock_slow().
	 */
	if (unlikely(__atomic_exchange_n(word, LOCK_FREE, __ATOMIC_RELEASE) ==
		     LOCK_CONTENDED))
		umaple_lock_wake(word);
}

static inline bool umaple_lock_is_held(const uint32_t *word)
{
	return load_relaxed(word) != LOCK_FREE;
}

/* In the child of a fork: whoever held it does not exist any more. */
static inline void umaple_lock_reset(uint32_t *word)
{
	store_relaxed(word, LOCK_FREE);
}

#endif /* PLATFORM_LOCK_H */
