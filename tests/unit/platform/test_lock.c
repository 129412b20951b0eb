/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_lock.c - platform/lock.h: exclusion, waking, and the word's states.
 */

#include <pthread.h>
#include <sched.h>

#include "harness.h"
#include "platform/lock.h"

const char *const suite_name = "lock";

#define NR_THREADS 8

START_TEST(word_shows_who_is_there)
{
	uint32_t word = 0;

	ck_assert(!umaple_lock_is_held(&word));
	umaple_lock_take(&word);
	ck_assert_uint_eq(word, LOCK_HELD);
	ck_assert(umaple_lock_is_held(&word));
	ck_assert(!umaple_lock_try(&word));

	umaple_lock_drop(&word);
	ck_assert(!umaple_lock_is_held(&word));
	ck_assert(umaple_lock_try(&word));
	umaple_lock_reset(&word);
	ck_assert(umaple_lock_try(&word));
}
END_TEST

struct shared {
	uint32_t lock;
	uint32_t waiting;    /* atomic */
	unsigned long count; /* under lock, and not atomic on purpose */
	unsigned long turns;
};

static void *count_up(void *arg)
{
	struct shared *shared = arg;

	for (unsigned long i = 0; i < shared->turns; i++) {
		umaple_lock_take(&shared->lock);
		shared->count++;
		/* Others find the lock held now and then, and have to sleep. */
		if (i % 64 == 0)
			sched_yield();
		umaple_lock_drop(&shared->lock);
	}
	return NULL;
}

START_TEST(threads_exclude_each_other)
{
	struct shared shared = { .turns = test_scaled(20000) };
	pthread_t threads[NR_THREADS];

	for (int i = 0; i < NR_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, count_up,
						&shared),
				 0);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);

	ck_assert_uint_eq(shared.count, NR_THREADS * shared.turns);
	ck_assert_uint_eq(shared.lock, LOCK_FREE);
}
END_TEST

static void *take_once(void *arg)
{
	struct shared *shared = arg;

	fetch_add_relaxed(&shared->waiting, 1);
	umaple_lock_take(&shared->lock);
	shared->count++;
	umaple_lock_drop(&shared->lock);
	return NULL;
}

/* The lock is dropped once all have tried and at least one is asleep. */
START_TEST(every_sleeper_is_woken)
{
	struct shared shared = { .lock = 0 };
	pthread_t threads[NR_THREADS];

	umaple_lock_take(&shared.lock);
	for (int i = 0; i < NR_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, take_once,
						&shared),
				 0);
	while (load_relaxed(&shared.waiting) < NR_THREADS ||
	       load_relaxed(&shared.lock) != LOCK_CONTENDED)
		sched_yield();
	ck_assert_uint_eq(shared.count, 0);
	umaple_lock_drop(&shared.lock);

	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(shared.count, NR_THREADS);
	ck_assert_uint_eq(shared.lock, LOCK_FREE);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("lock");

	/* Loops are scaled: Meson's timeout is scaled with them. */
	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, word_shows_who_is_there);
	tcase_add_test(tc, threads_exclude_each_other);
	tcase_add_test(tc, every_sleeper_is_woken);
	suite_add_tcase(s, tc);
}
