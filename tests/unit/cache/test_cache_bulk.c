/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_bulk.c - cache/cache_bulk.c: where many objects come from and go to,
 * and that none is lost or handed out twice.
 */

#include <errno.h>
#include <stdlib.h>

#include "caches.h"
#include "platform/fault.h"

const char *const suite_name = "cache_bulk";

#define CAP  4
#define MANY (BARN_MAX_FULL * CAP)

static struct umaple_cache *cache;
static void *objects[200 * 64]; /* more than a chunk holds */

static void set_up(int form)
{
	stay_on_one_cpu();
	cache = cache_make(form, 256, CAP);
}

static void take(size_t first, size_t count)
{
	ck_assert_int_eq(umaple_cache_alloc_bulk(cache, objects + first, count),
			 0);
	for (size_t i = 0; i < count; i++)
		memset(objects[first + i], 0x5a, 256);
}

static void give(size_t first, size_t count)
{
	umaple_cache_free_bulk(cache, objects + first, count);
}

static int by_address(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t) * (void *const *)a;
	uintptr_t right = (uintptr_t) * (void *const *)b;

	return (left > right) - (left < right);
}

/* objects[0..count) are distinct; puts them in order. */
static void assert_distinct(size_t count)
{
	qsort(objects, count, sizeof(objects[0]), by_address);
	for (size_t i = 1; i < count; i++)
		ck_assert_ptr_ne(objects[i - 1], objects[i]);
}

START_TEST(fresh_cache_gives_from_slabs)
{
	struct umaple_cache_stats s;

	set_up(_i);
	take(0, 100);
	assert_distinct(100);
	s = cache_stats(cache);
	ck_assert_uint_eq(s.alloc_slowpath, 100);
	ck_assert_uint_eq(s.alloc_fastpath + s.sheaf_refill, 0);
	ck_assert_uint_eq(s.sheaf_alloc, 0);
	give(0, 100);
	cache_end(cache);
}
END_TEST

/* Main and spare are made, and filled; no other sheaf is. */
START_TEST(fresh_cache_takes_in_what_two_sheaves_hold)
{
	struct umaple_cache_stats s;

	set_up(_i);
	take(0, 100);
	give(0, CAP + 1);
	s = cache_stats(cache);
	ck_assert_uint_eq(s.sheaf_alloc, 1);
	ck_assert_uint_eq(s.free_fastpath, CAP);
	ck_assert_uint_eq(s.free_slowpath, 1);
	give(CAP + 1, CAP + 1);
	give(2 * CAP + 2, 98 - 2 * CAP);

	s = cache_stats(cache);
	ck_assert_uint_eq(s.sheaf_alloc, 2);
	ck_assert_uint_eq(s.free_fastpath, 2 * CAP);
	ck_assert_uint_eq(s.free_slowpath, 100 - 2 * CAP);
	ck_assert_uint_eq(s.barn_put, 0);
	ck_assert_uint_eq(s.barn_put_fail, 3);
	ck_assert_uint_eq(s.objects, 2 * CAP);
	cache_end(cache);
}
END_TEST

/* The CPU has two full sheaves, and the barn @count empty ones. */
static void stock_empty_sheaves(size_t count)
{
	take(0, 2 * CAP + 2);
	give(0, CAP + 1);
	give(CAP + 1, CAP + 1);
	for (size_t i = 0; i < count; i++) {
		struct umaple_sheaf *sheaf = umaple_sheaf_new(CAP);

		ck_assert_ptr_nonnull(sheaf);
		cache_count(cache, EVENT_SHEAF_ALLOC, 1);
		umaple_cache_sheaf_drop(cache, sheaf);
	}
	ck_assert_uint_eq(umaple_barn_nr_empty(&cache->barn), count);
	umaple_cache_stats_reset(cache);
}

/* Main, spare, full sheaves of the barn, and slabs, in this order. */
START_TEST(objects_go_and_come_by_sheaves_as_far_as_they_do)
{
	struct umaple_cache_stats s;
	size_t count = 5 * CAP + 2;

	set_up(_i);
	stock_empty_sheaves(3);
	take(0, 2 * CAP + count);
	umaple_cache_stats_reset(cache);
	ck_assert_uint_eq(umaple_barn_nr_full(&cache->barn), 0);

	/* Two to the CPU, two to the barn, and the last for one of the CPU's. */
	give(0, 4 * CAP + 2);
	s = cache_stats(cache);
	ck_assert_uint_eq(s.free_fastpath, 4 * CAP + 2);
	ck_assert_uint_eq(s.free_slowpath + s.sheaf_flush, 0);
	ck_assert_uint_eq(s.sheaf_alloc, 0);
	ck_assert_uint_eq(s.barn_put, 3);
	cache_verify(cache);

	take(0, 4 * CAP + 1);
	s = cache_stats(cache);
	ck_assert_uint_eq(s.alloc_fastpath, 4 * CAP + 1);
	ck_assert_uint_eq(s.alloc_slowpath + s.sheaf_refill, 0);
	ck_assert_uint_gt(s.barn_get, 0);
	/* What is left of the last one is the CPU's. */
	ck_assert_uint_eq(umaple_barn_nr_full(&cache->barn), 0);
	take(4 * CAP + 1, 1);
	take(2 * CAP + count, 1);
	s = cache_stats(cache);
	ck_assert_uint_eq(s.alloc_fastpath, 4 * CAP + 2);
	ck_assert_uint_eq(s.alloc_slowpath, 1);
	ck_assert_uint_eq(s.barn_get_fail, 1);

	give(0, 2 * CAP + count + 1);
	cache_end(cache);
}
END_TEST

