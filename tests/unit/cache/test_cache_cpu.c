/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_cpu.c - cache/cache_cpu.c and cache/cache_sheaf.c: sheaves put into
 * places, taken out of them, and passed between barn and slabs.
 */

#include "caches.h"

const char *const suite_name = "cache_cpu";

#define CAP 4

static struct umaple_cache *cache;
static struct cache_cpu *cpu;

static void set_up(void)
{
	stay_on_one_cpu();
	cache = cache_make(1, 64, CAP);
	cache_enter(cache);
	cpu = cache_cpu_of(cache, umaple_cpu_current());
}

static void tear_down(void)
{
	cache_leave(cache);
	cache_end(cache);
}

static struct umaple_sheaf *sheaf_of(size_t count)
{
	return cache_sheaf_of(cache, count);
}

static void discard(struct umaple_sheaf *sheaf)
{
	umaple_cache_sheaf_flush(cache, sheaf);
	umaple_cache_sheaf_drop(cache, sheaf);
}

START_TEST(main_counts_steps_while_it_is_installed)
{
	struct umaple_sheaf *sheaf = sheaf_of(3);
	struct umaple_cache_stats stats;
	void *object, *kept;

	hold_guard(cache);
	umaple_cache_cpu_set_main(cpu, sheaf);
	cache_cpu_unlock(cpu);
	object = umaple_guard_pop(&cache->table);
	kept = umaple_guard_pop(&cache->table);
	ck_assert(umaple_guard_push(&cache->table, GUARD_MAIN, object));
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.alloc_fastpath, 2);
	ck_assert_uint_eq(stats.free_fastpath, 1);

	hold_guard(cache);
	ck_assert_ptr_eq(umaple_cache_cpu_pull_main(cache, cpu), sheaf);
	ck_assert_ptr_null(umaple_cache_cpu_pull_main(cache, cpu));
	cache_cpu_unlock(cpu);
	ck_assert_uint_eq(sheaf->count, 2);
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.alloc_fastpath, 2);
	ck_assert_uint_eq(stats.free_fastpath, 1);
	umaple_sheaf_push(sheaf, kept);
	discard(sheaf);
}
END_TEST

START_TEST(queue_gives_sheaves_in_order_after_their_grace_periods)
{
	struct umaple_sheaf *first = sheaf_of(CAP), *second = sheaf_of(CAP);
	struct umaple_sheaf *empty[2] = { sheaf_of(0), sheaf_of(0) };

	hold_guard(cache);
	for (int i = 0; i < 2; i++) {
		umaple_cache_cpu_set_rcu(cpu, empty[i]);
		while (umaple_guard_stack_push(cache_cpu_rcu(cpu),
					       umaple_sheaf_pop(i ? second
								  : first)))
			if (!(i ? second : first)->count)
				break;
		umaple_cache_cpu_send(cache, cpu);
	}
	ck_assert(!umaple_cache_cpu_is_ready(cache, cpu));
	ck_assert_uint_eq(cache->pending, 2 * CAP);
	cache_cpu_unlock(cpu);
	pass_grace_period(cache);

	hold_guard(cache);
	for (int i = 0; i < 2; i++) {
		ck_assert(umaple_cache_cpu_is_ready(cache, cpu));
		ck_assert_ptr_eq(umaple_cache_cpu_pull_ready(cache, cpu),
				 empty[i]);
	}
	ck_assert(!umaple_cache_cpu_is_ready(cache, cpu));
	cache_cpu_unlock(cpu);
	ck_assert_uint_eq(cache->pending, 0);
	discard(empty[0]);
	discard(empty[1]);
	discard(first);
	discard(second);
}
END_TEST

