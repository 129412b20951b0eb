/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_reclaim.c - reaching the sheaves of other CPUs, and giving memory
 * back.
 *
 * A sweep closes the guards of the CPUs it wants, takes what it came for, opens
 * them, and only then deals with what it took.  While a CPU is closed, those who
 * run there go to the slabs.  One sweep at a time (sweep_lock), until it has dealt
 * with all: who sweeps after it finds nothing in its hands, which a barrier and
 * the end of a cache count on.
 */

#include "cache/cache_priv.h"
#include "platform/lock.h"

/* Sheaves taken from CPUs, linked by next. */
struct loot {
	struct umaple_sheaf *ready; /* out of queues: for the barn, if full */
	struct umaple_sheaf *flush; /* for the slabs */
};

static void loot_add(struct umaple_sheaf **list, struct umaple_sheaf *sheaf)
{
	if (!sheaf)
		return;
	sheaf->next = *list;
	*list = sheaf;
}

static bool has_rcu_free(const struct cache_cpu *cpu)
{
	return load_relaxed(&cpu->guard.stacks[GUARD_RCU].limit) != 0;
}

/* Is this rcu_free sheaf the one that was there the last time? */
static bool rcu_free_is_old(const struct cache_cpu *cpu)
{
	return has_rcu_free(cpu) && load_relaxed(&cpu->turn) == cpu->seen_turn;
}

static bool queue_is_ready(const struct umaple_cache *cache,
			   const struct cache_cpu *cpu)
{
	uint64_t sequence = load_relaxed(&cpu->queue_sequence);

	return sequence && umaple_ticker_passed(cache->ticker, sequence);
}

static bool queue_is_old(const struct umaple_cache *cache,
			 const struct cache_cpu *cpu)
{
	return queue_is_ready(cache, cpu) &&
	       load_relaxed(&cpu->queue_sequence) == cpu->seen_sequence;
}

/* Is there anything to take from this CPU?  By hints: its guard is open. */
static bool sweep_wants(const struct umaple_cache *cache,
			const struct cache_cpu *cpu, enum cache_sweep how)
{
	switch (how) {
	case SWEEP_READY:
		return queue_is_ready(cache, cpu);
	case SWEEP_IDLE:
		return rcu_free_is_old(cpu) || queue_is_old(cache, cpu);
	case SWEEP_SEND:
		return has_rcu_free(cpu);
	case SWEEP_ALL:
		break;
	}
	return true;
}

/* Its rcu_free sheaf to the queue, or out if it is empty. */
static void sweep_rcu_free(struct umaple_cache *cache, struct cache_cpu *cpu,
			   struct loot *loot)
{
	if (!cpu->rcu_free)
		return;
	if (umaple_guard_nr_held(cache_cpu_rcu(cpu)))
		umaple_cache_cpu_send(cache, cpu);
	else
		loot_add(&loot->flush, umaple_cache_cpu_pull_rcu(cache, cpu));
}

/* The guard is closed and ours. */
static void sweep_cpu(struct umaple_cache *cache, struct cache_cpu *cpu,
		      enum cache_sweep how, struct loot *loot)
{
	if (how == SWEEP_SEND || (how == SWEEP_IDLE && rcu_free_is_old(cpu)))
		sweep_rcu_free(cache, cpu, loot);
	while (how != SWEEP_SEND && umaple_cache_cpu_is_ready(cache, cpu))
		loot_add(&loot->ready, umaple_cache_cpu_pull_ready(cache, cpu));
	if (how == SWEEP_ALL) {
		loot_add(&loot->flush, umaple_cache_cpu_pull_main(cache, cpu));
		loot_add(&loot->flush, cpu->spare);
		cpu->spare = NULL;
	}
}

static void sweep_cpus(struct umaple_cache *cache, enum cache_sweep how,
		       struct loot *loot)
{
	const struct umaple_guard_table *table = &cache->table;
	bool any = false;

	for (unsigned int i = 0; i < table->count; i++) {
		struct cache_cpu *cpu = cache_cpu_of(cache, i);

		cpu->closed = sweep_wants(cache, cpu, how);
		if (cpu->closed)
			umaple_guard_close(table, i);
		any |= cpu->closed;
	}
	if (any)
		umaple_guard_fence(table);
	for (unsigned int i = 0; any && i < table->count; i++) {
		struct cache_cpu *cpu = cache_cpu_of(cache, i);

		if (!cpu->closed)
			continue;
		umaple_guard_wait(table, i);
		sweep_cpu(cache, cpu, how, loot);
		umaple_guard_open(table, i);
	}
}

/* Remember what is there, for the next time.  Return: whether anything is. */
static bool sweep_look(struct umaple_cache *cache)
{
	bool any = false;

	for (unsigned int i = 0; i < cache->table.count; i++) {
		struct cache_cpu *cpu = cache_cpu_of(cache, i);

		cpu->seen_turn = load_relaxed(&cpu->turn);
		cpu->seen_sequence = load_relaxed(&cpu->queue_sequence);
		any |= has_rcu_free(cpu) || cpu->seen_sequence;
	}
	return any;
}

static void loot_spend(struct umaple_cache *cache, struct loot *loot)
{
	struct umaple_sheaf *sheaf;

	while ((sheaf = loot->ready)) {
		loot->ready = sheaf->next;
		sheaf->next = NULL;
		umaple_cache_sheaf_settle(cache, sheaf);
	}
	while ((sheaf = loot->flush)) {
		loot->flush = sheaf->next;
		sheaf->next = NULL;
		umaple_cache_sheaf_flush(cache, sheaf);
		umaple_cache_sheaf_drop(cache, sheaf);
	}
}

bool umaple_cache_sweep(struct umaple_cache *cache, enum cache_sweep how)
{
	struct loot loot = { 0 };
	bool any = false;

	umaple_lock_take(&cache->sweep_lock);
	sweep_cpus(cache, how, &loot);
	if (how == SWEEP_IDLE)
		any = sweep_look(cache);
	loot_spend(cache, &loot);
	umaple_lock_drop(&cache->sweep_lock);
	if (how == SWEEP_IDLE && umaple_slab_wants_unpark(&cache->node))
		umaple_slab_unpark(&cache->node);
	return any;
}

/* --- shrink --- */

static void shrink_barn(struct umaple_cache *cache)
{
	struct umaple_sheaf *list = umaple_barn_take_all(&cache->barn);
	struct umaple_sheaf *sheaf;

	while ((sheaf = list)) {
		list = sheaf->next;
		sheaf->next = NULL;
		umaple_cache_sheaf_flush(cache, sheaf);
		umaple_cache_sheaf_delete(cache, sheaf);
	}
}

int umaple_cache_shrink(struct umaple_cache *cache, size_t *ret_before,
			size_t *ret_after)
{
	struct umaple_slab_stats before;
	size_t after;

	cache_enter(cache);
	umaple_slab_stats(&cache->node, &before);
	umaple_cache_sweep(cache, SWEEP_ALL);
	shrink_barn(cache);
	umaple_slab_shrink(&cache->node, NULL, &after);
	cache_leave(cache);
	if (ret_before)
		*ret_before = before.slabs;
	if (ret_after)
		*ret_after = after;
	return 0;
}
