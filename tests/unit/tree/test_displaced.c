/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_displaced.c - what owners are told, and neighbours that merge.
 */

#include <errno.h>
#include <string.h>

#include <umaple/debug.h>
#include <umaple/tree.h>

#include "harness.h"
#include "platform/rcu.h"

const char *const suite_name = "displaced";

#define MAX UINT64_MAX

static const unsigned int tree_flags[] = {
	0,
	UMAPLE_TREE_GAPS,
	UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
};

static char value[8];

struct told {
	size_t nr;
	struct umaple_displaced what[64];
};

static void note(const struct umaple_displaced *what, void *arg)
{
	struct told *told = arg;

	ck_assert_uint_lt(told->nr, 64);
	told->what[told->nr++] = *what;
}

static void expect(struct told *told, size_t i, uint64_t first, uint64_t last,
		   int which, unsigned int remaining)
{
	ck_assert_uint_lt(i, told->nr);
	ck_assert_uint_eq(told->what[i].first, first);
	ck_assert_uint_eq(told->what[i].last, last);
	ck_assert_ptr_eq(told->what[i].entry, &value[which]);
	ck_assert_uint_eq(told->what[i].remaining, remaining);
}

START_TEST(owner_is_told_what_a_store_displaces)
{
	struct told told = { 0 };
	struct umaple_tree tree;

	umaple_tree_init(&tree, tree_flags[_i]);
	umaple_tree_set_displaced(&tree, note, &told);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, &value[1]), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 30, 39, &value[2]), 0);
	ck_assert_uint_eq(told.nr, 0);

	/* cut at the end, overwritten whole */
	ck_assert_int_eq(umaple_store_range(&tree, 15, 45, &value[3]), 0);
	ck_assert_uint_eq(told.nr, 2);
	expect(&told, 0, 15, 19, 1, 1);
	expect(&told, 1, 30, 39, 2, 0);

	/* cut in two */
	told.nr = 0;
	ck_assert_int_eq(umaple_store_range(&tree, 20, 25, NULL), 0);
	ck_assert_uint_eq(told.nr, 1);
	expect(&told, 0, 20, 25, 3, 2);

	/* the same again, erased, and a hole, which has no owner */
	told.nr = 0;
	ck_assert_int_eq(umaple_store_range(&tree, 15, 19, &value[3]), 0);
	expect(&told, 0, 15, 19, 3, 0);
	ck_assert_int_eq(umaple_erase(&tree, 16, NULL), 0);
	ck_assert_uint_eq(told.nr, 2);
	expect(&told, 1, 15, 19, 3, 0);
	ck_assert_int_eq(umaple_erase(&tree, 16, NULL), 0);
	ck_assert_uint_eq(told.nr, 2);

	told.nr = 0;
	umaple_tree_destroy(&tree);
	ck_assert_uint_eq(told.nr, 2);
	expect(&told, 0, 10, 14, 1, 0);
	expect(&told, 1, 26, 45, 3, 0);
}
END_TEST

START_TEST(owner_is_told_in_order_over_many_leaves)
{
	struct told told = { 0 };
	struct umaple_tree tree;
	uint64_t i;

	umaple_tree_init(&tree, tree_flags[_i]);
	for (i = 0; i < 2000; i++)
		ck_assert_int_eq(umaple_store_range(&tree, 10 * i, 10 * i + 4,
						    &value[i % 7]),
				 0);
	umaple_tree_set_displaced(&tree, note, &told);
	ck_assert_int_eq(umaple_store_range(&tree, 5002, 5602, &value[7]), 0);
	ck_assert_uint_eq(told.nr, 61);
	expect(&told, 0, 5002, 5004, 500 % 7, 1);
	for (i = 1; i < 60; i++)
		expect(&told, i, 5000 + 10 * i, 5004 + 10 * i,
		       (int)((500 + i) % 7), 0);
	expect(&told, 60, 5600, 5602, 560 % 7, 1);
	umaple_tree_set_displaced(&tree, NULL, NULL);
	umaple_tree_destroy(&tree);
}
END_TEST

/* References that an owner counts, one for each range. */
static long references[8];

static void count(const struct umaple_displaced *what, void *arg)
{
	references[(char *)what->entry - value] += (long)what->remaining - 1;
}

