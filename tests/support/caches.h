/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/caches.h - what tests of caches share.
 *
 * Loop tests over the two forms of guards: 0 atomic, 1 rseq.  Where there are no
 * restartable sequences, 1 is the atomic form again.  Over the variants: the two
 * forms, both without refills from the barn, and the rseq form with each way to
 * park slabs.
 */

#ifndef TESTS_CACHES_H
#define TESTS_CACHES_H

#include <sched.h>
#include <string.h>

#define UMAPLE_ENABLE_EXPERIMENTAL
#include <umaple/cache.h>
#include <umaple/debug.h>
#include <umaple/experimental.h>

#include "cache/cache_priv.h"
#include "harness.h"

#define NR_FORMS	 2
#define NR_BARN_VARIANTS (2 * NR_FORMS) /* the first so many */

struct cache_variant {
	int form;
	unsigned int study;
};

static const struct cache_variant cache_variants[] = {
	{ 0, 0 },
	{ 1, 0 },
	{ 0, UMAPLE_STUDY_NO_BARN_REFILL },
	{ 1, UMAPLE_STUDY_NO_BARN_REFILL },
	{ 1, UMAPLE_STUDY_PARK_NEVER },
	{ 1, UMAPLE_STUDY_PARK_ALWAYS },
	{ 1, UMAPLE_STUDY_UNPARK_DEFERRED },
	{ 1, UMAPLE_STUDY_PARK_ALWAYS | UMAPLE_STUDY_UNPARK_DEFERRED |
		     UMAPLE_STUDY_PARK_BESIDE_LOCK },
};

#if UMAPLE_TSAN
/* Threads in children of several threads: not supported, but worth a try. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
#endif

/* Most counters of a test are only right if its thread stays where it is. */
static inline void stay_on_one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(umaple_cpu_current(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
}

static inline bool variant_uses_barn(int variant)
{
	return !(cache_variants[variant].study & UMAPLE_STUDY_NO_BARN_REFILL);
}

static inline struct umaple_cache *
cache_make_attr(const struct umaple_cache_attr *attr, int form)
{
	struct umaple_cache *cache = NULL;

	ck_assert_int_eq(umaple_cache_create_form(attr, form, &cache), 0);
	ck_assert_ptr_nonnull(cache);
	return cache;
}

static inline struct umaple_cache *cache_make(int form, size_t size,
					      unsigned int capacity)
{
	struct umaple_cache_attr attr = {
		.size = size,
		.name = "test",
		.sheaf_capacity = capacity,
	};

	return cache_make_attr(&attr, form);
}

static inline struct umaple_cache *cache_make_variant(int variant, size_t size,
						      unsigned int capacity)
{
	struct umaple_cache_attr attr = {
		.size = size,
		.name = "variant",
		.sheaf_capacity = capacity,
		.study = cache_variants[variant].study,
	};

	return cache_make_attr(&attr, cache_variants[variant].form);
}

static inline void cache_verify(struct umaple_cache *cache)
{
	char text[256] = "";
	int error = umaple_cache_check(cache, text, sizeof(text));

	ck_assert_msg(error == 0, "%s", text);
}

static inline void cache_end(struct umaple_cache *cache)
{
	cache_verify(cache);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}

static inline struct umaple_cache_stats cache_stats(struct umaple_cache *cache)
{
	struct umaple_cache_stats stats;

	umaple_cache_stats_get(cache, &stats);
	return stats;
}

static inline void *must_alloc(struct umaple_cache *cache)
{
	void *object = umaple_cache_alloc(cache);

	ck_assert_ptr_nonnull(object);
	memset(object, 0xa5, umaple_cache_object_size(cache));
	return object;
}

static inline void alloc_many(struct umaple_cache *cache, void **objects,
			      size_t count)
{
	for (size_t i = 0; i < count; i++)
		objects[i] = must_alloc(cache);
}

static inline void free_many(struct umaple_cache *cache, void **objects,
			     size_t count)
{
	for (size_t i = 0; i < count; i++)
		umaple_cache_free(cache, objects[i]);
}

static inline void free_rcu_many(struct umaple_cache *cache, void **objects,
				 size_t count)
{
	for (size_t i = 0; i < count; i++)
		umaple_cache_free_rcu(cache, objects[i]);
}

/* A sheaf outside all places of the cache. */
static inline struct umaple_sheaf *cache_sheaf_of(struct umaple_cache *cache,
						  size_t count)
{
	struct umaple_sheaf *sheaf = umaple_cache_sheaf_empty(cache);

	ck_assert_ptr_nonnull(sheaf);
	ck_assert(umaple_cache_sheaf_fill(cache, sheaf, count));
	ck_assert_uint_eq(sheaf->count, count);
	return sheaf;
}

/* A grace period passes, and nothing else happens. */
static inline void pass_grace_period(struct umaple_cache *cache)
{
	ck_assert(umaple_ticker_wait(cache->ticker,
				     umaple_ticker_stamp(cache->ticker)));
}

/* Go the ways that a held guard leaves. */
static inline struct cache_cpu *hold_guard(struct umaple_cache *cache)
{
	struct cache_cpu *cpu = cache_cpu_try(cache);

	ck_assert_ptr_nonnull(cpu);
	return cpu;
}

static inline bool is_among(void *object, void *const *objects, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (objects[i] == object)
			return true;
	}
	return false;
}

#endif /* TESTS_CACHES_H */
