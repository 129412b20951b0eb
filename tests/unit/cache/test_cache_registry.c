/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_registry.c - cache/cache_registry.c: caches across a fork.
 */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caches.h"
#include "platform/lock.h"
#include "platform/rcu.h"

const char *const suite_name = "cache_registry";

#define CAP 4

static struct umaple_cache *cache;
static void *objects[8 * CAP];

/* Fork; the child does @act and says by its exit status what failed. */
static void fork_and(int (*act)(void))
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		alarm(30);
		_exit(act());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "child died of signal %d",
		      WTERMSIG(status));
	ck_assert_msg(WEXITSTATUS(status) == 0, "step %d failed in the child",
		      WEXITSTATUS(status));
}

static int use_everything(void)
{
	struct umaple_sheaf *sheaf;
	void *mine[3 * CAP];

	if (umaple_cache_check(cache, NULL, 0))
		return 1;
	for (int i = 0; i < 3 * CAP; i++) {
		mine[i] = umaple_cache_alloc(cache);
		if (!mine[i])
			return 2;
	}
	free_rcu_many(cache, mine, 2 * CAP);
	free_many(cache, mine + 2 * CAP, CAP);
	sheaf = umaple_cache_prefill(cache, CAP);
	mine[0] = sheaf ? umaple_cache_take(cache, sheaf) : NULL;
	if (!mine[0])
		return 3;
	umaple_cache_return(cache, sheaf);
	umaple_cache_free_rcu(cache, mine[0]);
	if (umaple_cache_barrier(cache))
		return 4;
	if (cache_stats(cache).pending)
		return 5;
	return umaple_cache_check(cache, NULL, 0) ? 6 : 0;
}

static int destroy_all(void)
{
	free_many(cache, objects, CAP);
	return umaple_cache_destroy(cache) ? 1 : 0;
}

static int wait_for_inherited(void)
{
	if (!cache_stats(cache).pending)
		return 1;
	if (umaple_cache_barrier(cache))
		return 2;
	umaple_cache_shrink(cache, NULL, NULL);
	if (cache_stats(cache).pending)
		return 3;
	return cache_stats(cache).objects == CAP ? 0 : 4;
}

static void start(int form)
{
	cache = cache_make(form, 64, CAP);
	alloc_many(cache, objects, 8 * CAP);
}

START_TEST(child_can_use_everything)
{
	start(_i);
	free_rcu_many(cache, objects + CAP, 7 * CAP);
	fork_and(use_everything);
	umaple_cache_barrier(cache);
	fork_and(use_everything);
	free_many(cache, objects, CAP);
	cache_end(cache);
}
END_TEST

START_TEST(child_can_destroy)
{
	start(_i);
	free_rcu_many(cache, objects + CAP, 7 * CAP);
	fork_and(destroy_all);
	free_many(cache, objects, CAP);
	cache_end(cache);
}
END_TEST

START_TEST(queued_frees_happen_once_on_each_side)
{
	start(_i);
	free_rcu_many(cache, objects + CAP, 7 * CAP - 1);
	umaple_cache_free(cache, objects[8 * CAP - 1]);
	fork_and(wait_for_inherited);
	ck_assert_int_eq(wait_for_inherited(), 0);
	free_many(cache, objects, CAP);
	cache_end(cache);
}
END_TEST

static int come_by_age(void)
{
	void *object = umaple_cache_alloc(cache);

	umaple_cache_free_rcu(cache, object);
	while (cache_stats(cache).pending)
		usleep(1000);
	return 0;
}

START_TEST(ticker_starts_again_in_the_child)
{
	start(_i);
	free_rcu_many(cache, objects + CAP, 7 * CAP);
	fork_and(come_by_age);
	free_many(cache, objects, CAP);
	cache_end(cache);
}
END_TEST

