/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_bulk.c - many objects in or out by one call.
 *
 * Out: the CPU's sheaves, then full sheaves of the barn, then the slabs, from which
 * the rest is taken into the caller's array.  What is left of the last sheaf of the
 * barn stays with the CPU.
 *
 * In: the CPU's sheaves, then empty sheaves, each of which is filled and exchanged
 * at the barn for the next; the last stays with the CPU.  A sheaf is only made where
 * the CPU has none.  When the barn is full or has no empty ones, the rest goes to
 * the slabs, grouped by slab.
 *
 * Nothing is held between the steps; each object is in the caller's array until the
 * sheaf or slab that has it is nobody else's any more.
 */

#include <errno.h>
#include <string.h>

#include "cache/cache_priv.h"
#include "platform/fault.h"

/* --- in --- */

/*
 * Push to the CPU's sheaves.  Return: how many; @ret_lacks: whether the CPU has a
 * place for another sheaf.
 */
static size_t push_many(struct umaple_cache *cache, void *const *objects,
			size_t count, bool *ret_lacks)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	size_t n = 0;

	if (!cpu)
		return 0;
	while (n < count && umaple_cache_cpu_push(cache, cpu, objects[n]))
		n++;
	*ret_lacks = !cpu->main || !cpu->spare;
	cache_cpu_unlock(cpu);
	return n;
}

/* Make @sheaf main; what has no place then goes to the barn or the slabs. */
static void install(struct umaple_cache *cache, struct umaple_sheaf *sheaf)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	struct umaple_sheaf *rest = sheaf;

	if (cpu) {
		rest = umaple_cache_cpu_pull_main(cache, cpu);
		umaple_cache_cpu_set_main(cpu, sheaf);
		if (!cpu->spare) {
			cpu->spare = rest;
			rest = NULL;
		}
		cache_cpu_unlock(cpu);
	}
	if (rest)
		umaple_cache_sheaf_settle(cache, rest);
}

static void sheaf_fill(struct umaple_sheaf *sheaf, void *const *objects,
		       size_t count)
{
	memcpy(sheaf->objects, objects, count * sizeof(*objects));
	sheaf->count = (uint32_t)count;
}

/* An empty sheaf for @full; NULL: @full stays here. */
static struct umaple_sheaf *exchange(struct umaple_cache *cache,
				     struct umaple_sheaf *full)
{
	enum umaple_barn_why why;
	struct umaple_sheaf *empty = NULL;

	if (umaple_barn_nr_full(&cache->barn) < BARN_MAX_FULL)
		empty = umaple_barn_full_for_empty(&cache->barn, full, &why);
	cache_count(cache, empty ? EVENT_BARN_PUT : EVENT_BARN_PUT_FAIL, 1);
	return empty;
}

/* Fill sheaves, beginning with @sheaf, which is empty.  Return: how many went. */
static size_t fill_sheaves(struct umaple_cache *cache,
			   struct umaple_sheaf *sheaf, void *const *objects,
			   size_t count, bool lacks)
{
	struct umaple_sheaf *next;
	size_t n = 0, some;

	for (;;) {
		some = count - n < sheaf->capacity ? count - n
						   : sheaf->capacity;
		sheaf_fill(sheaf, objects + n, some);
		next = n + some < count ? exchange(cache, sheaf) : NULL;
		if (!next)
			break;
		n += some;
		sheaf = next;
	}
	if (n + some == count || lacks) {
		install(cache, sheaf);
		return n + some;
	}
	sheaf->count = 0;
	umaple_cache_sheaf_drop(cache, sheaf);
	return n;
}

static size_t push_sheaves(struct umaple_cache *cache, void *const *objects,
			   size_t count, bool lacks)
{
	struct umaple_sheaf *sheaf = NULL;
	size_t n;

	if (lacks)
		sheaf = umaple_cache_sheaf_empty(cache);
	else if (umaple_barn_nr_empty(&cache->barn))
		sheaf = umaple_barn_get_empty(&cache->barn);
	if (!sheaf) {
		cache_count(cache, EVENT_BARN_PUT_FAIL, 1);
		return 0;
	}
	n = fill_sheaves(cache, sheaf, objects, count, lacks);
	cache_count(cache, EVENT_FREE_FASTPATH, n);
	return n;
}

static void free_inside(struct umaple_cache *cache, void *const *objects,
			size_t count)
{
	bool lacks = false;
	size_t n = push_many(cache, objects, count, &lacks);

	if (n < count)
		n += push_sheaves(cache, objects + n, count - n, lacks);
	if (n < count) {
		umaple_cache_slabs_give(cache, objects + n, count - n);
		cache_count(cache, EVENT_FREE_SLOWPATH, count - n);
	}
}

