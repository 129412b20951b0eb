/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_rcu.c - cache/cache_rcu.c: what is freed waits, and for how long; what
 * happens when too much waits.
 */

#include <errno.h>
#include <pthread.h>

#include "caches.h"
#include "platform/fault.h"
#include "platform/rcu.h"

#if UMAPLE_ASAN
#include <sanitizer/asan_interface.h>
#endif

const char *const suite_name = "cache_rcu";

#define CAP 4

static struct umaple_cache *cache;
static void *objects[8192];

static void start(int form)
{
	stay_on_one_cpu();
	cache = cache_make(form, 64, CAP);
}

static void read_lock(void)
{
	umaple_rcu_read_lock(umaple_rcu_default());
}

static void read_unlock(void)
{
	umaple_rcu_read_unlock(umaple_rcu_default());
}

START_TEST(freed_object_is_not_handed_out_inside_the_section)
{
	size_t count = 10 * CAP;
	void *others[20 * CAP];

	start(_i);
	alloc_many(cache, objects, count);
	read_lock();
	free_rcu_many(cache, objects, count);
	ck_assert_uint_eq(cache_stats(cache).pending, count);
	for (int round = 0; round < 10; round++) {
		alloc_many(cache, others, ARRAY_SIZE(others));
		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			ck_assert(!is_among(others[i], objects, count));
		free_many(cache, others, ARRAY_SIZE(others));
	}
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(*(unsigned char *)objects[i], 0xa5);
	read_unlock();
	cache_end(cache);
}
END_TEST

START_TEST(barrier_frees_all_that_was_freed_before)
{
	struct umaple_cache_stats stats;

	start(_i);
	for (size_t n = 0; n < 4 * CAP; n++) {
		alloc_many(cache, objects, n);
		free_rcu_many(cache, objects, n);
		ck_assert_int_eq(umaple_cache_barrier(cache), 0);
		stats = cache_stats(cache);
		ck_assert_uint_eq(stats.pending, 0);
		ck_assert_uint_ge(stats.grace_periods, n ? 1 : 0);
		cache_verify(cache);
	}
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);
}
END_TEST

static void *free_elsewhere(void *argument)
{
	(void)argument;
	free_rcu_many(cache, objects, 3 * CAP + 1);
	return NULL;
}

START_TEST(barrier_covers_other_threads_frees)
{
	pthread_t thread;

	cache = cache_make(_i, 64, CAP);
	alloc_many(cache, objects, 3 * CAP + 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, free_elsewhere, NULL),
			 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	ck_assert_uint_eq(cache_stats(cache).pending, 0);
	cache_end(cache);
}
END_TEST

/* AddressSanitizer is told of objects that have come back. */
static void assert_marked_free(void **freed, size_t count)
{
#if UMAPLE_ASAN
	for (size_t i = 0; i < count; i++)
		ck_assert(__asan_address_is_poisoned(freed[i]));
#endif
}

START_TEST(objects_without_a_sheaf_wait_in_their_slab)
{
	struct umaple_cache_stats stats;
	struct cache_cpu *cpu;

	start(_i);
	alloc_many(cache, objects, 3);
	read_lock();
	cpu = hold_guard(cache);
	free_rcu_many(cache, objects, 3);
	cache_cpu_unlock(cpu);
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.free_rcu_sheaf_fail, 3);
	ck_assert_uint_eq(stats.free_rcu_sheaf, 0);
	ck_assert_uint_eq(stats.pending, 3);
	read_unlock();

	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.pending, 0);
	ck_assert_uint_eq(stats.free_slowpath, 3);
	assert_marked_free(objects, 3);
	cache_end(cache);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(no_memory_for_a_sheaf_does_not_stop_frees)
{
	start(_i);
	alloc_many(cache, objects, 3 * CAP);
	umaple_fault_set(0, true);
	free_rcu_many(cache, objects, 3 * CAP);
	ck_assert(umaple_fault_fired());
	umaple_fault_set(-1, false);

	ck_assert_uint_eq(cache_stats(cache).free_rcu_sheaf_fail, 3 * CAP);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	ck_assert_uint_eq(cache_stats(cache).pending, 0);
	cache_end(cache);
}
END_TEST