START_TEST(references_of_an_owner_come_out_at_zero)
{
	struct umaple_tree tree;
	struct umaple_range range;
	long seen[8];
	struct rng rng;
	uint64_t first;
	size_t n, v;

	rng_seed(&rng, test_seed());
	memset(references, 0, sizeof(references));
	umaple_tree_init(&tree, tree_flags[_i]);
	umaple_tree_set_displaced(&tree, count, NULL);
	for (n = 0; n < test_scaled(20000); n++) {
		first = rng_below(&rng, 3000);
		v = rng_below(&rng, 8);
		ck_assert_int_eq(
			umaple_store_range(&tree, first,
					   first + rng_below(&rng, 60) *
							   rng_below(&rng, 2),
					   v ? &value[v] : NULL),
			0);
		references[v] += v != 0;
		if (n % 256)
			continue;
		memset(seen, 0, sizeof(seen));
		umaple_for_each(&tree, range, 0, MAX)
			seen[(char *)range.entry - value]++;
		ck_assert_mem_eq(seen, references, sizeof(seen));
	}
	umaple_tree_destroy(&tree);
	memset(seen, 0, sizeof(seen));
	ck_assert_mem_eq(seen, references, sizeof(seen));
}
END_TEST

static void expect_ranges(struct umaple_tree *tree,
			  const struct umaple_range *want, size_t nr)
{
	struct umaple_range range;
	char text[200] = "";
	size_t i = 0;

	ck_assert_msg(!umaple_tree_check(tree, text, sizeof(text)), "%s", text);
	umaple_for_each(tree, range, 0, MAX)
	{
		ck_assert_uint_lt(i, nr);
		ck_assert_uint_eq(range.first, want[i].first);
		ck_assert_uint_eq(range.last, want[i].last);
		ck_assert_ptr_eq(range.entry, want[i].entry);
		i++;
	}
	ck_assert_uint_eq(i, nr);
}

#define A (&value[1])
#define B (&value[2])

/* U40: overwrite and merge as one step: AAA to ABA, BAB to BBB, AAB to ABB. */
START_TEST(overwriting_merges_with_both_neighbours)
{
	const struct umaple_range aba[] = { { 0, 9, A },
					    { 10, 19, B },
					    { 20, 29, A } };
	const struct umaple_range bbb[] = { { 0, 29, B } };
	const struct umaple_range abb[] = { { 0, 9, A }, { 10, 29, B } };
	struct umaple_tree tree;

	umaple_tree_init(&tree, tree_flags[_i] | UMAPLE_TREE_MERGE);
	ck_assert_int_eq(umaple_store_range(&tree, 0, 29, A), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, B), 0);
	expect_ranges(&tree, aba, 3);
	umaple_tree_destroy(&tree);

	ck_assert_int_eq(umaple_store_range(&tree, 0, 9, B), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, A), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 20, 29, B), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, B), 0);
	expect_ranges(&tree, bbb, 1);
	umaple_tree_destroy(&tree);

	ck_assert_int_eq(umaple_store_range(&tree, 0, 19, A), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 20, 29, B), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, B), 0);
	expect_ranges(&tree, abb, 2);
	umaple_tree_destroy(&tree);
}
END_TEST

/* U30: what is left on the right is merged with, too. */
START_TEST(overwriting_merges_with_what_is_left)
{
	const struct umaple_range one[] = { { 99, 200, A } };
	const struct umaple_range other[] = { { 58, 105, A } };
	struct umaple_tree tree;

	umaple_tree_init(&tree, tree_flags[_i] | UMAPLE_TREE_MERGE);
	ck_assert_int_eq(umaple_store_range(&tree, 99, 200, A), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 190, 200, B), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 190, 200, A), 0);
	expect_ranges(&tree, one, 1);
	umaple_tree_destroy(&tree);

	ck_assert_int_eq(umaple_store_range(&tree, 58, 105, A), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 65, 105, B), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 65, 105, A), 0);
	expect_ranges(&tree, other, 1);
	umaple_tree_destroy(&tree);
}
END_TEST

/* Entries of one kind stand in one row of four. */
static bool same_kind(void *neighbour, void *entry, void *arg)
{
	++*(int *)arg;
	return ((char *)neighbour - value) / 4 == ((char *)entry - value) / 4;
}

