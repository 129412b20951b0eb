/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_move.c - ranges moved as one step, against an array; drafts that are dropped.
 */

#include <errno.h>
#include <string.h>

#include <umaple/cache.h>
#include <umaple/debug.h>
#include <umaple/tree.h>

#include "harness.h"
#include "platform/fault.h"

const char *const suite_name = "move";

#define INDICES 2000
#define ENTRIES 64

static const unsigned int tree_flags[] = {
	0,
	UMAPLE_TREE_GAPS,
	UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
};

static char value[ENTRIES];
static struct umaple_cache *cache;
static struct umaple_tree tree;
static void *array[INDICES];
static void *moved[INDICES];
static long references[ENTRIES];

static void count(const struct umaple_displaced *what, void *arg)
{
	references[(char *)what->entry - value] += (long)what->remaining - 1;
}

static void begin(unsigned int flags)
{
	struct umaple_cache_attr attr = { .size = 256, .align = 256 };

	ck_assert_int_eq(umaple_cache_create(&attr, &cache), 0);
	ck_assert_int_eq(umaple_tree_init_cache(&tree, flags, cache), 0);
	memset(array, 0, sizeof(array));
	memset(references, 0, sizeof(references));
	umaple_tree_set_displaced(&tree, count, NULL);
}

static void end(void)
{
	umaple_tree_destroy(&tree);
	ck_assert_int_eq(umaple_cache_barrier(cache), 0);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}

static void store(uint64_t first, uint64_t last, void *entry)
{
	uint64_t i;

	ck_assert_int_eq(umaple_store_range(&tree, first, last, entry), 0);
	references[entry ? (char *)entry - value : 0] += entry != NULL;
	for (i = first; i <= last; i++)
		array[i] = entry;
}

static void fill(struct rng *rng, unsigned int ranges, unsigned int most)
{
	uint64_t first, size;

	while (ranges--) {
		size = 1 + rng_below(rng, most);
		first = rng_below(rng, INDICES - size);
		store(first, first + size - 1,
		      rng_below(rng, 4)
			      ? &value[1 + rng_below(rng, ENTRIES - 1)]
			      : NULL);
	}
}

static void array_move(uint64_t first, uint64_t last, uint64_t to)
{
	size_t bytes = (last - first + 1) * sizeof(array[0]);

	memcpy(moved, &array[first], bytes);
	memset(&array[first], 0, bytes);
	memcpy(&array[to], moved, bytes);
}

static void compare(void)
{
	struct umaple_range range;
	long seen[ENTRIES] = { 0 };
	char text[200] = "";
	uint64_t i;

	ck_assert_msg(!umaple_tree_check(&tree, text, sizeof(text)), "%s",
		      text);
	for (i = 0; i < INDICES; i++)
		ck_assert_msg(umaple_load(&tree, i) == array[i], "index %d",
			      (int)i);
	umaple_for_each(&tree, range, 0, UINT64_MAX)
		seen[(char *)range.entry - value]++;
	ck_assert_mem_eq(seen, references, sizeof(seen));
}

START_TEST(moves_agree_with_an_array)
{
	uint64_t size, first, to;
	struct rng rng;
	size_t n;

	rng_seed(&rng, test_seed());
	begin(tree_flags[_i]);
	for (n = 0; n < test_scaled(600); n++) {
		fill(&rng, 1 + (unsigned int)rng_below(&rng, 40),
		     rng_below(&rng, 5) ? 9 : 300);
		size = 1 + rng_below(&rng, rng_below(&rng, 2) ? 30 : 700);
		first = rng_below(&rng, INDICES - size);
		to = rng_below(&rng, 3) ? rng_below(&rng, INDICES - size)
					: first + size / 2;
		if (to + size > INDICES)
			to = INDICES - size;
		ck_assert_int_eq(umaple_move_range(&tree, first,
						   first + size - 1, to),
				 0);
		array_move(first, first + size - 1, to);
		compare();
	}
	end();
}
END_TEST

START_TEST(moves_at_the_ends_of_the_key_space)
{
	const uint64_t max = UINT64_MAX;

	begin(tree_flags[_i]);
	ck_assert_int_eq(umaple_move_range(&tree, 0, 9, 100), 0);
	ck_assert(umaple_tree_is_empty(&tree));
	ck_assert_int_eq(umaple_store_range(&tree, 0, 9, &value[1]), 0);
	ck_assert_int_eq(umaple_move_range(&tree, 9, 0, 100), -EINVAL);
	ck_assert_int_eq(umaple_move_range(&tree, 0, 9, max - 8), -EINVAL);
	ck_assert_int_eq(umaple_move_range(&tree, 0, 9, 0), 0);
	ck_assert_int_eq(umaple_move_range(&tree, 0, 9, max - 9), 0);
	ck_assert_ptr_null(umaple_load(&tree, 9));
	ck_assert_ptr_eq(umaple_load(&tree, max), &value[1]);
	ck_assert_ptr_null(umaple_load(&tree, max - 10));
	ck_assert_int_eq(umaple_move_range(&tree, max - 4, max, 0), 0);
	ck_assert_ptr_eq(umaple_load(&tree, 4), &value[1]);
	ck_assert_ptr_null(umaple_load(&tree, 5));
	ck_assert_ptr_null(umaple_load(&tree, max));
	ck_assert_ptr_eq(umaple_load(&tree, max - 5), &value[1]);
	ck_assert_int_eq(umaple_move_range(&tree, 0, max, 0), 0);
	ck_assert_ptr_eq(umaple_load(&tree, 4), &value[1]);
	ck_assert_int_eq(umaple_tree_check(&tree, NULL, 0), 0);
	end();
}
END_TEST

#if UMAPLE_FAULT_INJECTION
/* U45: after a failure the old place is untouched, whichever allocation failed. */
START_TEST(failed_moves_leave_no_trace)
{
	long n, failed = 0;
	bool fired = true;
	struct rng rng;
	int err;

	rng_seed(&rng, test_seed());
	begin(tree_flags[_i]);
	fill(&rng, 600, 9);
	for (n = 0; fired; n++) {
		umaple_fault_set(n, n % 2);
		err = umaple_move_range(&tree, 105, 600, 903);
		fired = umaple_fault_fired();
		umaple_fault_set(-1, false);
		if (err) {
			ck_assert_int_eq(err, -ENOMEM);
			failed++;
		} else {
			array_move(105, 600, 903);
		}
		compare();
		if (!err)
			fill(&rng, 600, 9);
	}
	ck_assert_int_gt(failed, 10);
	end();
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("move");

	tcase_add_loop_test(tc, moves_agree_with_an_array, 0, 4);
	tcase_add_loop_test(tc, moves_at_the_ends_of_the_key_space, 0, 4);
#if UMAPLE_FAULT_INJECTION
	tcase_add_loop_test(tc, failed_moves_leave_no_trace, 0, 4);
#endif
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
}
