/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_alloc.c - one object out.
 *
 * The CPU's main sheaf serves; when it is empty, in this order:
 *   - the spare takes its place;
 *   - the CPU's own oldest rcu sheaf does, if its grace period has passed;
 *   - an empty sheaf is exchanged for a full one of the barn;
 *   - an empty sheaf is filled from slabs.
 * In the last two the empty sheaf is taken out under the guard, and the full one
 * put in under the guard again, maybe on another CPU, where things look different
 * by then.  Who finds a guard held takes one object from a slab.
 */

#include "cache/cache_priv.h"
#include "platform/fault.h"

/* An empty sheaf of this CPU, if it has one; main and spare hold nothing. */
static struct umaple_sheaf *cpu_pull_empty(struct umaple_cache *cache,
					   struct cache_cpu *cpu)
{
	struct umaple_sheaf *empty = cpu->spare;

	cpu->spare = NULL;
	return empty ? empty : umaple_cache_cpu_pull_main(cache, cpu);
}

/* A sheaf with objects for an empty one (or for NULL); NULL: no memory. */
static struct umaple_sheaf *full_for_empty(struct umaple_cache *cache,
					   struct umaple_sheaf *empty)
{
	struct umaple_sheaf *full = NULL;

	if (!empty)
		empty = umaple_cache_sheaf_empty(cache);
	if (!empty)
		return NULL;
	if (umaple_barn_nr_full(&cache->barn))
		full = umaple_barn_empty_for_full(&cache->barn, empty);
	if (full) {
		cache_count(cache, EVENT_BARN_GET, 1);
		return full;
	}
	cache_count(cache, EVENT_BARN_GET_FAIL, 1);
	umaple_cache_sheaf_fill(cache, empty, empty->capacity);
	if (empty->count)
		return empty;
	umaple_cache_sheaf_drop(cache, empty);
	return NULL;
}

/* Install @full somewhere and pop from it; consumes it. */
static void *alloc_installing(struct umaple_cache *cache,
			      struct umaple_sheaf *full)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	void *object;

	if (!cpu) {
		umaple_cache_sheaf_drop(cache, full);
		return umaple_cache_slab_alloc(cache);
	}
	full = umaple_cache_cpu_put_full(cache, cpu, full);
	object = umaple_guard_stack_pop(cache_cpu_main(cpu));
	cache_cpu_unlock(cpu);
	umaple_cache_sheaf_drop(cache, full);
	cache_mark_used(cache, object);
	return object;
}

static void *alloc_inside(struct umaple_cache *cache)
{
	struct umaple_sheaf *sheaf = NULL;
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	void *object;

	if (!cpu)
		return umaple_cache_slab_alloc(cache);
	object = umaple_cache_cpu_pop(cache, cpu, &sheaf);
	if (!object)
		sheaf = cpu_pull_empty(cache, cpu);
	cache_cpu_unlock(cpu);
	if (object) {
		umaple_cache_sheaf_drop(cache, sheaf);
		cache_mark_used(cache, object);
		return object;
	}
	sheaf = full_for_empty(cache, sheaf);
	if (!sheaf)
		return umaple_cache_slab_alloc(cache);
	return alloc_installing(cache, sheaf);
}

static UMAPLE_NOINLINE void *alloc_slow(struct umaple_cache *cache)
{
	void *object = NULL;

	cache_enter(cache);
	if (!cache_is_overrun(cache))
		object = alloc_inside(cache);
	cache_leave(cache);
	return object;
}

void *umaple_cache_alloc(struct umaple_cache *cache)
{
	void *object;

	if (umaple_fault())
		return NULL;
	if (unlikely(load_relaxed(&cache->overrun)))
		return alloc_slow(cache);
	object = umaple_guard_pop(&cache->table);
	if (unlikely(!object))
		return alloc_slow(cache);
	cache_mark_used(cache, object);
	return object;
}
