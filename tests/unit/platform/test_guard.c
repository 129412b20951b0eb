/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_guard.c - platform/guard.h in both forms: stacks, counters, closing, and
 * exclusion under preemption, signals and migration.
 *
 * Each case runs with the form as its loop number: 0 atomic, 1 rseq.  Where
 * there are no restartable sequences, 1 is the atomic form again.
 */

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "harness.h"
#include "platform/guard.h"

const char *const suite_name = "guard";

#define NR_SLOTS 8
#define COUNTER	 sizeof(struct umaple_guard)

struct fixture {
	struct umaple_guard_table table;
	void *slots[2][NR_SLOTS];
};

/* One stack for all CPUs would be wrong: give only this thread's CPU one. */
static void stay_on_one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(umaple_cpu_current(), &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void set_up(struct fixture *f, bool rseq)
{
	struct umaple_guard *guard;
	size_t bytes;

	stay_on_one_cpu();
	f->table.count = umaple_cpu_count();
	f->table.rseq = rseq && umaple_rseq_available();
	bytes = f->table.count * UMAPLE_GUARD_BYTES;
	f->table.base = aligned_alloc(64, bytes);
	ck_assert_ptr_nonnull(f->table.base);
	memset(f->table.base, 0, bytes);
	guard = umaple_guard_of(&f->table, umaple_cpu_current());
	for (unsigned int i = 0; i < GUARD_NR_STACKS; i++) {
		guard->stacks[i].slots = f->slots[i];
		guard->stacks[i].limit = NR_SLOTS;
	}
}

static void tear_down(struct fixture *f)
{
	free(f->table.base);
}

START_TEST(pops_come_in_reverse_order_of_pushes)
{
	struct fixture f;
	char things[NR_SLOTS];

	set_up(&f, _i);
	ck_assert_ptr_null(umaple_guard_pop(&f.table));
	for (int i = 0; i < NR_SLOTS; i++)
		ck_assert(umaple_guard_push(&f.table, GUARD_MAIN, &things[i]));
	ck_assert(!umaple_guard_push(&f.table, GUARD_MAIN, &things[0]));

	for (int i = NR_SLOTS; i-- > 0;)
		ck_assert_ptr_eq(umaple_guard_pop(&f.table), &things[i]);
	ck_assert_ptr_null(umaple_guard_pop(&f.table));
	tear_down(&f);
}
END_TEST

START_TEST(level_counts_pops_beside_what_is_held)
{
	struct umaple_guard_stack *stack;
	struct fixture f;
	char thing;

	set_up(&f, _i);
	stack = &umaple_guard_of(&f.table, umaple_cpu_current())
			 ->stacks[GUARD_MAIN];
	for (int i = 0; i < 100; i++) {
		ck_assert(umaple_guard_push(&f.table, GUARD_MAIN, &thing));
		ck_assert_ptr_eq(umaple_guard_pop(&f.table), &thing);
	}
	ck_assert(umaple_guard_push(&f.table, GUARD_MAIN, &thing));

	ck_assert_uint_eq(umaple_guard_nr_held(stack), 1);
	ck_assert_uint_eq(umaple_guard_level(stack) >> UMAPLE_GUARD_POP_SHIFT,
			  100);
	tear_down(&f);
}
END_TEST

START_TEST(the_two_stacks_are_apart)
{
	struct umaple_guard *guard;
	struct fixture f;
	char a, b;

	set_up(&f, _i);
	ck_assert(umaple_guard_push(&f.table, GUARD_MAIN, &a));
	ck_assert(umaple_guard_push(&f.table, GUARD_RCU, &b));

	guard = umaple_guard_of(&f.table, umaple_cpu_current());
	ck_assert_uint_eq(umaple_guard_nr_held(&guard->stacks[GUARD_RCU]), 1);
	ck_assert_ptr_eq(f.slots[1][0], &b);
	ck_assert_ptr_eq(umaple_guard_pop(&f.table), &a);
	tear_down(&f);
}
END_TEST

START_TEST(held_guard_refuses_all_steps)
{
	struct umaple_guard *guard;
	struct fixture f;
	char thing;

	set_up(&f, _i);
	ck_assert(umaple_guard_push(&f.table, GUARD_MAIN, &thing));
	guard = umaple_guard_try(&f.table);
	ck_assert_ptr_nonnull(guard);

	ck_assert_ptr_null(umaple_guard_try(&f.table));
	ck_assert_ptr_null(umaple_guard_pop(&f.table));
	ck_assert(!umaple_guard_push(&f.table, GUARD_MAIN, &thing));
	ck_assert(umaple_guard_stack_push(&guard->stacks[GUARD_MAIN], &thing));
	ck_assert_ptr_eq(umaple_guard_stack_pop(&guard->stacks[GUARD_MAIN]),
			 &thing);

	umaple_guard_drop(guard);
	ck_assert_ptr_eq(umaple_guard_pop(&f.table), &thing);
	tear_down(&f);
}
END_TEST

START_TEST(closed_guard_refuses_all_steps)
{
	unsigned int cpu;
	struct fixture f;
	char thing;

	set_up(&f, _i);
	cpu = umaple_cpu_current();
	umaple_guard_close(&f.table, cpu);
	umaple_guard_fence(&f.table);
	umaple_guard_wait(&f.table, cpu);

	ck_assert_ptr_null(umaple_guard_try(&f.table));
	ck_assert(!umaple_guard_push(&f.table, GUARD_MAIN, &thing));

	umaple_guard_open(&f.table, cpu);
	ck_assert(umaple_guard_push(&f.table, GUARD_MAIN, &thing));
	tear_down(&f);
}
END_TEST

START_TEST(cpu_without_a_place_is_refused)
{
	struct fixture f;
	char thing;

	set_up(&f, _i);
	f.table.count = 0;
	ck_assert_ptr_null(umaple_guard_try(&f.table));
	ck_assert_ptr_null(umaple_guard_pop(&f.table));
	ck_assert(!umaple_guard_push(&f.table, GUARD_MAIN, &thing));
	ck_assert(!umaple_guard_add(&f.table, COUNTER, 1));
	tear_down(&f);
}
END_TEST

/*
 * Threads on all CPUs pop tokens, own them for a while and push them; an owner
 * word per token tells double hand-outs.  Signals and changes of CPU disturb
 * them, and one thread closes guards and moves tokens from CPU to CPU.
 */
#define NR_THREADS 6
#define NR_TOKENS  64

struct token {
	uint32_t owner;
};

struct storm {
	struct umaple_guard_table table;
	struct token tokens[NR_TOKENS];
	unsigned long rounds;
	uint32_t bad;  /* atomic */
	uint32_t over; /* atomic */
	unsigned long added;
};

static void change_cpu(struct rng *rng)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(rng_below(rng, umaple_cpu_count()), &set);
	(void)sched_setaffinity(0, sizeof(set), &set); /* may not be allowed */
}

