/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_registry.c - all caches of the process: what a tick and a fork do to
 * each.
 *
 * The gate.  A fork must not catch a thread that has sheaves, objects or locks of
 * a cache in hand, or the child has lost them.  So whoever does more than a step on
 * its CPU's own stacks counts itself in and out (two counters per CPU, plain
 * additions), and a fork closes the gate, fences all threads, and waits until as
 * many have left each cache as entered it.  Then it closes the guards as well:
 * nothing moves in any cache until the fork is over, in the parent or the child.
 *
 * A reader may stand at the closed gate, in its section.  So by then nothing may be
 * left that waits for readers and that the fork waits for: grace periods are kept
 * away first, those of the program too.  Nor may anybody inside the gate begin a
 * section, since a thread's first one waits while liburcu knows of a fork.
 */

#include <sched.h>

#include "cache/cache_priv.h"
#include "platform/lock.h"
#include "platform/rcu_fork.h"
#include "platform/thread.h"

static uint32_t registry_lock;
static struct list_link registry = { &registry, &registry };

uint32_t umaple_cache_gate;

static struct umaple_cache *cache_of_link(struct list_link *link)
{
	return container_of(link, struct umaple_cache, link);
}

#define for_each_cache(link)                                                   \
	for (struct list_link *link = registry.next; link != &registry;        \
	     link = link->next)

void umaple_cache_registry_lock(void)
{
	umaple_lock_take(&registry_lock);
}

void umaple_cache_registry_unlock(void)
{
	umaple_lock_drop(&registry_lock);
}

void umaple_cache_register(struct umaple_cache *cache)
{
	umaple_lock_take(&registry_lock);
	list_push_back(&registry, &cache->link);
	umaple_lock_drop(&registry_lock);
}

void umaple_cache_unregister(struct umaple_cache *cache)
{
	umaple_lock_take(&registry_lock);
	list_remove(&cache->link);
	umaple_lock_drop(&registry_lock);
}

/* --- ticks --- */

typedef void tick_step(struct umaple_cache *cache);

static void tick_each(const struct umaple_ticker *ticker, tick_step *step)
{
	umaple_lock_take(&registry_lock);
	for_each_cache(link)
	{
		struct umaple_cache *cache = cache_of_link(link);

		if (cache->ticker != ticker)
			continue;
		cache_enter(cache);
		step(cache);
		cache_leave(cache);
	}
	umaple_lock_drop(&registry_lock);
}

static void collect(struct umaple_cache *cache)
{
	if (!cache->collected)
		cache->collected = umaple_slab_defer_collect(&cache->node);
}

static void mark_object_free(void *object, void *cache)
{
	cache_mark_free(cache, object);
}

static void release(struct umaple_cache *cache)
{
	size_t n;

	if (!cache->collected)
		return;
	if (UMAPLE_ASAN || cache->marked)
		umaple_slab_defer_visit(&cache->node, cache->collected,
					mark_object_free, cache);
	n = umaple_slab_defer_release(&cache->node, cache->collected);
	cache->collected = NULL;
	cache_pending_sub(cache, n);
	cache_count(cache, EVENT_FREE_SLOWPATH, n);
}

static void relieve(struct umaple_cache *cache)
{
	if (load_relaxed(&cache->overrun))
		umaple_cache_is_overrun(cache);
}

void umaple_cache_tick_begin(struct umaple_ticker *ticker)
{
	tick_each(ticker, collect);
}

void umaple_cache_tick_end(struct umaple_ticker *ticker)
{
	tick_each(ticker, release);
}

void umaple_cache_tick_relief(struct umaple_ticker *ticker)
{
	tick_each(ticker, relieve);
}

bool umaple_cache_tick_idle(struct umaple_ticker *ticker)
{
	bool any = false;

	umaple_lock_take(&registry_lock);
	for_each_cache(link)
	{
		struct umaple_cache *cache = cache_of_link(link);

		if (cache->ticker != ticker)
			continue;
		cache_enter(cache);
		any |= umaple_cache_sweep(cache, SWEEP_IDLE);
		cache_leave(cache);
		if (load_relaxed(&cache->pending))
			umaple_ticker_want(ticker, umaple_ticker_stamp(ticker));
	}
	umaple_lock_drop(&registry_lock);
	return any;
}

/* --- forks --- */

