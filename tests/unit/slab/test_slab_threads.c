/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_threads.c - threads that take, give, defer, release and shrink at
 * once: no object is handed out twice and none is lost.
 *
 * Each object's first word says who has it.  Taking writes the thread's name over
 * the sign for "free", giving the other way round; anything else found there is
 * an object with two owners.  The words are plain on purpose: ThreadSanitizer
 * then sees whether the slab layer orders one owner after the other.
 */

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "platform/annotate.h"
#include "platform/atomic.h"
#include "platform/delay.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_threads";

enum {
	NR_THREADS = 4,
	HAND = 256 /* objects a thread holds at most */
};

struct worker {
	uintptr_t name;
	struct rng rng;
	unsigned long rounds;
	size_t deferred; /* by this thread, in all */
	size_t released;
	size_t nr;
	void *hand[HAND];
};

static void take_over(struct worker *worker, void *object)
{
	uintptr_t *word = object;

	umaple_mark_used(object, node.geo.object_size);
	*word = worker->name;
}

static void let_go(struct worker *worker, void *object)
{
	uintptr_t *word = object;

	ck_assert_uint_eq(*word, worker->name);
	*word = 0;
	umaple_mark_free(object, node.geo.object_size);
}

static void take_some(struct worker *worker)
{
	size_t count = 1 + rng_below(&worker->rng, 40), got;

	if (count > HAND - worker->nr)
		count = HAND - worker->nr;
	got = umaple_slab_take(&node, worker->hand + worker->nr, count);
	ck_assert_uint_eq(got, count);
	for (size_t i = 0; i < got; i++)
		take_over(worker, worker->hand[worker->nr + i]);
	worker->nr += got;
}

/* Random ones to the end of the hand, then out of it. */
static size_t pick_some(struct worker *worker, size_t most)
{
	size_t count = 1 + rng_below(&worker->rng, most);

	if (count > worker->nr)
		count = worker->nr;
	for (size_t i = 0; i < count; i++) {
		size_t last = worker->nr - 1 - i;
		size_t j = rng_below(&worker->rng, last + 1);
		void *object = worker->hand[j];

		worker->hand[j] = worker->hand[last];
		worker->hand[last] = object;
		let_go(worker, object);
	}
	worker->nr -= count;
	return count;
}

static void give_some(struct worker *worker)
{
	size_t count = pick_some(worker, 64);

	umaple_slab_give(&node, worker->hand + worker->nr, count);
}

static void defer_some(struct worker *worker)
{
	size_t count = pick_some(worker, 4);

	for (size_t i = 0; i < count; i++)
		umaple_slab_defer(&node, worker->hand[worker->nr + i]);
	worker->deferred += count;
}

static void release_deferred(struct worker *worker)
{
	struct umaple_slab *collection = umaple_slab_defer_collect(&node);

	if (collection)
		worker->released +=
			umaple_slab_defer_release(&node, collection);
}

static void act(struct worker *worker)
{
	uint64_t dice = rng_below(&worker->rng, 100);

	if (dice < 45)
		take_some(worker);
	else if (dice < 90)
		give_some(worker);
	else if (dice < 95)
		defer_some(worker);
	else if (dice < 98)
		release_deferred(worker);
	else if (dice < 99)
		umaple_slab_shrink(&node, NULL, NULL);
	else if (umaple_slab_wants_unpark(&node))
		umaple_slab_unpark(&node);
	else
		sched_yield();
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	for (unsigned long i = 0; i < worker->rounds; i++)
		act(worker);
	for (size_t i = 0; i < worker->nr; i++)
		let_go(worker, worker->hand[i]);
	umaple_slab_give(&node, worker->hand, worker->nr);
	return NULL;
}

/* Each way to park slabs. */
static const struct umaple_parking parkings[] = {
	{ .when = PARK_CONTENDED },
	{ .when = PARK_CONTENDED, .deferred = true },
	{ .when = PARK_ALWAYS },
	{ .when = PARK_ALWAYS, .deferred = true },
	{ .when = PARK_ALWAYS, .beside = true },
	{ .when = PARK_NEVER },
};

