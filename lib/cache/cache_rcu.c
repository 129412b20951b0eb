/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_rcu.c - objects back after a grace period.
 *
 * The CPU's rcu_free sheaf collects them.  Full, it gets the number of the grace
 * period it waits for and goes to the end of the CPU's queue; nobody waits and no
 * callback runs.  The next time somebody comes by on that CPU's slow paths and the
 * number has passed, the sheaf is full of free objects: it becomes main or is lent
 * (rcu_reuse), goes to the barn, or is flushed.  Where nobody comes by, the ticker
 * does: cache/cache_reclaim.c.
 *
 * When no empty sheaf can be had, or the guard is held, the object is marked as
 * waiting in its slab; the ticker collects those before each grace period.
 */

#include <errno.h>

#include "cache/cache_priv.h"

/*
 * Surplus sheaves that one visit takes out of the queue: more than it puts in.
 * Surplus is what has been ready for so many grace periods and was not reused
 * meanwhile.  A CPU that allocates what it frees has none: its sheaves go round
 * without a visit to the barn.
 */
#define REAP_MAX      4
#define SURPLUS_AFTER 2

/* --- in --- */

static void defer(struct umaple_cache *cache, void *object)
{
	/* Counted first: the ticker may release it, and uncount it, at once. */
	cache_pending_add(cache, 1);
	umaple_slab_defer(&cache->node, object);
	cache_count(cache, EVENT_FREE_RCU_SHEAF_FAIL, 1);
	umaple_ticker_want(cache->ticker, umaple_ticker_stamp(cache->ticker));
}

/* Take surplus sheaves off the queue.  Return: a list. */
static struct umaple_sheaf *cpu_reap(struct umaple_cache *cache,
				     struct cache_cpu *cpu)
{
	struct umaple_sheaf *list = NULL, *sheaf;

	for (int n = 0;
	     n < REAP_MAX && cpu->queue &&
	     umaple_ticker_passed(cache->ticker,
				  cpu->queue->sequence + SURPLUS_AFTER);
	     n++) {
		sheaf = umaple_cache_cpu_pull_ready(cache, cpu);
		sheaf->next = list;
		list = sheaf;
	}
	return list;
}

/* Trade all of @list; return an empty sheaf if that gave one. */
static struct umaple_sheaf *trade_list(struct umaple_cache *cache,
				       struct umaple_sheaf *list)
{
	struct umaple_sheaf *empty = NULL, *sheaf;

	while ((sheaf = list)) {
		list = sheaf->next;
		sheaf->next = NULL;
		if (!empty && umaple_sheaf_is_full(sheaf))
			empty = umaple_cache_sheaf_trade(cache, sheaf);
		else
			umaple_cache_sheaf_settle(cache, sheaf);
	}
	return empty;
}

/* Make room in rcu_free with a sheaf this CPU has.  Return: whether there is. */
static bool cpu_make_room(struct umaple_cache *cache, struct cache_cpu *cpu)
{
	struct umaple_guard_stack *stack = cache_cpu_rcu(cpu);

	if (cpu->rcu_free && umaple_guard_nr_held(stack) < stack->limit)
		return true;
	if (cpu->rcu_free)
		umaple_cache_cpu_send(cache, cpu);
	if (!cpu->spare || cpu->spare->count)
		return false;
	umaple_cache_cpu_set_rcu(cpu, cpu->spare);
	cpu->spare = NULL;
	return true;
}

/* Has it sent off so many that somebody should ask for a grace period? */
static bool cpu_has_to_ask(const struct umaple_cache *cache,
			   struct cache_cpu *cpu)
{
	if (cpu->unasked < cache->ask_after)
		return false;
	cpu->unasked = 0;
	return true;
}

/* With the guard dropped: let the ticker know of what was put where. */
static void tell_ticker(struct umaple_cache *cache, bool many)
{
	umaple_ticker_age(cache->ticker);
	if (many)
		umaple_ticker_want(cache->ticker,
				   umaple_ticker_stamp(cache->ticker));
}

