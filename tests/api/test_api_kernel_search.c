/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_api_kernel_search.c - umaple/kernel_tree.h: the allocators and the searches
 * leave their results, and the place to go on from, where the kernel's do.
 */

#include <pthread.h>

#include "kernel_test.h"

const char *const suite_name = "api.kernel_search";

#define GAPS MT_FLAGS_ALLOC_RANGE

static struct maple_tree mt;

/* -- allocators -------------------------------------------------------------------- */

START_TEST(ranges_are_allocated_from_either_end)
{
	unsigned long at = 99;

	mt_init_flags(&mt, GAPS);
	ck_assert_int_eq(mtree_alloc_rrange(&mt, &at, entry(1), 4, 0, 10,
					    GFP_KERNEL),
			 0);
	ck_assert_uint_eq(at, 7);
	ck_assert_int_eq(mtree_alloc_rrange(&mt, &at, entry(2), 4, 0, 10,
					    GFP_NOWAIT),
			 0);
	ck_assert_uint_eq(at, 3);
	ck_assert_int_eq(mtree_alloc_rrange(&mt, &at, entry(3), 4, 0, 10,
					    GFP_KERNEL),
			 -EBUSY);
	ck_assert_uint_eq(at, 3);
	ck_assert_int_eq(mtree_alloc_range(&mt, &at, entry(4), 3, 0, 100,
					   GFP_NOWAIT),
			 0);
	ck_assert_uint_eq(at, 0);
	ck_assert_int_eq(mtree_alloc_range(&mt, &at, entry(5), 3, 0, 100,
					   GFP_KERNEL),
			 0);
	ck_assert_uint_eq(at, 11);
	assert_range(&mt, 3, 6, entry(2));
	mtree_destroy(&mt);
}
END_TEST

START_TEST(impossible_allocations_are_refused)
{
	unsigned long at = 99, next = 0;

	mt_init_flags(&mt, GAPS);
	ck_assert_int_eq(mtree_alloc_range(&mt, &at, entry(1), 0, 0, 9,
					   GFP_KERNEL),
			 -EINVAL);
	ck_assert_int_eq(mtree_alloc_range(&mt, &at, entry(1), 1, 9, 8,
					   GFP_KERNEL),
			 -EINVAL);
	ck_assert_int_eq(mtree_alloc_rrange(&mt, &at, entry(1), 6, 5, 9,
					    GFP_KERNEL),
			 -EINVAL);
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 9, 8, &next,
					    GFP_KERNEL),
			 -EINVAL);
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, NULL, 0, 8, &next,
					    GFP_KERNEL),
			 -EINVAL);
	mt_init(&mt);
	ck_assert_int_eq(mtree_alloc_range(&mt, &at, entry(1), 1, 0, 9,
					   GFP_KERNEL),
			 -EINVAL);
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 0, 9, &next,
					    GFP_KERNEL),
			 -EINVAL);
	ck_assert_uint_eq(at, 99);
	ck_assert_uint_eq(next, 0);
	ck_assert(mtree_empty(&mt));
}
END_TEST

/* One that is given back is not used again at once, nor is it lost. */
START_TEST(cyclic_comes_round_and_says_so)
{
	unsigned long at, next = 0;

	mt_init_flags(&mt, GAPS);
	for (unsigned long i = 2; i <= 1024; i++) {
		ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 2, 1024,
						    &next, GFP_KERNEL),
				 0);
		ck_assert_uint_eq(at, i);
		ck_assert_uint_eq(next, i + 1);
	}
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 2, 1024, &next,
					    GFP_KERNEL),
			 -EBUSY);
	ck_assert_uint_eq(next, 1025);
	ck_assert_ptr_eq(mtree_erase(&mt, 123), entry(1));
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 2, 1024, &next,
					    GFP_NOWAIT),
			 1);
	ck_assert_uint_eq(at, 123);
	ck_assert_uint_eq(next, 124);
	ck_assert_ptr_eq(mtree_erase(&mt, 100), entry(1));
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 2, 1024, &next,
					    GFP_KERNEL),
			 1);
	ck_assert_uint_eq(at, 100);
	ck_assert_uint_eq(next, 101);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(cyclic_goes_past_the_highest_index)
{
	unsigned long at, next = ULONG_MAX - 1;

	mt_init_flags(&mt, GAPS);
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 0, ULONG_MAX,
					    &next, GFP_KERNEL),
			 0);
	ck_assert_uint_eq(at, ULONG_MAX - 1);
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 0, ULONG_MAX,
					    &next, GFP_KERNEL),
			 0);
	ck_assert_uint_eq(at, ULONG_MAX);
	ck_assert_uint_eq(next, 0);
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 0, ULONG_MAX,
					    &next, GFP_KERNEL),
			 1);
	ck_assert_uint_eq(at, 0);
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 0, ULONG_MAX,
					    &next, GFP_KERNEL),
			 0);
	ck_assert_uint_eq(at, 1);
	mtree_destroy(&mt);
}
END_TEST

/* The place to go on from belongs to the tree's lock, too. */
struct cyclist {
	unsigned long *next;
	unsigned long count;
	bool wrapped;
};

static void *allocate_cyclic(void *arg)
{
	struct cyclist *cyclist = (struct cyclist *)arg;
	unsigned long at;
	int ret;

	for (unsigned long i = 0; i < cyclist->count; i++) {
		ret = mtree_alloc_cyclic(&mt, &at, entry(1), 0, ULONG_MAX,
					 cyclist->next, GFP_KERNEL);
		if (ret)
			cyclist->wrapped = true;
	}
	return NULL;
}

