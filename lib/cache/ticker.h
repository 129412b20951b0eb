/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/ticker.h - numbered grace periods on demand, one ticker per flavour.
 *
 * Role:  Whoever has something to reclaim takes a stamp, asks for it, and later
 *        looks whether it has passed: no callback per object, no wait.  A thread,
 *        started on first need, runs the flavour's synchronize_rcu() while
 *        anybody wants a grace period that has not passed.  call_rcu() would
 *        answer 10 ms later at best, with millions of objects waiting by then.
 * Above: all caches of a flavour share its ticker.
 * Locks: cache/cache_priv.h.
 */

#ifndef CACHE_TICKER_H
#define CACHE_TICKER_H

#include <stdbool.h>
#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/rcu.h"

/**
 * struct umaple_ticker - The grace periods of one flavour.
 * @started:   Number of the latest grace period begun; under @tick_lock.
 * @completed: Number of the latest that is over.
 * @wanted:    Greatest number anybody has asked for.
 * @done:      Counts ends of grace periods: what waiters sleep on.
 * @wake:      Counts requests: what the thread sleeps on.
 * @waiters:   Threads asleep on @done, or about to be.
 * @asleep:    The thread is asleep on @wake, or about to be.
 * @aging:     There are part-filled sheaves or parked slabs, which the thread looks
 *             after now and then.
 * @running:   The thread exists.
 * @lost:      This process is the child of a fork that caught a grace period under
 *             way: there will be none any more.
 * @tick_lock: Held by whoever runs a grace period or looks after sheaves.
 * @start_lock: Held by whoever starts the thread.
 * @forks:     Forks that are coming: none is overtaken by a grace period.
 * @forker:    The forking thread that holds @tick_lock, or NULL.
 */
struct umaple_ticker {
	const struct rcu_flavor_struct *flavor;
	struct umaple_ticker *next;

	/* Read by all CPUs for each sheaf. */
	uint64_t started UMAPLE_CACHELINE_ALIGNED;
	uint64_t completed;
	uint32_t done;

	uint64_t wanted UMAPLE_CACHELINE_ALIGNED;
	uint32_t wake;
	uint32_t waiters;
	uint32_t asleep;
	uint32_t aging;
	uint32_t running;
	uint32_t lost;
	uint32_t tick_lock;
	uint32_t start_lock;
	uint32_t forks;
	const void *forker;
};

/* The ticker of a flavour, made at the first call; NULL: no memory. */
struct umaple_ticker *umaple_ticker_get(const struct rcu_flavor_struct *flavor);

/*
 * The number of a grace period that begins after this: once it has passed, no
 * reader can have what was unlinked before.
 */
static inline uint64_t umaple_ticker_stamp(const struct umaple_ticker *ticker)
{
	/*
	 * ORDER(stamp), load side: what was unlinked is unlinked for all before
	 * @started is read.  If a grace period has begun that we do not see yet,
	 * its wait begins after our fence, and covers us.
	 * Store side: tick() in cache/ticker.c.
	 * Without it: a grace period that began too early frees what a reader
	 * still has.
	 */
	fence_seq_cst();
	return load_relaxed(&ticker->started) + 1;
}

static inline bool umaple_ticker_passed(const struct umaple_ticker *ticker,
					uint64_t stamp)
{
	/*
	 * ORDER(completed), load side: what readers did before the grace period
	 * ended happened before what we do with the memory.
	 * Store side: tick() in cache/ticker.c.
	 * Without it: a reader sees what the memory's next owner writes.
	 */
	return load_acquire(&ticker->completed) >= stamp;
}

/* Have the grace period run; returns at once. */
void umaple_ticker_want(struct umaple_ticker *ticker, uint64_t stamp);

/*
 * Sleep until it has passed.  The caller is outside read-side sections and holds
 * no lock that a reader may wait for.  False: it never will (@lost).
 */
bool umaple_ticker_wait(struct umaple_ticker *ticker, uint64_t stamp);

/* There is a part-filled sheaf, or a parked slab; call after it can be seen. */
void umaple_ticker_age(struct umaple_ticker *ticker);

/*
 * Round a fork: no grace period is under way across it, unless that would mean to
 * wait for ever; liburcu has been told; and no cache can be made.  Before
 * anything else is taken that a reader may need.
 */
void umaple_ticker_fork_prepare(void);
void umaple_ticker_fork_parent(void);
void umaple_ticker_fork_child(void);

/* What the cache layer does with a tick: cache/cache_registry.c. */
void umaple_cache_tick_begin(struct umaple_ticker *ticker);
void umaple_cache_tick_end(struct umaple_ticker *ticker);
void umaple_cache_tick_relief(struct umaple_ticker *ticker);
/* Look after part-filled sheaves.  Return: whether there are any. */
bool umaple_cache_tick_idle(struct umaple_ticker *ticker);

#endif /* CACHE_TICKER_H */
