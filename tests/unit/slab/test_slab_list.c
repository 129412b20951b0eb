/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_list.c - slab/slab_list.c: flag, count and ring change together.
 */

#include "platform/bits.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_list";

static struct umaple_slab slabs[3];

static void set_up(void)
{
	node_set_up();
	for (unsigned int i = 0; i < ARRAY_SIZE(slabs); i++)
		slabs[i] = (struct umaple_slab){ .free = bits_below(i + 1) };
}

START_TEST(front_and_back_list_and_count)
{
	umaple_slab_list_back(&node, &slabs[1]);
	umaple_slab_list_back(&node, &slabs[2]);
	umaple_slab_list_front(&node, &slabs[0]);

	ck_assert_uint_eq(node.nr_partial, 3);
	ck_assert_ptr_eq(umaple_slab_of_link(node.partial.next), &slabs[0]);
	ck_assert_ptr_eq(umaple_slab_of_link(node.partial.prev), &slabs[2]);
	for (unsigned int i = 0; i < ARRAY_SIZE(slabs); i++)
		ck_assert(slabs[i].listed);
	ck_assert_uint_eq(umaple_slab_count_free(&node), 1 + 2 + 3);
}
END_TEST

START_TEST(unlist_takes_the_one_meant)
{
	umaple_slab_list_back(&node, &slabs[0]);
	umaple_slab_list_back(&node, &slabs[1]);
	umaple_slab_unlist(&node, &slabs[0]);

	ck_assert(!slabs[0].listed);
	ck_assert(slabs[1].listed);
	ck_assert_uint_eq(node.nr_partial, 1);
	ck_assert_uint_eq(umaple_slab_count_free(&node), 2);

	umaple_slab_unlist(&node, &slabs[1]);
	ck_assert(list_is_empty(&node.partial));
	ck_assert_uint_eq(node.nr_partial, 0);
	ck_assert_uint_eq(umaple_slab_count_free(&node), 0);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("slab_list");

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, front_and_back_list_and_count);
	tcase_add_test(tc, unlist_takes_the_one_meant);
	suite_add_tcase(s, tc);
}