static int grandchild(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(use_everything());
	if (waitpid(pid, &status, 0) != pid)
		return 100;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

START_TEST(children_of_children_can_use_everything)
{
	start(_i);
	free_rcu_many(cache, objects + CAP, 7 * CAP);
	fork_and(grandchild);
	free_many(cache, objects, CAP);
	cache_end(cache);
}
END_TEST

static uint32_t reader_is_in, reader_may_go;

static void *read_across_the_fork(void *argument)
{
	(void)argument;
	umaple_rcu_read_lock(umaple_rcu_default());
	store_release(&reader_is_in, 1);
	while (!load_acquire(&reader_may_go))
		sched_yield();
	umaple_rcu_read_unlock(umaple_rcu_default());
	return NULL;
}

static void with_reader(void (*act)(void))
{
	pthread_t reader;

	store_relaxed(&reader_is_in, 0);
	store_relaxed(&reader_may_go, 0);
	ck_assert_int_eq(
		pthread_create(&reader, NULL, read_across_the_fork, NULL), 0);
	while (!load_acquire(&reader_is_in))
		sched_yield();
	act();
	store_release(&reader_may_go, 1);
	pthread_join(reader, NULL);
}

static void fork_plainly(void)
{
	fork_and(use_everything);
}

/* The reader does not exist in the child and must not be waited for there. */
START_TEST(readers_of_the_parent_do_not_stop_the_child)
{
	start(_i);
	with_reader(fork_plainly);
	free_many(cache, objects, 8 * CAP);
	cache_end(cache);
}
END_TEST

static void fork_with_signals_blocked(void)
{
	sigset_t all, before, after;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	fork_and(use_everything);
	sigprocmask(SIG_SETMASK, &before, &after);
	ck_assert_int_eq(sigismember(&after, SIGUSR1), 1);
}

START_TEST(blocked_signals_do_not_change_that)
{
	start(_i);
	with_reader(fork_with_signals_blocked);
	free_many(cache, objects, 8 * CAP);
	cache_end(cache);
}
END_TEST

void urcu_bp_before_fork(void);
void urcu_bp_after_fork_parent(void);
void urcu_bp_after_fork_child(void);

static int after_fork_child_then_use(void)
{
	urcu_bp_after_fork_child();
	return use_everything();
}

static void fork_by_the_manual(void)
{
	urcu_bp_before_fork();
	fork_and(after_fork_child_then_use);
	urcu_bp_after_fork_parent();
}

START_TEST(program_may_tell_liburcu_of_forks_itself)
{
	start(_i);
	with_reader(fork_by_the_manual);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	free_many(cache, objects, 8 * CAP);
	cache_end(cache);
}
END_TEST

/* A grace period waits for the reader, so the ticker is at it. */
static void fork_by_the_manual_while_ticking(void)
{
	urcu_bp_before_fork();
	umaple_ticker_want(cache->ticker, umaple_ticker_stamp(cache->ticker));
	while (!umaple_lock_is_held(&cache->ticker->tick_lock))
		sched_yield();
	fork_and(after_fork_child_then_use);
	urcu_bp_after_fork_parent();
}

START_TEST(program_may_do_so_while_a_grace_period_is_asked_for)
{
	start(_i);
	fork_by_the_manual_while_ticking();
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	free_many(cache, objects, 8 * CAP);
	cache_end(cache);
}
END_TEST

/* In a process of its own, since handlers stay. */
static int install_handlers_and_fork(void)
{
	if (pthread_atfork(urcu_bp_before_fork, urcu_bp_after_fork_parent,
			   urcu_bp_after_fork_child))
		return 1;
	with_reader(fork_plainly);
	return 0;
}

START_TEST(program_may_install_liburcus_handlers)
{
	start(_i);
	fork_and(install_handlers_and_fork);
	free_many(cache, objects, 8 * CAP);
	cache_end(cache);
}
END_TEST

static int use_without_grace_periods(void)
{
	void *object = umaple_cache_alloc(cache);

	if (!object)
		return 1;
	umaple_cache_free(cache, object);
	umaple_rcu_read_unlock(umaple_rcu_default());
	object = umaple_cache_alloc(cache);
	umaple_cache_free_rcu(cache, object);
	umaple_cache_throttle(cache);
	return umaple_cache_barrier(cache) == -EDEADLK ? 0 : 2;
}

/*
 * The ticker waits for this very thread's section, so the fork cannot wait for the
 * ticker, and the child can have no grace periods.  It must not hang.
 */
START_TEST(fork_inside_a_section_that_is_waited_for_does_not_hang)
{
	start(_i);
	umaple_rcu_read_lock(umaple_rcu_default());
	umaple_ticker_want(cache->ticker, umaple_ticker_stamp(cache->ticker));
	while (!umaple_lock_is_held(&cache->ticker->tick_lock))
		sched_yield();
	fork_and(use_without_grace_periods);
	umaple_rcu_read_unlock(umaple_rcu_default());

	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	free_many(cache, objects, 8 * CAP);
	cache_end(cache);
}
END_TEST

/*
 * A flavour whose first grace period ends when a fork is coming, and whose others
 * end when none is; there is always another one wanted.
 */
static struct rcu_flavor_struct busy_flavor;
static struct umaple_ticker *busy_ticker;
static uint32_t grace_periods; /* atomic */

static void busy_synchronize(void)
{
	bool first = fetch_add_acq_rel(&grace_periods, 1) == 0;
	uint32_t *forks = &busy_ticker->forks;

	umaple_ticker_want(busy_ticker, umaple_ticker_stamp(busy_ticker));
	while (first == !load_acquire(forks))
		sched_yield();
}

static int child_has_grace_periods(void)
{
	return umaple_cache_barrier(cache) ? 1 : 0;
}

START_TEST(grace_period_that_is_wanted_does_not_overtake_a_fork)
{
	struct umaple_cache_attr attr = { .size = 64, .flavor = &busy_flavor };

	busy_flavor = *umaple_rcu_default();
	busy_flavor.update_synchronize_rcu = busy_synchronize;
	busy_ticker = umaple_ticker_get(&busy_flavor);
	ck_assert_ptr_nonnull(busy_ticker);
	store_relaxed(&grace_periods, 0);
	cache = cache_make_attr(&attr, _i);
	umaple_ticker_want(busy_ticker, umaple_ticker_stamp(busy_ticker));
	while (!load_acquire(&grace_periods))
		sched_yield();
	fork_and(child_has_grace_periods);
	cache_end(cache);
}
END_TEST

START_TEST(default_cache_works_in_the_child)
{
	cache = umaple_cache_default();
	alloc_many(cache, objects, 8 * CAP);
	free_rcu_many(cache, objects, 8 * CAP);
	fork_and(use_everything);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	cache_verify(cache);
}
END_TEST

static int make_new(void)
{
	struct umaple_cache_attr attr = { .size = 100 };
	struct umaple_cache *fresh;
	void *object;

	if (umaple_cache_create(&attr, &fresh))
		return 1;
	object = umaple_cache_alloc(fresh);
	if (!object)
		return 2;
	umaple_cache_free_rcu(fresh, object);
	return umaple_cache_destroy(fresh) ? 3 : 0;
}

START_TEST(fork_without_any_cache_is_fine)
{
	fork_and(make_new);
}
END_TEST

/* --- what is counted ---- */

static uint32_t over;

static void *borrow_again_and_again(void *unused)
{
	while (!load_acquire(&over))
		umaple_cache_return(cache, umaple_cache_prefill(cache, 1));
	return NULL;
}

/* A sheaf is out in the child if, and only if, it is counted as out. */
static int count_borrowed(void)
{
	struct umaple_cache_stats stats = cache_stats(cache);
	uint64_t out = stats.sheaf_prefill_fast + stats.sheaf_prefill_slow -
		       stats.sheaf_return_fast - stats.sheaf_return_slow;

	umaple_cache_shrink(cache, NULL, NULL);
	return (out != 0) == (cache_stats(cache).objects != 0) ? 0 : 1;
}

/*
 * As fork_and(), beside a thread that is lost in the child with what it held.  The
 * child does not end as programs do: leak checkers would have their say.
 */
static void fork_beside_thread(int (*act)(void))
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		alarm(30);
		if (act() == 0)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		      "child: status %x", (unsigned int)status);
}

