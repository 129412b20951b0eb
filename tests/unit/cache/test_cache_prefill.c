/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_prefill.c - cache/cache_prefill.c: promises kept, from each source.
 */

#include <errno.h>

#include "caches.h"
#include "platform/fault.h"

const char *const suite_name = "cache_prefill";

#define CAP 8

static struct umaple_cache *cache;
static void *objects[8 * CAP];

static void start(int form)
{
	stay_on_one_cpu();
	cache = cache_make(form, 64, CAP);
}

static struct umaple_sheaf *must_prefill(size_t count)
{
	struct umaple_sheaf *sheaf = umaple_cache_prefill(cache, count);

	ck_assert_ptr_nonnull(sheaf);
	ck_assert_uint_ge(umaple_cache_sheaf_count(sheaf), count);
	return sheaf;
}

static void take_many(struct umaple_sheaf *sheaf, void **to, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		to[i] = umaple_cache_take(cache, sheaf);
		ck_assert_ptr_nonnull(to[i]);
		ck_assert(!is_among(to[i], to, i));
		memset(to[i], 0x5a, 64);
	}
}

START_TEST(borrowed_sheaf_serves_all_it_promised)
{
	struct umaple_sheaf *sheaf;

	start(_i % NR_FORMS);
	sheaf = must_prefill((size_t)_i + 1);
	take_many(sheaf, objects, (size_t)_i + 1);
	umaple_cache_return(cache, sheaf);

	ck_assert_uint_eq(cache_stats(cache).sheaf_take, (uint64_t)_i + 1);
	free_many(cache, objects, (size_t)_i + 1);
	cache_end(cache);
}
END_TEST

START_TEST(sheaf_gives_null_once_it_is_empty)
{
	struct umaple_sheaf *sheaf;

	start(_i);
	sheaf = must_prefill(1);
	take_many(sheaf, objects, umaple_cache_sheaf_count(sheaf));
	ck_assert_ptr_null(umaple_cache_take(cache, sheaf));
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), 0);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects, CAP);
	cache_end(cache);
}
END_TEST

START_TEST(returned_sheaf_is_lent_again_as_it_is)
{
	struct umaple_sheaf *sheaf, *again;
	struct umaple_cache_stats stats;

	start(_i);
	sheaf = must_prefill(CAP);
	take_many(sheaf, objects, 3);
	umaple_cache_return(cache, sheaf);
	umaple_cache_stats_reset(cache);
	again = must_prefill(CAP - 3);

	ck_assert_ptr_eq(again, sheaf);
	ck_assert_uint_eq(umaple_cache_sheaf_count(again), CAP - 3);
	umaple_cache_return(cache, again);
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.sheaf_prefill_fast, 1);
	ck_assert_uint_eq(stats.sheaf_return_fast, 1);
	ck_assert_uint_eq(stats.sheaf_refill, 0);
	free_many(cache, objects, 3);
	cache_end(cache);
}
END_TEST

START_TEST(short_spare_is_filled_to_capacity)
{
	struct umaple_sheaf *sheaf;

	start(_i);
	sheaf = must_prefill(CAP);
	take_many(sheaf, objects, 3);
	umaple_cache_return(cache, sheaf);
	sheaf = must_prefill(CAP - 2);

	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), CAP);
	ck_assert_uint_eq(cache_stats(cache).sheaf_prefill_fast, 1);
	ck_assert_uint_eq(cache_stats(cache).sheaf_refill, CAP + 3);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects, 3);
	cache_end(cache);
}
END_TEST

START_TEST(short_spare_is_topped_up_from_own_freed_objects_first)
{
	struct umaple_cache_stats stats;
	struct umaple_sheaf *sheaf;

	start(_i);
	alloc_many(cache, objects, CAP);
	sheaf = must_prefill(CAP);
	take_many(sheaf, objects + CAP, 3);
	umaple_cache_return(cache, sheaf);
	free_rcu_many(cache, objects, CAP);
	umaple_cache_free_rcu(cache, objects[CAP]);
	pass_grace_period(cache);
	umaple_cache_stats_reset(cache);
	sheaf = must_prefill(CAP);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.sheaf_refill, 0);
	ck_assert_uint_eq(stats.pending, CAP - 3 + 1);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects + CAP + 1, 2);
	cache_end(cache);
}
END_TEST

START_TEST(barn_serves_when_there_is_no_spare)
{
	struct umaple_sheaf *first, *second;

	start(_i);
	alloc_many(cache, objects, 3 * CAP);
	free_many(cache, objects, 3 * CAP); /* main, spare, one in the barn */
	umaple_cache_stats_reset(cache);
	first = must_prefill(CAP);
	second = must_prefill(CAP);

	ck_assert_uint_eq(cache_stats(cache).sheaf_prefill_fast, 1);
	ck_assert_uint_eq(cache_stats(cache).sheaf_prefill_slow, 1);
	ck_assert_uint_eq(cache_stats(cache).barn_get, 1);
	ck_assert_uint_eq(cache_stats(cache).sheaf_refill, 0);
	umaple_cache_return(cache, first);
	umaple_cache_return(cache, second);
	cache_end(cache);
}
END_TEST