void umaple_cache_gate_wait(struct umaple_cache *cache)
{
	do {
		cache_count(cache, EVENT_LEAVE, 1);
		umaple_word_wait(&umaple_cache_gate, 1, 0);
		cache_count(cache, EVENT_ENTER, 1);
		fence_seq_cst();
	} while (load_acquire(&umaple_cache_gate));
}

static uint64_t sum_event(const struct umaple_cache *cache,
			  enum cache_event event)
{
	uint64_t sum = load_acquire(&cache->stray[event]);

	for (unsigned int i = 0; i < cache->table.count; i++)
		sum += load_acquire(&cache_cpu_of(cache, i)->counts[event]);
	return sum;
}

/* Nobody is inside for sure, or maybe somebody. */
static bool cache_is_quiet(struct umaple_cache *cache)
{
	/*
	 * ORDER(leave), load side: the leaves are read first, so a thread that
	 * enters and leaves meanwhile is not taken for two.  Who has left has
	 * done what it did inside.
	 * Store side: cache_leave().
	 */
	uint64_t left = sum_event(cache, EVENT_LEAVE);

	fence_acquire();
	umaple_tsan_acquire(&cache->stray);
	return sum_event(cache, EVENT_ENTER) == left;
}

static void gate_close(void)
{
	store_relaxed(&umaple_cache_gate, 1);
	/* ORDER(gate), store side.  Load side: cache_enter(). */
	fence_seq_cst();
	if (umaple_rseq_available())
		umaple_rseq_fence();
	for_each_cache(link)
	{
		while (!cache_is_quiet(cache_of_link(link)))
			sched_yield();
	}
}

static void gate_open(void)
{
	store_release(&umaple_cache_gate, 0);
	umaple_word_wake(&umaple_cache_gate);
}

static void guards_close(const struct umaple_cache *cache)
{
	const struct umaple_guard_table *table = &cache->table;

	for (unsigned int i = 0; i < table->count; i++)
		umaple_guard_close(table, i);
	umaple_guard_fence(table);
	for (unsigned int i = 0; i < table->count; i++)
		umaple_guard_wait(table, i);
}

static void guards_open(const struct umaple_cache *cache)
{
	for (unsigned int i = 0; i < cache->table.count; i++)
		umaple_guard_open(&cache->table, i);
}

static void fork_prepare(void)
{
	umaple_ticker_fork_prepare();
	umaple_lock_take(&registry_lock);
	if (list_is_empty(&registry))
		return;
	gate_close();
	for_each_cache(link) guards_close(cache_of_link(link));
}

static void fork_parent(void)
{
	if (!list_is_empty(&registry)) {
		for_each_cache(link) guards_open(cache_of_link(link));
		gate_open();
	}
	umaple_lock_drop(&registry_lock);
	umaple_ticker_fork_parent();
}

/*
 * What was freed before the fork waits in the child as it does in the parent.  The
 * sheaves that collect are sent off, so that the next free installs new ones and
 * so starts the child's ticker.
 */
static void child_revive(struct umaple_cache *cache)
{
	for (unsigned int i = 0; i < cache->table.count; i++) {
		struct cache_cpu *cpu = cache_cpu_of(cache, i);

		if (cpu->rcu_free && umaple_guard_nr_held(cache_cpu_rcu(cpu)))
			umaple_cache_cpu_send(cache, cpu);
	}
	guards_open(cache);
	if (umaple_slab_wants_unpark(&cache->node))
		umaple_slab_unpark(&cache->node);
}

/*
 * A thread that comes to the closed gate counts itself in, sees it and counts itself
 * out.  The fork may have caught it in between; in the child nobody is inside.
 */
static void child_settle_gate(struct umaple_cache *cache)
{
	uint64_t entered = sum_event(cache, EVENT_ENTER);

	cache->stray[EVENT_LEAVE] += entered - sum_event(cache, EVENT_LEAVE);
}

static void fork_child(void)
{
	if (!list_is_empty(&registry)) {
		for_each_cache(link) child_settle_gate(cache_of_link(link));
		for_each_cache(link) child_revive(cache_of_link(link));
		gate_open();
	}
	umaple_lock_reset(&registry_lock);
	umaple_ticker_fork_child();
}

/*
 * Before main(), and so before the program installs fork handlers of its own:
 * those are then called before ours, and may still use caches.
 */
__attribute__((constructor(101))) static void install_fork_hooks(void)
{
	umaple_fork_hooks(fork_prepare, fork_parent, fork_child);
}