START_TEST(topping_up_empties_the_oldest_step_by_step)
{
	struct umaple_sheaf *from = sheaf_of(CAP), *to = sheaf_of(1);
	struct umaple_sheaf *waiting = sheaf_of(0);

	hold_guard(cache);
	umaple_cache_cpu_set_rcu(cpu, waiting);
	while (from->count)
		ck_assert(umaple_guard_stack_push(cache_cpu_rcu(cpu),
						  umaple_sheaf_pop(from)));
	umaple_cache_cpu_send(cache, cpu);
	ck_assert_ptr_null(umaple_cache_cpu_top_up(cache, cpu, to));
	ck_assert_uint_eq(to->count, 1);
	cache_cpu_unlock(cpu);
	pass_grace_period(cache);

	hold_guard(cache);
	ck_assert_ptr_null(umaple_cache_cpu_top_up(cache, cpu, to));
	ck_assert_uint_eq(to->count, CAP);
	ck_assert_uint_eq(cache->pending, 1);
	ck_assert_ptr_eq(umaple_cache_cpu_top_up(cache, cpu, from), waiting);
	ck_assert_uint_eq(from->count, 1);
	ck_assert_uint_eq(cache->pending, 0);
	cache_cpu_unlock(cpu);
	discard(waiting);
	discard(from);
	discard(to);
}
END_TEST

START_TEST(trade_gives_an_empty_sheaf_whatever_the_barn_holds)
{
	struct umaple_sheaf *empty;

	for (int i = 0; i < BARN_MAX_FULL + 3; i++) {
		empty = umaple_cache_sheaf_trade(cache, sheaf_of(CAP));
		ck_assert_ptr_nonnull(empty);
		ck_assert_uint_eq(empty->count, 0);
		umaple_cache_sheaf_drop(cache, empty);
	}
	ck_assert_uint_eq(umaple_barn_nr_full(&cache->barn), BARN_MAX_FULL);
	ck_assert_uint_eq(cache_stats(cache).barn_put, BARN_MAX_FULL);
	ck_assert_uint_eq(cache_stats(cache).barn_put_fail, 3);
}
END_TEST

START_TEST(part_filled_sheaf_is_settled_in_its_slabs)
{
	umaple_cache_sheaf_settle(cache, sheaf_of(CAP - 1));
	ck_assert_uint_eq(cache_stats(cache).sheaf_flush, CAP - 1);
	ck_assert_uint_eq(cache_stats(cache).barn_put_fail, 0);
	umaple_cache_sheaf_settle(cache, sheaf_of(CAP));
	ck_assert_uint_eq(cache_stats(cache).barn_put, 1);
}
END_TEST

START_TEST(dropped_sheaf_is_kept_by_the_barn_or_deleted)
{
	struct umaple_sheaf *sheaves[BARN_MAX_EMPTY + 2];
	size_t n = ARRAY_SIZE(sheaves);

	umaple_cache_sheaf_drop(cache, NULL);
	for (size_t i = 0; i < n; i++)
		sheaves[i] = sheaf_of(0);
	for (size_t i = 0; i < n; i++)
		umaple_cache_sheaf_drop(cache, sheaves[i]);
	ck_assert_uint_eq(umaple_barn_nr_empty(&cache->barn), BARN_MAX_EMPTY);
	ck_assert_uint_eq(cache_stats(cache).sheaf_free, 2);
}
END_TEST

START_TEST(dropped_sheaf_with_objects_is_kept_up_to_the_limit_or_flushed)
{
	umaple_cache_sheaf_drop(cache, sheaf_of(1));
	ck_assert_uint_eq(cache_stats(cache).sheaf_flush, 1);
	for (int i = 0; i < BARN_MAX_FULL + 2; i++)
		umaple_cache_sheaf_drop(cache, sheaf_of(CAP));
	ck_assert_uint_eq(umaple_barn_nr_full(&cache->barn), BARN_MAX_FULL);
	ck_assert_uint_eq(cache_stats(cache).barn_put_fail, 2);
	ck_assert_uint_eq(cache_stats(cache).sheaf_flush, 1 + 2 * CAP);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("cpu");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, main_counts_steps_while_it_is_installed);
	tcase_add_test(tc,
		       queue_gives_sheaves_in_order_after_their_grace_periods);
	tcase_add_test(tc, topping_up_empties_the_oldest_step_by_step);
	suite_add_tcase(s, tc);

	tc = tcase_create("sheaf");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, trade_gives_an_empty_sheaf_whatever_the_barn_holds);
	tcase_add_test(tc, part_filled_sheaf_is_settled_in_its_slabs);
	tcase_add_test(tc, dropped_sheaf_is_kept_by_the_barn_or_deleted);
	tcase_add_test(
		tc,
		dropped_sheaf_with_objects_is_kept_up_to_the_limit_or_flushed);
	suite_add_tcase(s, tc);
}
