/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache.c - a cache's life.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define UMAPLE_ENABLE_EXPERIMENTAL
#include <umaple/experimental.h>

#include "cache/cache_priv.h"
#include "platform/memory.h"

#define MAX_CAPACITY  1024u
#define PENDING_LIMIT 65536u
#define PENDING_EXTRA 4096u

_Static_assert(MAX_CAPACITY <= UMAPLE_GUARD_MAX_SLOTS,
	       "a stack's level must be able to say full");

/*
 * Objects per sheaf by bytes per object.  With a header of 32 bytes the sheaves
 * fill 64, 128, 256 and 512 bytes.
 */
static unsigned int default_capacity(size_t slot_size)
{
	if (slot_size >= 4096)
		return 4;
	if (slot_size >= 1024)
		return 12;
	if (slot_size >= 256)
		return 28;
	return 60;
}

static bool reserved_is_zero(const struct umaple_cache_attr *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr->reserved2_); i++) {
		if (attr->reserved2_[i])
			return false;
	}
	return true;
}

/* Return: 0, or -EINVAL for switches that do not go together or do not exist. */
static int parking_of_study(unsigned int study, struct umaple_parking *parking)
{
	const unsigned int either =
		UMAPLE_STUDY_PARK_NEVER | UMAPLE_STUDY_PARK_ALWAYS;
	const unsigned int known = either | UMAPLE_STUDY_UNPARK_DEFERRED |
				   UMAPLE_STUDY_PARK_BESIDE_LOCK |
				   UMAPLE_STUDY_NO_BARN_REFILL;

	if ((study & ~known) || (study & either) == either)
		return -EINVAL;
	parking->when = PARK_CONTENDED;
	if (study & UMAPLE_STUDY_PARK_NEVER)
		parking->when = PARK_NEVER;
	if (study & UMAPLE_STUDY_PARK_ALWAYS)
		parking->when = PARK_ALWAYS;
	parking->deferred = study & UMAPLE_STUDY_UNPARK_DEFERRED;
	parking->beside = study & UMAPLE_STUDY_PARK_BESIDE_LOCK;
	return 0;
}

static size_t hard_limit(size_t limit)
{
	size_t extra = limit > PENDING_EXTRA ? limit : PENDING_EXTRA;

	return limit > SIZE_MAX - extra ? SIZE_MAX : limit + extra;
}

/*
 * Sheaves that a CPU sends off before it asks for a grace period, which may cost a
 * system call to wake the ticker, and interrupts all CPUs.  Fewer are looked after
 * by age.  Of the default limit, a part in 32 is 2,048 objects; an iteration of
 * mmap1 in a tree takes 145 ns with them, 137 with four times as many, and 195 with
 * a quarter.
 */
static uint32_t ask_after(const struct umaple_cache *cache)
{
	size_t sheaves = cache->pending_limit / 32 / cache->capacity;

	return sheaves < 1	      ? 1
	       : sheaves > UINT32_MAX ? UINT32_MAX
				      : (uint32_t)sheaves;
}

static void set_up(struct umaple_cache *cache,
		   const struct umaple_cache_attr *attr)
{
	cache->pending_limit =
		attr->pending_limit ? attr->pending_limit : PENDING_LIMIT;
	cache->pending_hard = hard_limit(cache->pending_limit);
	cache->capacity = attr->sheaf_capacity
				  ? attr->sheaf_capacity
				  : default_capacity(cache->node.geo.slot_size);
	cache->ask_after = ask_after(cache);
	cache->barn_refill = !(attr->study & UMAPLE_STUDY_NO_BARN_REFILL);
	cache->marked = umaple_marks_are_seen();
	cache->baseline_ticks = load_relaxed(&cache->ticker->completed);
	umaple_barn_init(&cache->barn);
	for (unsigned int i = 0; i < cache->table.count; i++)
		umaple_cache_cpu_init(cache_cpu_of(cache, i));
}

static void cache_delete(struct umaple_cache *cache)
{
	umaple_zfree(cache->table.base);
	umaple_zfree(cache);
}

/* A cache that holds nothing and that nobody knows. */
static void cache_discard(struct umaple_cache *cache)
{
	umaple_cache_unregister(cache);
	if (umaple_slab_node_fini(&cache->node))
		umaple_die("cache %s: used while it was destroyed",
			   cache->name);
	umaple_barn_fini(&cache->barn);
	cache_delete(cache);
}

/* All of the memory a new cache has; NULL if there is not enough. */
static struct umaple_cache *cache_new(const struct umaple_cache_attr *attr)
{
	const char *name = attr->name ? attr->name : "unnamed";
	size_t length = strlen(name) + 1;
	struct umaple_cache *cache;

