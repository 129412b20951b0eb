/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache_check.c - cache/cache_check.c: each kind of damage is found, and named
 * by its invariant.
 */

#include <errno.h>

#include "caches.h"
#include "platform/rcu.h"

const char *const suite_name = "cache_check";

#define CAP 4

static struct umaple_cache *cache;
static struct cache_cpu *cpu;
static void *objects[8 * CAP];

/* Main and spare hold sheaves, the barn two, one part-filled, and two wait. */
static void set_up(void)
{
	stay_on_one_cpu();
	cache = cache_make(1, 64, CAP);
	alloc_many(cache, objects, 6 * CAP);
	umaple_rcu_read_lock(umaple_rcu_default());
	free_rcu_many(cache, objects, 2 * CAP + 1);
	free_many(cache, objects + 2 * CAP + 1, 3 * CAP - 1);
	cpu = cache_cpu_of(cache, umaple_cpu_current());
	cache->barn.partial = cache_sheaf_of(cache, CAP - 1);
	cache_verify(cache);
}

static void tear_down(void)
{
	umaple_rcu_read_unlock(umaple_rcu_default());
	cache_verify(cache);
	free_many(cache, objects + 5 * CAP, CAP);
	cache_end(cache);
}

static void expect(const char *invariant)
{
	char text[256] = "";

	ck_assert_int_eq(umaple_cache_check(cache, text, sizeof(text)),
			 -EUCLEAN);
	ck_assert_msg(strncmp(text, invariant, strlen(invariant)) == 0,
		      "%s, not %s", text, invariant);
	ck_assert_int_eq(umaple_cache_check(cache, NULL, 0), -EUCLEAN);
}

START_TEST(stack_deeper_than_its_sheaf_is_found)
{
	cache_cpu_main(cpu)->limit++;
	expect("C1");
	cache_cpu_main(cpu)->limit--;
	cache_cpu_main(cpu)->slots++;
	expect("C1");
	cache_cpu_main(cpu)->slots--;
}
END_TEST

START_TEST(overfull_spare_is_found)
{
	uint32_t count = cpu->spare->count;

	cpu->spare->count = CAP + 1;
	expect("C2");
	cpu->spare->count = count;
}
END_TEST

START_TEST(queue_out_of_order_is_found)
{
	cpu->queue_length++;
	expect("C3");
	cpu->queue_length--;
	cpu->queue->sequence += 100;
	expect("C3");
	cpu->queue->sequence -= 100;
	cpu->queue_sequence--;
	expect("C3");
	cpu->queue_sequence++;
}
END_TEST

static void find_foreign_object(struct umaple_sheaf *sheaf)
{
	void *object = sheaf->objects[0];

	sheaf->objects[0] = (char *)object + 1;
	expect("C4");
	sheaf->objects[0] = object;
}

START_TEST(foreign_object_is_found)
{
	find_foreign_object(cpu->spare);
	find_foreign_object(cache->barn.partial);
}
END_TEST

static void find_shared_object(struct umaple_sheaf *sheaf)
{
	void *object = sheaf->objects[0];

	sheaf->objects[0] = cpu->queue->objects[0];
	expect("C5");
	sheaf->objects[0] = object;
}

START_TEST(object_in_two_sheaves_is_found)
{
	find_shared_object(cpu->spare);
	find_shared_object(cache->barn.partial);
}
END_TEST

START_TEST(wrong_number_of_waiting_objects_is_found)
{
	size_t pending = cache->pending;

	cache->pending = 2 * CAP - 1;
	expect("C6");
	cache->pending = 1000;
	expect("C6");
	cache->pending = pending;
}
END_TEST

START_TEST(wrong_counter_is_found)
{
	cache->stray[EVENT_SHEAF_REFILL]++;
	expect("C7");
	cache->stray[EVENT_SHEAF_REFILL]--;
}
END_TEST

START_TEST(held_guard_and_open_gate_are_found)
{
	cpu->guard.lock = 1;
	expect("C8");
	cpu->guard.lock = 0;
	cache->stray[EVENT_ENTER]++;
	expect("C8");
	cache->stray[EVENT_ENTER]--;
}
END_TEST

START_TEST(damage_below_is_found)
{
	cache->barn.nr_full++;
	expect("S3");
	cache->barn.nr_full--;
	cache->node.nr_partial++;
	expect("L");
	cache->node.nr_partial--;
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("damage");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, stack_deeper_than_its_sheaf_is_found);
	tcase_add_test(tc, overfull_spare_is_found);
	tcase_add_test(tc, queue_out_of_order_is_found);
	tcase_add_test(tc, foreign_object_is_found);
	tcase_add_test(tc, object_in_two_sheaves_is_found);
	tcase_add_test(tc, wrong_number_of_waiting_objects_is_found);
	tcase_add_test(tc, wrong_counter_is_found);
	tcase_add_test(tc, held_guard_and_open_gate_are_found);
	tcase_add_test(tc, damage_below_is_found);
	suite_add_tcase(s, tc);
}