/* Install @empty somewhere and push to it; consumes it. */
static void free_rcu_installing(struct umaple_cache *cache,
				struct umaple_sheaf *empty, void *object)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	bool many;

	if (!cpu) {
		umaple_cache_sheaf_drop(cache, empty);
		defer(cache, object);
		return;
	}
	if (!cpu_make_room(cache, cpu)) {
		umaple_cache_cpu_set_rcu(cpu, empty);
		empty = NULL;
	}
	umaple_guard_stack_push(cache_cpu_rcu(cpu), object);
	many = cpu_has_to_ask(cache, cpu);
	cache_cpu_unlock(cpu);
	umaple_cache_sheaf_drop(cache, empty);
	tell_ticker(cache, many);
}

static void free_rcu_inside(struct umaple_cache *cache, void *object)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	struct umaple_sheaf *ready, *empty;
	bool done, many;

	if (!cpu) {
		defer(cache, object);
		return;
	}
	done = cpu_make_room(cache, cpu);
	if (done)
		umaple_guard_stack_push(cache_cpu_rcu(cpu), object);
	ready = cpu_reap(cache, cpu);
	many = done && cpu_has_to_ask(cache, cpu);
	cache_cpu_unlock(cpu);
	empty = trade_list(cache, ready);
	if (done) {
		umaple_cache_sheaf_drop(cache, empty);
		tell_ticker(cache, many);
		return;
	}
	if (!empty)
		empty = umaple_cache_sheaf_empty(cache);
	if (empty)
		free_rcu_installing(cache, empty, object);
	else
		defer(cache, object);
}

static UMAPLE_NOINLINE void free_rcu_slow(struct umaple_cache *cache,
					  void *object)
{
	cache_enter(cache);
	free_rcu_inside(cache, object);
	cache_leave(cache);
}

void umaple_cache_free_rcu(struct umaple_cache *cache, void *object)
{
	if (unlikely(!object))
		return;
	cache_check_owner(cache, object);
	if (unlikely(!umaple_guard_push(&cache->table, GUARD_RCU, object)))
		free_rcu_slow(cache, object);
}

/* --- waiting --- */

static bool sweep(struct umaple_cache *cache, enum cache_sweep how)
{
	bool left;

	cache_enter(cache);
	left = umaple_cache_sweep(cache, how);
	cache_leave(cache);
	return left;
}

int umaple_cache_barrier(struct umaple_cache *cache)
{
	if (umaple_rcu_read_ongoing(cache->head.flavor))
		return -EDEADLK;
	sweep(cache, SWEEP_SEND);
	if (!umaple_ticker_wait(cache->ticker,
				umaple_ticker_stamp(cache->ticker)))
		return -EDEADLK;
	sweep(cache, SWEEP_READY);
	return 0;
}

static bool over_limit(const struct umaple_cache *cache)
{
	return load_relaxed(&cache->pending) > cache->pending_limit;
}

/*
 * Waits for one grace period at most: that makes all ready that waited when it was
 * asked for.  Others may have added as much meanwhile, and wait in their turn.
 */
static UMAPLE_NOINLINE void throttle_slow(struct umaple_cache *cache)
{
	if (umaple_rcu_read_ongoing(cache->head.flavor))
		return;
	sweep(cache, SWEEP_READY);
	if (!over_limit(cache))
		return;
	cache_count(cache, EVENT_THROTTLED, 1);
	if (umaple_ticker_wait(cache->ticker,
			       umaple_ticker_stamp(cache->ticker)))
		sweep(cache, SWEEP_READY);
}

void umaple_cache_throttle(struct umaple_cache *cache)
{
	if (unlikely(over_limit(cache)))
		throttle_slow(cache);
}

bool umaple_cache_is_overrun(struct umaple_cache *cache)
{
	uint64_t completed;

	if (load_relaxed(&cache->pending) > cache->pending_hard) {
		umaple_ticker_want(cache->ticker,
				   umaple_ticker_stamp(cache->ticker));
		completed = load_relaxed(&cache->ticker->completed);
		if (load_relaxed(&cache->swept) != completed) {
			store_relaxed(&cache->swept, completed);
			umaple_cache_sweep(cache, SWEEP_READY);
		}
	}
	if (load_relaxed(&cache->pending) > cache->pending_hard)
		return true;
	store_relaxed(&cache->overrun, 0);
	return false;
}
