/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_cpu.c - the sheaves of one CPU.
 *
 * Role:  Put sheaves into a CPU's places and take them out, and keep the queue of
 *        those that wait for a grace period.  Nothing here blocks or calls down
 *        but for atomic words: all of it runs under the CPU's guard.
 * Above: the allocating, freeing and sweeping files, which hold the guard or have
 *        closed it.
 */

#include "cache/cache_priv.h"

void umaple_cache_cpu_init(struct cache_cpu *cpu)
{
	cpu->queue_end = &cpu->queue;
}

static void stack_set(struct umaple_guard_stack *stack,
		      struct umaple_sheaf *sheaf)
{
	UMAPLE_ASSERT(!stack->limit);
	stack->slots = sheaf->objects;
	store_relaxed(&stack->level, sheaf->count);
	store_relaxed(&stack->limit, sheaf->capacity);
}

static void stack_pull(struct umaple_guard_stack *stack,
		       struct umaple_sheaf *sheaf)
{
	sheaf->count = (uint32_t)umaple_guard_nr_held(stack);
	store_relaxed(&stack->limit, 0);
	store_relaxed(&stack->level, 0);
	stack->slots = NULL;
}

void umaple_cache_cpu_set_main(struct cache_cpu *cpu,
			       struct umaple_sheaf *sheaf)
{
	cpu->main = sheaf;
	store_relaxed(&cpu->main_base, sheaf->count);
	stack_set(cache_cpu_main(cpu), sheaf);
}

struct umaple_sheaf *umaple_cache_cpu_pull_main(struct umaple_cache *cache,
						struct cache_cpu *cpu)
{
	struct umaple_guard_stack *stack = cache_cpu_main(cpu);
	struct umaple_sheaf *sheaf = cpu->main;
	uint64_t pops;

	if (!sheaf)
		return NULL;
	pops = umaple_guard_level(stack) >> UMAPLE_GUARD_POP_SHIFT;
	stack_pull(stack, sheaf);
	cache_count(cache, EVENT_ALLOC_FASTPATH, pops);
	cache_count(cache, EVENT_FREE_FASTPATH,
		    sheaf->count + pops - cpu->main_base);
	store_relaxed(&cpu->main_base, 0);
	cpu->main = NULL;
	return sheaf;
}

void umaple_cache_cpu_set_rcu(struct cache_cpu *cpu, struct umaple_sheaf *sheaf)
{
	UMAPLE_ASSERT(!sheaf->count);
	cpu->rcu_free = sheaf;
	store_relaxed(&cpu->turn, cpu->turn + 1);
	stack_set(cache_cpu_rcu(cpu), sheaf);
}

struct umaple_sheaf *umaple_cache_cpu_pull_rcu(struct umaple_cache *cache,
					       struct cache_cpu *cpu)
{
	struct umaple_sheaf *sheaf = cpu->rcu_free;

	if (!sheaf)
		return NULL;
	stack_pull(cache_cpu_rcu(cpu), sheaf);
	cache_count(cache, EVENT_FREE_RCU_SHEAF, sheaf->count);
	cpu->rcu_free = NULL;
	return sheaf;
}

void umaple_cache_cpu_send(struct umaple_cache *cache, struct cache_cpu *cpu)
{
	struct umaple_sheaf *sheaf = umaple_cache_cpu_pull_rcu(cache, cpu);

	sheaf->sequence = umaple_ticker_stamp(cache->ticker);
	sheaf->next = NULL;
	if (!cpu->queue)
		store_relaxed(&cpu->queue_sequence, sheaf->sequence);
	*cpu->queue_end = sheaf;
	cpu->queue_end = &sheaf->next;
	cpu->queue_length++;
	cpu->unasked++;
	cache_pending_add(cache, sheaf->count);
}

bool umaple_cache_cpu_is_ready(const struct umaple_cache *cache,
			       const struct cache_cpu *cpu)
{
	return cpu->queue &&
	       umaple_ticker_passed(cache->ticker, cpu->queue->sequence);
}

