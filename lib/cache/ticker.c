/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/ticker.c - the thread that runs grace periods, and what it sleeps on.
 *
 * The thread only ever waits for readers and is none itself, so it need not be
 * registered with the flavour, and leaves nothing behind in a forked child.  It is
 * never joined: a process may end under it.
 *
 * Where no thread can be had, whoever waits runs the grace period itself.
 */

#include "cache/ticker.h"

#include "platform/assert.h"
#include "platform/lock.h"
#include "platform/memory.h"
#include "platform/rcu_fork.h"
#include "platform/thread.h"

/* How long a part-filled sheaf may lie before it is sent off: once to twice this. */
#define AGE_MS 100

/* How long a fork waits for a grace period that does not end. */
#define FORK_PATIENCE_MS 1000

static uint32_t tickers_lock;
static struct umaple_ticker *tickers;

static struct umaple_ticker *ticker_find(const struct rcu_flavor_struct *flavor)
{
	struct umaple_ticker *ticker = tickers;

	while (ticker && ticker->flavor != flavor)
		ticker = ticker->next;
	return ticker;
}

struct umaple_ticker *umaple_ticker_get(const struct rcu_flavor_struct *flavor)
{
	struct umaple_ticker *ticker, *fresh;

	fresh = umaple_zalloc_aligned(UMAPLE_CACHELINE, sizeof(*fresh));
	umaple_lock_take(&tickers_lock);
	ticker = ticker_find(flavor);
	if (!ticker && fresh) {
		fresh->flavor = flavor;
		fresh->next = tickers;
		tickers = fresh;
		ticker = fresh;
		fresh = NULL;
	}
	umaple_lock_drop(&tickers_lock);
	umaple_zfree(fresh);
	return ticker;
}

/* Run one grace period if anybody still wants one; tick_lock is held. */
static void tick(struct umaple_ticker *ticker)
{
	uint64_t number = ticker->completed + 1;

	if (load_relaxed(&ticker->wanted) < number)
		return;
	store_relaxed(&ticker->started, number);
	/* ORDER(stamp), store side.  Load side: umaple_ticker_stamp(). */
	fence_seq_cst();
	umaple_cache_tick_begin(ticker);
	umaple_rcu_synchronize(ticker->flavor);
	umaple_cache_tick_end(ticker);
	/* ORDER(completed), store side.  Load side: umaple_ticker_passed(). */
	store_release(&ticker->completed, number);
	fetch_add_acq_rel(&ticker->done, 1);
	/*
	 * ORDER(waiters), load side: either we see the waiter, or it sees @done
	 * moved and does not sleep.
	 * Store side: wait_for_end().
	 * Without it: a waiter sleeps until the next grace period, if any.
	 */
	fence_seq_cst();
	if (load_relaxed(&ticker->waiters))
		umaple_word_wake(&ticker->done);
	umaple_cache_tick_relief(ticker);
}

static bool ticker_has_work(const struct umaple_ticker *ticker)
{
	return load_relaxed(&ticker->wanted) > load_relaxed(&ticker->completed);
}

/* Sleep until somebody kicks, or until it is time to look after sheaves. */
static void ticker_sleep(struct umaple_ticker *ticker, uint32_t seen,
			 unsigned int timeout_ms)
{
	store_relaxed(&ticker->asleep, 1);
	/*
	 * ORDER(asleep), store side: either a kick sees us asleep and wakes us, or
	 * @wake has moved and we do not sleep.
	 * Load side: ticker_kick().
	 * Without it: a request waits until the next one.
	 */
	fence_seq_cst();
	umaple_word_wait(&ticker->wake, seen, timeout_ms);
	store_relaxed(&ticker->asleep, 0);
}

/* Look after part-filled sheaves if it is time.  Return: when next, in ms. */
static unsigned int ticker_look_after(struct umaple_ticker *ticker,
				      uint64_t *last)
{
	uint64_t now;

	if (!load_relaxed(&ticker->aging))
		return 0;
	now = umaple_clock_ms();
	if (now - *last < AGE_MS)
		return (unsigned int)(AGE_MS - (now - *last));
	*last = now;
	store_relaxed(&ticker->aging, 0);
	/*
	 * ORDER(aging), store side: a sheaf installed by who still saw @aging set
	 * is found below.
	 * Load side: umaple_ticker_age().
	 * Without it: a part-filled sheaf is never sent off.
	 */
	fence_seq_cst();
	umaple_lock_take(&ticker->tick_lock);
	if (umaple_cache_tick_idle(ticker))
		store_relaxed(&ticker->aging, 1);
	umaple_lock_drop(&ticker->tick_lock);
	return load_relaxed(&ticker->aging) ? AGE_MS : 0;
}

