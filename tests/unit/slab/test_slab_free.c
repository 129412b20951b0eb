/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_free.c - slab/slab_free.c: each of the seven transitions, races laid
 * out step by step, batches, and misuse.
 */

#include <signal.h>
#include <string.h>

#include "platform/lock.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_free";

/* @count slabs, full, their objects in slab order. */
static void full_slabs(size_t count)
{
	for (; count; count--)
		take_objects(NODE_PER_SLAB);
}

/* @count partial slabs beside, whose objects come last in objects[]. */
static void partial_slabs(size_t count)
{
	size_t first = nr_objects;

	full_slabs(count);
	while (count--)
		give_objects(first + count * NODE_PER_SLAB, 1);
	umaple_slab_stats_reset(&node);
}

/* objects[0..64), which fill a slab, in one step. */
static void free_whole_slab(void)
{
	umaple_slab_free_objects(&node, umaple_slab_of(&node, objects[0]),
				 node.layout.all);
	nr_objects -= NODE_PER_SLAB;
	memmove(objects, objects + NODE_PER_SLAB,
		nr_objects * sizeof(objects[0]));
}

/* What umaple_slab_free_finish() needs round it. */
static void finish(struct umaple_slab *slab, uint64_t free,
		   enum umaple_free_step step)
{
	struct list_link discard;

	list_init(&discard);
	umaple_lock_take(&node.list_lock);
	umaple_slab_free_finish(&node, slab, free, step, &discard);
	umaple_lock_drop(&node.list_lock);
	umaple_pool_free_slabs(&node, &discard);
}

START_TEST(case_a_partial_stays_partial)
{
	full_slabs(1);
	give_objects(0, 1);
	umaple_slab_stats_reset(&node);

	umaple_lock_take(&node.list_lock);
	give_objects(0, 1); /* would hang if it took the lock */
	umaple_lock_drop(&node.list_lock);

	assert_counters(0, 0, 0);
	assert_levels(1, 1, 62);
}
END_TEST

START_TEST(case_b_empty_off_the_list_is_left_to_who_owes_it)
{
	struct umaple_slab *slab;

	full_slabs(1);
	slab = umaple_slab_of(&node, objects[0]);
	ck_assert_int_eq(umaple_slab_free_begin(&node, slab, 1), FREE_LIST);
	umaple_slab_give(&node, objects + 1, NODE_PER_SLAB - 1);
	nr_objects = 0;

	ck_assert_uint_eq(slab->free, node.layout.all);
	ck_assert_uint_eq(node.nr_partial, 0);
	ck_assert_uint_eq(node.nr_slabs, 1);
	assert_counters(0, 0, 0);

	/* Full -> partial has become full -> empty meanwhile: case f. */
	finish(slab, 1, FREE_LIST);
	assert_counters(1, 0, 0);
	assert_levels(1, 1, 0);
}
END_TEST

START_TEST(case_b_then_e_gives_the_slab_back)
{
	struct umaple_slab *slab;

	full_slabs(1);
	slab = umaple_slab_of(&node, objects[0]);
	partial_slabs(MIN_PARTIAL);
	ck_assert_int_eq(umaple_slab_free_begin(&node, slab, 1), FREE_LIST);
	give_objects(1, NODE_PER_SLAB - 1);
	objects[0] = objects[--nr_objects];

	finish(slab, 1, FREE_LIST);
	assert_counters(0, 0, 1);
	assert_levels(MIN_PARTIAL, MIN_PARTIAL, MIN_PARTIAL * 63);
}
END_TEST

START_TEST(case_c_empty_with_enough_partial_goes_back)
{
	full_slabs(1);
	partial_slabs(MIN_PARTIAL);
	give_objects(0, 1);
	umaple_slab_stats_reset(&node);

	give_objects(0, NODE_PER_SLAB - 1);
	assert_counters(0, 1, 1);
	assert_levels(MIN_PARTIAL, MIN_PARTIAL, MIN_PARTIAL * 63);
}
END_TEST

START_TEST(case_d_empty_with_few_partial_stays)
{
	full_slabs(1);
	partial_slabs(MIN_PARTIAL - 2);
	give_objects(0, 1);
	umaple_slab_stats_reset(&node);

	give_objects(0, NODE_PER_SLAB - 1);
	assert_counters(0, 0, 0);
	assert_levels(MIN_PARTIAL - 1, MIN_PARTIAL - 1, (MIN_PARTIAL - 2) * 63);
}
END_TEST