START_TEST(without_a_ticker_thread_the_waiter_runs_grace_periods)
{
	/* A flavour of our own has a ticker that has not started. */
	static struct rcu_flavor_struct flavors[NR_FORMS];
	struct umaple_cache_attr attr = { .size = 64,
					  .name = "test",
					  .flavor = &flavors[_i],
					  .sheaf_capacity = CAP };

	flavors[_i] = *umaple_rcu_default();
	stay_on_one_cpu();
	umaple_fault_set(-1, false);
	cache = cache_make_attr(&attr, _i);
	ck_assert(!load_relaxed(&cache->ticker->running));
	alloc_many(cache, objects, 3 * CAP);
	free_rcu_many(cache, objects, 1);
	umaple_fault_set(0, true);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	umaple_fault_set(-1, false);

	ck_assert_uint_eq(cache_stats(cache).pending, 0);
	free_many(cache, objects + 1, 3 * CAP - 1);
	cache_end(cache);
}
END_TEST
#endif

/* Pending at most 10, hard limit 10 + 4096. */
static void start_limited(int form)
{
	struct umaple_cache_attr attr = { .size = 64,
					  .name = "limited",
					  .sheaf_capacity = CAP,
					  .pending_limit = 10 };

	stay_on_one_cpu();
	cache = cache_make_attr(&attr, form);
}

START_TEST(throttle_waits_above_the_limit)
{
	struct umaple_cache_stats stats;

	start_limited(_i);
	alloc_many(cache, objects, 40);
	free_rcu_many(cache, objects, 10);
	umaple_cache_throttle(cache);
	read_lock();
	free_rcu_many(cache, objects + 10, 30);
	umaple_cache_throttle(cache); /* must not wait in here */
	ck_assert_uint_gt(cache_stats(cache).pending, 10);
	read_unlock();

	umaple_cache_throttle(cache);
	stats = cache_stats(cache);
	ck_assert_uint_le(stats.pending, 10);
	ck_assert_uint_le(stats.throttled, 2);
	cache_end(cache);
}
END_TEST

START_TEST(allocations_fail_at_twice_the_limit_until_grace_periods_pass)
{
	struct umaple_sheaf *sheaf;
	size_t n = 0;

	start_limited(_i);
	alloc_many(cache, objects, 4120);
	sheaf = umaple_cache_prefill(cache, 2);
	read_lock();
	free_rcu_many(cache, objects, 4120);

	ck_assert_ptr_null(umaple_cache_alloc(cache));
	ck_assert_ptr_null(umaple_cache_prefill(cache, 1));
	ck_assert_ptr_null(umaple_cache_prefill(cache, CAP + 1));
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, CAP + 1), -ENOMEM);
	while (umaple_cache_sheaf_count(sheaf))
		objects[n++] = umaple_cache_take(cache, sheaf);
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, 1), -ENOMEM);
	read_unlock();

	pass_grace_period(cache);
	objects[n++] = must_alloc(cache);
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, 1), 0);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects, n);
	cache_end(cache);
}
END_TEST

START_TEST(rcu_only_traffic_balances)
{
	struct umaple_cache_stats stats;
	size_t count = 64;

	start(_i);
	for (unsigned long i = 0; i < test_scaled(200); i++) {
		alloc_many(cache, objects, count);
		free_rcu_many(cache, objects, count);
		if (i % 8 == 0)
			pass_grace_period(cache);
	}
	/* Nothing part-filled: count is a multiple of the capacity. */
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.free_rcu_sheaf + stats.free_rcu_sheaf_fail,
			  count * test_scaled(200));
	ck_assert_uint_eq(
		stats.free_rcu_sheaf,
		CAP * (stats.barn_put + stats.barn_put_fail + stats.rcu_reuse));
	ck_assert_uint_eq(stats.sheaf_flush, CAP * stats.barn_put_fail);
	cache_end(cache);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("wait");

	tcase_add_loop_test(tc,
			    freed_object_is_not_handed_out_inside_the_section,
			    0, NR_FORMS);
	tcase_add_loop_test(tc, barrier_frees_all_that_was_freed_before, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, barrier_covers_other_threads_frees, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, objects_without_a_sheaf_wait_in_their_slab, 0,
			    NR_FORMS);
#if UMAPLE_FAULT_INJECTION
	tcase_add_loop_test(tc, no_memory_for_a_sheaf_does_not_stop_frees, 0,
			    NR_FORMS);
	tcase_add_loop_test(
		tc, without_a_ticker_thread_the_waiter_runs_grace_periods, 0,
		NR_FORMS);
#endif
	tcase_add_loop_test(tc, rcu_only_traffic_balances, 0, NR_FORMS);
	suite_add_tcase(s, tc);

	tc = tcase_create("limit");
	tcase_add_loop_test(tc, throttle_waits_above_the_limit, 0, NR_FORMS);
	tcase_add_loop_test(
		tc,
		allocations_fail_at_twice_the_limit_until_grace_periods_pass, 0,
		NR_FORMS);
	suite_add_tcase(s, tc);
}
