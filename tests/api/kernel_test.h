/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * kernel_test.h - what the tests of the kernel's names share.  They see public
 * headers and the shared library only, and are built as C and as C++.
 */

#ifndef TESTS_API_KERNEL_TEST_H
#define TESTS_API_KERNEL_TEST_H

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <check.h>

#include <umaple/kernel.h>

UMAPLE_BEGIN_DECLS
#include "harness.h"
UMAPLE_END_DECLS

#define ARRAY_SIZE(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* Entries by number; 0 is none. */
static inline void *entry(int number)
{
	static char entries[64];

	return number ? &entries[number] : NULL;
}

/* The map of the known sequences: {10..19: 1, 30..39: 2, 50..59: 3}. */
static inline void map_a(struct maple_tree *mt, unsigned int flags)
{
	mt_init_flags(mt, flags);
	ck_assert_int_eq(mtree_store_range(mt, 10, 19, entry(1), GFP_KERNEL),
			 0);
	ck_assert_int_eq(mtree_store_range(mt, 30, 39, entry(2), GFP_KERNEL),
			 0);
	ck_assert_int_eq(mtree_store_range(mt, 50, 59, entry(3), GFP_KERNEL),
			 0);
}

/*
 * An empty tree with a cache of its own, which has room for few nodes: in a sheaf,
 * or (above twice @pending) in wait for readers.
 */
static inline struct umaple_cache *small_tree(struct maple_tree *mt,
					      unsigned int flags,
					      unsigned int capacity,
					      size_t pending)
{
	struct umaple_cache_attr attr;
	struct umaple_cache *cache;

	memset(&attr, 0, sizeof(attr));
	attr.size = 256;
	attr.align = 256;
	attr.sheaf_capacity = capacity;
	attr.pending_limit = pending;
	ck_assert_int_eq(umaple_cache_create(&attr, &cache), 0);
	mt_init_flags(mt, flags);
	ck_assert_int_eq(umaple_tree_init_cache(
				 &mt->tree, UMAPLE_KERNEL_FLAGS_(flags), cache),
			 0);
	return cache;
}

/*
 * liburcu's rcu_read_lock() would do as well.  ThreadSanitizer, which sees nothing
 * of it, is told by these.
 */
static inline const struct umaple_tree *any_tree(void)
{
	static DEFINE_MTREE(mt);

	return &mt.tree;
}

static inline void rcu_read_lock(void)
{
	umaple_read_lock(any_tree());
}

static inline void rcu_read_unlock(void)
{
	umaple_read_unlock(any_tree());
}

/*
 * A reader who stays in its section from start to stop, so that what is freed
 * meanwhile does not come back, and nobody may wait for it.
 */
struct stayer {
	pthread_t thread;
	pthread_barrier_t steps;
};

static inline void *stay(void *arg)
{
	struct stayer *stayer = (struct stayer *)arg;

	rcu_read_lock();
	pthread_barrier_wait(&stayer->steps);
	pthread_barrier_wait(&stayer->steps);
	rcu_read_unlock();
	return NULL;
}

static inline void stayer_start(struct stayer *stayer)
{
	pthread_barrier_init(&stayer->steps, NULL, 2);
	ck_assert_int_eq(pthread_create(&stayer->thread, NULL, stay, stayer),
			 0);
	pthread_barrier_wait(&stayer->steps);
}

/* It is about to leave. */
static inline void stayer_stop(struct stayer *stayer)
{
	pthread_barrier_wait(&stayer->steps);
}

static inline void stayer_join(struct stayer *stayer)
{
	pthread_join(stayer->thread, NULL);
	pthread_barrier_destroy(&stayer->steps);
}

/* Is [@first, @last] one range, or hole, with this entry? */
static inline void assert_range(struct maple_tree *mt, unsigned long first,
				unsigned long last, void *wanted)
{
	MA_STATE(mas, mt, first, first);

	rcu_read_lock();
	ck_assert_ptr_eq(mas_walk(&mas), wanted);
	rcu_read_unlock();
	ck_assert_uint_eq(mas.index, first);
	ck_assert_uint_eq(mas.last, last);
}

#endif /* TESTS_API_KERNEL_TEST_H */
