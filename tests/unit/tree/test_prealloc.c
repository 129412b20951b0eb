/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_prealloc.c - stores that must not fail: nodes got in advance.
 */

#include <errno.h>
#include <pthread.h>

#include <umaple/cache.h>
#include <umaple/cursor.h>
#include <umaple/debug.h>

#include "harness.h"
#include "platform/fault.h"
#include "spy.h"

const char *const suite_name = "prealloc";

static const unsigned int tree_flags[] = {
	UMAPLE_TREE_EXTERNAL_LOCK,
	UMAPLE_TREE_EXTERNAL_LOCK | UMAPLE_TREE_GAPS,
	UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_SERIAL | UMAPLE_TREE_GAPS,
};

static char value[4];
static struct umaple_cache *cache;
static struct umaple_tree tree;

static void build(int i, uint64_t ranges)
{
	struct umaple_cache_attr attr = { .size = 256, .align = 256 };
	uint64_t n;

	ck_assert_int_eq(umaple_cache_create(&attr, &cache), 0);
	ck_assert_int_eq(umaple_tree_init_cache(&tree, tree_flags[i], cache),
			 0);
	for (n = 0; n < ranges; n++)
		ck_assert_int_eq(umaple_store_range(&tree, 10 * n, 10 * n + 4,
						    &value[1]),
				 0);
}

static void end(void)
{
	umaple_tree_destroy(&tree);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}

/* No memory at all from here on. */
static void forbid(bool forbidden)
{
#if UMAPLE_FAULT_INJECTION
	umaple_fault_set(forbidden ? 0 : -1, true);
#endif
}

static void store_promised(uint64_t first, uint64_t last, void *entry)
{
	struct umaple_cursor cursor;

	umaple_cursor_init(&cursor, &tree, first, last);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, entry), 0);
	forbid(true);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, entry), 0);
	forbid(false);
	ck_assert_uint_eq(cursor.index, first);
	ck_assert_uint_eq(cursor.last, last);
	ck_assert_ptr_eq(umaple_load(&tree, first), entry);
	ck_assert_ptr_eq(umaple_load(&tree, last), entry);
	ck_assert_int_eq(umaple_tree_check(&tree, NULL, 0), 0);
}

START_TEST(promised_stores_need_no_memory)
{
	uint64_t i;

	build(_i, 0);
	store_promised(3, 7, &value[1]);
	end();
	build(_i, 3000);
	for (i = 0; i < 3000; i += 7)
		store_promised(10 * i + 2, 10 * i + 3, &value[2]);
	for (i = 0; i < 3000; i += 100)
		store_promised(10 * i + 1, 10 * i + 803,
			       i % 200 ? NULL : &value[3]);
	store_promised(0, UINT64_MAX, &value[1]);
	store_promised(0, UINT64_MAX, NULL);
	ck_assert(umaple_tree_is_empty(&tree));
	end();
}
END_TEST

/* T34: a promise for another range is refused, not a crash. */
START_TEST(promise_is_for_one_range_and_kind_of_entry)
{
	struct umaple_cursor cursor;

	build(_i, 300);
	umaple_cursor_init(&cursor, &tree, 100, 104);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, &value[2]),
			 -EINVAL);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, &value[2]), 0);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, NULL), -EINVAL);
	umaple_cursor_set_range(&cursor, 50, 1500);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, &value[2]),
			 -EINVAL);
	ck_assert_uint_eq(cursor.index, 50);
	ck_assert_ptr_eq(umaple_load(&tree, 100), &value[1]);
	umaple_cursor_set_range(&cursor, 100, 104);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, &value[2]), 0);
	ck_assert_ptr_eq(umaple_load(&tree, 100), &value[2]);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, &value[2]),
			 -EINVAL);
	end();
}
END_TEST

START_TEST(promise_is_stale_when_the_tree_has_grown)
{
	struct umaple_cursor cursor;
	uint64_t n;

	build(_i, 2);
	umaple_cursor_init(&cursor, &tree, 12, 13);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, NULL), 0);
	/* Take what is more than promised, as another sheaf might hold less. */
	for (n = 2; n < 3000; n++)
		ck_assert_int_eq(umaple_store_range(&tree, 10 * n, 10 * n + 4,
						    &value[1]),
				 0);
	while (umaple_cache_sheaf_count(cursor.promised_) > 3)
		umaple_cache_free(cache,
				  umaple_cache_take(cache, cursor.promised_));
	umaple_cursor_set_range(&cursor, 5, 25000);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, NULL), -EINVAL);
	umaple_cursor_set_range(&cursor, 12, 13);
	cursor.promised_last_ = cursor.last = 25000;
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, NULL), -ESTALE);
	ck_assert_ptr_eq(umaple_load(&tree, 100), &value[1]);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, NULL), 0);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, NULL), 0);
	ck_assert_ptr_null(umaple_load(&tree, 100));
	end();
}
END_TEST

