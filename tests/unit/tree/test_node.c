/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_node.c - tree/node.h: the two layouts, and searches without branches
 * against a plain loop.
 */

#include <inttypes.h>
#include <string.h>

#include "harness.h"
#include "quick.h"
#include "tree/tree_priv.h"

const char *const suite_name = "node";

/* The slot of @index by looking at one pivot after the other. */
static unsigned int plain_loop(struct node *node, uint64_t index)
{
	unsigned int i;

	for (i = 0; i + 1 < node_capacity(node->gapped); i++)
		if (index <= node_pivots(node)[i])
			break;
	return i;
}

static void assert_search(struct node *node, uint64_t index)
{
	const uint64_t *pivot = node_pivots(node);
	unsigned int wanted = plain_loop(node, index);
	unsigned int got = node->gapped ? search_gap(pivot, index)
					: search_plain(pivot, index);

	quick_assert(got == wanted &&
			     node_search(node, node->gapped, index) == wanted &&
			     wanted < node->count,
		     "index %#" PRIx64 " is in slot %u, not %u of %u", index,
		     wanted, got, node->count);
}

/* Both ends of everything, and both sides of each pivot. */
static void assert_all_searches(struct node *node)
{
	unsigned int i;

	assert_search(node, 0);
	assert_search(node, UINT64_MAX);
	for (i = 0; i + 1 < node->count; i++) {
		uint64_t pivot = node_pivots(node)[i];

		assert_search(node, pivot);
		assert_search(node, pivot + 1);
		if (pivot)
			assert_search(node, pivot - 1);
	}
}

static struct node empty_node(bool gapped)
{
	struct node node;

	memset(&node, 0, sizeof(node));
	node_init(&node, gapped ? 1 : 0, gapped);
	memset(node_pivots(&node), 0xff,
	       (node_capacity(gapped) - 1) * sizeof(uint64_t));
	return node;
}

/* The i-th of @nr pivots for one way of laying them out. */
typedef uint64_t pivot_fn(unsigned int i, unsigned int nr);

static uint64_t pivot_low(unsigned int i, unsigned int nr)
{
	return i;
}

static uint64_t pivot_high(unsigned int i, unsigned int nr)
{
	return UINT64_MAX - nr + i;
}

static uint64_t pivot_spread(unsigned int i, unsigned int nr)
{
	return UINT64_MAX / (nr + 1) * (i + 1);
}

static uint64_t pivot_powers(unsigned int i, unsigned int nr)
{
	return UINT64_C(1) << (i * 64 / nr);
}

static pivot_fn *const pivot_ways[] = { pivot_low, pivot_high, pivot_spread,
					pivot_powers };
#define WAYS 4

static struct node node_of(bool gapped, unsigned int count, pivot_fn *pivot)
{
	struct node node = empty_node(gapped);
	unsigned int i;

	for (i = 0; i + 1 < count; i++)
		node_pivots(&node)[i] = pivot(i, count - 1);
	node.count = (uint8_t)count;
	return node;
}

START_TEST(search_agrees_with_a_loop_for_every_count)
{
	bool gapped = _i / WAYS;
	unsigned int count;

	for (count = 1; count <= node_capacity(gapped); count++) {
		struct node node =
			node_of(gapped, count, pivot_ways[_i % WAYS]);

		assert_all_searches(&node);
	}
}
END_TEST

START_TEST(search_agrees_with_a_loop_for_random_pivots)
{
	struct rng rng;
	unsigned int i;

	rng_seed(&rng, test_seed());
	for (unsigned long n = test_scaled(20000); n; n--) {
		bool gapped = rng_below(&rng, 2);
		unsigned int count = 1 + (unsigned int)rng_below(
						 &rng, node_capacity(gapped));
		struct node node = empty_node(gapped);
		uint64_t room = UINT64_MAX / count - 1, pivot = 0;

		room >>= rng_below(&rng, 56);
		node.count = (uint8_t)count;
		for (i = 0; i + 1 < count; i++) {
			pivot += rng_below(&rng, room) + (i > 0);
			node_pivots(&node)[i] = pivot;
		}
		assert_all_searches(&node);
		assert_search(&node, rng_next(&rng));
	}
}
END_TEST