void umaple_cache_free_bulk(struct umaple_cache *cache, void *const *objects,
			    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cache_check_owner(cache, objects[i]);
		cache_mark_free(cache, objects[i]);
	}
	if (!count)
		return;
	cache_enter(cache);
	free_inside(cache, objects, count);
	cache_leave(cache);
}

/* --- out --- */

/* Pop from the CPU's sheaves.  Return: how many; @ret_rest: sheaves left over. */
static size_t pop_many(struct umaple_cache *cache, void **objects, size_t count,
		       struct umaple_sheaf **ret_rest)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	struct umaple_sheaf *rest;
	size_t n = 0;
	void *object;

	if (!cpu)
		return 0;
	while (n < count) {
		rest = NULL;
		object = umaple_cache_cpu_pop(cache, cpu, &rest);
		if (rest) {
			rest->next = *ret_rest;
			*ret_rest = rest;
		}
		if (!object)
			break;
		objects[n++] = object;
	}
	cache_cpu_unlock(cpu);
	return n;
}

static void drop_all(struct umaple_cache *cache, struct umaple_sheaf *list)
{
	struct umaple_sheaf *next;

	for (; list; list = next) {
		next = list->next;
		list->next = NULL;
		umaple_cache_sheaf_drop(cache, list);
	}
}

/* Leave a part-filled sheaf with the CPU, or else in the barn. */
static void keep(struct umaple_cache *cache, struct umaple_sheaf *sheaf)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);

	if (cpu) {
		sheaf = umaple_cache_cpu_put_full(cache, cpu, sheaf);
		cache_cpu_unlock(cpu);
	}
	umaple_cache_sheaf_drop(cache, sheaf);
}

static size_t sheaf_spend(struct umaple_sheaf *sheaf, void **objects,
			  size_t count)
{
	size_t n = count < sheaf->count ? count : sheaf->count;

	sheaf->count -= (uint32_t)n;
	memcpy(objects, sheaf->objects + sheaf->count, n * sizeof(*objects));
	return n;
}

/* A sheaf with objects for @empty, or for none; NULL: @empty stays here. */
static struct umaple_sheaf *barn_get(struct umaple_cache *cache,
				     struct umaple_sheaf *empty)
{
	struct umaple_sheaf *full = NULL;

	if (umaple_barn_nr_full(&cache->barn))
		full = empty ? umaple_barn_empty_for_full(&cache->barn, empty)
			     : umaple_barn_get_full(&cache->barn);
	cache_count(cache, full ? EVENT_BARN_GET : EVENT_BARN_GET_FAIL, 1);
	return full;
}

/* Spend full sheaves of the barn.  Return: how many objects they had. */
static size_t pop_sheaves(struct umaple_cache *cache, void **objects,
			  size_t count)
{
	struct umaple_sheaf *sheaf = NULL, *full;
	size_t n = 0;

	while (n < count && (full = barn_get(cache, sheaf))) {
		sheaf = full;
		n += sheaf_spend(sheaf, objects + n, count - n);
	}
	cache_count(cache, EVENT_ALLOC_FASTPATH, n);
	if (sheaf && sheaf->count)
		keep(cache, sheaf);
	else
		umaple_cache_sheaf_drop(cache, sheaf);
	return n;
}

static int alloc_inside(struct umaple_cache *cache, void **objects,
			size_t count)
{
	struct umaple_sheaf *rest = NULL;
	size_t n = pop_many(cache, objects, count, &rest), fresh;

	drop_all(cache, rest);
	if (n < count)
		n += pop_sheaves(cache, objects + n, count - n);
	if (n < count) {
		fresh = umaple_slab_take(&cache->node, objects + n, count - n);
		cache_count(cache, EVENT_ALLOC_SLOWPATH, fresh);
		n += fresh;
	}
	if (n == count)
		return 0;
	free_inside(cache, objects, n);
	return -ENOMEM;
}

int umaple_cache_alloc_bulk(struct umaple_cache *cache, void **objects,
			    size_t count)
{
	int error = -ENOMEM;

	if (!count)
		return 0;
	if (umaple_fault())
		return -ENOMEM;
	cache_enter(cache);
	if (!cache_is_overrun(cache))
		error = alloc_inside(cache, objects, count);
	cache_leave(cache);
	for (size_t i = 0; !error && i < count; i++)
		cache_mark_used(cache, objects[i]);
	return error;
}
