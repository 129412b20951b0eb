/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_reclaim.c - cache/cache_reclaim.c: shrinking, and sheaves of other
 * CPUs.
 */

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caches.h"
#include "platform/fault.h"
#include "platform/lock.h"
#include "platform/rcu.h"

const char *const suite_name = "cache_reclaim";

#define CAP 4

static struct umaple_cache *cache;
static void *objects[40 * CAP];

START_TEST(shrink_gives_back_all_that_is_not_in_use)
{
	size_t before = 0, after = 1, count = ARRAY_SIZE(objects);

	cache = cache_make(_i, 256, CAP);
	alloc_many(cache, objects, count);
	free_many(cache, objects, count);
	ck_assert_int_eq(umaple_cache_shrink(cache, &before, &after), 0);

	ck_assert_uint_ge(before, count / 64);
	ck_assert_uint_eq(after, 0);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	ck_assert_uint_eq(cache_stats(cache).slabs, 0);
	ck_assert_uint_eq(cache_stats(cache).sheaf_alloc,
			  cache_stats(cache).sheaf_free);
	cache_verify(cache);
	cache_end(cache);
}
END_TEST

START_TEST(shrink_leaves_what_is_in_use)
{
	struct umaple_sheaf *sheaf;
	size_t after;

	cache = cache_make(_i, 256, CAP);
	alloc_many(cache, objects, 3);
	sheaf = umaple_cache_prefill(cache, CAP);
	umaple_cache_shrink(cache, NULL, &after);

	ck_assert_uint_gt(after, 0);
	ck_assert_uint_eq(cache_stats(cache).objects, 3 + CAP);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(*(unsigned char *)objects[i], 0xa5);
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), CAP);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects, 3);
	cache_end(cache);
}
END_TEST

START_TEST(shrink_leaves_what_waits_for_a_grace_period)
{
	const struct rcu_flavor_struct *bp = umaple_rcu_default();

	stay_on_one_cpu();
	cache = cache_make(_i, 256, CAP);
	alloc_many(cache, objects, 2 * CAP + 1);
	umaple_rcu_read_lock(bp);
	free_rcu_many(cache, objects, 2 * CAP + 1);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).pending, 2 * CAP + 1);
	ck_assert_uint_eq(cache_stats(cache).objects, 2 * CAP + 1);
	umaple_rcu_read_unlock(bp);

	umaple_cache_barrier(cache);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);
}
END_TEST

static void pin_to(unsigned int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	(void)sched_setaffinity(0, sizeof(one), &one); /* may not be allowed */
}

START_TEST(sheaves_of_all_cpus_are_reached)
{
	cache = cache_make(_i, 256, CAP);
	for (unsigned int cpu = 0; cpu < umaple_cpu_count(); cpu++) {
		pin_to(cpu);
		alloc_many(cache, objects, 3 * CAP);
		free_rcu_many(cache, objects, CAP + 1);
		free_many(cache, objects + CAP + 1, 2 * CAP - 1);
	}
	umaple_cache_barrier(cache);
	ck_assert_uint_eq(cache_stats(cache).pending, 0);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);
}
END_TEST

START_TEST(ready_sheaves_go_to_the_barn_and_the_rest_to_slabs)
{
	struct umaple_cache_stats stats;

	stay_on_one_cpu();
	cache = cache_make(_i, 256, CAP);
	alloc_many(cache, objects, 13 * CAP);
	umaple_cache_stats_reset(cache);
	umaple_rcu_read_lock(umaple_rcu_default());
	free_rcu_many(cache, objects, 13 * CAP);
	umaple_rcu_read_unlock(umaple_rcu_default());
	umaple_cache_barrier(cache);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.barn_put, BARN_MAX_FULL);
	ck_assert_uint_eq(stats.barn_put_fail, 3);
	ck_assert_uint_eq(stats.sheaf_flush, 3 * CAP);
	cache_end(cache);
}
END_TEST

static uint32_t over;

static void *shrink_again_and_again(void *argument)
{
	while (!load_acquire(&over))
		umaple_cache_shrink(argument, NULL, NULL);
	return NULL;
}

START_TEST(shrinking_under_use_loses_nothing)
{
	pthread_t thread;

	cache = cache_make(_i, 256, CAP);
	store_relaxed(&over, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, shrink_again_and_again,
					cache),
			 0);
	for (unsigned long i = 0; i < test_scaled(300); i++) {
		struct umaple_sheaf *sheaf = umaple_cache_prefill(cache, 3);

		ck_assert_ptr_nonnull(sheaf);
		alloc_many(cache, objects, 3 * CAP);
		umaple_cache_return(cache, sheaf);
		free_many(cache, objects, 2 * CAP);
		free_rcu_many(cache, objects + 2 * CAP, CAP);
	}
	store_release(&over, 1);
	pthread_join(thread, NULL);
	umaple_cache_barrier(cache);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);
}
END_TEST

static uint32_t returned;

static void *sweep_ready(void *argument)
{
	cache_enter(argument);
	umaple_cache_sweep(argument, SWEEP_READY);
	cache_leave(argument);
	return NULL;
}

static void *wait_at_barrier(void *argument)
{
	ck_assert_int_eq(umaple_cache_barrier(argument), 0);
	store_release(&returned, 1);
	return NULL;
}

