/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_free.c - one object back.
 *
 * The CPU's main sheaf takes it in; when that is full, in this order:
 *   - a spare that has room takes its place;
 *   - without a spare, main becomes the spare, and an empty sheaf from the barn, or
 *     a new one, becomes main;
 *   - with both full, one is exchanged for an empty one of the barn, or flushed to
 *     its slabs when the barn has as many as it may.
 * As in cache/cache_alloc.c, sheaves are taken out under the guard and put in under
 * the guard, and who finds it held gives the object to its slab.
 */

#include "cache/cache_priv.h"

/*
 * Put an empty sheaf in so that main has room.  Return: a sheaf there is no place
 * for.
 */
static struct umaple_sheaf *cpu_put_empty(struct umaple_cache *cache,
					  struct cache_cpu *cpu,
					  struct umaple_sheaf *empty)
{
	struct umaple_guard_stack *stack = cache_cpu_main(cpu);
	struct umaple_sheaf *rest;

	if (umaple_guard_nr_held(stack) < stack->limit)
		return empty;
	rest = umaple_cache_cpu_pull_main(cache, cpu);
	umaple_cache_cpu_set_main(cpu, empty);
	if (cpu->spare)
		return rest;
	cpu->spare = rest;
	return NULL;
}

/* Install @empty somewhere and push to it; consumes it. */
static void free_installing(struct umaple_cache *cache,
			    struct umaple_sheaf *empty, void *object)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);

	if (!cpu) {
		umaple_cache_sheaf_drop(cache, empty);
		umaple_cache_slab_free(cache, object);
		return;
	}
	empty = cpu_put_empty(cache, cpu, empty);
	umaple_guard_stack_push(cache_cpu_main(cpu), object);
	cache_cpu_unlock(cpu);
	umaple_cache_sheaf_drop(cache, empty);
}

static void free_inside(struct umaple_cache *cache, void *object)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	struct umaple_sheaf *full, *empty;

	if (!cpu) {
		umaple_cache_slab_free(cache, object);
		return;
	}
	if (umaple_cache_cpu_push(cache, cpu, object)) {
		cache_cpu_unlock(cpu);
		return;
	}
	full = cpu->main ? cpu->spare : NULL;
	if (full)
		cpu->spare = NULL;
	cache_cpu_unlock(cpu);
	empty = full ? umaple_cache_sheaf_trade(cache, full)
		     : umaple_cache_sheaf_empty(cache);
	if (empty)
		free_installing(cache, empty, object);
	else
		umaple_cache_slab_free(cache, object);
}

static UMAPLE_NOINLINE void free_slow(struct umaple_cache *cache, void *object)
{
	cache_enter(cache);
	free_inside(cache, object);
	cache_leave(cache);
}

void umaple_cache_free(struct umaple_cache *cache, void *object)
{
	if (unlikely(!object))
		return;
	cache_check_owner(cache, object);
	cache_mark_free(cache, object);
	if (unlikely(!umaple_guard_push(&cache->table, GUARD_MAIN, object)))
		free_slow(cache, object);
}