/* U38: whether to merge is the caller's to say, for each neighbour. */
START_TEST(store_merge_asks_outwards_until_told_no)
{
	const struct umaple_range want[] = { { 0, 9, &value[5] },
					     { 10, 59, &value[1] },
					     { 60, 69, &value[6] } };
	struct umaple_tree tree;
	int asked = 0;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_store_range(&tree, 0, 9, &value[5]), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, &value[0]), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 20, 29, &value[3]), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 40, 59, &value[2]), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 60, 69, &value[6]), 0);
	ck_assert_int_eq(umaple_store_merge(&tree, 30, 45, &value[1], same_kind,
					    &asked),
			 0);
	expect_ranges(&tree, want, 3);
	ck_assert_int_eq(asked, 5);
	ck_assert_int_eq(umaple_store_merge(&tree, 5, 4, A, NULL, NULL),
			 -EINVAL);
	ck_assert_int_eq(umaple_store_merge(&tree, 4, 5, NULL, NULL, NULL),
			 -EINVAL);
	umaple_tree_destroy(&tree);
}
END_TEST

/* U39: who merges is told of what was merged. */
START_TEST(owner_is_told_what_a_store_merges)
{
	struct told told = { 0 };
	struct umaple_tree tree;

	umaple_tree_init(&tree, tree_flags[_i] | UMAPLE_TREE_MERGE);
	ck_assert_int_eq(umaple_store_range(&tree, 0, 9, A), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 14, B), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 20, 29, A), 0);
	umaple_tree_set_displaced(&tree, note, &told);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, A), 0);
	ck_assert_uint_eq(told.nr, 3);
	expect(&told, 0, 0, 9, 1, 0);
	expect(&told, 1, 10, 14, 2, 0);
	expect(&told, 2, 20, 29, 1, 0);
	umaple_tree_set_displaced(&tree, NULL, NULL);
	umaple_tree_destroy(&tree);
}
END_TEST

/* Against an array: a tree that merges has the longest runs there are. */
/* @arg: times asked. */
static bool never(void *neighbour, void *entry, void *arg)
{
	ck_assert_ptr_ne(neighbour, UMAPLE_RESERVED);
	++*(unsigned int *)arg;
	return false;
}

START_TEST(merging_tree_merges_whatever_the_user_says)
{
	struct umaple_tree tree;
	unsigned int asked = 0;
	char text[160];

	umaple_tree_init(&tree, tree_flags[_i] | UMAPLE_TREE_MERGE);
	ck_assert_int_eq(umaple_store_range(&tree, 0, 9, &value[1]), 0);
	ck_assert_int_eq(
		umaple_store_merge(&tree, 10, 19, &value[1], never, &asked), 0);
	ck_assert_msg(!umaple_tree_check(&tree, text, sizeof(text)), "%s",
		      text);
	ck_assert_uint_eq(umaple_count(&tree, 0, MAX), 1);
	ck_assert_uint_eq(asked, 0);
	umaple_tree_destroy(&tree);
}
END_TEST

START_TEST(nobody_is_asked_about_reserved_ranges)
{
	struct umaple_tree tree;
	unsigned int asked = 0;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_store_range(&tree, 0, 9, UMAPLE_RESERVED), 0);
	ck_assert_int_eq(umaple_store_range(&tree, 20, 29, &value[2]), 0);
	ck_assert_int_eq(
		umaple_store_merge(&tree, 10, 19, &value[1], never, &asked), 0);
	ck_assert_uint_eq(asked, 1);
	ck_assert_int_eq(umaple_store_merge(&tree, 10, 19, UMAPLE_RESERVED,
					    never, &asked),
			 0);
	ck_assert_uint_eq(asked, 1);
	umaple_tree_destroy(&tree);
}
END_TEST

struct place {
	bool serial;
	unsigned int calls;
};

static void check_place(struct place *place)
{
	ck_assert_int_eq(umaple_rcu_read_ongoing(umaple_rcu_default()),
			 !place->serial);
	place->calls++;
}

static void told_where(const struct umaple_displaced *what, void *arg)
{
	check_place(arg);
}

