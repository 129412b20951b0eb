/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_alloc.c - find a hole and store into it: lowest, highest, round and round.
 */

#include <errno.h>

#include <umaple/debug.h>
#include <umaple/tree.h>

#include "harness.h"
#include "spy.h"

const char *const suite_name = "alloc";

static const unsigned int tree_flags[] = {
	UMAPLE_TREE_GAPS,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
};

static char entry;

START_TEST(alloc_range_takes_the_lowest_fit_until_none_is_left)
{
	struct umaple_tree tree;
	uint64_t first = 77;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_store_range(&tree, 4, 7, &entry), 0);

	ck_assert_int_eq(umaple_alloc_range(&tree, &entry, 3, 1, 0, 14, &first),
			 0);
	ck_assert_uint_eq(first, 0);
	ck_assert_int_eq(umaple_alloc_range(&tree, &entry, 3, 4, 0, 14, &first),
			 0);
	ck_assert_uint_eq(first, 8);
	ck_assert_int_eq(umaple_alloc_range(&tree, &entry, 4, 1, 0, 14, &first),
			 0);
	ck_assert_uint_eq(first, 11);
	ck_assert_int_eq(umaple_alloc_range(&tree, &entry, 2, 1, 0, 14, &first),
			 -EBUSY);
	ck_assert_uint_eq(first, 11);
	ck_assert_ptr_null(umaple_load(&tree, 3));
	ck_assert_int_eq(umaple_tree_check(&tree, NULL, 0), 0);
	umaple_tree_destroy(&tree);
}
END_TEST

START_TEST(alloc_range_rev_takes_the_highest_fit_until_none_is_left)
{
	struct umaple_tree tree;
	uint64_t first;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(
		umaple_alloc_range_rev(&tree, &entry, 4, 1, 0, 10, &first), 0);
	ck_assert_uint_eq(first, 7);
	ck_assert_int_eq(
		umaple_alloc_range_rev(&tree, &entry, 4, 1, 0, 10, &first), 0);
	ck_assert_uint_eq(first, 3);
	ck_assert_int_eq(umaple_alloc_range_rev(&tree, &entry, 4, 1, 0, 10,
						&first),
			 -EBUSY);
	ck_assert_int_eq(umaple_alloc_range_rev(&tree, &entry, 1, 1, UINT64_MAX,
						UINT64_MAX, &first),
			 0);
	ck_assert_uint_eq(first, UINT64_MAX);
	umaple_tree_destroy(&tree);
}
END_TEST

START_TEST(alloc_refuses_bad_arguments)
{
	struct umaple_tree tree, plain = UMAPLE_TREE_INIT;
	struct umaple_cyclic cyclic = { .next = 5 };
	uint64_t first = 77;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_alloc_range(&tree, NULL, 1, 1, 0, 9, &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_alloc_range(&tree, &entry, 0, 1, 0, 9, &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_alloc_range(&tree, &entry, 11, 1, 0, 9, &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_alloc_range(&tree, &entry, 1, 3, 0, 9, &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_alloc_range(&tree, &entry, 1, 1, 9, 0, &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_alloc_range(&plain, &entry, 1, 1, 0, 9, &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, NULL, 0, 9, &cyclic,
					     &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 9, 0, &cyclic,
					     &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_alloc_cyclic(&plain, &entry, 0, 9, &cyclic,
					     &first),
			 -EINVAL);
	ck_assert_uint_eq(first, 77);
	ck_assert_uint_eq(cyclic.next, 5);
	ck_assert(umaple_tree_is_empty(&tree));
}
END_TEST

/* T27: the second search starts at the low end. */
START_TEST(alloc_cyclic_comes_round_to_what_was_given_back)
{
	struct umaple_cyclic cyclic = { 0 };
	struct umaple_tree tree;
	uint64_t index, i;

	umaple_tree_init(&tree, tree_flags[_i]);
	for (i = 2; i <= 1024; i++) {
		ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 2, 1024,
						     &cyclic, &index),
				 0);
		ck_assert_uint_eq(index, i);
		ck_assert(!cyclic.wrapped);
	}
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 2, 1024, &cyclic,
					     &index),
			 -EBUSY);
	ck_assert_int_eq(umaple_erase(&tree, 123, NULL), 0);
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 2, 1024, &cyclic,
					     &index),
			 0);
	ck_assert_uint_eq(index, 123);
	ck_assert_uint_eq(cyclic.next, 124);
	ck_assert(cyclic.wrapped);
	ck_assert_int_eq(umaple_erase(&tree, 100, NULL), 0);
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 2, 1024, &cyclic,
					     &index),
			 0);
	ck_assert_uint_eq(index, 100);
	ck_assert_uint_eq(cyclic.next, 101);
	ck_assert(cyclic.wrapped);
	umaple_tree_destroy(&tree);
}
END_TEST