static struct umaple_sheaf *queue_shift(struct cache_cpu *cpu)
{
	struct umaple_sheaf *sheaf = cpu->queue;

	cpu->queue = sheaf->next;
	if (!cpu->queue)
		cpu->queue_end = &cpu->queue;
	store_relaxed(&cpu->queue_sequence,
		      cpu->queue ? cpu->queue->sequence : 0);
	cpu->queue_length--;
	sheaf->next = NULL;
	sheaf->sequence = 0;
	return sheaf;
}

/* The top @count objects are free from now on. */
static void reclaim(struct umaple_cache *cache, struct umaple_sheaf *sheaf,
		    size_t count)
{
	for (size_t i = sheaf->count - count; i < sheaf->count; i++)
		cache_mark_free(cache, sheaf->objects[i]);
	cache_pending_sub(cache, count);
}

struct umaple_sheaf *umaple_cache_cpu_pull_ready(struct umaple_cache *cache,
						 struct cache_cpu *cpu)
{
	struct umaple_sheaf *sheaf = queue_shift(cpu);

	reclaim(cache, sheaf, sheaf->count);
	return sheaf;
}

struct umaple_sheaf *umaple_cache_cpu_top_up(struct umaple_cache *cache,
					     struct cache_cpu *cpu,
					     struct umaple_sheaf *sheaf)
{
	struct umaple_sheaf *ready = cpu->queue;
	size_t n = umaple_sheaf_room(sheaf);

	if (!umaple_cache_cpu_is_ready(cache, cpu))
		return NULL;
	if (n > ready->count)
		n = ready->count;
	reclaim(cache, ready, n);
	umaple_sheaf_move(sheaf, ready, n);
	return ready->count ? NULL : queue_shift(cpu);
}

void *umaple_cache_cpu_pop(struct umaple_cache *cache, struct cache_cpu *cpu,
			   struct umaple_sheaf **ret_rest)
{
	struct umaple_guard_stack *stack = cache_cpu_main(cpu);
	struct umaple_sheaf *next = NULL;

	if (!umaple_guard_nr_held(stack)) {
		if (cpu->spare && cpu->spare->count) {
			next = cpu->spare;
			cpu->spare = NULL;
		} else if (umaple_cache_cpu_is_ready(cache, cpu)) {
			next = umaple_cache_cpu_pull_ready(cache, cpu);
			cache_count(cache, EVENT_RCU_REUSE, 1);
		} else {
			return NULL;
		}
		*ret_rest = umaple_cache_cpu_pull_main(cache, cpu);
		umaple_cache_cpu_set_main(cpu, next);
		if (!cpu->spare) {
			cpu->spare = *ret_rest;
			*ret_rest = NULL;
		}
	}
	return umaple_guard_stack_pop(stack);
}

bool umaple_cache_cpu_push(struct umaple_cache *cache, struct cache_cpu *cpu,
			   void *object)
{
	struct umaple_guard_stack *stack = cache_cpu_main(cpu);
	struct umaple_sheaf *spare = cpu->spare;

	if (umaple_guard_stack_push(stack, object))
		return true;
	if (!spare || umaple_sheaf_is_full(spare))
		return false;
	cpu->spare = umaple_cache_cpu_pull_main(cache, cpu);
	umaple_cache_cpu_set_main(cpu, spare);
	return umaple_guard_stack_push(stack, object);
}

struct umaple_sheaf *umaple_cache_cpu_put_full(struct umaple_cache *cache,
					       struct cache_cpu *cpu,
					       struct umaple_sheaf *full)
{
	struct umaple_sheaf *rest;

	if (umaple_guard_nr_held(cache_cpu_main(cpu))) {
		if (cpu->spare && cpu->spare->count)
			return full;
		rest = cpu->spare;
		cpu->spare = full;
		return rest;
	}
	rest = umaple_cache_cpu_pull_main(cache, cpu);
	umaple_cache_cpu_set_main(cpu, full);
	if (cpu->spare)
		return rest;
	cpu->spare = rest;
	return NULL;
}
