/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * torture_cache.c - a cache under many threads, signals and changes of CPU.
 *
 * Every object begins with an owner word, exchanged when it is handed out and when
 * it is given back: an object handed out twice is seen at once.  At the end every
 * object is accounted for.
 */

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caches.h"
#include "platform/rcu.h"
#include "platform/thread.h"
#include "quick.h"

const char *const suite_name = "torture_cache";

#define NR_THREADS 8
#define MAX_HELD   100
#define NR_SHARED  64

struct object {
	uint32_t owner;	  /* atomic; 1 while in use */
	uint32_t version; /* atomic; grows when the object is handed out */
	uint64_t pad[6];
};

static struct umaple_cache *cache;
static struct object *shared[NR_SHARED]; /* atomic: passed between threads */
static unsigned long nr_rounds;
static uint32_t over;	/* atomic */
static uint64_t drops;	/* frees of every kind, atomic */
static uint64_t grants; /* objects handed out, atomic */

static void own(struct object *object)
{
	quick_assert(object, "no object");
	/* The words below survive from one owner to the next: see for ourselves. */
	umaple_mark_plain(object, sizeof(*object));
	quick_assert(xchg_acq_rel(&object->owner, 1) != 1,
		     "%p handed out twice", (void *)object);
	fetch_add_relaxed(&object->version, 1);
	fetch_add_relaxed(&grants, 1);
}

static void disown(struct object *object)
{
	quick_assert(xchg_acq_rel(&object->owner, 0) == 1, "%p was not ours",
		     (void *)object);
	fetch_add_relaxed(&drops, 1);
}

static void change_cpu(struct rng *rng)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(rng_below(rng, umaple_cpu_count()), &set);
	(void)sched_setaffinity(0, sizeof(set), &set); /* may not be allowed */
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
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_RESTART };

	ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/* --- a worker's hands --- */

struct hands {
	struct rng rng;
	struct object *held[MAX_HELD + 1];
	size_t nr_held;
};

static void grab(struct hands *h)
{
	size_t n = rng_below(&h->rng, MAX_HELD - h->nr_held + 1);

	while (n--) {
		struct object *object = umaple_cache_alloc(cache);

		own(object);
		h->held[h->nr_held++] = object;
	}
}

static void grab_many(struct hands *h)
{
	size_t n = rng_below(&h->rng, MAX_HELD - h->nr_held + 1);

	quick_assert(!umaple_cache_alloc_bulk(cache,
					      (void **)&h->held[h->nr_held], n),
		     "no objects");
	while (n--)
		own(h->held[h->nr_held++]);
}

static void drop_many(struct hands *h)
{
	size_t n = rng_below(&h->rng, h->nr_held + 1);

	h->nr_held -= n;
	for (size_t i = 0; i < n; i++)
		disown(h->held[h->nr_held + i]);
	umaple_cache_free_bulk(cache, (void **)&h->held[h->nr_held], n);
}

static void drop_one(struct hands *h, bool rcu)
{
	struct object *object = h->held[--h->nr_held];

	disown(object);
	if (rcu)
		umaple_cache_free_rcu(cache, object);
	else
		umaple_cache_free(cache, object);
}

static void drop(struct hands *h)
{
	size_t n = rng_below(&h->rng, h->nr_held + 1);

	while (n--)
		drop_one(h, rng_below(&h->rng, 4) == 0);
}

static void borrow(struct hands *h)
{
	size_t n = rng_below(&h->rng, MAX_HELD - h->nr_held + 1);
	struct umaple_sheaf *sheaf = umaple_cache_prefill(cache, n ? n : 1);

	quick_assert(sheaf, "no sheaf");
	n = rng_below(&h->rng, n + 1);
	while (n--) {
		struct object *object = umaple_cache_take(cache, sheaf);

		own(object);
		h->held[h->nr_held++] = object;
	}
	umaple_cache_return(cache, sheaf);
}

/* Exchange an object with whoever comes by: freed by another thread. */
static void swap_with_others(struct hands *h)
{
	struct object **place = &shared[rng_below(&h->rng, NR_SHARED)];
	struct object *mine = h->nr_held ? h->held[--h->nr_held] : NULL;
	struct object *theirs = xchg_acq_rel(place, mine);

	if (theirs)
		h->held[h->nr_held++] = theirs;
}