static void *ticker_run(void *argument)
{
	struct umaple_ticker *ticker = argument;
	uint64_t last = umaple_clock_ms();

	for (;;) {
		uint32_t seen = load_acquire(&ticker->wake);
		unsigned int timeout = ticker_look_after(ticker, &last);

		if (!ticker_has_work(ticker)) {
			ticker_sleep(ticker, seen, timeout);
			continue;
		}
		umaple_lock_take(&ticker->tick_lock);
		tick(ticker);
		umaple_lock_drop(&ticker->tick_lock);
	}
	return NULL;
}

static bool ticker_start(struct umaple_ticker *ticker)
{
	bool running;

	umaple_lock_take(&ticker->start_lock);
	running = load_relaxed(&ticker->running);
	if (!running && !load_relaxed(&ticker->lost)) {
		running = umaple_thread_start(ticker_run, ticker);
		store_release(&ticker->running, running);
	}
	umaple_lock_drop(&ticker->start_lock);
	return running;
}

static void ticker_kick(struct umaple_ticker *ticker)
{
	if (unlikely(!load_acquire(&ticker->running)) && !ticker_start(ticker))
		return;
	fetch_add_acq_rel(&ticker->wake, 1);
	/* ORDER(asleep), load side.  Store side: ticker_sleep(). */
	fence_seq_cst();
	if (load_relaxed(&ticker->asleep))
		umaple_word_wake(&ticker->wake);
}

void umaple_ticker_want(struct umaple_ticker *ticker, uint64_t stamp)
{
	uint64_t wanted = load_relaxed(&ticker->wanted);

	while (wanted < stamp) {
		if (cmpxchg_acq_rel(&ticker->wanted, &wanted, stamp)) {
			ticker_kick(ticker);
			return;
		}
	}
	if (unlikely(!load_relaxed(&ticker->running)))
		ticker_kick(ticker);
}

void umaple_ticker_age(struct umaple_ticker *ticker)
{
	/* ORDER(aging), load side.  Store side: ticker_look_after(). */
	fence_seq_cst();
	if (likely(load_relaxed(&ticker->aging)))
		return;
	store_relaxed(&ticker->aging, 1);
	ticker_kick(ticker);
}

static void wait_for_end(struct umaple_ticker *ticker, uint64_t stamp)
{
	uint32_t seen;

	fetch_add_relaxed(&ticker->waiters, 1);
	/* ORDER(waiters), store side.  Load side: tick(). */
	fence_seq_cst();
	seen = load_acquire(&ticker->done);
	if (!umaple_ticker_passed(ticker, stamp))
		umaple_word_wait(&ticker->done, seen, 0);
	fetch_sub_relaxed(&ticker->waiters, 1);
}

bool umaple_ticker_wait(struct umaple_ticker *ticker, uint64_t stamp)
{
	while (!umaple_ticker_passed(ticker, stamp)) {
		if (load_relaxed(&ticker->lost))
			return false;
		umaple_ticker_want(ticker, stamp);
		if (load_acquire(&ticker->running)) {
			wait_for_end(ticker, stamp);
			continue;
		}
		umaple_lock_take(&ticker->tick_lock);
		tick(ticker);
		umaple_lock_drop(&ticker->tick_lock);
	}
	return true;
}

/* --- forks --- */

/*
 * A grace period under way ends soon, unless a reader waits for a lock that the
 * forking thread holds, or is the forking thread.
 */
static enum ticker_fork lock_patiently(struct umaple_ticker *ticker)
{
	uint32_t never = 0;

	if (umaple_lock_try(&ticker->tick_lock))
		return FORK_LOCKED;
	if (ticker->flavor == umaple_rcu_default() && umaple_rcu_fork_is_told())
		return FORK_TOLD;
	if (umaple_rcu_read_ongoing(ticker->flavor))
		return FORK_LOST;
	for (unsigned int ms = 0; ms < FORK_PATIENCE_MS; ms++) {
		umaple_word_wait(&never, 0, 1);
		if (umaple_lock_try(&ticker->tick_lock))
			return FORK_LOCKED;
	}
	return FORK_LOST;
}

bool umaple_ticker_fork_prepare(void)
{
	bool all = true;

	umaple_lock_take(&tickers_lock);
	for (struct umaple_ticker *t = tickers; t; t = t->next) {
		t->fork = lock_patiently(t);
		all &= t->fork == FORK_LOCKED;
	}
	return all;
}

void umaple_ticker_fork_parent(void)
{
	for (struct umaple_ticker *t = tickers; t; t = t->next) {
		if (t->fork == FORK_LOCKED)
			umaple_lock_drop(&t->tick_lock);
	}
	umaple_lock_drop(&tickers_lock);
}

void umaple_ticker_fork_child(void)
{
	for (struct umaple_ticker *t = tickers; t; t = t->next) {
		t->lost |= t->fork == FORK_LOST;
		t->running = 0;
		t->asleep = 0;
		t->aging = 0;
		t->waiters = 0;
		umaple_lock_reset(&t->tick_lock);
		umaple_lock_reset(&t->start_lock);
	}
	umaple_lock_reset(&tickers_lock);
}
