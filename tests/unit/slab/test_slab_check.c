/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_check.c - slab/slab_check.c: damage to any invariant is found.
 *
 * Each case damages one field, expects the number, and repairs.
 */

#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_check";

static struct umaple_chunk *chunk;
static struct umaple_slab *full, *partial, *unused;

/* One full slab, one with ten free objects, and the rest in no use. */
static void set_up(void)
{
	node_set_up();
	take_objects(2 * NODE_PER_SLAB - 10);
	chunk = umaple_chunk_of(objects[0]);
	full = umaple_slab_of(&node, objects[0]);
	partial = umaple_slab_of(&node, objects[nr_objects - 1]);
	unused = umaple_slab_of_link(chunk->unused.next);
	assert_levels(2, 1, nr_objects);
}

START_TEST(l1_cookie)
{
	chunk->cookie++;
	assert_violates("L1:");
	chunk->cookie--;
}
END_TEST

START_TEST(l2_counts_and_lists_of_chunks)
{
	struct list_link *next = chunk->unused.next;

	chunk->nr_used++;
	assert_violates("L2:");
	chunk->nr_used = 0;
	assert_violates("L2:");
	chunk->nr_used = 2;

	node.nr_slabs++;
	assert_violates("L2:");
	node.nr_slabs--;

	chunk->unused.next = next->next;
	assert_violates("L2:");
	chunk->unused.next = next;
	list_push_back(&chunk->unused, &full->link);
	assert_violates("L2:");
	list_remove(&full->link);

	node.idle = chunk;
	assert_violates("L2:");
	node.idle = NULL;
	chunk->link.next->prev = NULL;
	assert_violates("L2:");
	chunk->link.next->prev = &chunk->link;
}
END_TEST

START_TEST(l3_sets_are_disjoint_and_within_the_slab)
{
	uint64_t free = partial->free;

	partial->pending = free & -free;
	assert_violates("L3:");
	partial->pending = 0;
	partial->waiting = free;
	assert_violates("L3:");
	partial->waiting = 0;
	full->waiting = 2;
	full->pending = 3;
	assert_violates("L3:");
	full->waiting = 0;
	full->pending = 0;
}
END_TEST

START_TEST(l3_objects_that_do_not_exist)
{
	node_tear_down();
	node_set_up_for(4096);
	take_objects(1);
	partial = umaple_slab_of(&node, objects[0]);
	partial->free |= UINT64_C(1) << 63;
	assert_violates("L3:");
	partial->free &= UINT64_MAX >> 1;
}
END_TEST

START_TEST(l4_slab_in_no_use)
{
	unused->free--;
	assert_violates("L4:");
	unused->free++;
	unused->listed = true;
	assert_violates("L4:");
	unused->listed = false;
	unused->parked = true;
	assert_violates("L4:");
	unused->parked = false;
}
END_TEST

START_TEST(l5_free_objects_and_the_list)
{
	full->free = 4;
	assert_violates("L5:");
	full->free = 0;
	full->listed = true;
	assert_violates("L5:");
	full->listed = false;
	partial->listed = false;
	assert_violates("L5:");
	partial->listed = true;
	partial->parked = true;
	assert_violates("L5:");
	partial->parked = false;
}
END_TEST

START_TEST(l6_ring_and_count)
{
	node.nr_partial++;
	assert_violates("L6:");
	node.nr_partial = 0;
	assert_violates("L6:");
	node.nr_partial = 1;

	list_push_back(&node.partial, &full->link);
	node.nr_partial = 2;
	assert_violates("L6:");
	list_remove(&full->link);
	node.nr_partial = 1;

	node.partial.prev = NULL;
	assert_violates("L6:");
	node.partial.prev = &partial->link;
	partial->link.next = &partial->link;
	partial->link.prev = &partial->link;
	assert_violates("L6:");
	partial->link.next = &node.partial;
	partial->link.prev = &node.partial;
}
END_TEST

START_TEST(l7_empty_slabs)
{
	give_objects(0, nr_objects);
	assert_levels(2, 2, 0);
	node.geo.min_partial = 1;
	assert_violates("L7:");
	node.geo.min_partial = MIN_PARTIAL;
}
END_TEST

START_TEST(l8_deferred_list)
{
	uint64_t pending;

	full->pending = 1;
	assert_violates("L8:");
	full->pending = 0;
	full->waiting = 1;
	assert_violates("L8:");
	full->waiting = 0;

	umaple_slab_defer(&node, objects[0]);
	umaple_slab_defer(&node, objects[nr_objects - 1]);
	assert_sound();
	pending = full->pending;
	full->pending = 0;
	assert_violates("L8:");
	full->pending = pending;
	node.deferred->next_pending->next_pending = node.deferred;
	assert_violates("L8:");
	node.deferred->next_pending->next_pending = NULL;

	ck_assert_uint_eq(umaple_slab_defer_release(
				  &node, umaple_slab_defer_collect(&node)),
			  2);
	objects[0] = objects[nr_objects - 2];
	nr_objects -= 2;
}
END_TEST

START_TEST(l9_stack)
{
	const struct umaple_parking always = { .when = PARK_ALWAYS };
	struct umaple_slab *slab = full;

	node.parking = always;
	give_objects(0, 1);
	ck_assert_ptr_eq(node.parked->head, slab);
	assert_sound();

	node.parked->park_slab++;
	assert_violates("L9:");
	node.parked->park_slab -= 2;
	assert_violates("L9:");
	node.parked->park_slab++;
	slab->next_parked = slab;
	assert_violates("L9:");
	slab->next_parked = NULL;
	node.parked->head = NULL;
	assert_violates("L9:");
	node.parked->head = slab;

	slab->awaited = true;
	assert_violates("L9:");
	slab->awaited = false;
	node.parked->nr_awaited = 1;
	assert_violates("L9:");
	node.parked->nr_awaited = 0;
}
END_TEST

/* An empty slab may be parked only if somebody will come by. */
START_TEST(l9_empty_parked_slab)
{
	node.parking.when = PARK_ALWAYS;
	node.parking.deferred = true;
	give_objects(0, NODE_PER_SLAB);
	ck_assert_ptr_eq(node.parked->head, full);
	assert_sound();
	node.parking.deferred = false;
	assert_violates("L9:");
	node.parking.deferred = true;
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("slab_check");

	tcase_add_checked_fixture(tc, set_up, node_tear_down);
	tcase_add_test(tc, l1_cookie);
	tcase_add_test(tc, l2_counts_and_lists_of_chunks);
	tcase_add_test(tc, l3_sets_are_disjoint_and_within_the_slab);
	tcase_add_test(tc, l3_objects_that_do_not_exist);
	tcase_add_test(tc, l4_slab_in_no_use);
	tcase_add_test(tc, l5_free_objects_and_the_list);
	tcase_add_test(tc, l6_ring_and_count);
	tcase_add_test(tc, l7_empty_slabs);
	tcase_add_test(tc, l8_deferred_list);
	tcase_add_test(tc, l9_stack);
	tcase_add_test(tc, l9_empty_parked_slab);
	suite_add_tcase(s, tc);
}