/* Own a token from one round to the next; give it back in between. */
static void storm_round(struct storm *storm, struct token **kept)
{
	struct token *token = *kept;

	if (token) {
		store_release(&token->owner, 0);
		if (!umaple_guard_push(&storm->table, GUARD_MAIN, token))
			store_relaxed(&token->owner, 1);
		else
			*kept = NULL;
		return;
	}
	token = umaple_guard_pop(&storm->table);
	if (token && xchg_acq_rel(&token->owner, 1))
		store_relaxed(&storm->bad, 1);
	*kept = token;
}

static void *storm_worker(void *argument)
{
	struct storm *storm = argument;
	struct token *kept = NULL;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uintptr_t)&rng);
	for (unsigned long i = 0; i < storm->rounds || kept; i++) {
		storm_round(storm, &kept);
		ck_assert(umaple_guard_add(&storm->table, COUNTER, 1));
		fetch_add_relaxed(&storm->added, 1);
		if (i % 256 == 0)
			change_cpu(&rng);
	}
	return NULL;
}

/* All tokens of all CPUs to the CPU that has none or the first. */
static void *storm_closer(void *argument)
{
	struct storm *storm = argument;

	while (!load_acquire(&storm->over)) {
		for (unsigned int cpu = 0; cpu < storm->table.count; cpu++)
			umaple_guard_close(&storm->table, cpu);
		umaple_guard_fence(&storm->table);
		for (unsigned int cpu = 0; cpu < storm->table.count; cpu++)
			umaple_guard_wait(&storm->table, cpu);
		for (unsigned int cpu = 1; cpu < storm->table.count; cpu++) {
			struct umaple_guard_stack *from, *to;
			void *token;

			from = &umaple_guard_of(&storm->table, cpu)->stacks[0];
			to = &umaple_guard_of(&storm->table, cpu - 1)->stacks[0];
			while ((token = umaple_guard_stack_pop(from)))
				ck_assert(umaple_guard_stack_push(to, token));
		}
		for (unsigned int cpu = 0; cpu < storm->table.count; cpu++)
			umaple_guard_open(&storm->table, cpu);
		sched_yield();
	}
	return NULL;
}

