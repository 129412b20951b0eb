/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_stats.c - cache/cache_stats.c: names, sums, resets and the identities
 * that hold at rest.
 */

#include <pthread.h>

#include "caches.h"

const char *const suite_name = "cache_stats";

#define CAP	   8
#define NR_THREADS 4

START_TEST(every_field_has_its_own_name)
{
	const struct umaple_cache_stat_name *names;
	size_t count;

	names = umaple_cache_stat_names(&count);
	ck_assert_uint_eq(count, sizeof(struct umaple_cache_stats) / 8);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(names[i].offset, i * 8);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(names[i].name, names[j].name);
	}
	ck_assert_str_eq(names[0].name, "alloc_fastpath");
	ck_assert_str_eq(names[count - 1].name, "sheaf_capacity");
}
END_TEST

START_TEST(reset_clears_counters_and_keeps_levels)
{
	struct umaple_cache *cache = cache_make(_i, 256, CAP);
	struct umaple_cache_stats before, stats;
	void *objects[3 * CAP];

	alloc_many(cache, objects, 3 * CAP);
	free_rcu_many(cache, objects, CAP);
	umaple_cache_barrier(cache);
	before = cache_stats(cache);
	ck_assert_uint_gt(before.alloc_fastpath, 0);
	ck_assert_uint_gt(before.free_rcu_sheaf + before.free_rcu_sheaf_fail,
			  0);
	umaple_cache_stats_reset(cache);
	stats = cache_stats(cache);

	/* Everything up to grace_periods is a counter. */
	for (const uint64_t *c = &stats.alloc_fastpath;
	     c <= &stats.grace_periods; c++)
		ck_assert_uint_eq(*c, 0);
	ck_assert_uint_eq(stats.objects, before.objects);
	ck_assert_uint_eq(stats.slabs, before.slabs);
	ck_assert_uint_eq(stats.sheaf_capacity, CAP);
	free_many(cache, objects + CAP, 2 * CAP);
	cache_end(cache);
}
END_TEST

static void *mixed_use(void *argument)
{
	struct umaple_cache *cache = argument;
	struct umaple_sheaf *sheaf;
	void *objects[2 * CAP];
	struct rng rng;

	rng_seed(&rng, test_seed() + (uintptr_t)&rng);
	for (unsigned long i = 0; i < test_scaled(2000); i++) {
		size_t n = rng_below(&rng, 2 * CAP) + 1;

		sheaf = umaple_cache_prefill(cache, n);
		if (!sheaf)
			continue;
		for (size_t k = 0; k < n; k++)
			objects[k] = umaple_cache_take(cache, sheaf);
		umaple_cache_return(cache, sheaf);
		free_rcu_many(cache, objects, n / 2);
		free_many(cache, objects + n / 2, n - n / 2);
		alloc_many(cache, objects, n);
		free_many(cache, objects, n);
		umaple_cache_throttle(cache);
	}
	return NULL;
}

/* What must be equal once no call is running. */
static void check_identities(struct umaple_cache *cache)
{
	struct umaple_cache_stats s = cache_stats(cache);

	ck_assert_uint_eq(s.objects, s.sheaf_refill + s.alloc_slowpath -
					     s.sheaf_flush - s.free_slowpath);
	ck_assert_uint_eq(s.sheaf_prefill_fast + s.sheaf_prefill_slow,
			  s.sheaf_return_fast + s.sheaf_return_slow);
	ck_assert_uint_eq(s.alloc_fastpath + s.alloc_slowpath + s.sheaf_take,
			  s.free_fastpath + s.free_slowpath + s.free_rcu_sheaf +
				  s.free_rcu_sheaf_fail -
				  s.free_rcu_sheaf_fail);
	ck_assert_uint_eq(s.total_objects, s.slabs * s.objs_per_slab);
	ck_assert_uint_ge(s.total_objects, s.objects);
	ck_assert_uint_eq(s.slabs, s.alloc_slab - s.free_slab);
	ck_assert_uint_eq(s.pending, 0);
	ck_assert_uint_eq(s.park_slab, s.unpark_slab);
	ck_assert_uint_le(s.unpark_event, s.unpark_slab);
}

START_TEST(identities_hold_after_mixed_use_by_threads)
{
	struct umaple_cache *cache = cache_make_variant(_i, 256, CAP);
	pthread_t threads[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, mixed_use, cache), 0);
	for (int i = 0; i < 50; i++)
		(void)cache_stats(cache);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	umaple_cache_barrier(cache);
	check_identities(cache);

	umaple_cache_shrink(cache, NULL, NULL);
	check_identities(cache);
	ck_assert_uint_eq(cache_stats(cache).sheaf_alloc,
			  cache_stats(cache).sheaf_free);
	cache_end(cache);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("stats");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, every_field_has_its_own_name);
	tcase_add_loop_test(tc, reset_clears_counters_and_keeps_levels, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, identities_hold_after_mixed_use_by_threads, 0,
			    ARRAY_SIZE(cache_variants));
	suite_add_tcase(s, tc);
}