/* T42: the last index of all, and what comes after it. */
START_TEST(alloc_cyclic_goes_on_after_the_last_index)
{
	struct umaple_cyclic cyclic = { .next = UINT64_MAX - 1 };
	struct umaple_tree tree;
	uint64_t index;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 0, UINT64_MAX,
					     &cyclic, &index),
			 0);
	ck_assert_uint_eq(index, UINT64_MAX - 1);
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 0, UINT64_MAX,
					     &cyclic, &index),
			 0);
	ck_assert_uint_eq(index, UINT64_MAX);
	ck_assert(!cyclic.wrapped);
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 0, UINT64_MAX,
					     &cyclic, &index),
			 0);
	ck_assert_uint_eq(index, 0);
	ck_assert(cyclic.wrapped);
	ck_assert_int_eq(umaple_alloc_cyclic(&tree, &entry, 0, UINT64_MAX,
					     &cyclic, &index),
			 0);
	ck_assert_uint_eq(index, 1);
	ck_assert(!cyclic.wrapped);
	umaple_tree_destroy(&tree);
}
END_TEST

/* Another writer comes first while an allocation waits for readers. */
static struct umaple_tree *contended;

static void others_take_the_hole(void)
{
	spy.on_throttle = NULL;
	ck_assert_int_eq(umaple_store_range(contended, 3, 4, &entry), 0);
}

/*
 * T29: what was free before the wait may be taken after it.  The search is made
 * anew under the lock; it is no error, and no node is lost.
 */
START_TEST(allocation_that_waited_takes_what_is_free_then)
{
	struct umaple_cyclic cyclic = { .next = 2 };
	struct umaple_tree tree;
	uint64_t index = 0;
	int err;

	umaple_tree_init(&tree, UMAPLE_TREE_GAPS);
	contended = &tree;
	ck_assert_int_eq(umaple_store(&tree, 2, &entry), 0);
	ck_assert_int_eq(umaple_store(&tree, 5, &entry), 0);
	spy_reset();
	spy.on_throttle = others_take_the_hole;
	if (_i == 0)
		err = umaple_alloc_cyclic(&tree, &entry, 2, 100, &cyclic,
					  &index);
	else
		err = umaple_alloc_range(&tree, &entry, 1, 1, 2, 100, &index);
	ck_assert_ptr_null(spy.on_throttle);
	ck_assert_int_eq(err, 0);
	ck_assert_uint_eq(index, 6);
	ck_assert_int_eq(umaple_tree_check(&tree, NULL, 0), 0);
	umaple_tree_destroy(&tree);
	ck_assert_uint_eq(spy_went(), spy_came() + 1);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("alloc");

	tcase_add_loop_test(
		tc, alloc_range_takes_the_lowest_fit_until_none_is_left, 0, 2);
	tcase_add_loop_test(
		tc, alloc_range_rev_takes_the_highest_fit_until_none_is_left, 0,
		2);
	tcase_add_loop_test(tc, alloc_refuses_bad_arguments, 0, 2);
	tcase_add_loop_test(tc, alloc_cyclic_comes_round_to_what_was_given_back,
			    0, 2);
	tcase_add_loop_test(tc, alloc_cyclic_goes_on_after_the_last_index, 0,
			    2);
	tcase_add_loop_test(tc, allocation_that_waited_takes_what_is_free_then,
			    0, 2);
	suite_add_tcase(s, tc);
}