START_TEST(slots_cover_the_range_of_their_node_without_a_gap)
{
	bool gapped = _i;
	unsigned int count, i;

	for (count = 1; count <= node_capacity(gapped); count++) {
		struct node node = node_of(gapped, count, pivot_spread);
		uint64_t min = count > 1 ? node_pivots(&node)[0] - 3 : 7;
		uint64_t max =
			count > 1 ? node_pivots(&node)[count - 2] + 5 : 9;

		ck_assert_uint_eq(node_slot_first(&node, 0, min), min);
		ck_assert_uint_eq(node_slot_last(&node, count - 1, max), max);
		for (i = 0; i + 1 < count; i++) {
			uint64_t last = node_slot_last(&node, i, max);

			ck_assert_uint_eq(last, node_pivots(&node)[i]);
			ck_assert_uint_eq(node_slot_first(&node, i + 1, min),
					  last + 1);
		}
	}
}
END_TEST

START_TEST(slots_reach_both_ends_of_the_key_space)
{
	struct node low = node_of(_i, 2, pivot_low);
	struct node high = node_of(_i, 2, pivot_high);

	ck_assert_uint_eq(node_slot_first(&low, 0, 0), 0);
	ck_assert_uint_eq(node_slot_last(&low, 0, UINT64_MAX), 0);
	ck_assert_uint_eq(node_slot_first(&low, 1, 0), 1);
	ck_assert_uint_eq(node_slot_last(&high, 0, UINT64_MAX), UINT64_MAX - 1);
	ck_assert_uint_eq(node_slot_first(&high, 1, 0), UINT64_MAX);
	ck_assert_uint_eq(node_slot_last(&high, 1, UINT64_MAX), UINT64_MAX);
}
END_TEST

START_TEST(layouts_fill_their_object_and_keep_apart)
{
	struct node node;
	char *start = (char *)&node;

	ck_assert_uint_le(sizeof(node), NODE_BYTES);
	ck_assert_uint_eq(ARRAY_SIZE(node.plain.slot), NODE_SLOTS);
	ck_assert_uint_eq(ARRAY_SIZE(node.plain.pivot), NODE_SLOTS - 1);
	ck_assert_uint_eq(ARRAY_SIZE(node.gap.slot), NODE_GAP_SLOTS);
	ck_assert_uint_eq(ARRAY_SIZE(node.gap.gap), NODE_GAP_SLOTS);
	ck_assert_uint_eq(ARRAY_SIZE(node.gap.pivot), NODE_GAP_SLOTS - 1);
	/* The header, seven pivots: the first line. */
	ck_assert_ptr_eq(&node.plain.pivot[7], start + UMAPLE_CACHELINE);
	node_init(&node, 0, false);
	ck_assert_ptr_eq(node_slots(&node), node.plain.slot);
	node_init(&node, 1, true);
	ck_assert_ptr_eq(node_slots(&node), node.gap.slot);
	/* Two nodes of the least size fit one: else a merge would make two. */
	ck_assert_uint_le(2 * NODE_MIN, NODE_SLOTS);
	ck_assert_uint_le(2 * NODE_GAP_MIN, NODE_GAP_SLOTS);
}
END_TEST

START_TEST(fresh_node_is_alive_and_empty)
{
	struct node node;

	memset(&node, 0xff, sizeof(node));
	node_init(&node, 3, true);

	ck_assert(!node_is_dead(&node));
	ck_assert_uint_eq(node.count, 0);
	ck_assert_uint_eq(node.level, 3);
	ck_assert_uint_eq(node.gapped, 1);
}
END_TEST

START_TEST(root_word_keeps_node_and_height_apart)
{
	static struct node node __attribute__((aligned(NODE_BYTES)));
	void *root = root_make(&node, (unsigned int)_i);

	ck_assert_ptr_eq(root_node(root), &node);
	ck_assert_uint_eq(root_height(root), (unsigned int)_i);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("node.search");

	tcase_add_loop_test(tc, search_agrees_with_a_loop_for_every_count, 0,
			    2 * WAYS);
	tcase_add_test(tc, search_agrees_with_a_loop_for_random_pivots);
	suite_add_tcase(s, tc);

	tc = tcase_create("node.layout");
	tcase_add_loop_test(
		tc, slots_cover_the_range_of_their_node_without_a_gap, 0, 2);
	tcase_add_loop_test(tc, slots_reach_both_ends_of_the_key_space, 0, 2);
	tcase_add_test(tc, layouts_fill_their_object_and_keep_apart);
	tcase_add_test(tc, fresh_node_is_alive_and_empty);
	tcase_add_loop_test(tc, root_word_keeps_node_and_height_apart, 1,
			    UMAPLE_MAX_HEIGHT + 1);
	suite_add_tcase(s, tc);
}
