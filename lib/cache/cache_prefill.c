/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_prefill.c - borrowed sheaves: objects promised in advance.
 *
 * A borrowed sheaf is, in this order, the CPU's spare, whatever it holds; the
 * CPU's own oldest rcu sheaf, if its grace period has passed; a full sheaf of the
 * barn; an empty one.  What it lacks comes from ready rcu sheaves of this CPU, then
 * from an exchange at the barn, then from slabs, up to its whole capacity.
 *
 * A returned sheaf becomes the CPU's spare if there is none; else it is filled up
 * for the barn if that has room, else flushed.
 *
 * While a sheaf is borrowed, owner is the cache.
 */

#include <errno.h>

#include "cache/cache_priv.h"
#include "platform/fault.h"

static void check_borrowed(struct umaple_cache *cache,
			   const struct umaple_sheaf *sheaf)
{
	if (unlikely(sheaf->owner != cache))
		umaple_cache_die(cache, "sheaf is not borrowed from it", sheaf);
}

/* --- out --- */

/* What this CPU has to lend.  @ret_rest: an emptied sheaf, or NULL. */
static struct umaple_sheaf *cpu_borrow(struct umaple_cache *cache,
				       struct cache_cpu *cpu, size_t count,
				       struct umaple_sheaf **ret_rest)
{
	struct umaple_sheaf *sheaf = cpu->spare;

	cpu->spare = NULL;
	if (!sheaf && umaple_cache_cpu_is_ready(cache, cpu)) {
		sheaf = umaple_cache_cpu_pull_ready(cache, cpu);
		cache_count(cache, EVENT_RCU_REUSE, 1);
	}
	if (!sheaf || sheaf->count >= count)
		return sheaf;
	*ret_rest = umaple_cache_cpu_top_up(cache, cpu, sheaf);
	if (*ret_rest)
		cache_count(cache, EVENT_RCU_REUSE, 1);
	return sheaf;
}

/* Where the CPU has nothing to lend: full, empty, or NULL. */
static struct umaple_sheaf *barn_borrow(struct umaple_cache *cache,
					size_t count)
{
	struct umaple_sheaf *sheaf = NULL;

	if (umaple_barn_nr_full(&cache->barn))
		sheaf = umaple_barn_get_full(&cache->barn);
	cache_count(cache, sheaf ? EVENT_BARN_GET : EVENT_BARN_GET_FAIL, 1);
	if (!sheaf)
		sheaf = umaple_cache_sheaf_empty(cache);
	if (sheaf && sheaf->count < count)
		umaple_cache_sheaf_fill(cache, sheaf, sheaf->capacity);
	return sheaf;
}

static struct umaple_sheaf *borrow_inside(struct umaple_cache *cache,
					  size_t count)
{
	struct cache_cpu *cpu = cache_cpu_lock(cache);
	struct umaple_sheaf *sheaf = NULL, *rest = NULL;
	bool fast = false;

	if (cpu) {
		fast = cpu->spare;
		sheaf = cpu_borrow(cache, cpu, count, &rest);
		cache_cpu_unlock(cpu);
	}
	umaple_cache_sheaf_drop(cache, rest);
	if (!sheaf)
		sheaf = barn_borrow(cache, count);
	else if (sheaf->count < count)
		sheaf = umaple_cache_sheaf_refill(cache, sheaf, count);
	if (!sheaf)
		return NULL;
	if (sheaf->count < count) {
		umaple_cache_sheaf_flush(cache, sheaf);
		umaple_cache_sheaf_drop(cache, sheaf);
		return NULL;
	}
	cache_count(cache,
		    fast ? EVENT_SHEAF_PREFILL_FAST : EVENT_SHEAF_PREFILL_SLOW,
		    1);
	return sheaf;
}

static struct umaple_sheaf *oversize_inside(struct umaple_cache *cache,
					    size_t count)
{
	struct umaple_sheaf *sheaf = NULL;

	if (count <= UINT32_MAX)
		sheaf = umaple_sheaf_new(count);
	if (!sheaf)
		return NULL;
	cache_count(cache, EVENT_SHEAF_ALLOC, 1);
	if (!umaple_cache_sheaf_fill(cache, sheaf, count)) {
		umaple_cache_sheaf_flush(cache, sheaf);
		umaple_cache_sheaf_delete(cache, sheaf);
		return NULL;
	}
	cache_count(cache, EVENT_SHEAF_PREFILL_OVERSIZE, 1);
	return sheaf;
}

static UMAPLE_NOINLINE struct umaple_sheaf *
prefill_slow(struct umaple_cache *cache, size_t count)
{
	struct umaple_sheaf *sheaf = NULL;

	cache_enter(cache);
	if (cache_is_overrun(cache))
		sheaf = NULL;
	else if (count > cache->capacity)
		sheaf = oversize_inside(cache, count);
	else
		sheaf = borrow_inside(cache, count);
	cache_leave(cache);
	if (sheaf)
		sheaf->owner = cache;
	return sheaf;
}

/* The spare, if it will do as it is. */
static struct umaple_sheaf *prefill_fast(struct umaple_cache *cache,
					 size_t count)
{
	struct cache_cpu *cpu = cache_cpu_try(cache);
	struct umaple_sheaf *sheaf = NULL;

	if (unlikely(!cpu))
		return NULL;
	if (likely(cpu->spare && cpu->spare->count >= count)) {
		sheaf = cpu->spare;
		cpu->spare = NULL;
		/* Under the guard: a fork waits for this, too. */
		cache_count(cache, EVENT_SHEAF_PREFILL_FAST, 1);
	}
	cache_cpu_unlock(cpu);
	return sheaf;
}