START_TEST(case_e_full_to_empty_with_enough_partial_goes_back)
{
	full_slabs(2);
	partial_slabs(MIN_PARTIAL);

	free_whole_slab();
	assert_counters(0, 0, 1);
	assert_levels(MIN_PARTIAL + 1, MIN_PARTIAL, NODE_PER_SLAB + 5 * 63);
}
END_TEST

START_TEST(case_f_full_to_empty_with_few_partial_is_listed)
{
	full_slabs(1);
	partial_slabs(MIN_PARTIAL - 1);

	free_whole_slab();
	assert_counters(1, 0, 0);
	assert_levels(MIN_PARTIAL, MIN_PARTIAL, (MIN_PARTIAL - 1) * 63);
}
END_TEST

START_TEST(case_e_and_f_with_one_object_per_slab)
{
	node_set_up_for(29536);
	ck_assert_uint_eq(node.geo.objs_per_slab, 1);
	take_objects(node.geo.min_partial + 3);

	give_objects(0, node.geo.min_partial);
	assert_counters(node.geo.min_partial, 0, 0);
	assert_levels(node.geo.min_partial + 3, node.geo.min_partial, 3);
	give_objects(0, 2);
	assert_counters(node.geo.min_partial, 0, 2);
	assert_levels(node.geo.min_partial + 1, node.geo.min_partial, 1);
	node_tear_down();
}
END_TEST

START_TEST(case_g_full_to_partial_is_listed_at_the_back)
{
	full_slabs(1);
	partial_slabs(MIN_PARTIAL + 1);

	give_objects(0, 1);
	assert_counters(1, 0, 0);
	assert_levels(MIN_PARTIAL + 2, MIN_PARTIAL + 2, 7 * 63);
	ck_assert_ptr_eq(umaple_slab_of_link(node.partial.prev),
			 umaple_slab_of(&node, objects[0]));
}
END_TEST

/* The last bit was to be set under the lock; a refill came first. */
START_TEST(last_bit_after_a_refill_of_some_is_case_a)
{
	struct umaple_slab *slab;
	void *last;

	full_slabs(1);
	last = objects[63];
	slab = umaple_slab_of(&node, last);
	give_objects(0, 63);
	umaple_slab_stats_reset(&node);
	ck_assert_int_eq(umaple_slab_free_begin(&node, slab, UINT64_C(1) << 63),
			 FREE_LAST);
	take_objects(10);

	finish(slab, UINT64_C(1) << 63, FREE_LAST);
	objects[0] = objects[--nr_objects];
	assert_counters(0, 0, 0);
	assert_levels(1, 1, 10);
}
END_TEST

START_TEST(last_bit_after_a_refill_of_all_is_case_g)
{
	struct umaple_slab *slab;

	full_slabs(1);
	slab = umaple_slab_of(&node, objects[63]);
	give_objects(0, 63);
	umaple_slab_stats_reset(&node);
	ck_assert_int_eq(umaple_slab_free_begin(&node, slab, UINT64_C(1) << 63),
			 FREE_LAST);
	take_objects(63);
	ck_assert_uint_eq(node.nr_partial, 0);

	finish(slab, UINT64_C(1) << 63, FREE_LAST);
	objects[0] = objects[--nr_objects];
	assert_counters(1, 0, 0);
	assert_levels(1, 1, 63);
}
END_TEST

/* Objects of 100 slabs in random order; several batches, each of many slabs. */
START_TEST(batches_of_many_slabs_lose_nothing)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	full_slabs(100);
	for (size_t i = nr_objects; i > 1; i--) {
		size_t j = rng_below(&rng, i);
		void *object = objects[j];

		objects[j] = objects[i - 1];
		objects[i - 1] = object;
	}

	while (nr_objects) {
		size_t n = 1 + rng_below(&rng, 200);

		if (n > nr_objects)
			n = nr_objects;
		give_objects(nr_objects - n, n);
		assert_sound();
	}
	ck_assert_uint_le(node.nr_slabs, MIN_PARTIAL);
}
END_TEST

START_TEST(double_free_dies)
{
	take_objects(2);
	umaple_slab_give(&node, objects, 1);
	umaple_slab_give(&node, objects, 1);
}
END_TEST

START_TEST(double_free_in_one_batch_dies)
{
	take_objects(2);
	objects[1] = objects[0];
	umaple_slab_give(&node, objects, 2);
}
END_TEST