static void *work(void *argument)
{
	struct hands *h = argument;

	for (unsigned long i = 0; i < nr_rounds; i++) {
		switch (rng_below(&h->rng, 8)) {
		case 0:
			grab(h);
			break;
		case 1:
		case 2:
			drop(h);
			break;
		case 3:
			borrow(h);
			break;
		case 4:
			grab_many(h);
			break;
		case 5:
			drop_many(h);
			break;
		default:
			swap_with_others(h);
			break;
		}
		if (rng_below(&h->rng, 32) == 0)
			change_cpu(&h->rng);
		if (rng_below(&h->rng, 64) == 0)
			umaple_cache_throttle(cache);
	}
	while (h->nr_held)
		drop_one(h, false);
	return NULL;
}

static void *disturb(void *argument)
{
	(void)argument;
	while (!load_acquire(&over)) {
		umaple_cache_shrink(cache, NULL, NULL);
		(void)cache_stats(cache);
		ck_assert_int_eq(umaple_cache_barrier(cache), 0);
		umaple_word_wait(&over, 0, 1);
	}
	return NULL;
}

static void start(int variant)
{
	cache = cache_make_variant(variant, sizeof(struct object), 8);
	memset(shared, 0, sizeof(shared));
	store_relaxed(&over, 0);
	store_relaxed(&drops, 0);
	store_relaxed(&grants, 0);
}

static void finish(void)
{
	struct umaple_cache_stats s;

	for (int i = 0; i < NR_SHARED; i++) {
		if (shared[i]) {
			disown(shared[i]);
			umaple_cache_free(cache, shared[i]);
		}
	}
	ck_assert_uint_eq(drops, grants);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	s = cache_stats(cache);
	ck_assert_uint_eq(s.alloc_fastpath + s.alloc_slowpath + s.sheaf_take,
			  grants);
	ck_assert_uint_eq(s.free_fastpath + s.free_slowpath + s.free_rcu_sheaf,
			  drops);
	ck_assert_uint_eq(s.sheaf_prefill_fast + s.sheaf_prefill_slow,
			  s.sheaf_return_fast + s.sheaf_return_slow);
	ck_assert_uint_eq(s.park_slab, s.unpark_slab);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);
}

static void start_threads(pthread_t *threads, size_t count,
			  void *(*run)(void *), void *arguments, size_t size)
{
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, run,
						(char *)arguments + i * size),
				 0);
}

