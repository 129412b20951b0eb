/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_stats.c - sums of what the CPUs counted.
 *
 * Counters only grow.  A reset remembers their values, and what is reported is the
 * difference; while other calls run, parts of a sum are read at different times,
 * so a difference may come out short, but is never reported below zero.
 */

#include <string.h>

#include "cache/cache_priv.h"

#define FIRST_EVENT offsetof(struct umaple_cache_stats, alloc_fastpath)
#define EVENT_OFFSET(event, field)                                             \
	_Static_assert(offsetof(struct umaple_cache_stats, field) ==           \
			       FIRST_EVENT + (event) * sizeof(uint64_t),       \
		       "events are numbered in the order of the fields")

EVENT_OFFSET(EVENT_ALLOC_FASTPATH, alloc_fastpath);
EVENT_OFFSET(EVENT_SHEAF_TAKE, sheaf_take);
EVENT_OFFSET(EVENT_THROTTLED, throttled);
EVENT_OFFSET(EVENT_RCU_REUSE, rcu_reuse);
EVENT_OFFSET(NR_STAT_EVENTS, alloc_slab);

/* What the steps on installed sheaves did and nobody has counted yet. */
static void sum_installed(const struct cache_cpu *cpu, uint64_t *sums)
{
	uint64_t level = umaple_guard_level(&cpu->guard.stacks[GUARD_MAIN]);
	uint64_t pops = level >> UMAPLE_GUARD_POP_SHIFT;
	uint64_t held = level & UMAPLE_GUARD_HELD_MASK;

	sums[EVENT_ALLOC_FASTPATH] += pops;
	sums[EVENT_FREE_FASTPATH] +=
		held + pops - load_relaxed(&cpu->main_base);
	sums[EVENT_FREE_RCU_SHEAF] +=
		umaple_guard_nr_held(&cpu->guard.stacks[GUARD_RCU]);
}

void umaple_cache_sum(struct umaple_cache *cache, uint64_t sums[NR_EVENTS])
{
	for (unsigned int event = 0; event < NR_EVENTS; event++)
		sums[event] = load_relaxed(&cache->stray[event]);
	for (unsigned int i = 0; i < cache->table.count; i++) {
		const struct cache_cpu *cpu = cache_cpu_of(cache, i);

		for (unsigned int event = 0; event < NR_EVENTS; event++)
			sums[event] += load_relaxed(&cpu->counts[event]);
		sum_installed(cpu, sums);
	}
}

static uint64_t since(uint64_t now, uint64_t before)
{
	return (int64_t)(now - before) < 0 ? 0 : now - before;
}

/* Objects that wait: in queues, deferred, and in rcu_free sheaves. */
static uint64_t sum_pending(const struct umaple_cache *cache)
{
	uint64_t sum = load_relaxed(&cache->pending);

	for (unsigned int i = 0; i < cache->table.count; i++)
		sum += umaple_guard_nr_held(
			&cache_cpu_of(cache, i)->guard.stacks[GUARD_RCU]);
	return (int64_t)sum < 0 ? 0 : sum;
}

static void stats_from_slabs(struct umaple_cache *cache,
			     struct umaple_cache_stats *stats)
{
	const struct umaple_slab_geometry *geo = &cache->node.geo;
	struct umaple_slab_stats slabs;

	umaple_slab_stats(&cache->node, &slabs);
	stats->alloc_slab = slabs.alloc_slab;
	stats->free_slab = slabs.free_slab;
	stats->free_add_partial = slabs.free_add_partial;
	stats->free_remove_partial = slabs.free_remove_partial;
	stats->park_slab = slabs.park_slab;
	stats->unpark_slab = slabs.unpark_slab;
	stats->unpark_event = slabs.unpark_event;
	stats->slabs = slabs.slabs;
	stats->partial = slabs.partial;
	stats->objects = slabs.objects;
	stats->objects_partial = slabs.objects_partial;
	stats->total_objects = slabs.total_objects;
	stats->object_size = geo->object_size;
	stats->slab_size = geo->slot_size;
	stats->objs_per_slab = geo->objs_per_slab;
	stats->order = geo->order;
	stats->min_partial = geo->min_partial;
}

void umaple_cache_stats_get(struct umaple_cache *cache,
			    struct umaple_cache_stats *stats)
{
	uint64_t *counters = &stats->alloc_fastpath;
	uint64_t sums[NR_EVENTS];

	cache_enter(cache);
	memset(stats, 0, sizeof(*stats));
	umaple_cache_sum(cache, sums);
	for (unsigned int event = 0; event < NR_STAT_EVENTS; event++)
		counters[event] = since(sums[event],
					load_relaxed(&cache->baseline[event]));
	stats_from_slabs(cache, stats);
	stats->grace_periods = since(load_relaxed(&cache->ticker->completed),
				     load_relaxed(&cache->baseline_ticks));
	stats->pending = sum_pending(cache);
	stats->sheaf_capacity = cache->capacity;
	cache_leave(cache);
}

void umaple_cache_stats_reset(struct umaple_cache *cache)
{
	uint64_t sums[NR_EVENTS];

	cache_enter(cache);
	umaple_cache_sum(cache, sums);
	for (unsigned int event = 0; event < NR_STAT_EVENTS; event++)
		store_relaxed(&cache->baseline[event], sums[event]);
	store_relaxed(&cache->baseline_ticks,
		      load_relaxed(&cache->ticker->completed));
	umaple_slab_stats_reset(&cache->node);
	cache_leave(cache);
}

#define STAT(field)                                                            \
	{                                                                      \
#field, offsetof(struct umaple_cache_stats, field)             \
	}

static const struct umaple_cache_stat_name stat_names[] = {
	STAT(alloc_fastpath),
	STAT(alloc_slowpath),
	STAT(free_fastpath),
	STAT(free_slowpath),
	STAT(sheaf_refill),
	STAT(sheaf_flush),
	STAT(free_rcu_sheaf),
	STAT(sheaf_take),
	STAT(free_rcu_sheaf_fail),
	STAT(sheaf_prefill_fast),
	STAT(sheaf_prefill_slow),
	STAT(sheaf_prefill_oversize),
	STAT(sheaf_return_fast),
	STAT(sheaf_return_slow),
	STAT(guard_busy),
	STAT(throttled),
	STAT(sheaf_alloc),
	STAT(sheaf_free),
	STAT(barn_get),
	STAT(barn_get_fail),
	STAT(barn_put),
	STAT(barn_put_fail),
	STAT(rcu_reuse),
	STAT(alloc_slab),
	STAT(free_slab),
	STAT(free_add_partial),
	STAT(free_remove_partial),
	STAT(park_slab),
	STAT(unpark_slab),
	STAT(unpark_event),
	STAT(grace_periods),
	STAT(slabs),
	STAT(partial),
	STAT(objects),
	STAT(objects_partial),
	STAT(total_objects),
	STAT(pending),
	STAT(object_size),
	STAT(slab_size),
	STAT(objs_per_slab),
	STAT(order),
	STAT(min_partial),
	STAT(sheaf_capacity),
};

_Static_assert(ARRAY_SIZE(stat_names) * sizeof(uint64_t) ==
		       sizeof(struct umaple_cache_stats),
	       "every field has a name");

const struct umaple_cache_stat_name *umaple_cache_stat_names(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(stat_names);
	return stat_names;
}