/* With delays inside, so that list_lock is met taken on few CPUs, too. */
static void start_parking(int variant)
{
	umaple_slab_node_set_parking(&node, &parkings[variant]);
	umaple_delay_set((uint32_t)test_seed() | 1);
}

/* At rest nothing is parked that nobody would find. */
static void assert_none_stranded(void)
{
	struct umaple_slab_stats stats;

	umaple_delay_set(0);
	assert_sound();
	if (umaple_slab_wants_unpark(&node))
		umaple_slab_unpark(&node);
	umaple_slab_stats(&node, &stats);
	ck_assert_uint_eq(stats.park_slab, stats.unpark_slab);
	ck_assert_uint_le(stats.unpark_event, stats.unpark_slab);
}

static void run_threads(size_t size, int variant)
{
	static struct worker workers[NR_THREADS];
	pthread_t threads[NR_THREADS];
	size_t waiting = 0;

	node_set_up_for(size);
	start_parking(variant);
	for (uintptr_t i = 0; i < NR_THREADS; i++) {
		struct worker *worker = &workers[i];

		memset(worker, 0, sizeof(*worker));
		worker->name = i + 1;
		worker->rounds = test_scaled(1500);
		rng_seed(&worker->rng, test_seed() + i);
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, work, worker), 0);
	}
	for (int i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], NULL);
		waiting += workers[i].deferred - workers[i].released;
	}

	assert_none_stranded();
	ck_assert_uint_eq(umaple_slab_node_fini(&node), waiting);
	if (waiting)
		ck_assert_uint_eq(umaple_slab_defer_release(
					  &node,
					  umaple_slab_defer_collect(&node)),
				  waiting);
	node_tear_down();
}

/* Many objects per slab; few; one. */
static const size_t sizes[] = { 256, 3280, 29536 };

START_TEST(threads_share_objects_and_lose_none)
{
	run_threads(sizes[_i % (int)ARRAY_SIZE(sizes)],
		    _i / (int)ARRAY_SIZE(sizes));
}
END_TEST

/*
 * Two threads on few slabs: every free finds slabs full, and the other thread is
 * between taking and giving all the time.
 */
static void *swing(void *arg)
{
	struct worker *worker = arg;

	for (unsigned long i = 0; i < worker->rounds; i++) {
		worker->nr = umaple_slab_take(&node, worker->hand,
					      1 + rng_below(&worker->rng, 96));
		for (size_t j = 0; j < worker->nr; j++)
			take_over(worker, worker->hand[j]);
		for (size_t j = 0; j < worker->nr; j++)
			let_go(worker, worker->hand[j]);
		umaple_slab_give(&node, worker->hand, worker->nr);
	}
	return NULL;
}

START_TEST(swinging_threads_leave_no_slab_stranded)
{
	static struct worker workers[2];
	pthread_t threads[2];

	node_set_up();
	start_parking(_i);
	for (uintptr_t i = 0; i < 2; i++) {
		memset(&workers[i], 0, sizeof(workers[i]));
		workers[i].name = i + 1;
		workers[i].rounds = test_scaled(5000);
		rng_seed(&workers[i].rng, test_seed() + i);
		ck_assert_int_eq(pthread_create(&threads[i], NULL, swing,
						&workers[i]),
				 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);

	assert_none_stranded();
	ck_assert_uint_le(node.nr_slabs, MIN_PARTIAL);
	node_tear_down();
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("slab_threads");

	/* Loops are scaled: Meson's timeout is scaled with them. */
	tcase_set_timeout(tc, 0);
	tcase_add_loop_test(tc, threads_share_objects_and_lose_none, 0,
			    ARRAY_SIZE(sizes) * ARRAY_SIZE(parkings));
	tcase_add_loop_test(tc, swinging_threads_leave_no_slab_stranded, 0,
			    ARRAY_SIZE(parkings));
	suite_add_tcase(s, tc);
}