static bool asked_where(void *neighbour, void *entry, void *arg)
{
	check_place(arg);
	return true;
}

/* Else what they do to another tree could wait for readers under this lock. */
START_TEST(functions_of_the_user_run_in_a_section)
{
	struct place place = { .serial = tree_flags[_i] & UMAPLE_TREE_SERIAL };
	struct umaple_tree tree;

	umaple_tree_init(&tree, tree_flags[_i]);
	ck_assert_int_eq(umaple_store_range(&tree, 10, 19, &value[1]), 0);
	umaple_tree_set_displaced(&tree, told_where, &place);
	ck_assert_int_eq(umaple_store_range(&tree, 12, 14, &value[2]), 0);
	ck_assert_uint_eq(place.calls, 1);
	ck_assert_int_eq(umaple_store_merge(&tree, 15, 15, &value[3],
					    asked_where, &place),
			 0);
	ck_assert_uint_eq(place.calls, 7);
	ck_assert_int_eq(umaple_move_range(&tree, 0, 12, 100), 0);
	ck_assert_uint_eq(place.calls, 8);
	umaple_tree_destroy(&tree);
	ck_assert_uint_eq(place.calls, 10);
	ck_assert(!umaple_rcu_read_ongoing(umaple_rcu_default()));
}
END_TEST

START_TEST(merging_tree_agrees_with_runs_of_an_array)
{
	enum {
		INDICES = 800
	};
	static void *array[INDICES + 1];
	struct umaple_tree tree;
	struct umaple_range range;
	uint64_t first, last, i;
	struct rng rng;
	void *entry;
	size_t n;

	rng_seed(&rng, test_seed());
	memset(array, 0, sizeof(array));
	umaple_tree_init(&tree, tree_flags[_i] | UMAPLE_TREE_MERGE);
	for (n = 0; n < test_scaled(4000); n++) {
		first = rng_below(&rng, INDICES);
		last = first + rng_below(&rng, 1 + rng_below(&rng, 40));
		if (last >= INDICES)
			last = INDICES - 1;
		entry = &value[rng_below(&rng, 3)];
		if (entry == &value[0])
			entry = NULL;
		ck_assert_int_eq(umaple_store_range(&tree, first, last, entry),
				 0);
		for (i = first; i <= last; i++)
			array[i] = entry;
		for (i = 0; i < INDICES; i = last + 1) {
			last = i;
			while (last + 1 < INDICES &&
			       array[last + 1] == array[i])
				last++;
			if (!array[i])
				continue;
			ck_assert_ptr_eq(umaple_find(&tree, i, i, &range),
					 array[i]);
			ck_assert_uint_eq(range.first, i);
			ck_assert_uint_eq(range.last, last);
		}
		ck_assert_int_eq(umaple_tree_check(&tree, NULL, 0), 0);
	}
	umaple_tree_destroy(&tree);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *told = tcase_create("displaced.told");
	TCase *merge = tcase_create("displaced.merge");

	tcase_add_loop_test(told, owner_is_told_what_a_store_displaces, 0, 4);
	tcase_add_loop_test(told, owner_is_told_in_order_over_many_leaves, 0,
			    4);
	tcase_add_loop_test(told, references_of_an_owner_come_out_at_zero, 0,
			    4);
	tcase_set_timeout(told, 60);
	suite_add_tcase(s, told);
	tcase_add_loop_test(merge, overwriting_merges_with_both_neighbours, 0,
			    4);
	tcase_add_loop_test(merge, overwriting_merges_with_what_is_left, 0, 4);
	tcase_add_loop_test(merge, owner_is_told_what_a_store_merges, 0, 4);
	tcase_add_loop_test(merge, store_merge_asks_outwards_until_told_no, 0,
			    4);
	tcase_add_loop_test(merge, merging_tree_merges_whatever_the_user_says,
			    0, 4);
	tcase_add_loop_test(merge, nobody_is_asked_about_reserved_ranges, 0, 4);
	tcase_add_loop_test(told, functions_of_the_user_run_in_a_section, 0, 4);
	tcase_add_loop_test(merge, merging_tree_agrees_with_runs_of_an_array, 0,
			    4);
	tcase_set_timeout(merge, 60);
	suite_add_tcase(s, merge);
}
