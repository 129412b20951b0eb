/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_flavors.c - caches of every flavour of liburcu: their readers are
 * waited for, and nobody waits inside a section.
 */

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caches.h"
#include "platform/rcu.h"

const char *const suite_name = "cache_flavors";

#define CAP 4

extern const struct rcu_flavor_struct urcu_bp_flavor, urcu_memb_flavor,
	urcu_mb_flavor, urcu_qsbr_flavor;

static const struct rcu_flavor_struct *const flavors[] = {
	&urcu_bp_flavor, &urcu_memb_flavor, &urcu_mb_flavor, &urcu_qsbr_flavor
};

static const struct rcu_flavor_struct *flavor;
static struct umaple_cache *cache;
static void *objects[4 * CAP];

static void start(int i)
{
	struct umaple_cache_attr attr = { .size = 64,
					  .name = "flavour",
					  .flavor = flavors[i],
					  .sheaf_capacity = CAP };

	flavor = flavors[i];
	cache = cache_make_attr(&attr, 1);
	ck_assert_ptr_eq(umaple_cache_flavor(cache), flavor);
	alloc_many(cache, objects, 4 * CAP);
}

static uint32_t reader_is_in, reader_may_go; /* atomic */

static void *read_until_told(void *argument)
{
	(void)argument;
	flavor->register_thread();
	flavor->read_lock();
	store_release(&reader_is_in, 1);
	while (!load_acquire(&reader_may_go))
		sched_yield();
	umaple_rcu_read_unlock(flavor);
	flavor->unregister_thread();
	return NULL;
}

START_TEST(readers_are_waited_for)
{
	pthread_t reader;
	uint64_t stamp;

	start(_i);
	store_relaxed(&reader_is_in, 0);
	store_relaxed(&reader_may_go, 0);
	ck_assert_int_eq(pthread_create(&reader, NULL, read_until_told, NULL),
			 0);
	while (!load_acquire(&reader_is_in))
		sched_yield();
	free_rcu_many(cache, objects, 4 * CAP);
	stamp = umaple_ticker_stamp(cache->ticker);
	umaple_ticker_want(cache->ticker, stamp);
	for (int i = 0; i < 500; i++) {
		ck_assert(!umaple_ticker_passed(cache->ticker, stamp));
		sched_yield();
	}
	ck_assert_uint_eq(cache_stats(cache).pending, 4 * CAP);
	store_release(&reader_may_go, 1);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	pthread_join(reader, NULL);
	ck_assert_uint_eq(cache_stats(cache).pending, 0);
	cache_end(cache);
}
END_TEST

START_TEST(nobody_waits_inside_a_section)
{
	start(_i);
	flavor->register_thread();
	flavor->read_lock();
	free_rcu_many(cache, objects, 4 * CAP);
	cache->pending_limit = 1;
	umaple_cache_throttle(cache);
	ck_assert_int_eq(umaple_cache_barrier(cache), -EDEADLK);
	ck_assert_int_eq(umaple_cache_destroy(cache), -EDEADLK);
	umaple_rcu_read_unlock(flavor);
	flavor->unregister_thread();

	umaple_cache_throttle(cache);
	ck_assert_uint_le(load_relaxed(&cache->pending), 1);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	cache_end(cache);
}
END_TEST

/* An online thread of qsbr is inside a section all the time. */
START_TEST(online_thread_must_go_offline_to_wait)
{
	start(3);
	flavor->register_thread();
	free_rcu_many(cache, objects, 4 * CAP);
	ck_assert_int_eq(umaple_cache_barrier(cache), -EDEADLK);
	flavor->thread_offline();
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	flavor->thread_online();
	ck_assert_int_eq(umaple_cache_destroy(cache), -EDEADLK);
	flavor->unregister_thread();
	cache_end(cache);
}
END_TEST

static int use_and_wait(void)
{
	void *object = umaple_cache_alloc(cache);

	umaple_cache_free_rcu(cache, object);
	if (umaple_cache_barrier(cache))
		return 1;
	if (cache_stats(cache).pending)
		return 2;
	return umaple_cache_check(cache, NULL, 0) ? 3 : 0;
}

/* The ticker is no registered thread, so the child need not wait for it. */
START_TEST(child_of_a_single_thread_has_grace_periods)
{
	int status;
	pid_t pid;

	start(_i);
	free_rcu_many(cache, objects, 3 * CAP);
	pass_grace_period(cache);
	pid = fork();
	if (pid == 0) {
		alarm(30);
		_exit(use_and_wait());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	free_many(cache, objects + 3 * CAP, CAP);
	cache_end(cache);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("flavors");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, readers_are_waited_for, 0, ARRAY_SIZE(flavors));
	tcase_add_loop_test(tc, nobody_waits_inside_a_section, 0,
			    ARRAY_SIZE(flavors));
	tcase_add_test(tc, online_thread_must_go_offline_to_wait);
	tcase_add_loop_test(tc, child_of_a_single_thread_has_grace_periods, 0,
			    ARRAY_SIZE(flavors));
	suite_add_tcase(s, tc);
}