static void on_signal(int signal)
{
	(void)signal;
}

static void set_timer(long microseconds)
{
	struct itimerval timer = {
		.it_interval = { .tv_usec = microseconds },
		.it_value = { .tv_usec = microseconds },
	};

	ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void storm_set_up(struct storm *storm, bool rseq)
{
	size_t bytes;

	memset(storm, 0, sizeof(*storm));
	storm->rounds = test_scaled(20000);
	storm->table.count = umaple_cpu_count();
	storm->table.rseq = rseq && umaple_rseq_available();
	bytes = storm->table.count * UMAPLE_GUARD_BYTES;
	storm->table.base = aligned_alloc(64, bytes);
	memset(storm->table.base, 0, bytes);
	for (unsigned int cpu = 0; cpu < storm->table.count; cpu++) {
		struct umaple_guard *guard =
			umaple_guard_of(&storm->table, cpu);

		guard->stacks[0].slots = calloc(NR_TOKENS, sizeof(void *));
		guard->stacks[0].limit = NR_TOKENS;
	}
	for (int i = 0; i < NR_TOKENS; i++)
		ck_assert(umaple_guard_stack_push(
			&umaple_guard_of(&storm->table, 0)->stacks[0],
			&storm->tokens[i]));
}

/* Every token is on one stack, and every addition was counted. */
static void storm_settle(struct storm *storm)
{
	uint64_t counted = 0;
	size_t found = 0;

	for (unsigned int cpu = 0; cpu < storm->table.count; cpu++) {
		struct umaple_guard *guard =
			umaple_guard_of(&storm->table, cpu);
		struct token *token;

		while ((token = umaple_guard_stack_pop(&guard->stacks[0]))) {
			ck_assert_uint_eq(xchg_acq_rel(&token->owner, 1), 0);
			found++;
		}
		counted += *(uint64_t *)(void *)((char *)guard + COUNTER);
		free(guard->stacks[0].slots);
	}
	ck_assert_uint_eq(found, NR_TOKENS);
	ck_assert_uint_eq(counted, storm->added);
	free(storm->table.base);
}

START_TEST(no_token_is_lost_or_owned_twice_in_a_storm)
{
	pthread_t workers[NR_THREADS], closer;
	struct storm storm;

	storm_set_up(&storm, _i);
	signal(SIGALRM, on_signal);
	set_timer(100);
	ck_assert_int_eq(pthread_create(&closer, NULL, storm_closer, &storm),
			 0);
	for (int i = 0; i < NR_THREADS; i++)
		ck_assert_int_eq(pthread_create(&workers[i], NULL, storm_worker,
						&storm),
				 0);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(workers[i], NULL);
	store_release(&storm.over, 1);
	pthread_join(closer, NULL);
	set_timer(0);

	ck_assert(!load_relaxed(&storm.bad));
	storm_settle(&storm);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("stacks");

	tcase_add_loop_test(tc, pops_come_in_reverse_order_of_pushes, 0, 2);
	tcase_add_loop_test(tc, level_counts_pops_beside_what_is_held, 0, 2);
	tcase_add_loop_test(tc, the_two_stacks_are_apart, 0, 2);
	tcase_add_loop_test(tc, held_guard_refuses_all_steps, 0, 2);
	tcase_add_loop_test(tc, closed_guard_refuses_all_steps, 0, 2);
	tcase_add_loop_test(tc, cpu_without_a_place_is_refused, 0, 2);
	suite_add_tcase(s, tc);

	tc = tcase_create("storm");
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, no_token_is_lost_or_owned_twice_in_a_storm, 0,
			    2);
	suite_add_tcase(s, tc);
}