/* One sweep has taken what was ready and cannot go on: the barn is locked. */
START_TEST(barrier_waits_for_sheaves_in_others_hands)
{
	pthread_t sweeper, waiter;
	struct cache_cpu *cpu;

	stay_on_one_cpu();
	cache = cache_make(_i, 256, CAP);
	cpu = cache_cpu_of(cache, umaple_cpu_current());
	alloc_many(cache, objects, CAP);
	free_rcu_many(cache, objects, CAP);
	cache_enter(cache);
	umaple_cache_sweep(cache, SWEEP_SEND);
	cache_leave(cache);
	pass_grace_period(cache);
	umaple_lock_take(&cache->barn.lock);
	ck_assert_int_eq(pthread_create(&sweeper, NULL, sweep_ready, cache), 0);
	while (load_relaxed(&cpu->queue_sequence))
		sched_yield();
	ck_assert_int_eq(pthread_create(&waiter, NULL, wait_at_barrier, cache),
			 0);
	for (int i = 0; i < 100; i++) {
		usleep(1000);
		ck_assert(!load_acquire(&returned));
	}
	umaple_lock_drop(&cache->barn.lock);
	pthread_join(sweeper, NULL);
	pthread_join(waiter, NULL);
	cache_end(cache);
}
END_TEST

/* --- parked slabs --- */

#define EMPTIES 20

/* Full slabs, which frees empty: with the guard held they go to the slabs. */
static void *full[EMPTIES * 64];

static void fill_slabs(void)
{
	const struct umaple_cache_attr attr = {
		.size = 256,
		.name = "parking",
		.sheaf_capacity = CAP,
		.study =
			UMAPLE_STUDY_PARK_ALWAYS | UMAPLE_STUDY_UNPARK_DEFERRED,
	};
	struct cache_cpu *cpu;

	stay_on_one_cpu();
	cache = cache_make_attr(&attr, 0);
	cpu = hold_guard(cache);
	alloc_many(cache, full, ARRAY_SIZE(full));
	cache_cpu_unlock(cpu);
	ck_assert_uint_eq(cache->node.nr_slabs, EMPTIES);
}

static void empty_slabs(void)
{
	struct cache_cpu *cpu = hold_guard(cache);

	free_many(cache, full, ARRAY_SIZE(full));
	cache_cpu_unlock(cpu);
}

static void assert_unparked(void)
{
	ck_assert_ptr_null(load_relaxed(&cache->node.parked->head));
	ck_assert_uint_le(load_relaxed(&cache->node.nr_slabs),
			  cache->node.geo.min_partial);
	cache_end(cache);
}

START_TEST(ticker_comes_for_slabs_that_nobody_asks_for)
{
	fill_slabs();
	empty_slabs();
	ck_assert(load_relaxed(&cache->ticker->running));
	while (load_relaxed(&cache->node.parked->head))
		sched_yield();
	/* Its visit ends when it has given them back. */
	umaple_lock_take(&cache->ticker->tick_lock);
	umaple_lock_drop(&cache->ticker->tick_lock);
	assert_unparked();
}
END_TEST

/* The parent's ticker may have come first: then there is nothing to see. */
START_TEST(child_has_no_slab_parked_that_nobody_comes_for)
{
	int status;
	pid_t pid;

	fill_slabs();
	empty_slabs();
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(cache->node.parked->head ||
		      cache->node.nr_slabs > cache->node.geo.min_partial);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	cache_end(cache);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(without_a_ticker_slabs_are_unparked_at_once)
{
	fill_slabs();
	/* Where cases share a process, an earlier one has started it. */
	if (cache->ticker->running) {
		empty_slabs();
		cache_end(cache);
		return;
	}
	umaple_fault_set(0, true);
	empty_slabs();
	umaple_fault_set(-1, false);
	ck_assert(!cache->ticker->running);
	assert_unparked();
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("shrink");

	tcase_add_loop_test(tc, shrink_gives_back_all_that_is_not_in_use, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, shrink_leaves_what_is_in_use, 0, NR_FORMS);
	tcase_add_loop_test(tc, shrink_leaves_what_waits_for_a_grace_period, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, shrinking_under_use_loses_nothing, 0, NR_FORMS);
	suite_add_tcase(s, tc);

	tc = tcase_create("sweep");
	tcase_add_loop_test(tc, sheaves_of_all_cpus_are_reached, 0, NR_FORMS);
	tcase_add_loop_test(tc,
			    ready_sheaves_go_to_the_barn_and_the_rest_to_slabs,
			    0, NR_FORMS);
	suite_add_tcase(s, tc);

	tc = tcase_create("barrier");
	tcase_add_loop_test(tc, barrier_waits_for_sheaves_in_others_hands, 0,
			    NR_FORMS);
	suite_add_tcase(s, tc);

	tc = tcase_create("parked");
	tcase_add_test(tc, ticker_comes_for_slabs_that_nobody_asks_for);
	tcase_add_test(tc, child_has_no_slab_parked_that_nobody_comes_for);
#if UMAPLE_FAULT_INJECTION
	tcase_add_test(tc, without_a_ticker_slabs_are_unparked_at_once);
#endif
	suite_add_tcase(s, tc);
}
