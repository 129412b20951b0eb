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

/* How often a fork looks, every ms, whether the grace period under way is over. */
#define FORK_PATIENCE 1000

/* In the order they were made; they stay for ever. */
static uint32_t tickers_lock;
static struct umaple_ticker *tickers;

/* Where the ticker is linked, or would be. */
static struct umaple_ticker **
ticker_find(const struct rcu_flavor_struct *flavor)
{
	struct umaple_ticker **place = &tickers;

	while (*place && (*place)->flavor != flavor)
		place = &(*place)->next;
	return place;
}

struct umaple_ticker *umaple_ticker_get(const struct rcu_flavor_struct *flavor)
{
	struct umaple_ticker *ticker, *fresh, **place;

	fresh = umaple_zalloc_aligned(UMAPLE_CACHELINE, sizeof(*fresh));
	umaple_lock_take(&tickers_lock);
	place = ticker_find(flavor);
	if (!*place && fresh) {
		fresh->flavor = flavor;
		*place = fresh;
		fresh = NULL;
	}
	ticker = *place;
	umaple_lock_drop(&tickers_lock);
	umaple_zfree(fresh);
	return ticker;
}

/*
 * A fork that is coming goes first, or it would have to catch the moment between
 * two grace periods.  Waits once, so forks without end do not keep grace periods
 * away.
 */
static void tick_lock_take(struct umaple_ticker *ticker)
{
	uint32_t forks = load_acquire(&ticker->forks);

	if (unlikely(forks))
		umaple_word_wait(&ticker->forks, forks, 0);
	umaple_lock_take(&ticker->tick_lock);
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
	tick_lock_take(ticker);
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
		tick_lock_take(ticker);
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
		tick_lock_take(ticker);
		tick(ticker);
		umaple_lock_drop(&ticker->tick_lock);
	}
	return true;
}

/* --- forks --- */

/* Its address names the forking thread; the same in the child. */
static __thread char this_thread;

static bool fork_try(struct umaple_ticker *ticker)
{
	if (!umaple_lock_try(&ticker->tick_lock))
		return false;
	store_relaxed(&ticker->forker, &this_thread);
	return true;
}

static bool fork_holds(const struct umaple_ticker *ticker)
{
	return load_relaxed(&ticker->forker) == &this_thread;
}

static bool ticker_is_bp(const struct umaple_ticker *ticker)
{
	return ticker->flavor == umaple_rcu_default();
}

/*
 * Keep grace periods away.  One under way ends soon, unless a reader waits for a
 * lock that the forking thread holds, or is the forking thread.  Another fork is
 * waited for as long as it takes, unless it may be waiting for liburcu's locks,
 * which we have by then.
 */
static void fork_lock_patiently(struct umaple_ticker *ticker)
{
	uint32_t never = 0;

	fetch_add_acq_rel(&ticker->forks, 1);
	if (fork_try(ticker))
		return;
	if (ticker_is_bp(ticker) && umaple_rcu_fork_is_told())
		return;
	if (umaple_rcu_read_ongoing(ticker->flavor))
		return;
	for (unsigned int turn = 0; turn < FORK_PATIENCE;) {
		umaple_word_wait(&never, 0, 1);
		if (fork_try(ticker))
			return;
		turn += !load_relaxed(&ticker->forker) ||
			umaple_rcu_fork_was_told();
	}
}

/*
 * Lock those that follow @last, or all.  Under tickers_lock, which is let go of
 * meanwhile: a reader that a grace period waits for may be about to take it, to
 * make a cache.  Return: the last there is.
 */
static struct umaple_ticker *fork_lock_after(struct umaple_ticker *last)
{
	struct umaple_ticker *ticker;

	while ((ticker = last ? last->next : tickers)) {
		umaple_lock_drop(&tickers_lock);
		fork_lock_patiently(ticker);
		umaple_lock_take(&tickers_lock);
		last = ticker;
	}
	return last;
}

void umaple_ticker_fork_prepare(void)
{
	struct umaple_ticker *last, *bp;

	umaple_lock_take(&tickers_lock);
	last = fork_lock_after(NULL);
	if (!last)
		return;
	bp = *ticker_find(umaple_rcu_default());
	umaple_lock_drop(&tickers_lock);
	umaple_rcu_fork_prepare(!bp || fork_holds(bp));
	umaple_lock_take(&tickers_lock);
	fork_lock_after(last);
}

void umaple_ticker_fork_parent(void)
{
	for (struct umaple_ticker *t = tickers; t; t = t->next) {
		if (fork_holds(t)) {
			store_relaxed(&t->forker, NULL);
			umaple_lock_drop(&t->tick_lock);
		}
		fetch_add_acq_rel(&t->forks, -1u);
		umaple_word_wake(&t->forks);
	}
	umaple_lock_drop(&tickers_lock);
	umaple_rcu_fork_parent();
}

static void child_revive(struct umaple_ticker *ticker)
{
	bool told = ticker_is_bp(ticker) && umaple_rcu_fork_was_told();

	ticker->lost |= !fork_holds(ticker) && !told;
	ticker->running = 0;
	ticker->asleep = 0;
	ticker->aging = 0;
	ticker->waiters = 0;
	ticker->forks = 0;
	ticker->forker = NULL;
	umaple_lock_reset(&ticker->tick_lock);
	umaple_lock_reset(&ticker->start_lock);
}

void umaple_ticker_fork_child(void)
{
	for (struct umaple_ticker *t = tickers; t; t = t->next)
		child_revive(t);
	umaple_lock_reset(&tickers_lock);
	umaple_rcu_fork_child();
}
