/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_alloc.c - cache/cache_alloc.c and cache/cache_free.c: each place an
 * object can come from or go to, told apart by the counters.
 */

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caches.h"
#include "platform/rcu.h"

const char *const suite_name = "cache_alloc";

#define CAP 4

static struct umaple_cache *cache;
static void *objects[20 * CAP];

static void start(int form)
{
	stay_on_one_cpu();
	cache = cache_make(form, 64, CAP);
}

START_TEST(first_object_fills_a_sheaf)
{
	struct umaple_cache_stats stats;

	start(_i);
	objects[0] = must_alloc(cache);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.sheaf_refill, CAP);
	ck_assert_uint_eq(stats.alloc_fastpath, 1);
	ck_assert_uint_eq(stats.alloc_slowpath, 0);
	ck_assert_uint_eq(stats.barn_get_fail, 1);
	ck_assert_uint_eq(stats.sheaf_alloc, 1);
	umaple_cache_free(cache, objects[0]);
	cache_end(cache);
}
END_TEST

START_TEST(objects_are_distinct_and_hold_what_is_written)
{
	size_t count = ARRAY_SIZE(objects);

	start(_i);
	for (size_t i = 0; i < count; i++) {
		objects[i] = must_alloc(cache);
		memset(objects[i], (int)i, 64);
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < 64; j++)
			ck_assert(((unsigned char *)objects[i])[j] ==
				  (unsigned char)i);
	}
	ck_assert_uint_ge(cache_stats(cache).objects, count);
	free_many(cache, objects, count);
	cache_end(cache);
}
END_TEST

START_TEST(freed_object_comes_back_first)
{
	start(_i);
	alloc_many(cache, objects, 3);
	umaple_cache_free(cache, objects[1]);
	ck_assert_ptr_eq(umaple_cache_alloc(cache), objects[1]);
	free_many(cache, objects, 3);
	cache_end(cache);
}
END_TEST

START_TEST(main_and_spare_hold_two_sheaves)
{
	struct umaple_cache_stats stats;

	start(_i);
	alloc_many(cache, objects, 2 * CAP);
	umaple_cache_stats_reset(cache);
	free_many(cache, objects, 2 * CAP);
	alloc_many(cache, objects, 2 * CAP);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.free_fastpath, 2 * CAP);
	ck_assert_uint_eq(stats.alloc_fastpath, 2 * CAP);
	ck_assert_uint_eq(stats.sheaf_refill, 0);
	ck_assert_uint_eq(stats.barn_put, 0);
	ck_assert_uint_eq(stats.barn_get, 0);
	free_many(cache, objects, 2 * CAP);
	cache_end(cache);
}
END_TEST

START_TEST(third_sheaf_goes_to_the_barn_and_comes_back)
{
	struct umaple_cache_stats stats;

	start(_i);
	alloc_many(cache, objects, 3 * CAP);
	umaple_cache_stats_reset(cache);
	free_many(cache, objects, 3 * CAP);
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.barn_put, 1);
	ck_assert_uint_eq(stats.sheaf_flush, 0);
	cache_verify(cache);

	alloc_many(cache, objects, 3 * CAP);
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.barn_get, 1);
	ck_assert_uint_eq(stats.sheaf_refill, 0);
	free_many(cache, objects, 3 * CAP);
	cache_end(cache);
}
END_TEST

START_TEST(full_barn_sends_sheaves_to_their_slabs)
{
	struct umaple_cache_stats stats;

	start(_i);
	alloc_many(cache, objects, 15 * CAP);
	umaple_cache_stats_reset(cache);
	free_many(cache, objects, 15 * CAP);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.barn_put, BARN_MAX_FULL);
	ck_assert_uint_eq(stats.barn_put_fail, 3);
	ck_assert_uint_eq(stats.sheaf_flush, 3 * CAP);
	ck_assert_uint_eq(stats.free_slowpath, 0);
	cache_end(cache);
}
END_TEST

START_TEST(own_sheaf_is_reused_after_its_grace_period)
{
	struct umaple_cache_stats stats;
	void *again[CAP];

	start(_i);
	alloc_many(cache, objects, 2 * CAP);
	free_rcu_many(cache, objects, CAP + 1);
	pass_grace_period(cache);
	umaple_cache_stats_reset(cache);
	alloc_many(cache, again, CAP);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.rcu_reuse, 1);
	ck_assert_uint_eq(stats.sheaf_refill, 0);
	ck_assert_uint_eq(stats.barn_get, 0);
	for (int i = 0; i < CAP; i++)
		ck_assert(is_among(again[i], objects, CAP));
	free_many(cache, again, CAP);
	free_many(cache, objects + CAP + 1, CAP - 1);
	cache_end(cache);
}
END_TEST

START_TEST(held_guard_sends_to_the_slabs)
{
	struct umaple_cache_stats stats;
	struct cache_cpu *cpu;

	start(_i);
	objects[0] = must_alloc(cache);
	umaple_cache_stats_reset(cache);
	cpu = hold_guard(cache);
	objects[1] = must_alloc(cache);
	umaple_cache_free(cache, objects[0]);
	cache_cpu_unlock(cpu);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.alloc_slowpath, 1);
	ck_assert_uint_eq(stats.free_slowpath, 1);
	ck_assert_uint_eq(stats.alloc_fastpath, 0);
	ck_assert_uint_eq(stats.free_fastpath, 0);
	ck_assert_uint_eq(stats.guard_busy, 2);
	umaple_cache_free(cache, objects[1]);
	cache_end(cache);
}
END_TEST

