/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_reclaim.c - slab/slab_reclaim.c: shrinking and statistics.
 */

#include "platform/bits.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_reclaim";

static void shrink(size_t before, size_t after)
{
	size_t ret_before = 0, ret_after = 0;

	umaple_slab_shrink(&node, &ret_before, &ret_after);
	ck_assert_uint_eq(ret_before, before);
	ck_assert_uint_eq(ret_after, after);
	ck_assert_ptr_null(node.idle);
}

START_TEST(shrink_of_nothing_is_nothing)
{
	shrink(0, 0);
	umaple_slab_shrink(&node, NULL, NULL);
	assert_levels(0, 0, 0);
}
END_TEST

START_TEST(shrink_drops_empty_slabs_below_min_partial)
{
	take_objects(10 * NODE_PER_SLAB);
	give_objects(1, nr_objects - 1);
	ck_assert_uint_gt(node.nr_partial, 1);
	ck_assert_uint_eq(node.nr_partial, node.nr_slabs);

	shrink(node.nr_slabs, 1);
	assert_levels(1, 1, 1);
	give_objects(0, 1);
	shrink(1, 0);
	assert_levels(0, 0, 0);
}
END_TEST

START_TEST(shrink_does_not_count_as_free)
{
	take_objects(NODE_PER_SLAB);
	give_objects(0, NODE_PER_SLAB);
	umaple_slab_stats_reset(&node);
	shrink(1, 0);
	assert_counters(0, 0, 1);
}
END_TEST

START_TEST(shrink_gives_the_idle_chunk_back)
{
	take_objects(node.geo.slabs_per_chunk * NODE_PER_SLAB + 1);
	give_objects(nr_objects - 1, 1);
	give_objects(0, nr_objects);
	umaple_slab_shrink(&node, NULL, NULL);
	ck_assert_ptr_null(node.idle);
	ck_assert(list_is_empty(&node.chunks_avail));
}
END_TEST

/* Slab i gets (i * 7) % 20 + 1 free objects. */
START_TEST(shrink_sorts_partial_slabs_fullest_first)
{
	enum {
		SLABS = 20
	};
	struct list_link *link;
	unsigned int last = 0, free;

	take_objects(SLABS * NODE_PER_SLAB);
	for (size_t i = SLABS; i-- > 0;)
		give_objects(i * NODE_PER_SLAB, (i * 7) % SLABS + 1);
	shrink(SLABS, SLABS);
	assert_sound();

	for (link = node.partial.next; link != &node.partial;
	     link = link->next) {
		free = bits_count(umaple_slab_of_link(link)->free);
		ck_assert_uint_eq(free, last + 1);
		last = free;
	}
	ck_assert_uint_eq(last, SLABS);
}
END_TEST

START_TEST(stats_say_where_objects_are)
{
	struct umaple_slab_stats stats;

	take_objects(3 * NODE_PER_SLAB);
	give_objects(0, 10);
	umaple_slab_stats(&node, &stats);

	ck_assert_uint_eq(stats.alloc_slab, 3);
	ck_assert_uint_eq(stats.free_slab, 0);
	ck_assert_uint_eq(stats.free_add_partial, 1);
	ck_assert_uint_eq(stats.free_remove_partial, 0);
	ck_assert_uint_eq(stats.slabs, 3);
	ck_assert_uint_eq(stats.partial, 1);
	ck_assert_uint_eq(stats.total_objects, 3 * NODE_PER_SLAB);
	ck_assert_uint_eq(stats.objects, 3 * NODE_PER_SLAB - 10);
	ck_assert_uint_eq(stats.objects_partial, NODE_PER_SLAB - 10);
}
END_TEST

START_TEST(reset_clears_counters_and_keeps_levels)
{
	struct umaple_slab_stats stats;

	take_objects(20 * NODE_PER_SLAB);
	for (size_t i = 0; i < 10; i++) {
		give_objects(0, 1);
		give_objects(0, NODE_PER_SLAB - 1);
	}
	umaple_slab_stats(&node, &stats);
	ck_assert_uint_gt(stats.free_remove_partial, 0);
	ck_assert_uint_eq(stats.free_remove_partial, stats.free_slab);

	umaple_slab_stats_reset(&node);
	assert_counters(0, 0, 0);
	ck_assert_uint_eq(node.alloc_slab, 0);
	assert_levels(stats.slabs, stats.partial, stats.objects);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("slab_reclaim");

	tcase_add_checked_fixture(tc, node_set_up, node_tear_down);
	tcase_add_test(tc, shrink_of_nothing_is_nothing);
	tcase_add_test(tc, shrink_drops_empty_slabs_below_min_partial);
	tcase_add_test(tc, shrink_does_not_count_as_free);
	tcase_add_test(tc, shrink_gives_the_idle_chunk_back);
	tcase_add_test(tc, shrink_sorts_partial_slabs_fullest_first);
	tcase_add_test(tc, stats_say_where_objects_are);
	tcase_add_test(tc, reset_clears_counters_and_keeps_levels);
	suite_add_tcase(s, tc);
}