START_TEST(full_barn_lets_the_rest_go_to_slabs)
{
	struct umaple_cache_stats s;
	size_t count = MANY + 20 * CAP;

	set_up(_i);
	stock_empty_sheaves(BARN_MAX_EMPTY);
	take(0, count);
	umaple_cache_stats_reset(cache);
	give(0, count);

	s = cache_stats(cache);
	ck_assert_uint_eq(s.free_fastpath + s.free_slowpath, count);
	ck_assert_uint_ge(s.free_fastpath, MANY);
	ck_assert_uint_eq(s.barn_put_fail, 1);
	ck_assert_uint_le(umaple_barn_nr_full(&cache->barn), BARN_MAX_FULL);
	ck_assert_uint_eq(s.sheaf_flush, 0);
	cache_end(cache);
}
END_TEST

/* Freed after a grace period that is over: the CPU's own come first. */
START_TEST(sheaves_whose_grace_period_is_over_are_taken_back)
{
	struct umaple_cache_stats s;

	set_up(_i);
	alloc_many(cache, objects, 3 * CAP);
	free_rcu_many(cache, objects, 3 * CAP);
	pass_grace_period(cache);
	umaple_cache_stats_reset(cache);

	take(0, 2 * CAP);
	s = cache_stats(cache);
	ck_assert_uint_eq(s.alloc_slowpath, 0);
	ck_assert_uint_ge(s.rcu_reuse, 1);
	give(0, 2 * CAP);
	cache_end(cache);
}
END_TEST

START_TEST(with_the_guard_held_the_slabs_serve)
{
	struct umaple_cache_stats s;
	struct cache_cpu *cpu;

	set_up(_i);
	alloc_many(cache, objects, 2 * CAP);
	free_many(cache, objects, 2 * CAP);
	umaple_cache_stats_reset(cache);
	cpu = hold_guard(cache);
	take(0, 50);
	give(0, 50);
	cache_cpu_unlock(cpu);

	s = cache_stats(cache);
	ck_assert_uint_ge(s.guard_busy, 2);
	ck_assert_uint_eq(s.alloc_slowpath, 50);
	ck_assert_uint_eq(s.free_slowpath + s.free_fastpath, 50);
	cache_end(cache);
}
END_TEST

START_TEST(none_is_none)
{
	set_up(_i);
	take(0, 0);
	give(0, 0);
	ck_assert_int_eq(umaple_cache_alloc_bulk(cache, NULL, 0), 0);
	umaple_cache_free_bulk(cache, NULL, 0);
	ck_assert_uint_eq(cache_stats(cache).slabs, 0);
	cache_end(cache);
}
END_TEST

static void shuffle(struct rng *rng, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = rng_below(rng, i);
		void *object = objects[i - 1];

		objects[i - 1] = objects[j];
		objects[j] = object;
	}
}

/* Random numbers of objects, in random order, of many slabs: none is lost. */
START_TEST(mixed_batches_lose_none)
{
	size_t nr = 0, most = 4000;
	struct rng rng;

	rng_seed(&rng, test_seed());
	cache = cache_make_variant(_i, 256, CAP);
	for (unsigned long i = 0; i < test_scaled(400); i++) {
		size_t n = rng_below(&rng, 200);

		if (rng_below(&rng, 2)) {
			n = n < most - nr ? n : most - nr;
			take(nr, n);
			nr += n;
			assert_distinct(nr);
		} else {
			n = n < nr ? n : nr;
			shuffle(&rng, nr);
			give(nr - n, n);
			nr -= n;
		}
		ck_assert_uint_ge(cache_stats(cache).objects, nr);
		cache_verify(cache);
	}
	give(0, nr);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
/* Sheaves, a partial slab, fresh slabs: each may be where memory ends. */
START_TEST(without_memory_for_all_none_is_kept)
{
	size_t before;

	set_up(_i);
	stock_empty_sheaves(3);
	take(0, 100);
	give(0, 80);
	before = cache_stats(cache).objects;
	for (long n = 0; n < 2; n++) {
		umaple_fault_set(n, true);
		ck_assert_int_eq(
			umaple_cache_alloc_bulk(cache, objects + 100,
						ARRAY_SIZE(objects) - 100),
			-ENOMEM);
		umaple_fault_set(-1, false);
		cache_verify(cache);
		ck_assert_uint_le(cache_stats(cache).objects, before + MANY);
	}
	give(80, 20);
	cache_end(cache);
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("bulk");

	tcase_set_timeout(tc, 0);
	tcase_add_loop_test(tc, fresh_cache_gives_from_slabs, 0, NR_FORMS);
	tcase_add_loop_test(tc, fresh_cache_takes_in_what_two_sheaves_hold, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc,
			    objects_go_and_come_by_sheaves_as_far_as_they_do, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, full_barn_lets_the_rest_go_to_slabs, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc,
			    sheaves_whose_grace_period_is_over_are_taken_back,
			    0, NR_FORMS);
	tcase_add_loop_test(tc, with_the_guard_held_the_slabs_serve, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, none_is_none, 0, NR_FORMS);
	tcase_add_loop_test(tc, mixed_batches_lose_none, 0,
			    ARRAY_SIZE(cache_variants));
#if UMAPLE_FAULT_INJECTION
	tcase_add_loop_test(tc, without_memory_for_all_none_is_kept, 0,
			    NR_FORMS);
#endif
	suite_add_tcase(s, tc);
}