START_TEST(cyclic_threads_share_the_place_to_go_on)
{
	unsigned long next = 0, count = test_scaled(500);
	struct cyclist cyclists[2] = { { &next, count, false },
				       { &next, count, false } };
	pthread_t thread;

	mt_init_flags(&mt, GAPS);
	ck_assert_int_eq(pthread_create(&thread, NULL, allocate_cyclic,
					&cyclists[1]),
			 0);
	allocate_cyclic(&cyclists[0]);
	pthread_join(thread, NULL);
	ck_assert(!cyclists[0].wrapped && !cyclists[1].wrapped);
	ck_assert_uint_eq(next, 2 * count);
	ck_assert_ptr_nonnull(mtree_load(&mt, 2 * count - 1));
	mtree_destroy(&mt);
}
END_TEST

START_TEST(cyclic_takes_no_lock_of_a_tree_with_another)
{
	unsigned long at, next = 0;

	mt_init_flags(&mt, GAPS | MT_FLAGS_LOCK_EXTERN);
	ck_assert_int_eq(mtree_alloc_cyclic(&mt, &at, entry(1), 3, 9, &next,
					    GFP_KERNEL),
			 0);
	ck_assert_uint_eq(at, 3);
	mtree_destroy(&mt);
}
END_TEST

/* -- searches ------------------------------------------------------------------------ */

START_TEST(find_leaves_the_index_where_to_go_on)
{
	unsigned long index = 0;

	map_a(&mt, 0);
	ck_assert_ptr_null(mt_find(&mt, &index, 9));
	ck_assert_uint_eq(index, 0);
	ck_assert_ptr_eq(mt_find(&mt, &index, 10), entry(1));
	ck_assert_uint_eq(index, 20);
	index = 35;
	ck_assert_ptr_eq(mt_find(&mt, &index, 35), entry(2));
	ck_assert_uint_eq(index, 40);
	index = 36;
	ck_assert_ptr_null(mt_find(&mt, &index, 35));
	ck_assert_uint_eq(index, 36);
	ck_assert_ptr_eq(mt_find_after(&mt, &index, ULONG_MAX), entry(2));
	ck_assert_uint_eq(index, 40);
	index = 60;
	ck_assert_ptr_null(mt_find_after(&mt, &index, ULONG_MAX));
	ck_assert_uint_eq(index, 60);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(loop_ends_after_the_highest_index)
{
	unsigned long index = 0;
	void *found;
	int count = 0;

	mt_init(&mt);
	ck_assert_int_eq(mtree_store(&mt, ULONG_MAX, entry(1), GFP_KERNEL), 0);
	mt_for_each(&mt, found, index, ULONG_MAX)
		count++;
	ck_assert_int_eq(count, 1);
	ck_assert_uint_eq(index, 0);

	ck_assert_int_eq(
		mtree_store_range(&mt, 0, ULONG_MAX, entry(1), GFP_KERNEL), 0);
	index = 0;
	ck_assert_ptr_eq(mt_find(&mt, &index, ULONG_MAX), entry(1));
	ck_assert_uint_eq(index, 0);
	ck_assert_ptr_null(mt_find_after(&mt, &index, ULONG_MAX));
	mtree_destroy(&mt);
}
END_TEST

START_TEST(loop_visits_what_starts_up_to_its_end)
{
	unsigned long index = 15;
	void *found;
	int sum = 0;

	map_a(&mt, GAPS);
	mt_for_each(&mt, found, index, 49)
		sum = sum * 10 + (found == entry(1) ? 1 : 2);
	ck_assert_int_eq(sum, 12);
	ck_assert_uint_eq(index, 40);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(next_and_prev_are_outside_the_range_at_the_index)
{
	map_a(&mt, 0);
	ck_assert_ptr_eq(mt_next(&mt, 15, ULONG_MAX), entry(2));
	ck_assert_ptr_eq(mt_next(&mt, 25, 30), entry(2));
	ck_assert_ptr_null(mt_next(&mt, 25, 29));
	ck_assert_ptr_null(mt_next(&mt, 50, ULONG_MAX));
	ck_assert_ptr_eq(mt_prev(&mt, 35, 0), entry(1));
	ck_assert_ptr_eq(mt_prev(&mt, 25, 19), entry(1));
	ck_assert_ptr_null(mt_prev(&mt, 25, 20));
	ck_assert_ptr_null(mt_prev(&mt, 10, 0));
	mtree_destroy(&mt);
	ck_assert_int_eq(mtree_store(&mt, 0, entry(1), GFP_KERNEL), 0);
	ck_assert_ptr_null(mt_prev(&mt, 10, 1));
	ck_assert_ptr_eq(mt_prev(&mt, 10, 0), entry(1));
	mtree_destroy(&mt);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("kernel_search.alloc");

	tcase_add_test(tc, ranges_are_allocated_from_either_end);
	tcase_add_test(tc, impossible_allocations_are_refused);
	tcase_add_test(tc, cyclic_comes_round_and_says_so);
	tcase_add_test(tc, cyclic_goes_past_the_highest_index);
	tcase_add_test(tc, cyclic_threads_share_the_place_to_go_on);
	tcase_add_test(tc, cyclic_takes_no_lock_of_a_tree_with_another);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_search.search");
	tcase_add_test(tc, find_leaves_the_index_where_to_go_on);
	tcase_add_test(tc, loop_ends_after_the_highest_index);
	tcase_add_test(tc, loop_visits_what_starts_up_to_its_end);
	tcase_add_test(tc, next_and_prev_are_outside_the_range_at_the_index);
	suite_add_tcase(s, tc);
}
