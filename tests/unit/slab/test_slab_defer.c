/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_defer.c - slab/slab_defer.c: objects come back once, and not before
 * the collection they are in.
 */

#include <signal.h>

#include "platform/atomic.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_defer";

/* The last @count objects leave objects[] and wait. */
static void defer_objects(size_t count)
{
	for (; count; count--)
		umaple_slab_defer(&node, objects[--nr_objects]);
}

static size_t collect_and_release(void)
{
	struct umaple_slab *collection = umaple_slab_defer_collect(&node);

	ck_assert_ptr_nonnull(collection);
	assert_sound();
	return umaple_slab_defer_release(&node, collection);
}

START_TEST(deferred_objects_count_as_used_until_released)
{
	take_objects(200);
	defer_objects(150);
	assert_levels(4, 1, 200);

	ck_assert_uint_eq(collect_and_release(), 150);
	ck_assert_ptr_null(umaple_slab_defer_collect(&node));
	assert_sound();
	ck_assert_uint_eq(umaple_slab_node_fini(&node), 50);
}
END_TEST

START_TEST(nothing_deferred_gives_no_collection)
{
	ck_assert_ptr_null(umaple_slab_defer_collect(&node));
	take_objects(1);
	ck_assert_ptr_null(umaple_slab_defer_collect(&node));
}
END_TEST

/* Same slabs, before and after the collection. */
START_TEST(what_is_deferred_after_collecting_waits_for_the_next)
{
	struct umaple_slab *collection;

	take_objects(2 * NODE_PER_SLAB);
	for (size_t i = 0; i < nr_objects; i += 2)
		umaple_slab_defer(&node, objects[i]);
	collection = umaple_slab_defer_collect(&node);
	ck_assert_ptr_nonnull(collection);
	for (size_t i = 1; i < nr_objects; i += 4)
		umaple_slab_defer(&node, objects[i]);
	assert_sound();

	ck_assert_uint_eq(umaple_slab_defer_release(&node, collection), 64);
	assert_levels(2, 2, 64);
	ck_assert_uint_eq(collect_and_release(), 32);
	assert_levels(2, 2, 32);
	for (size_t i = 0; i < 32; i++)
		objects[i] = objects[4 * i + 3];
	nr_objects = 32;
}
END_TEST

START_TEST(one_collection_is_out_at_a_time)
{
	struct umaple_slab *collection;

	take_objects(2);
	defer_objects(1);
	collection = umaple_slab_defer_collect(&node);
	defer_objects(1);
	ck_assert_ptr_null(umaple_slab_defer_collect(&node));

	ck_assert_uint_eq(umaple_slab_defer_release(&node, collection), 1);
	ck_assert_uint_eq(collect_and_release(), 1);
}
END_TEST

/* Slabs that become empty are given back, while the collection is walked. */
START_TEST(release_gives_empty_slabs_back)
{
	take_objects(100 * NODE_PER_SLAB);
	defer_objects(nr_objects);
	ck_assert_uint_eq(collect_and_release(), 100 * NODE_PER_SLAB);
	assert_levels(MIN_PARTIAL, MIN_PARTIAL, 0);
}
END_TEST

START_TEST(double_defer_dies)
{
	take_objects(1);
	umaple_slab_defer(&node, objects[0]);
	umaple_slab_defer(&node, objects[0]);
}
END_TEST

START_TEST(defer_of_a_collected_object_dies)
{
	take_objects(1);
	umaple_slab_defer(&node, objects[0]);
	ck_assert_ptr_nonnull(umaple_slab_defer_collect(&node));
	umaple_slab_defer(&node, objects[0]);
}
END_TEST

START_TEST(defer_of_a_free_object_dies)
{
	take_objects(2);
	umaple_slab_give(&node, objects, 1);
	umaple_slab_defer(&node, objects[0]);
}
END_TEST

START_TEST(defer_of_a_foreign_address_dies)
{
	take_objects(1);
	umaple_slab_defer(&node, (char *)objects[0] + 1);
}
END_TEST

static void add_collections(Suite *s)
{
	TCase *tc = tcase_create("slab_defer");

	tcase_add_checked_fixture(tc, node_set_up, node_tear_down);
	tcase_add_test(tc, deferred_objects_count_as_used_until_released);
	tcase_add_test(tc, nothing_deferred_gives_no_collection);
	tcase_add_test(tc,
		       what_is_deferred_after_collecting_waits_for_the_next);
	tcase_add_test(tc, one_collection_is_out_at_a_time);
	tcase_add_test(tc, release_gives_empty_slabs_back);
	suite_add_tcase(s, tc);
}

static void add_deaths(Suite *s)
{
	TCase *tc = tcase_create("slab_defer.death");

	tcase_set_tags(tc, "death");
	tcase_add_checked_fixture(tc, node_set_up, NULL);
	tcase_add_test_raise_signal(tc, double_defer_dies, SIGABRT);
	tcase_add_test_raise_signal(tc, defer_of_a_collected_object_dies,
				    SIGABRT);
	tcase_add_test_raise_signal(tc, defer_of_a_free_object_dies, SIGABRT);
	tcase_add_test_raise_signal(tc, defer_of_a_foreign_address_dies,
				    SIGABRT);
	suite_add_tcase(s, tc);
}

void register_cases(Suite *s)
{
	add_collections(s);
	add_deaths(s);
}
