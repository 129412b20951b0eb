/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * torture_fork.c - forks beside readers that use a cache, and beside grace periods
 * that the program waits for by itself.
 *
 * A grace period waits for a reader; a reader that uses a cache waits for a fork;
 * a fork waits for grace periods.  Nobody may wait for ever: who does runs into
 * the test's time-out.
 */

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caches.h"
#include "platform/rcu.h"
#include "quick.h"

const char *const suite_name = "torture_fork";

#define NR_WRITERS 2
#define MAX_FORKS  3 /* at a time */
#define CAP	   8

static struct umaple_cache *cache;
static unsigned long nr_forks;
static uint32_t over;	 /* atomic */
static uint32_t started; /* threads that have done a round, atomic */

static void read_lock(void)
{
	umaple_rcu_read_lock(umaple_rcu_default());
}

static void read_unlock(void)
{
	umaple_rcu_read_unlock(umaple_rcu_default());
}

static void count_start(unsigned long round)
{
	if (round == 0)
		fetch_add_acq_rel(&started, 1);
}

/* What a tree's write does with its cache, inside a section as there. */
static void write_once(void)
{
	struct umaple_sheaf *sheaf = umaple_cache_prefill(cache, CAP / 2);
	void *objects[CAP + 1];

	quick_assert(sheaf, "no sheaf");
	objects[0] = umaple_cache_take(cache, sheaf);
	umaple_cache_return(cache, sheaf);
	for (int i = 1; i <= CAP; i++)
		objects[i] = umaple_cache_alloc(cache);
	free_rcu_many(cache, objects, CAP / 2);
	free_many(cache, objects + CAP / 2, CAP + 1 - CAP / 2);
}

/* A cache made inside the section, as by the first write of a tree. */
static void make_cache_inside(void)
{
	struct umaple_cache_attr attr = { .size = 64, .name = "inside" };
	struct umaple_cache *fresh;

	read_lock();
	quick_assert(!umaple_cache_create(&attr, &fresh), "no cache");
	umaple_cache_free_rcu(fresh, umaple_cache_alloc(fresh));
	read_unlock();
	quick_assert(!umaple_cache_destroy(fresh), "cache in use");
}

/* Each in sections of its own; one of them waits for grace periods in between. */
static void *write_in_sections(void *argument)
{
	bool waits = argument;

	for (unsigned long round = 0; !load_acquire(&over); round++) {
		umaple_cache_throttle(cache);
		read_lock();
		for (int i = 0; i < 20; i++)
			write_once();
		read_unlock();
		if (waits && round % 16 == 0)
			make_cache_inside();
		count_start(round);
	}
	return NULL;
}

static void *wait_for_readers(void *argument)
{
	(void)argument;
	for (unsigned long round = 0; !load_acquire(&over); round++) {
		umaple_rcu_synchronize(umaple_rcu_default());
		count_start(round);
	}
	return NULL;
}

/* With grace periods only if the fork was outside sections. */
/* A child cannot fail the test; it says why. */
static int check_aloud(void)
{
	char text[256] = "";
	int error = umaple_cache_check(cache, text, sizeof(text));

	if (error)
		fprintf(stderr, "child: %s\n", text);
	return error;
}

static int child_uses(bool inside)
{
	void *objects[4 * CAP];

	alarm(60);
	if (inside)
		read_unlock();
	for (int i = 0; i < 4 * CAP; i++) {
		objects[i] = umaple_cache_alloc(cache);
		if (!objects[i])
			return 1;
	}
	free_rcu_many(cache, objects, 2 * CAP);
	free_many(cache, objects + 2 * CAP, 2 * CAP);
	if (inside)
		return 0;
	if (umaple_cache_barrier(cache))
		return 2;
	return check_aloud() ? 3 : 0;
}

static void fork_once(bool inside)
{
	int error, status;
	pid_t pid;

	if (inside)
		read_lock();
	pid = fork();
	if (pid == 0) {
		error = child_uses(inside);
		/* At an exit, leak checkers would complain of vanished threads. */
		if (!error)
			raise(SIGKILL);
		_exit(error);
	}
	if (inside)
		read_unlock();
	quick_assert(waitpid(pid, &status, 0) == pid, "no child");
	quick_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		     "child: status %x", (unsigned)status);
}

static void *fork_outside(void *argument)
{
	(void)argument;
	for (unsigned long i = 0; i < nr_forks; i++)
		fork_once(false);
	return NULL;
}

static void *fork_inside(void *argument)
{
	(void)argument;
	for (unsigned long i = 0; i < nr_forks; i++)
		fork_once(true);
	return NULL;
}

static void start_thread(pthread_t *thread, void *(*run)(void *),
			 void *argument)
{
	ck_assert_int_eq(pthread_create(thread, NULL, run, argument), 0);
}

/* Fork by @count threads, by @act the last of them, beside all the others. */
static void fork_beside_others(int form, int count, void *(*act)(void *))
{
	pthread_t others[NR_WRITERS + 1], forkers[MAX_FORKS];

	cache = cache_make(form, 64, CAP);
	nr_forks = test_scaled(60);
	store_relaxed(&over, 0);
	store_relaxed(&started, 0);
	for (int i = 0; i < NR_WRITERS; i++)
		start_thread(&others[i], write_in_sections, i ? cache : NULL);
	start_thread(&others[NR_WRITERS], wait_for_readers, NULL);
	/* Sanitizers' own locks, taken while threads start, do not survive. */
	while (load_acquire(&started) != NR_WRITERS + 1)
		sched_yield();
	for (int i = 0; i < count; i++)
		start_thread(&forkers[i], i == count - 1 ? act : fork_outside,
			     NULL);
	for (int i = 0; i < count; i++)
		pthread_join(forkers[i], NULL);
	store_release(&over, 1);
	for (int i = 0; i < NR_WRITERS + 1; i++)
		pthread_join(others[i], NULL);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	ck_assert_uint_eq(cache_stats(cache).pending, 0);
	cache_end(cache);
}

START_TEST(fork_beside_readers_and_grace_periods_does_not_hang)
{
	fork_beside_others(_i, 1, fork_outside);
}
END_TEST

START_TEST(several_forks_at_once_do_not_hang)
{
	fork_beside_others(_i, MAX_FORKS, fork_outside);
}
END_TEST

/* That one's child has no grace periods, but the others' must have. */
START_TEST(forks_inside_sections_stop_no_others)
{
	fork_beside_others(_i, 2, fork_inside);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("forks");

	tcase_set_tags(tc, "fork"); /* left out under AddressSanitizer */
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc,
			    fork_beside_readers_and_grace_periods_does_not_hang,
			    0, NR_FORMS);
	tcase_add_loop_test(tc, several_forks_at_once_do_not_hang, 0, NR_FORMS);
	tcase_add_loop_test(tc, forks_inside_sections_stop_no_others, 0,
			    NR_FORMS);
	suite_add_tcase(s, tc);
}
