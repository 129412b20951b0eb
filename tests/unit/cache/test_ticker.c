/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_ticker.c - cache/ticker.c: stamps, requests, waits, and sheaves of idle
 * CPUs.
 */

#include <pthread.h>
#include <sched.h>

#include "caches.h"
#include "platform/fault.h"
#include "platform/rcu.h"
#include "platform/thread.h"

const char *const suite_name = "ticker";

#define CAP 4

static struct umaple_ticker *bp_ticker(void)
{
	struct umaple_ticker *ticker = umaple_ticker_get(umaple_rcu_default());

	ck_assert_ptr_nonnull(ticker);
	return ticker;
}

START_TEST(flavour_has_one_ticker)
{
	static const struct rcu_flavor_struct other;

	ck_assert_ptr_eq(bp_ticker(), bp_ticker());
	ck_assert_ptr_ne(umaple_ticker_get(&other), bp_ticker());
	ck_assert_ptr_eq(umaple_ticker_get(&other), umaple_ticker_get(&other));
}
END_TEST

START_TEST(stamp_has_not_passed_until_somebody_wants_it)
{
	struct umaple_ticker *ticker = bp_ticker();
	uint64_t stamp = umaple_ticker_stamp(ticker);

	ck_assert(!umaple_ticker_passed(ticker, stamp));
	umaple_ticker_want(ticker, stamp);
	while (!umaple_ticker_passed(ticker, stamp))
		sched_yield();
	ck_assert_uint_gt(umaple_ticker_stamp(ticker), stamp);
}
END_TEST

START_TEST(wait_ends_when_the_stamp_has_passed)
{
	struct umaple_ticker *ticker = bp_ticker();
	uint64_t stamp;

	for (unsigned long i = 0; i < test_scaled(200); i++) {
		stamp = umaple_ticker_stamp(ticker);
		ck_assert(umaple_ticker_wait(ticker, stamp));
		ck_assert(umaple_ticker_passed(ticker, stamp));
	}
	ck_assert(umaple_ticker_wait(ticker, 1));
}
END_TEST

static void *wait_some(void *argument)
{
	struct umaple_ticker *ticker = argument;

	for (unsigned long i = 0; i < test_scaled(200); i++) {
		uint64_t stamp = umaple_ticker_stamp(ticker);

		ck_assert(umaple_ticker_wait(ticker, stamp));
	}
	return NULL;
}

START_TEST(many_can_wait_at_once)
{
	struct umaple_ticker *ticker = bp_ticker();
	pthread_t threads[6];

	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_some,
						ticker),
				 0);
	for (int i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(load_relaxed(&ticker->waiters), 0);
}
END_TEST

struct section {
	uint32_t inside; /* atomic */
	uint32_t leave;	 /* atomic */
};

static void *read_until_told(void *argument)
{
	const struct rcu_flavor_struct *bp = umaple_rcu_default();
	struct section *section = argument;

	umaple_rcu_read_lock(bp);
	store_release(&section->inside, 1);
	while (!load_acquire(&section->leave))
		sched_yield();
	umaple_rcu_read_unlock(bp);
	return NULL;
}

START_TEST(stamp_does_not_pass_before_an_open_section_ends)
{
	struct umaple_ticker *ticker = bp_ticker();
	struct section section = { 0 };
	pthread_t reader;
	uint64_t stamp;

	ck_assert_int_eq(
		pthread_create(&reader, NULL, read_until_told, &section), 0);
	while (!load_acquire(&section.inside))
		sched_yield();
	stamp = umaple_ticker_stamp(ticker);
	umaple_ticker_want(ticker, stamp);
	for (int i = 0; i < 1000; i++) {
		ck_assert(!umaple_ticker_passed(ticker, stamp));
		sched_yield();
	}
	store_release(&section.leave, 1);
	ck_assert(umaple_ticker_wait(ticker, stamp));
	pthread_join(reader, NULL);
}
END_TEST

/* However long it takes: the ticker comes by some time. */
START_TEST(part_filled_sheaf_of_an_idle_cpu_is_freed_by_age)
{
	struct umaple_cache *cache = cache_make(_i, 64, CAP);
	void *object = must_alloc(cache);
	struct umaple_cache_stats stats;

	umaple_cache_free_rcu(cache, object);
	do {
		umaple_word_wait(&(uint32_t){ 0 }, 0, 10);
		stats = cache_stats(cache);
	} while (stats.pending);
	ck_assert_uint_eq(stats.sheaf_flush, 1);

	/* And it rests again. */
	while (load_relaxed(&cache->ticker->aging))
		umaple_word_wait(&(uint32_t){ 0 }, 0, 10);
	object = must_alloc(cache);
	umaple_cache_free_rcu(cache, object);
	ck_assert(load_relaxed(&cache->ticker->aging));
	cache_end(cache);
}
END_TEST

START_TEST(queue_of_an_idle_cpu_is_not_stranded)
{
	struct umaple_cache *cache = cache_make(_i, 64, CAP);
	void *objects[3 * CAP];

	alloc_many(cache, objects, 3 * CAP);
	free_rcu_many(cache, objects, 3 * CAP);
	while (cache_stats(cache).pending)
		umaple_word_wait(&(uint32_t){ 0 }, 0, 10);
	cache_end(cache);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(thread_is_tried_again_when_it_could_not_be_made)
{
	/* A flavour of our own has a ticker that has not started. */
	static struct rcu_flavor_struct flavor;
	struct umaple_ticker *ticker;
	uint64_t stamp;

	flavor = *umaple_rcu_default();
	ticker = umaple_ticker_get(&flavor);
	stamp = umaple_ticker_stamp(ticker);
	umaple_fault_set(0, true);
	umaple_ticker_want(ticker, stamp);
	ck_assert(!load_relaxed(&ticker->running));
	ck_assert(!umaple_ticker_passed(ticker, stamp));
	umaple_fault_set(-1, false);

	umaple_ticker_want(ticker, stamp);
	ck_assert(load_relaxed(&ticker->running));
	ck_assert(umaple_ticker_wait(ticker, stamp));
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("stamps");

	tcase_add_test(tc, flavour_has_one_ticker);
	tcase_add_test(tc, stamp_has_not_passed_until_somebody_wants_it);
	tcase_add_test(tc, wait_ends_when_the_stamp_has_passed);
	tcase_add_test(tc, many_can_wait_at_once);
	tcase_add_test(tc, stamp_does_not_pass_before_an_open_section_ends);
#if UMAPLE_FAULT_INJECTION
	tcase_add_test(tc, thread_is_tried_again_when_it_could_not_be_made);
#endif
	suite_add_tcase(s, tc);

	tc = tcase_create("age");
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc,
			    part_filled_sheaf_of_an_idle_cpu_is_freed_by_age, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, queue_of_an_idle_cpu_is_not_stranded, 0,
			    NR_FORMS);
	suite_add_tcase(s, tc);
}
