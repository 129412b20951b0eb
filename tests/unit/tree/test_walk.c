/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_walk.c - lookups: alone and side by side, at every height, at both ends.
 */

#include <stdlib.h>

#include <umaple/debug.h>
#include <umaple/tree.h>

#include "harness.h"

const char *const suite_name = "walk";

#define MOST 2000

static const unsigned int tree_flags[] = {
	0,
	UMAPLE_TREE_GAPS,
	UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
};

static char entries[MOST];

/* Range i is [100 i + 10, 100 i + 59]. */
static void build(struct umaple_tree *tree, unsigned int flags, unsigned int nr)
{
	unsigned int i;

	umaple_tree_init(tree, flags);
	for (i = 0; i < nr; i++)
		ck_assert_int_eq(umaple_store_range(tree, 100 * i + 10,
						    100 * i + 59, &entries[i]),
				 0);
}

static void *expected(uint64_t index, unsigned int nr)
{
	if (index / 100 >= nr || index % 100 < 10 || index % 100 > 59)
		return NULL;
	return &entries[index / 100];
}

START_TEST(load_finds_every_end_of_every_range)
{
	static const unsigned int sizes[] = { 1, 7, 40, 300, MOST };
	struct umaple_tree tree;
	uint64_t index;
	size_t s;

	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		build(&tree, tree_flags[_i], sizes[s]);
		for (index = 0; index < 100 * (uint64_t)sizes[s] + 200; index++)
			ck_assert_ptr_eq(umaple_load(&tree, index),
					 expected(index, sizes[s]));
		ck_assert_ptr_null(umaple_load(&tree, UINT64_MAX));
		umaple_tree_destroy(&tree);
	}
}
END_TEST

START_TEST(load_many_agrees_with_load_for_every_count)
{
	static const unsigned int sizes[] = { 0, 1, 40, MOST };
	uint64_t index[67];
	void *entry[68];
	struct umaple_tree tree;
	struct rng rng;
	size_t s, nr, i;

	rng_seed(&rng, test_seed());
	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		build(&tree, tree_flags[_i], sizes[s]);
		for (nr = 0; nr <= 67; nr++) {
			for (i = 0; i < nr; i++)
				index[i] = rng_below(&rng, 100 * MOST);
			entry[nr] = &rng;
			umaple_load_many(&tree, index, entry, nr);
			for (i = 0; i < nr; i++)
				ck_assert_ptr_eq(entry[i],
						 umaple_load(&tree, index[i]));
			ck_assert_ptr_eq(entry[nr], &rng);
		}
		umaple_tree_destroy(&tree);
	}
}
END_TEST

START_TEST(load_many_takes_the_ends_of_the_key_space)
{
	const uint64_t index[] = { 0, UINT64_MAX, 0, UINT64_MAX - 1, 1 };
	struct umaple_tree tree;
	void *entry[5];

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_store(&tree, 0, &entries[0]), 0);
	ck_assert_int_eq(umaple_store(&tree, UINT64_MAX, &entries[1]), 0);
	umaple_load_many(&tree, index, entry, 5);
	ck_assert_ptr_eq(entry[0], &entries[0]);
	ck_assert_ptr_eq(entry[1], &entries[1]);
	ck_assert_ptr_eq(entry[2], &entries[0]);
	ck_assert_ptr_null(entry[3]);
	ck_assert_ptr_null(entry[4]);
	umaple_tree_destroy(&tree);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("walk.load");

	tcase_add_loop_test(tc, load_finds_every_end_of_every_range, 0, 4);
	tcase_add_loop_test(tc, load_many_agrees_with_load_for_every_count, 0,
			    4);
	tcase_add_loop_test(tc, load_many_takes_the_ends_of_the_key_space, 0,
			    4);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
}