START_TEST(thread_without_a_cpu_uses_slabs_and_is_counted)
{
	struct umaple_cache_stats stats;
	unsigned int count;

	start(_i);
	count = cache->table.count;
	umaple_rcu_read_lock(umaple_rcu_default()); /* nothing is released */
	umaple_cache_registry_lock();		    /* nobody else looks */
	cache->table.count = 0;
	alloc_many(cache, objects, 3);
	free_many(cache, objects, 2);
	umaple_cache_free_rcu(cache, objects[2]);
	stats = cache_stats(cache);
	cache->table.count = count;
	umaple_cache_registry_unlock();
	umaple_rcu_read_unlock(umaple_rcu_default());

	ck_assert_uint_eq(stats.alloc_slowpath, 3);
	ck_assert_uint_eq(stats.free_slowpath, 2);
	ck_assert_uint_eq(stats.free_rcu_sheaf_fail, 1);
	ck_assert_uint_eq(stats.guard_busy, 6);
	cache_end(cache);
}
END_TEST

START_TEST(empty_sheaf_left_by_a_reuse_is_kept_as_spare)
{
	start(_i);
	alloc_many(cache, objects, 2 * CAP);
	free_rcu_many(cache, objects, 2 * CAP);
	pass_grace_period(cache);
	umaple_cache_stats_reset(cache);
	for (int round = 0; round < 50; round++) {
		alloc_many(cache, objects, CAP);
		free_rcu_many(cache, objects, CAP);
		pass_grace_period(cache);
	}
	ck_assert_uint_eq(cache_stats(cache).sheaf_alloc, 0);
	ck_assert_uint_eq(cache_stats(cache).sheaf_refill, 0);
	cache_end(cache);
}
END_TEST

START_TEST(freeing_nothing_is_allowed)
{
	start(_i);
	umaple_cache_free(cache, NULL);
	umaple_cache_free_rcu(cache, NULL);
	ck_assert_uint_eq(cache_stats(cache).free_fastpath, 0);
	cache_end(cache);
}
END_TEST

START_TEST(part_filled_spare_takes_frees_when_main_is_full)
{
	struct umaple_sheaf *sheaf;

	start(_i);
	sheaf = umaple_cache_prefill(cache, CAP);
	objects[0] = umaple_cache_take(cache, sheaf);
	umaple_cache_return(cache, sheaf);
	alloc_many(cache, objects + 1, CAP);
	umaple_cache_stats_reset(cache);

	/* main and spare hold what was left of the two; both fill up. */
	free_many(cache, objects, CAP + 1);
	ck_assert_uint_eq(cache_stats(cache).free_fastpath, CAP + 1);
	ck_assert_uint_eq(cache_stats(cache).barn_put, 0);
	cache_end(cache);
}
END_TEST

/*
 * Every stop disturbs a restartable sequence, so under a debugger that steps none
 * ever commits.  The child must get through all the same.
 */
static void be_stepped(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	raise(SIGSTOP);
	objects[0] = umaple_cache_alloc(cache);
	if (!objects[0])
		_exit(1);
	umaple_cache_free(cache, objects[0]);
	objects[0] = umaple_cache_alloc(cache);
	umaple_cache_free_rcu(cache, objects[0]);
	_exit(0);
}

START_TEST(single_stepping_ends)
{
	unsigned long steps = 0;
	int status;
	pid_t pid;

	if (UMAPLE_ASAN || UMAPLE_TSAN)
		return; /* takes minutes */
	start(1);
	pid = fork();
	if (pid == 0)
		be_stepped();
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	while (WIFSTOPPED(status)) {
		ck_assert_uint_lt(steps++, 3000000);
		ck_assert_int_eq(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	}
	/* 77: tracing is not allowed here. */
	ck_assert(WIFEXITED(status) &&
		  (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
	cache_end(cache);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("places");

	tcase_add_loop_test(tc, first_object_fills_a_sheaf, 0, NR_FORMS);
	tcase_add_loop_test(tc, objects_are_distinct_and_hold_what_is_written,
			    0, NR_FORMS);
	tcase_add_loop_test(tc, freed_object_comes_back_first, 0, NR_FORMS);
	tcase_add_loop_test(tc, main_and_spare_hold_two_sheaves, 0, NR_FORMS);
	tcase_add_loop_test(tc, third_sheaf_goes_to_the_barn_and_comes_back, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, full_barn_sends_sheaves_to_their_slabs, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, own_sheaf_is_reused_after_its_grace_period, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, empty_sheaf_left_by_a_reuse_is_kept_as_spare, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, part_filled_spare_takes_frees_when_main_is_full,
			    0, NR_FORMS);
	tcase_add_loop_test(tc, freeing_nothing_is_allowed, 0, NR_FORMS);
	suite_add_tcase(s, tc);

	tc = tcase_create("fallback");
	tcase_add_loop_test(tc, held_guard_sends_to_the_slabs, 0, NR_FORMS);
	tcase_add_loop_test(tc, thread_without_a_cpu_uses_slabs_and_is_counted,
			    0, NR_FORMS);
	suite_add_tcase(s, tc);

	tc = tcase_create("debugger");
	tcase_set_tags(tc, "death"); /* forks, and Valgrind cannot be traced */
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, single_stepping_ends);
	suite_add_tcase(s, tc);
}
