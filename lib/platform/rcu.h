/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/rcu.h - the only place that knows liburcu.
 *
 * A flavour is liburcu's own table of functions, chosen by the user when a cache
 * is made.  ThreadSanitizer does not see that a grace period orders readers
 * before reclaim, so the two ends are told to it here: leaving a section
 * releases, the end of a grace period acquires, one token per flavour.
 */

#ifndef PLATFORM_RCU_H
#define PLATFORM_RCU_H

#include <stdbool.h>
#include <stdint.h>

#include <urcu/flavor.h>

#include "platform/annotate.h"
#include "platform/atomic.h"
#include "platform/compiler.h"

/* The default flavour: bp, whose readers need no registration. */
const struct rcu_flavor_struct *umaple_rcu_default(void);

static inline void *umaple_rcu_token(const struct rcu_flavor_struct *flavor)
{
	return (void *)(uintptr_t)flavor;
}

static inline void umaple_rcu_read_lock(const struct rcu_flavor_struct *flavor)
{
	flavor->read_lock();
}

static inline void
umaple_rcu_read_unlock(const struct rcu_flavor_struct *flavor)
{
	umaple_tsan_release(umaple_rcu_token(flavor));
	flavor->read_unlock();
}

/* Must the caller not wait for a grace period now? */
static inline bool
umaple_rcu_read_ongoing(const struct rcu_flavor_struct *flavor)
{
	return flavor->read_ongoing() != 0;
}

/* Wait until every section that is open now is closed. */
static inline void
umaple_rcu_synchronize(const struct rcu_flavor_struct *flavor)
{
	flavor->update_synchronize_rcu();
	umaple_tsan_acquire(umaple_rcu_token(flavor));
}

/*
 * Load a pointer that a writer publishes by store_release().  What is read
 * through it is ordered by the address, on every machine we run on; compilers
 * promote consume to acquire, which costs on arm64, so it is relaxed.
 * ThreadSanitizer does not follow addresses: there it is an acquire.
 */
#if UMAPLE_TSAN
#define umaple_rcu_load(ptr) load_acquire(ptr)
#else
#define umaple_rcu_load(ptr) load_relaxed(ptr)
#endif

#endif /* PLATFORM_RCU_H */