/* Forks beside a thread; the child does @act. */
static void fork_beside(int form, void *(*thread_main)(void *unused),
			int (*act)(void))
{
	pthread_t thread;

	cache = cache_make(form, 64, CAP);
	store_relaxed(&over, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, thread_main, NULL), 0);
	for (unsigned long n = test_scaled(500); n; n--)
		fork_beside_thread(act);
	store_release(&over, 1);
	pthread_join(thread, NULL);
	cache_end(cache);
}

START_TEST(fork_comes_between_no_move_and_its_count)
{
	fork_beside(_i, borrow_again_and_again, count_borrowed);
}
END_TEST

/* What a thread does that comes to the closed gate, slowly. */
static void *come_again_and_again(void *unused)
{
	while (!load_acquire(&over)) {
		cache_count(cache, EVENT_ENTER, 1);
		sched_yield();
		cache_count(cache, EVENT_LEAVE, 1);
		sched_yield();
	}
	return NULL;
}

/* Or this child could never fork. */
static int nobody_is_inside(void)
{
	return umaple_cache_check(cache, NULL, 0) ? 1 : 0;
}

START_TEST(thread_caught_on_its_way_in_is_not_inside)
{
	fork_beside(_i, come_again_and_again, nobody_is_inside);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("fork");

	tcase_set_tags(tc, "fork"); /* left out under AddressSanitizer */
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, fork_without_any_cache_is_fine);
	tcase_add_test(tc, default_cache_works_in_the_child);
	tcase_add_loop_test(tc, child_can_use_everything, 0, NR_FORMS);
	tcase_add_loop_test(tc, child_can_destroy, 0, NR_FORMS);
	tcase_add_loop_test(tc, queued_frees_happen_once_on_each_side, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, ticker_starts_again_in_the_child, 0, NR_FORMS);
	tcase_add_loop_test(tc, children_of_children_can_use_everything, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, readers_of_the_parent_do_not_stop_the_child, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, blocked_signals_do_not_change_that, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, program_may_tell_liburcu_of_forks_itself, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc,
			    program_may_do_so_while_a_grace_period_is_asked_for,
			    0, NR_FORMS);
	tcase_add_loop_test(tc, program_may_install_liburcus_handlers, 0,
			    NR_FORMS);
	tcase_add_loop_test(
		tc, fork_inside_a_section_that_is_waited_for_does_not_hang, 0,
		NR_FORMS);
	tcase_add_loop_test(
		tc, grace_period_that_is_wanted_does_not_overtake_a_fork, 0,
		NR_FORMS);
	tcase_add_loop_test(tc, fork_comes_between_no_move_and_its_count, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, thread_caught_on_its_way_in_is_not_inside, 0,
			    NR_FORMS);
	suite_add_tcase(s, tc);
}