START_TEST(second_return_is_filled_for_the_barn_while_it_has_room)
{
	struct umaple_sheaf *sheaves[BARN_MAX_FULL + 2];
	struct umaple_cache_stats stats;
	size_t n = ARRAY_SIZE(sheaves);

	start(_i);
	for (size_t i = 0; i < n; i++)
		sheaves[i] = must_prefill(CAP);
	for (size_t i = 0; i < n; i++)
		take_many(sheaves[i], &objects[i], 1);
	umaple_cache_stats_reset(cache);
	for (size_t i = 0; i < n; i++)
		umaple_cache_return(cache, sheaves[i]);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.sheaf_return_fast, 1);
	ck_assert_uint_eq(stats.sheaf_return_slow, n - 1);
	ck_assert_uint_eq(stats.barn_put, BARN_MAX_FULL);
	ck_assert_uint_eq(stats.sheaf_refill, BARN_MAX_FULL);
	ck_assert_uint_eq(stats.sheaf_flush, CAP - 1);
	free_many(cache, objects, n);
	cache_end(cache);
}
END_TEST

START_TEST(oversize_sheaf_holds_exactly_what_was_asked)
{
	struct umaple_cache_stats stats;
	struct umaple_sheaf *sheaf;

	start(_i);
	sheaf = must_prefill(5 * CAP + 1);
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), 5 * CAP + 1);
	take_many(sheaf, objects, 5 * CAP + 1);
	ck_assert_ptr_null(umaple_cache_take(cache, sheaf));
	umaple_cache_return(cache, sheaf);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.sheaf_prefill_oversize, 1);
	ck_assert_uint_eq(stats.sheaf_prefill_fast + stats.sheaf_prefill_slow,
			  0);
	ck_assert_uint_eq(stats.sheaf_return_fast + stats.sheaf_return_slow, 0);
	ck_assert_uint_eq(stats.sheaf_alloc, stats.sheaf_free);
	free_many(cache, objects, 5 * CAP + 1);
	cache_end(cache);
}
END_TEST

START_TEST(refill_restores_the_promise)
{
	struct umaple_sheaf *sheaf, *before;

	start(_i);
	before = sheaf = must_prefill(CAP);
	take_many(sheaf, objects, CAP - 1);
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, 1), 0);
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), 1);
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, 2), 0);
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), CAP);
	ck_assert_ptr_eq(sheaf, before);
	take_many(sheaf, objects + CAP - 1, CAP);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects, 2 * CAP - 1);
	cache_end(cache);
}
END_TEST

START_TEST(refill_beyond_capacity_exchanges_the_sheaf)
{
	struct umaple_sheaf *sheaf;

	start(_i);
	sheaf = must_prefill(2);
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, 3 * CAP), 0);
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), 3 * CAP);
	take_many(sheaf, objects, 3 * CAP);
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, 2), 0);
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), 2);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects, 3 * CAP);
	cache_end(cache);
}
END_TEST

START_TEST(refilling_nothing_is_refused)
{
	struct umaple_sheaf *sheaf = NULL;

	start(_i);
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, 1), -EINVAL);
	umaple_cache_return(cache, NULL);
	cache_end(cache);
}
END_TEST

START_TEST(held_guard_borrows_and_returns_the_slow_way)
{
	struct umaple_cache_stats stats;
	struct umaple_sheaf *sheaf;
	struct cache_cpu *cpu;

	start(_i);
	cpu = hold_guard(cache);
	sheaf = must_prefill(3);
	umaple_cache_return(cache, sheaf);
	cache_cpu_unlock(cpu);

	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.sheaf_prefill_slow, 1);
	ck_assert_uint_eq(stats.sheaf_return_slow, 1);
	ck_assert_uint_eq(stats.barn_put, 1);
	cache_end(cache);
}
END_TEST

START_TEST(no_guard_is_held_and_nothing_is_left_in_the_gate)
{
	uint64_t sums[NR_EVENTS];
	struct umaple_sheaf *sheaf;

	start(_i);
	sheaf = must_prefill(CAP + 1);
	cache_verify(cache);
	umaple_cache_return(cache, sheaf);
	umaple_cache_sum(cache, sums);
	ck_assert_uint_gt(sums[EVENT_ENTER], 0);
	ck_assert_uint_eq(sums[EVENT_ENTER], sums[EVENT_LEAVE]);
	for (unsigned int i = 0; i < cache->table.count; i++)
		ck_assert_uint_eq(cache_cpu_of(cache, i)->guard.lock, 0);
	cache_end(cache);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("prefill");

	tcase_add_loop_test(tc, borrowed_sheaf_serves_all_it_promised, 0,
			    3 * CAP);
	tcase_add_loop_test(tc, sheaf_gives_null_once_it_is_empty, 0, NR_FORMS);
	tcase_add_loop_test(tc, returned_sheaf_is_lent_again_as_it_is, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, short_spare_is_filled_to_capacity, 0, NR_FORMS);
	tcase_add_loop_test(
		tc, short_spare_is_topped_up_from_own_freed_objects_first, 0,
		NR_FORMS);
	tcase_add_loop_test(tc, barn_serves_when_there_is_no_spare, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, oversize_sheaf_holds_exactly_what_was_asked, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, held_guard_borrows_and_returns_the_slow_way, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc,
			    no_guard_is_held_and_nothing_is_left_in_the_gate, 0,
			    NR_FORMS);
	suite_add_tcase(s, tc);

	tc = tcase_create("refill");
	tcase_add_loop_test(tc, refill_restores_the_promise, 0, NR_FORMS);
	tcase_add_loop_test(tc, refill_beyond_capacity_exchanges_the_sheaf, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, refilling_nothing_is_refused, 0, NR_FORMS);
	suite_add_tcase(s, tc);

	tc = tcase_create("return");
	tcase_add_loop_test(
		tc, second_return_is_filled_for_the_barn_while_it_has_room, 0,
		NR_FORMS);
	suite_add_tcase(s, tc);
}