static void join_threads(pthread_t *threads, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

START_TEST(nothing_is_lost_or_handed_out_twice)
{
	static struct hands hands[NR_THREADS];
	pthread_t threads[NR_THREADS], disturber;

	start(_i);
	nr_rounds = test_scaled(4000);
	set_timer(50);
	memset(hands, 0, sizeof(hands));
	for (size_t i = 0; i < NR_THREADS; i++)
		rng_seed(&hands[i].rng, test_seed() + i);
	start_threads(&disturber, 1, disturb, NULL, 0);
	start_threads(threads, NR_THREADS, work, hands, sizeof(hands[0]));
	join_threads(threads, NR_THREADS);
	store_release(&over, 1);
	join_threads(&disturber, 1);
	set_timer(0);
	finish();
}
END_TEST

/* --- readers --- */

#define NR_READERS 3
#define NR_WRITERS 3

static uint64_t reads; /* atomic */

/* What a section finds stays what it is until the section ends. */
static void *read_shared(void *argument)
{
	const struct rcu_flavor_struct *bp = umaple_rcu_default();
	struct rng *rng = argument;

	while (!load_acquire(&over)) {
		uint32_t versions[8], n;
		struct object *found[8];

		umaple_rcu_read_lock(bp);
		for (n = 0; n < 8; n++) {
			found[n] = load_acquire(
				&shared[rng_below(rng, NR_SHARED)]);
			if (found[n])
				versions[n] = load_relaxed(&found[n]->version);
		}
		if (rng_below(rng, 64) == 0)
			sched_yield();
		for (n = 0; n < 8; n++) {
			if (found[n])
				quick_assert(load_relaxed(&found[n]->version) ==
						     versions[n],
					     "object reused under a reader");
		}
		umaple_rcu_read_unlock(bp);
		fetch_add_relaxed(&reads, 1);
	}
	return NULL;
}

static void *replace_shared(void *argument)
{
	struct rng *rng = argument;

	for (unsigned long i = 0; i < nr_rounds; i++) {
		struct object *object, *old;

		umaple_cache_throttle(cache);
		object = umaple_cache_alloc(cache);
		own(object);
		old = xchg_acq_rel(&shared[rng_below(rng, NR_SHARED)], object);
		if (old) {
			disown(old);
			umaple_cache_free_rcu(cache, old);
		}
		if (rng_below(rng, 256) == 0)
			change_cpu(rng);
	}
	return NULL;
}

START_TEST(no_reader_sees_an_object_reused)
{
	pthread_t readers[NR_READERS], writers[NR_WRITERS];
	struct rng rngs[NR_READERS + NR_WRITERS];

	start(_i);
	nr_rounds = test_scaled(100000);
	set_timer(100);
	for (int i = 0; i < NR_READERS + NR_WRITERS; i++)
		rng_seed(&rngs[i], test_seed() + (uint64_t)i);
	start_threads(readers, NR_READERS, read_shared, rngs, sizeof(rngs[0]));
	start_threads(writers, NR_WRITERS, replace_shared, rngs + NR_READERS,
		      sizeof(rngs[0]));
	join_threads(writers, NR_WRITERS);
	store_release(&over, 1);
	join_threads(readers, NR_READERS);
	set_timer(0);
	ck_assert_uint_gt(reads, 0);
	finish();
}
END_TEST

/* --- backlog --- */

#define LIMIT	   2000
#define HARD_LIMIT (LIMIT + 4096)

static uint32_t stalled; /* atomic: 1 reader is in, 2 it may go */

static void *stall(void *argument)
{
	(void)argument;
	umaple_rcu_read_lock(umaple_rcu_default());
	store_release(&stalled, 1);
	while (load_acquire(&stalled) != 2)
		sched_yield();
	umaple_rcu_read_unlock(umaple_rcu_default());
	return NULL;
}

/* Free until nothing can be allocated any more. */
static void *free_until_refused(void *argument)
{
	unsigned long *count = argument;
	void *object;

	while ((object = umaple_cache_alloc(cache))) {
		umaple_cache_free_rcu(cache, object);
		++*count;
	}
	return NULL;
}

START_TEST(backlog_behind_a_stalled_reader_is_bounded)
{
	struct umaple_cache_attr attr = { .size = sizeof(struct object),
					  .name = "bounded",
					  .sheaf_capacity = 8,
					  .pending_limit = LIMIT };
	unsigned long counts[NR_THREADS] = { 0 }, total = 0;
	pthread_t reader, threads[NR_THREADS];
	uint64_t pending;

	cache = cache_make_attr(&attr, _i);
	store_relaxed(&stalled, 0);
	start_threads(&reader, 1, stall, NULL, 0);
	while (!load_acquire(&stalled))
		sched_yield();
	start_threads(threads, NR_THREADS, free_until_refused, counts,
		      sizeof(counts[0]));
	join_threads(threads, NR_THREADS);
	for (int i = 0; i < NR_THREADS; i++)
		total += counts[i];
	pending = cache_stats(cache).pending;
	ck_assert_uint_eq(pending, total);
	ck_assert_uint_gt(pending, HARD_LIMIT);
	/* Each CPU and thread may overshoot by a sheaf. */
	ck_assert_uint_le(pending, HARD_LIMIT + 8 * (umaple_cpu_count() +
						     2 * NR_THREADS));

	store_release(&stalled, 2);
	join_threads(&reader, 1);
	umaple_cache_throttle(cache);
	umaple_cache_free(cache, must_alloc(cache));
	cache_end(cache);
}
END_TEST

static void *free_throttled(void *argument)
{
	uint64_t *greatest = argument;

	for (unsigned long i = 0; i < nr_rounds; i++) {
		void *object;

		umaple_cache_throttle(cache);
		object = umaple_cache_alloc(cache);
		quick_assert(object, "refused though throttled");
		umaple_cache_free_rcu(cache, object);
		if (i % 64 == 0) {
			uint64_t pending = load_relaxed(&cache->pending);

			*greatest = pending > *greatest ? pending : *greatest;
		}
	}
	return NULL;
}

static void *stall_now_and_then(void *argument)
{
	(void)argument;
	while (!load_acquire(&over)) {
		umaple_rcu_read_lock(umaple_rcu_default());
		umaple_word_wait(&over, 0, 2);
		umaple_rcu_read_unlock(umaple_rcu_default());
	}
	return NULL;
}

START_TEST(throttled_threads_stay_near_the_limit)
{
	struct umaple_cache_attr attr = { .size = sizeof(struct object),
					  .name = "throttled",
					  .sheaf_capacity = 8,
					  .pending_limit = LIMIT };
	uint64_t greatest[NR_THREADS] = { 0 };
	pthread_t reader, threads[NR_THREADS];

	cache = cache_make_attr(&attr, _i);
	store_relaxed(&over, 0);
	nr_rounds = test_scaled(10000);
	start_threads(&reader, 1, stall_now_and_then, NULL, 0);
	start_threads(threads, NR_THREADS, free_throttled, greatest,
		      sizeof(greatest[0]));
	join_threads(threads, NR_THREADS);
	store_release(&over, 1);
	join_threads(&reader, 1);
	for (int i = 0; i < NR_THREADS; i++)
		ck_assert_uint_le(greatest[i], LIMIT + 8 * 2 * NR_THREADS);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	cache_end(cache);
}
END_TEST

/* --- forks --- */

static uint32_t started; /* workers that have done a round, atomic */

static void *use_for_ever(void *argument)
{
	struct rng *rng = argument;
	void *objects[20];

	for (unsigned long round = 0; !load_acquire(&over); round++) {
		struct umaple_sheaf *sheaf = umaple_cache_prefill(cache, 6);
		size_t n = rng_below(rng, 20) + 1;

		quick_assert(sheaf, "no sheaf");
		objects[0] = umaple_cache_take(cache, sheaf);
		for (size_t i = 1; i < n; i++)
			objects[i] = umaple_cache_alloc(cache);
		umaple_cache_return(cache, sheaf);
		free_rcu_many(cache, objects, n / 2);
		free_many(cache, objects + n / 2, n - n / 2);
		umaple_cache_throttle(cache);
		if (rng_below(rng, 16) == 0)
			umaple_cache_shrink(cache, NULL, NULL);
		if (rng_below(rng, 16) == 0)
			(void)umaple_cache_barrier(cache);
		if (round == 0)
			fetch_add_acq_rel(&started, 1);
	}
	return NULL;
}

/* What other threads held at the fork stays used; all else must be sound. */
static int child_uses(void)
{
	void *objects[40];
	uint64_t before;

	alarm(60);
	if (umaple_cache_check(cache, NULL, 0))
		return 1;
	if (umaple_cache_barrier(cache))
		return 2;
	umaple_cache_shrink(cache, NULL, NULL);
	before = cache_stats(cache).objects;
	if (cache_stats(cache).pending)
		return 3;
	/* A thread holds at most 20 objects and one sheaf of 8. */
	if (before > 4 * (20 + 8))
		return 4;
	for (int i = 0; i < 40; i++) {
		objects[i] = umaple_cache_alloc(cache);
		if (!objects[i])
			return 5;
	}
	free_rcu_many(cache, objects, 20);
	free_many(cache, objects + 20, 20);
	if (umaple_cache_barrier(cache) || umaple_cache_check(cache, NULL, 0))
		return 6;
	umaple_cache_shrink(cache, NULL, NULL);
	return cache_stats(cache).objects == before ? 0 : 7;
}

/*
 * Success is an end by SIGKILL: at an exit, leak checkers would complain of what
 * the vanished threads had.
 */
static void child_ends(int error)
{
	if (!error)
		raise(SIGKILL);
	_exit(error);
}

START_TEST(children_of_a_busy_parent_are_sound)
{
	unsigned long forks = test_scaled(60);
	struct rng rngs[4];
	pthread_t threads[4];
	int status;

	start(_i);
	for (int i = 0; i < 4; i++)
		rng_seed(&rngs[i], test_seed() + (uint64_t)i);
	store_relaxed(&started, 0);
	start_threads(threads, 4, use_for_ever, rngs, sizeof(rngs[0]));
	/* Sanitizers' own locks, taken while threads start, do not survive. */
	while (load_acquire(&started) != 4)
		sched_yield();
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	for (unsigned long i = 0; i < forks; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child_ends(child_uses());
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(WIFSIGNALED(status) &&
				      WTERMSIG(status) == SIGKILL,
			      "child %lu: status %x", i, (unsigned)status);
	}
	store_release(&over, 1);
	join_threads(threads, 4);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("torture");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, nothing_is_lost_or_handed_out_twice, 0,
			    ARRAY_SIZE(cache_variants));
	tcase_add_loop_test(tc, no_reader_sees_an_object_reused, 0,
			    NR_BARN_VARIANTS);
	tcase_add_loop_test(tc, backlog_behind_a_stalled_reader_is_bounded, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, throttled_threads_stay_near_the_limit, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, children_of_a_busy_parent_are_sound, 0,
			    NR_BARN_VARIANTS);
	suite_add_tcase(s, tc);
}