	cache = umaple_zalloc_aligned(UMAPLE_CACHELINE,
				      sizeof(*cache) + length);
	if (!cache)
		return NULL;
	memcpy(cache->name, name, length);
	cache->head.flavor = attr->flavor ? attr->flavor : umaple_rcu_default();
	cache->ticker = umaple_ticker_get(cache->head.flavor);
	cache->table.count = umaple_cpu_count();
	cache->table.base = umaple_zalloc_aligned(
		UMAPLE_CACHELINE, cache->table.count * UMAPLE_GUARD_BYTES);
	if (cache->ticker && cache->table.base)
		return cache;
	cache_delete(cache);
	return NULL;
}

int umaple_cache_create_form(const struct umaple_cache_attr *attr, bool rseq,
			     struct umaple_cache **ret_cache)
{
	struct umaple_slab_geometry geo;
	struct umaple_parking parking;
	struct umaple_cache *cache;
	int error;

	if (attr->sheaf_capacity > MAX_CAPACITY || !reserved_is_zero(attr))
		return -EINVAL;
	error = parking_of_study(attr->study, &parking);
	if (!error)
		error = umaple_slab_geometry(&geo, attr->size, attr->align, 0);
	if (error)
		return error;
	cache = cache_new(attr);
	if (!cache)
		return -ENOMEM;
	error = umaple_slab_node_init(&cache->node, &geo, cache->name);
	if (error) {
		cache_delete(cache);
		return error;
	}
	umaple_slab_node_set_parking(&cache->node, &parking);
	cache->table.rseq = rseq && umaple_rseq_available();
	set_up(cache, attr);
	umaple_cache_register(cache);
	*ret_cache = cache;
	return 0;
}

int umaple_cache_create(const struct umaple_cache_attr *attr,
			struct umaple_cache **ret_cache)
{
	return umaple_cache_create_form(attr, true, ret_cache);
}

size_t umaple_cache_object_size(const struct umaple_cache *cache)
{
	return cache->node.geo.object_size;
}

/* --- the default cache --- */

static struct umaple_cache *default_cache;

/* Two threads may both come here: the second throws its cache away. */
static UMAPLE_COLD struct umaple_cache *default_make(void)
{
	const struct umaple_cache_attr attr = {
		.size = 256,
		.align = 256,
		.name = "default",
		.sheaf_capacity = 32,
	};
	struct umaple_cache *cache, *first = NULL;

	if (umaple_cache_create(&attr, &cache))
		return load_acquire(&default_cache);
	/*
	 * ORDER(default), store side: who finds the cache finds it made.
	 * Load side: umaple_cache_default().
	 * Without it: a second caller uses a cache without CPUs.
	 */
	if (cmpxchg_acq_rel(&default_cache, &first, cache))
		return cache;
	cache_discard(cache);
	return first;
}

struct umaple_cache *umaple_cache_default(void)
{
	/* ORDER(default), load side.  Store side: default_make(). */
	struct umaple_cache *cache = load_acquire(&default_cache);

	return likely(cache) ? cache : default_make();
}

/* --- the end --- */

/* Sheaves that were borrowed and not returned. */
static uint64_t count_borrowed(struct umaple_cache *cache)
{
	uint64_t sums[NR_EVENTS];

	umaple_cache_sum(cache, sums);
	return sums[EVENT_SHEAF_PREFILL_FAST] + sums[EVENT_SHEAF_PREFILL_SLOW] +
	       sums[EVENT_SHEAF_PREFILL_OVERSIZE] -
	       sums[EVENT_SHEAF_RETURN_FAST] - sums[EVENT_SHEAF_RETURN_SLOW] -
	       sums[EVENT_RETURN_OVERSIZE];
}

static void report_leak(const struct umaple_cache *cache, uint64_t objects,
			uint64_t borrowed)
{
	char line[256];
	int n = snprintf(line, sizeof(line),
			 "umaple: cache %.100s: destroyed with %llu objects "
			 "and %llu borrowed sheaves in use\n",
			 cache->name, (unsigned long long)objects,
			 (unsigned long long)borrowed);

	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* nobody to tell */
}

int umaple_cache_destroy(struct umaple_cache *cache)
{
	struct umaple_slab_stats slabs;
	uint64_t borrowed;

	if (!cache)
		return 0;
	if (cache == load_relaxed(&default_cache))
		return -EBUSY;
	if (umaple_cache_barrier(cache))
		return -EDEADLK;
	umaple_cache_shrink(cache, NULL, NULL);
	borrowed = count_borrowed(cache);
	umaple_slab_stats(&cache->node, &slabs);
	if (slabs.objects || borrowed) {
		report_leak(cache, slabs.objects, borrowed);
		return -EBUSY;
	}
	cache_discard(cache);
	return 0;
}

void umaple_cache_die(const struct umaple_cache *cache, const char *what,
		      const void *where)
{
	umaple_die("cache %s: %s: %p", cache->name, what, where);
}
