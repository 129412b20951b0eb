/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab.c - slab/slab.c: what is taken is distinct, aligned, and there.
 */

#include <stdlib.h>
#include <string.h>

#include "platform/annotate.h"
#include "platform/fault.h"
#include "slab/slab.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab";

static int compare_pointers(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

/* Distinct, not overlapping, and owned. */
static void assert_distinct(void)
{
	static uintptr_t sorted[MAX_OBJECTS];

	memcpy(sorted, objects, nr_objects * sizeof(sorted[0]));
	qsort(sorted, nr_objects, sizeof(sorted[0]), compare_pointers);
	for (size_t i = 0; i < nr_objects; i++) {
		ck_assert(umaple_slab_owns(&node, (void *)sorted[i]));
		if (i)
			ck_assert_uint_ge(sorted[i],
					  sorted[i - 1] + node.geo.slot_size);
	}
}

START_TEST(nothing_is_mapped_before_the_first_take)
{
	ck_assert_ptr_null(node.idle);
	take_objects(0);
	assert_levels(0, 0, 0);
	ck_assert_ptr_null(node.idle);
}
END_TEST

START_TEST(objects_are_distinct_over_many_slabs)
{
	take_objects(1);
	take_objects(NODE_PER_SLAB);
	take_objects(5000);
	assert_distinct();
	assert_levels((5065 + 63) / 64, 1, 5065);
}
END_TEST

START_TEST(fresh_slab_is_handed_out_in_address_order)
{
	take_objects(NODE_PER_SLAB);
	for (size_t i = 1; i < NODE_PER_SLAB; i++)
		ck_assert_ptr_eq((char *)objects[i],
				 (char *)objects[i - 1] + NODE_SIZE);
	assert_levels(1, 0, NODE_PER_SLAB);
}
END_TEST

START_TEST(rest_of_a_fresh_slab_serves_the_next_take)
{
	take_objects(10);
	assert_levels(1, 1, 10);
	take_objects(54);
	assert_levels(1, 0, 64);
	assert_distinct();
}
END_TEST

START_TEST(partial_slabs_are_used_up_before_a_fresh_one)
{
	take_objects(3 * NODE_PER_SLAB);
	for (size_t slab = 3; slab-- > 0;)
		give_objects(slab * NODE_PER_SLAB + 1, 20);
	assert_levels(3, 3, 132);

	take_objects(50);
	assert_levels(3, 1, 182);
	take_objects(11);
	assert_levels(4, 1, 193);
	assert_distinct();
}
END_TEST

START_TEST(take_of_part_leaves_the_slab_listed)
{
	take_objects(NODE_PER_SLAB);
	give_objects(0, 30);
	take_objects(29);
	assert_levels(1, 1, 63);
	take_objects(1);
	assert_levels(1, 0, 64);
}
END_TEST

/* More partial slabs than one hold of list_lock serves. */
START_TEST(one_take_drains_many_slabs)
{
	enum {
		SLABS = 50
	};

	take_objects(SLABS * NODE_PER_SLAB);
	for (size_t slab = SLABS; slab-- > 0;)
		give_objects(slab * NODE_PER_SLAB, 1);
	assert_levels(SLABS, SLABS, SLABS * 63);

	take_objects(SLABS);
	assert_levels(SLABS, 0, SLABS * NODE_PER_SLAB);
	assert_distinct();
}
END_TEST

static const size_t odd_sizes[] = { 1, 24, 1000, 29536, 265728, 1048576 };

START_TEST(other_sizes_are_served_too)
{
	node_set_up_for(odd_sizes[_i]);
	take_objects(40);
	assert_distinct();
	for (size_t i = 0; i < nr_objects; i++) {
		umaple_mark_used(objects[i], node.geo.object_size);
		memset(objects[i], 0x5a, node.geo.object_size);
		umaple_mark_free(objects[i], node.geo.object_size);
	}
	give_objects(10, 20);
	take_objects(10);
	assert_distinct();
	node_tear_down();
}
END_TEST

START_TEST(memory_in_no_use_is_marked)
{
#if UMAPLE_ASAN
	char *end;

	take_objects(1);
	end = (char *)umaple_chunk_of(objects[0]) + UMAPLE_CHUNK_BYTES;
	ck_assert(__asan_address_is_poisoned(objects[0]));
	ck_assert(__asan_address_is_poisoned(end - 1));
#endif
}
END_TEST

START_TEST(fini_refuses_while_objects_are_used)
{
	take_objects(100);
	give_objects(0, 40);
	ck_assert_uint_eq(umaple_slab_node_fini(&node), 60);
	assert_levels(2, 2, 60);
	take_objects(1);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(take_gives_what_there_is_when_memory_runs_out)
{
	size_t whole = (size_t)node.geo.slabs_per_chunk * NODE_PER_SLAB;

	ck_assert_uint_gt(whole, 8000);
	ck_assert_uint_lt(whole, MAX_OBJECTS);
	take_objects(8000);
	umaple_fault_set(0, true);
	nr_objects += umaple_slab_take(&node, objects + nr_objects,
				       MAX_OBJECTS - nr_objects);
	ck_assert(umaple_fault_fired());
	ck_assert_uint_eq(nr_objects, whole);
	ck_assert_uint_eq(umaple_slab_take(&node, objects, 1), 0);
	assert_levels(node.geo.slabs_per_chunk, 0, whole);

	umaple_fault_set(-1, false);
	take_objects(1);
	assert_distinct();
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("slab.take");
	TCase *odd = tcase_create("slab.sizes");

	tcase_add_checked_fixture(tc, node_set_up, node_tear_down);
	tcase_add_test(tc, nothing_is_mapped_before_the_first_take);
	tcase_add_test(tc, objects_are_distinct_over_many_slabs);
	tcase_add_test(tc, fresh_slab_is_handed_out_in_address_order);
	tcase_add_test(tc, rest_of_a_fresh_slab_serves_the_next_take);
	tcase_add_test(tc, partial_slabs_are_used_up_before_a_fresh_one);
	tcase_add_test(tc, take_of_part_leaves_the_slab_listed);
	tcase_add_test(tc, one_take_drains_many_slabs);
	tcase_add_test(tc, memory_in_no_use_is_marked);
	tcase_add_test(tc, fini_refuses_while_objects_are_used);
#if UMAPLE_FAULT_INJECTION
	tcase_add_test(tc, take_gives_what_there_is_when_memory_runs_out);
#endif
	suite_add_tcase(s, tc);
	tcase_add_loop_test(odd, other_sizes_are_served_too, 0,
			    ARRAY_SIZE(odd_sizes));
	suite_add_tcase(s, odd);
}