/* The slab has gone back to its chunk by the second time. */
START_TEST(double_free_after_the_slab_dies)
{
	full_slabs(2);
	partial_slabs(MIN_PARTIAL);
	umaple_slab_give(&node, objects, NODE_PER_SLAB);
	ck_assert_uint_eq(node.free_slab, 1);
	umaple_slab_give(&node, objects + 3, 1);
}
END_TEST

START_TEST(free_of_an_object_never_taken_dies)
{
	void *object;

	take_objects(1);
	object = (char *)objects[0] + 100 * node.geo.slab_bytes;
	ck_assert(umaple_slab_owns(&node, object));
	umaple_slab_give(&node, &object, 1);
}
END_TEST

START_TEST(double_free_of_the_last_dies)
{
	take_objects(64);
	umaple_slab_give(&node, objects, 64);
	umaple_slab_give(&node, objects + 5, 1);
}
END_TEST

START_TEST(free_of_a_deferred_object_dies)
{
	take_objects(2);
	umaple_slab_defer(&node, objects[0]);
	umaple_slab_give(&node, objects, 1);
}
END_TEST

START_TEST(free_of_another_nodes_object_dies)
{
	static struct umaple_slab_node other;
	void *object;

	ck_assert_int_eq(umaple_slab_node_init(&other, &node.geo, "other"), 0);
	ck_assert_uint_eq(umaple_slab_take(&other, &object, 1), 1);
	umaple_slab_give(&node, &object, 1);
}
END_TEST

START_TEST(free_of_the_inside_of_an_object_dies)
{
	void *object;

	take_objects(1);
	object = (char *)objects[0] + 8;
	umaple_slab_give(&node, &object, 1);
}
END_TEST

START_TEST(free_of_null_dies)
{
	void *object = NULL;

	umaple_slab_give(&node, &object, 1);
}
END_TEST

static void add_transitions(Suite *s)
{
	TCase *tc = tcase_create("slab_free.cases");

	/* Loops are scaled: Meson's timeout is scaled with them. */
	tcase_set_timeout(tc, 0);
	tcase_add_checked_fixture(tc, node_set_up, node_tear_down);
	tcase_add_test(tc, case_a_partial_stays_partial);
	tcase_add_test(tc, case_b_empty_off_the_list_is_left_to_who_owes_it);
	tcase_add_test(tc, case_b_then_e_gives_the_slab_back);
	tcase_add_test(tc, case_c_empty_with_enough_partial_goes_back);
	tcase_add_test(tc, case_d_empty_with_few_partial_stays);
	tcase_add_test(tc, case_e_full_to_empty_with_enough_partial_goes_back);
	tcase_add_test(tc, case_f_full_to_empty_with_few_partial_is_listed);
	tcase_add_test(tc, case_e_and_f_with_one_object_per_slab);
	tcase_add_test(tc, case_g_full_to_partial_is_listed_at_the_back);
	tcase_add_test(tc, last_bit_after_a_refill_of_some_is_case_a);
	tcase_add_test(tc, last_bit_after_a_refill_of_all_is_case_g);
	tcase_add_test(tc, batches_of_many_slabs_lose_nothing);
	suite_add_tcase(s, tc);
}

static void add_deaths(Suite *s)
{
	TCase *tc = tcase_create("slab_free.death");

	tcase_set_tags(tc, "death");
	tcase_add_checked_fixture(tc, node_set_up, NULL);
	tcase_add_test_raise_signal(tc, double_free_dies, SIGABRT);
	tcase_add_test_raise_signal(tc, double_free_in_one_batch_dies, SIGABRT);
	tcase_add_test_raise_signal(tc, double_free_after_the_slab_dies,
				    SIGABRT);
	tcase_add_test_raise_signal(tc, free_of_an_object_never_taken_dies,
				    SIGABRT);
	tcase_add_test_raise_signal(tc, double_free_of_the_last_dies, SIGABRT);
	tcase_add_test_raise_signal(tc, free_of_a_deferred_object_dies,
				    SIGABRT);
	tcase_add_test_raise_signal(tc, free_of_another_nodes_object_dies,
				    SIGABRT);
	tcase_add_test_raise_signal(tc, free_of_the_inside_of_an_object_dies,
				    SIGABRT);
	tcase_add_test_raise_signal(tc, free_of_null_dies, SIGABRT);
	suite_add_tcase(s, tc);
}

void register_cases(Suite *s)
{
	add_transitions(s);
	add_deaths(s);
}
