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

/* --- the barn's partial sheaf --- */

/* The spare holds @spare, the barn @fulls full sheaves and @partial in another. */
static void start_short(int variant, size_t spare, int fulls, size_t partial)
{
	struct cache_cpu *cpu;

	stay_on_one_cpu();
	cache = cache_make_variant(variant, 64, CAP);
	cpu = cache_cpu_of(cache, umaple_cpu_current());
	cpu->spare = cache_sheaf_of(cache, spare);
	for (; fulls; fulls--)
		ck_assert(umaple_barn_put_full(
			&cache->barn, cache_sheaf_of(cache, CAP), false));
	if (partial)
		cache->barn.partial = cache_sheaf_of(cache, partial);
	umaple_cache_stats_reset(cache);
}

static size_t nr_partial(void)
{
	return cache->barn.partial ? cache->barn.partial->count : 0;
}

/* Borrow @count of what start_short() made; nothing but that was done. */
static struct umaple_cache_stats prefill_short(size_t count)
{
	struct umaple_sheaf *sheaf = must_prefill(count);
	struct umaple_cache_stats stats = cache_stats(cache);

	cache_verify(cache);
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), CAP);
	ck_assert_uint_eq(stats.sheaf_prefill_fast, 1);
	umaple_cache_return(cache, sheaf);
	return stats;
}

static void expect_gets(struct umaple_cache_stats stats, uint64_t gets,
			uint64_t fails, uint64_t refilled)
{
	ck_assert_uint_eq(stats.barn_get, gets);
	ck_assert_uint_eq(stats.barn_get_fail, fails);
	ck_assert_uint_eq(stats.sheaf_refill, refilled);
	ck_assert_uint_eq(stats.barn_put, 0);
	ck_assert_uint_eq(stats.sheaf_flush, 0);
}

START_TEST(short_spare_is_exchanged_for_a_full_sheaf)
{
	struct umaple_cache_stats stats;

	start_short(_i, 2, 2, 0);
	stats = prefill_short(3);
	if (variant_uses_barn(_i)) {
		expect_gets(stats, 1, 0, 0);
		ck_assert_uint_eq(nr_partial(), 2);
		ck_assert_uint_eq(umaple_barn_nr_full(&cache->barn), 1);
	} else {
		expect_gets(stats, 0, 0, CAP - 2);
		ck_assert_uint_eq(nr_partial(), 0);
		ck_assert_uint_eq(umaple_barn_nr_full(&cache->barn), 2);
	}
	cache_end(cache);
}
END_TEST

/* Then the barn has given a sheaf more often than it was given a full one. */
START_TEST(short_spare_is_filled_from_the_partial_sheaf)
{
	struct umaple_cache_stats stats;

	start_short(_i, 3, 1, CAP - 2);
	stats = prefill_short(4);
	ck_assert_uint_eq(umaple_barn_nr_full(&cache->barn), 1);
	if (variant_uses_barn(_i)) {
		expect_gets(stats, 1, 0, 0);
		ck_assert_uint_eq(nr_partial(), 1);
	} else {
		expect_gets(stats, 0, 0, CAP - 3);
		ck_assert_uint_eq(nr_partial(), CAP - 2);
	}
	cache_end(cache);
}
END_TEST

START_TEST(short_spare_goes_to_slabs_when_the_barn_has_too_little)
{
	start_short(_i, 2, 0, 3);
	expect_gets(prefill_short(3), 0, variant_uses_barn(_i), CAP - 2);
	ck_assert_uint_eq(nr_partial(), 3);
	cache_end(cache);

	start_short(_i, 2, 0, 0);
	expect_gets(prefill_short(3), 0, variant_uses_barn(_i), CAP - 2);
	cache_end(cache);
}
END_TEST

/* Only what the barn could not give comes from slabs. */
START_TEST(part_filled_sheaf_of_the_barn_is_filled_from_slabs)
{
	struct umaple_cache_stats stats;

	start_short(_i, 2, 0, 0);
	ck_assert(umaple_barn_put_full(&cache->barn, cache_sheaf_of(cache, 3),
				       false));
	umaple_cache_stats_reset(cache);
	stats = prefill_short(CAP);
	if (variant_uses_barn(_i))
		expect_gets(stats, 1, 0, CAP - 5);
	else
		expect_gets(stats, 0, 0, CAP - 2);
	cache_end(cache);
}
END_TEST

START_TEST(shrink_empties_the_partial_sheaf)
{
	start_short(_i, 2, 2, 3);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(nr_partial(), 0);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);

	start_short(_i, 2, 2, 3);
	cache_end(cache);
}
END_TEST

START_TEST(refill_exchanges_at_the_barn_too)
{
	struct umaple_sheaf *sheaf, *before;
	struct umaple_cache_stats stats;

	start_short(_i, CAP, 1, 0);
	before = sheaf = must_prefill(CAP);
	take_many(sheaf, objects, CAP - 2);
	umaple_cache_stats_reset(cache);
	ck_assert_int_eq(umaple_cache_refill(cache, &sheaf, 3), 0);
	ck_assert_uint_eq(umaple_cache_sheaf_count(sheaf), CAP);
	stats = cache_stats(cache);
	if (variant_uses_barn(_i)) {
		expect_gets(stats, 1, 0, 0);
		ck_assert_ptr_eq(cache->barn.partial, before);
		ck_assert_ptr_null(before->owner);
	} else {
		expect_gets(stats, 0, 0, CAP - 2);
		ck_assert_ptr_eq(sheaf, before);
	}
	take_many(sheaf, objects + CAP - 2, CAP);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects, 2 * CAP - 2);
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

	tc = tcase_create("partial");
	tcase_add_loop_test(tc, short_spare_is_exchanged_for_a_full_sheaf, 0,
			    NR_BARN_VARIANTS);
	tcase_add_loop_test(tc, short_spare_is_filled_from_the_partial_sheaf, 0,
			    NR_BARN_VARIANTS);
	tcase_add_loop_test(
		tc, short_spare_goes_to_slabs_when_the_barn_has_too_little, 0,
		NR_BARN_VARIANTS);
	tcase_add_loop_test(tc,
			    part_filled_sheaf_of_the_barn_is_filled_from_slabs,
			    0, NR_BARN_VARIANTS);
	tcase_add_loop_test(tc, shrink_empties_the_partial_sheaf, 0,
			    NR_BARN_VARIANTS);
	tcase_add_loop_test(tc, refill_exchanges_at_the_barn_too, 0,
			    NR_BARN_VARIANTS);
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