/* T34: nor is it spoiled by what happens to the tree in between. */
START_TEST(promise_outlives_destroy_and_erase)
{
	struct umaple_cursor cursor;

	build(_i, 300);
	umaple_cursor_init(&cursor, &tree, 100, 104);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, &value[2]), 0);
	ck_assert_int_eq(umaple_erase(&tree, 100, NULL), 0);
	umaple_tree_destroy(&tree);
	forbid(true);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, &value[2]), 0);
	forbid(false);
	ck_assert_ptr_eq(umaple_load(&tree, 100), &value[2]);
	ck_assert_uint_eq(umaple_count(&tree, 0, UINT64_MAX), 1);
	end();
}
END_TEST

/*
 * T35: after a store nothing is held or owed, whatever was asked for before, in
 * which order, and however often.
 */
START_TEST(nothing_is_held_after_a_store)
{
	struct umaple_cursor cursor;
	struct rng rng;
	size_t n, asks;
	uint64_t at;

	rng_seed(&rng, test_seed());
	build(_i, 300);
	spy_reset();
	for (n = 0; n < test_scaled(2000); n++) {
		at = rng_below(&rng, 3000);
		umaple_cursor_init(&cursor, &tree, at, at);
		for (asks = rng_below(&rng, 4); asks; asks--) {
			at = rng_below(&rng, 3000);
			umaple_cursor_set_range(
				&cursor, at,
				at + rng_below(&rng,
					       rng_below(&rng, 2) ? 5 : 500));
			ck_assert_int_eq(
				umaple_cursor_prealloc(&cursor, &value[2]), 0);
		}
		if (!cursor.promised_ || rng_below(&rng, 8) == 0)
			umaple_cursor_finish(&cursor);
		else
			ck_assert_int_eq(umaple_cursor_store_prealloc(
						 &cursor, &value[2]),
					 0);
		ck_assert_ptr_null(cursor.promised_);
		ck_assert_uint_eq(spy.prefills, spy.returns);
	}
	end();
}
END_TEST

START_TEST(finish_gives_everything_back)
{
	struct umaple_cursor cursor;

	build(_i, 300);
	umaple_cursor_init(&cursor, &tree, 100, 104);
	umaple_cursor_finish(&cursor);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, NULL), 0);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, NULL), 0);
	umaple_cursor_finish(&cursor);
	umaple_cursor_finish(&cursor);
	end();
}
END_TEST

/* -- no lock is needed, so several may be the first to use a tree's cache ---- */

#define THREADS 4

static pthread_barrier_t together;

static void *prealloc_and_store(void *arg)
{
	struct umaple_tree *fresh = arg;
	struct umaple_cursor cursor;
	int err;

	umaple_cursor_init(&cursor, fresh, 5, 9);
	pthread_barrier_wait(&together);
	err = umaple_cursor_prealloc(&cursor, &value[1]);
	umaple_cursor_finish(&cursor);
	if (!err)
		err = umaple_store(fresh, 7, &value[2]);
	return err ? arg : NULL;
}

START_TEST(threads_may_prealloc_in_a_new_tree_at_once)
{
	struct umaple_tree fresh = UMAPLE_TREE_INIT;
	pthread_t thread[THREADS];
	void *failed;
	int i;

	pthread_barrier_init(&together, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL,
						prealloc_and_store, &fresh),
				 0);
	for (i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_join(thread[i], &failed), 0);
		ck_assert_ptr_null(failed);
	}
	ck_assert_ptr_eq(umaple_load(&fresh, 7), &value[2]);
	umaple_tree_destroy(&fresh);
	pthread_barrier_destroy(&together);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(prealloc_without_memory_changes_nothing)
{
	struct umaple_cursor cursor;

	build(_i, 300);
	umaple_cursor_init(&cursor, &tree, 100, 104);
	forbid(true);
	ck_assert_int_eq(umaple_cursor_prealloc(&cursor, NULL), -ENOMEM);
	ck_assert_ptr_null(cursor.promised_);
	forbid(false);
	ck_assert_int_eq(umaple_cursor_store_prealloc(&cursor, NULL), -EINVAL);
	end();
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("prealloc");

	tcase_add_loop_test(tc, promised_stores_need_no_memory, 0, 4);
	tcase_add_loop_test(tc, promise_is_for_one_range_and_kind_of_entry, 0,
			    4);
	tcase_add_loop_test(tc, promise_is_stale_when_the_tree_has_grown, 0, 4);
	tcase_add_loop_test(tc, promise_outlives_destroy_and_erase, 0, 4);
	tcase_add_loop_test(tc, nothing_is_held_after_a_store, 0, 4);
	tcase_add_loop_test(tc, finish_gives_everything_back, 0, 4);
	tcase_add_loop_test(tc, threads_may_prealloc_in_a_new_tree_at_once, 0,
			    8);
#if UMAPLE_FAULT_INJECTION
	tcase_add_loop_test(tc, prealloc_without_memory_changes_nothing, 0, 4);
#endif
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
}
