/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_thread.c - platform/thread.h: started threads, sleeping words, fork hooks.
 */

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "platform/atomic.h"
#include "platform/fault.h"
#include "platform/thread.h"

const char *const suite_name = "thread";

struct visit {
	uint32_t came;
	int blocked;
};

static void *come(void *argument)
{
	struct visit *visit = argument;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	visit->blocked = sigismember(&mask, SIGUSR1) == 1 &&
			 sigismember(&mask, SIGTERM) == 1;
	store_release(&visit->came, 1);
	umaple_word_wake(&visit->came);
	return NULL;
}

START_TEST(started_thread_runs_with_all_signals_blocked)
{
	struct visit visit = { 0 };
	sigset_t mask;

	ck_assert(umaple_thread_start(come, &visit));
	while (!load_acquire(&visit.came))
		umaple_word_wait(&visit.came, 0, 0);

	ck_assert(visit.blocked);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	ck_assert_int_eq(sigismember(&mask, SIGUSR1), 0);
}
END_TEST

START_TEST(wait_returns_when_the_word_differs_or_time_is_up)
{
	uint32_t word = 1;
	uint64_t before = umaple_clock_ms();

	umaple_word_wait(&word, 0, 0);
	umaple_word_wait(&word, 1, 5);
	ck_assert_uint_ge(umaple_clock_ms(), before);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(thread_that_cannot_be_made_is_reported)
{
	struct visit visit = { 0 };

	umaple_fault_set(0, false);
	ck_assert(!umaple_thread_start(come, &visit));
	umaple_fault_set(-1, false);
	ck_assert_uint_eq(load_relaxed(&visit.came), 0);
}
END_TEST
#endif

static int prepared, parents, children;

static void on_prepare(void)
{
	prepared++;
}

static void on_parent(void)
{
	parents++;
}

static void on_child(void)
{
	children++;
}

START_TEST(hooks_run_once_each_on_their_side)
{
	int status;
	pid_t pid;

	umaple_fork_hooks(on_prepare, on_parent, on_child);
	pid = fork();
	if (pid == 0)
		_exit(prepared == 1 && parents == 0 && children == 1 ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);

	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(prepared, 1);
	ck_assert_int_eq(parents, 1);
	ck_assert_int_eq(children, 0);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("thread");

	tcase_add_test(tc, started_thread_runs_with_all_signals_blocked);
	tcase_add_test(tc, wait_returns_when_the_word_differs_or_time_is_up);
#if UMAPLE_FAULT_INJECTION
	tcase_add_test(tc, thread_that_cannot_be_made_is_reported);
#endif
	tcase_add_test(tc, hooks_run_once_each_on_their_side);
	suite_add_tcase(s, tc);
}