struct umaple_sheaf *umaple_cache_prefill(struct umaple_cache *cache,
					  size_t count)
{
	struct umaple_sheaf *sheaf = NULL;

	UMAPLE_ASSERT(count > 0);
	if (umaple_fault())
		return NULL;
	if (likely(!load_relaxed(&cache->overrun)))
		sheaf = prefill_fast(cache, count);
	if (unlikely(!sheaf))
		return prefill_slow(cache, count);
	sheaf->owner = cache;
	return sheaf;
}

void *umaple_cache_take(struct umaple_cache *cache, struct umaple_sheaf *sheaf)
{
	void *object;

	check_borrowed(cache, sheaf);
	if (unlikely(!sheaf->count))
		return NULL;
	object = umaple_sheaf_pop(sheaf);
	cache_count(cache, EVENT_SHEAF_TAKE, 1);
	cache_mark_used(cache, object);
	return object;
}

size_t umaple_cache_sheaf_count(const struct umaple_sheaf *sheaf)
{
	return sheaf->count;
}

/* --- more --- */

/* An oversize sheaf gets exactly what it lacks, or nothing. */
static bool top_up_oversize(struct umaple_cache *cache,
			    struct umaple_sheaf *sheaf, size_t count)
{
	uint32_t before = sheaf->count;
	size_t got;

	if (umaple_cache_sheaf_fill(cache, sheaf, count))
		return true;
	got = sheaf->count - before;
	umaple_cache_slabs_give(cache, sheaf->objects + before, got);
	cache_count(cache, EVENT_SHEAF_FLUSH, got);
	sheaf->count = before;
	return false;
}

static bool refill_inside(struct umaple_cache *cache,
			  struct umaple_sheaf **sheaf, size_t count)
{
	if (cache_is_overrun(cache))
		return false;
	if ((*sheaf)->capacity != cache->capacity)
		return top_up_oversize(cache, *sheaf, count);
	(*sheaf)->owner = NULL;
	*sheaf = umaple_cache_sheaf_refill(cache, *sheaf, count);
	(*sheaf)->owner = cache;
	return (*sheaf)->count >= count;
}

/* A sheaf too small for @count is exchanged for one that is not. */
static int refill_exchanging(struct umaple_cache *cache,
			     struct umaple_sheaf **sheaf, size_t count)
{
	struct umaple_sheaf *larger = prefill_slow(cache, count);

	if (!larger)
		return -ENOMEM;
	umaple_cache_return(cache, *sheaf);
	*sheaf = larger;
	return 0;
}

int umaple_cache_refill(struct umaple_cache *cache, struct umaple_sheaf **sheaf,
			size_t count)
{
	bool full;

	if (!*sheaf)
		return -EINVAL;
	check_borrowed(cache, *sheaf);
	if ((*sheaf)->count >= count)
		return 0;
	if (umaple_fault())
		return -ENOMEM;
	if (count > (*sheaf)->capacity)
		return refill_exchanging(cache, sheaf, count);
	cache_enter(cache);
	full = refill_inside(cache, sheaf, count);
	cache_leave(cache);
	return full ? 0 : -ENOMEM;
}

/* --- back --- */

static void return_inside(struct umaple_cache *cache,
			  struct umaple_sheaf *sheaf)
{
	if (sheaf->capacity != cache->capacity) {
		umaple_cache_sheaf_flush(cache, sheaf);
		umaple_cache_sheaf_delete(cache, sheaf);
		cache_count(cache, EVENT_RETURN_OVERSIZE, 1);
		return;
	}
	cache_count(cache, EVENT_SHEAF_RETURN_SLOW, 1);
	if (umaple_barn_nr_full(&cache->barn) < BARN_MAX_FULL &&
	    umaple_cache_sheaf_fill(cache, sheaf, sheaf->capacity) &&
	    umaple_barn_put_full(&cache->barn, sheaf, false)) {
		cache_count(cache, EVENT_BARN_PUT, 1);
		return;
	}
	umaple_cache_sheaf_flush(cache, sheaf);
	umaple_cache_sheaf_drop(cache, sheaf);
}

static UMAPLE_NOINLINE void return_slow(struct umaple_cache *cache,
					struct umaple_sheaf *sheaf)
{
	cache_enter(cache);
	return_inside(cache, sheaf);
	cache_leave(cache);
}

/* As this CPU's spare, if it has none. */
static bool return_fast(struct umaple_cache *cache, struct umaple_sheaf *sheaf)
{
	struct cache_cpu *cpu = cache_cpu_try(cache);
	bool done = false;

	if (unlikely(!cpu)) {
		cache_count(cache, EVENT_GUARD_BUSY, 1);
		return false;
	}
	if (likely(!cpu->spare)) {
		cpu->spare = sheaf;
		cache_count(cache, EVENT_SHEAF_RETURN_FAST, 1);
		done = true;
	}
	cache_cpu_unlock(cpu);
	return done;
}

void umaple_cache_return(struct umaple_cache *cache, struct umaple_sheaf *sheaf)
{
	if (!sheaf)
		return;
	check_borrowed(cache, sheaf);
	sheaf->owner = NULL;
	if (unlikely(sheaf->capacity != cache->capacity) ||
	    unlikely(!return_fast(cache, sheaf)))
		return_slow(cache, sheaf);
}
