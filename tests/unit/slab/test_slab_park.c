/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_park.c - slab/slab_park.c: when a slab is parked, who unparks it, and
 * that none is forgotten.
 */

#include <string.h>

#include "platform/lock.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_park";

static const struct umaple_parking contended = { .when = PARK_CONTENDED };
static const struct umaple_parking never = { .when = PARK_NEVER };
static const struct umaple_parking always = { .when = PARK_ALWAYS };
static const struct umaple_parking deferred = { .when = PARK_ALWAYS,
						.deferred = true };

/* @count full slabs, their objects in slab order. */
static void full_slabs(const struct umaple_parking *parking, size_t count)
{
	umaple_slab_node_set_parking(&node, parking);
	for (; count; count--)
		take_objects(NODE_PER_SLAB);
}

/* @count partial slabs on the list, whose objects come last in objects[]. */
static void partial_slabs(size_t count)
{
	size_t first = nr_objects;

	for (size_t i = 0; i < count; i++)
		take_objects(NODE_PER_SLAB);
	while (count--)
		give_objects(first + count * NODE_PER_SLAB, 1);
	umaple_slab_stats_reset(&node);
}

/* So many are on the stack; and the invariants hold. */
static void assert_parked(size_t count)
{
	struct umaple_slab *slab = node.parked->head;
	size_t seen = 0;

	assert_sound();
	for (; slab; slab = slab->next_parked)
		seen++;
	ck_assert_uint_eq(seen, count);
}

static void assert_events(uint64_t parked, uint64_t unparked, uint64_t events)
{
	struct umaple_slab_stats stats;

	umaple_slab_stats(&node, &stats);
	ck_assert_uint_eq(stats.park_slab, parked);
	ck_assert_uint_eq(stats.unpark_slab, unparked);
	ck_assert_uint_eq(stats.unpark_event, events);
}

/* --- when --- */

START_TEST(slab_is_parked_while_the_lock_is_taken)
{
	full_slabs(&contended, 2);
	umaple_lock_take(&node.list_lock);
	give_objects(0, 1); /* would hang if it waited */
	give_objects(NODE_PER_SLAB, 5);
	umaple_lock_drop(&node.list_lock);

	assert_parked(2);
	ck_assert_uint_eq(node.nr_partial, 0);
	assert_events(2, 2, 1);
	assert_levels(2, 2, nr_objects);
	assert_counters(2, 0, 0);
}
END_TEST

START_TEST(slab_is_listed_while_the_lock_is_free)
{
	full_slabs(&contended, 2);
	give_objects(0, 1);
	assert_parked(0);
	ck_assert_uint_eq(node.nr_partial, 1);
	assert_events(0, 0, 0);
}
END_TEST

START_TEST(switched_off_nothing_is_parked)
{
	full_slabs(&never, 3);
	give_objects(0, NODE_PER_SLAB + 1);
	give_objects(NODE_PER_SLAB, 1);
	assert_parked(0);
	assert_events(0, 0, 0);
	assert_levels(3, 3, nr_objects);
}
END_TEST

START_TEST(always_does_not_try_the_lock)
{
	full_slabs(&always, 3);
	give_objects(0, 1);
	give_objects(NODE_PER_SLAB, NODE_PER_SLAB);
	assert_parked(3);
	ck_assert_uint_eq(node.nr_partial, 0);
	assert_events(3, 3, 1);
	assert_levels(3, 3, nr_objects);
}
END_TEST

/* On top of what is there, by one push. */
START_TEST(slabs_of_a_batch_are_parked_together)
{
	void *batch[4];

	full_slabs(&always, 5);
	give_objects(0, 1);
	for (size_t i = 0; i < 4; i++) {
		size_t last = (i + 2) * NODE_PER_SLAB - 2;

		batch[i] = objects[last];
		objects[last] = NULL;
	}
	umaple_slab_give(&node, batch, 4);
	assert_parked(5);
	assert_events(5, 5, 1);
	assert_levels(5, 5, 5 * NODE_PER_SLAB - 5);
	for (size_t i = 0; i < nr_objects;) {
		if (objects[i])
			i++;
		else
			objects[i] = objects[--nr_objects];
	}
}
END_TEST

/* Of one batch: a slab that may be parked, and one whose last object it frees. */
START_TEST(batch_parks_what_it_can_and_locks_for_the_rest)
{
	void *batch[2];

	full_slabs(&always, 2);
	give_objects(1, NODE_PER_SLAB - 1);
	umaple_slab_unpark(&node);
	ck_assert_uint_eq(nr_objects, NODE_PER_SLAB + 1);
	batch[0] = objects[0];
	batch[1] = objects[1];
	umaple_slab_give(&node, batch, 2);
	nr_objects -= 2;
	memmove(objects, objects + 2, nr_objects * sizeof(objects[0]));

	assert_parked(1);
	ck_assert_uint_eq(node.nr_partial, 1);
	assert_levels(2, 2, NODE_PER_SLAB - 1);
}
END_TEST

START_TEST(stack_lies_on_a_line_of_its_own_or_on_that_of_the_lock)
{
	const struct umaple_parking beside = { .when = PARK_ALWAYS,
					       .beside = true };
	uintptr_t lock = (uintptr_t)&node.list_lock / UMAPLE_CACHELINE;

	ck_assert_uint_ne((uintptr_t)node.parked / UMAPLE_CACHELINE, lock);
	ck_assert_uint_eq((uintptr_t)node.parked % UMAPLE_CACHELINE, 0);
	full_slabs(&beside, 2);
	ck_assert_uint_eq((uintptr_t)node.parked / UMAPLE_CACHELINE, lock);
	give_objects(0, 1);
	assert_parked(1);
	assert_events(1, 1, 1);
}
END_TEST

/* --- who unparks --- */

START_TEST(taker_finds_parked_slabs_before_it_takes_a_fresh_one)
{
	full_slabs(&always, 3);
	for (size_t i = 3; i-- > 0;)
		give_objects(i * NODE_PER_SLAB, 10);
	assert_parked(3);
	take_objects(30);
	assert_parked(0);
	assert_events(3, 3, 1);
	assert_levels(3, 0, 3 * NODE_PER_SLAB);
}
END_TEST

START_TEST(shrink_finds_parked_slabs)
{
	size_t before, after;

	full_slabs(&deferred, 2);
	give_objects(0, NODE_PER_SLAB);
	assert_parked(1);
	umaple_slab_shrink(&node, &before, &after);
	ck_assert_uint_eq(before, 2);
	ck_assert_uint_eq(after, 1);
	assert_parked(0);
}
END_TEST

START_TEST(end_of_the_node_finds_parked_slabs)
{
	full_slabs(&deferred, 10);
	give_objects(0, nr_objects);
	ck_assert_ptr_nonnull(node.parked->head);
	ck_assert_uint_eq(umaple_slab_node_fini(&node), 0);
}
END_TEST

/* "Enough" slabs are listed: what has become empty meanwhile goes back. */
START_TEST(unparking_discards_empty_slabs_beyond_min_partial)
{
	full_slabs(&deferred, 4);
	partial_slabs(MIN_PARTIAL - 1);
	give_objects(0, 3 * NODE_PER_SLAB);
	give_objects(0, 1);
	assert_parked(4);
	umaple_slab_unpark(&node);

	assert_parked(0);
	/* The stack's top is listed first: the partial one. */
	assert_counters(1, 0, 3);
	assert_levels(MIN_PARTIAL + 4 - 1 - 3, MIN_PARTIAL, nr_objects);
}
END_TEST

START_TEST(release_of_deferred_objects_leaves_nothing_parked)
{
	full_slabs(&deferred, 2);
	umaple_slab_defer(&node, objects[--nr_objects]);
	ck_assert_uint_eq(umaple_slab_defer_release(
				  &node, umaple_slab_defer_collect(&node)),
			  1);
	assert_parked(0);
	ck_assert_uint_eq(node.nr_partial, 1);
}
END_TEST

/* --- nothing is forgotten --- */

START_TEST(parked_slab_is_unparked_by_who_empties_it)
{
	full_slabs(&always, 2);
	give_objects(0, 1);
	assert_parked(1);
	give_objects(0, NODE_PER_SLAB - 2);
	assert_parked(1);
	give_objects(0, 1);

	assert_parked(0);
	ck_assert_uint_eq(node.nr_partial, 1);
	assert_events(1, 1, 1);
}
END_TEST

START_TEST(parked_slab_that_is_emptied_may_go_back)
{
	full_slabs(&always, 1);
	node.parking = never;
	partial_slabs(MIN_PARTIAL);
	node.parking = always;
	give_objects(0, 1);
	give_objects(0, NODE_PER_SLAB - 1);

	assert_parked(0);
	assert_counters(0, 0, 1);
	assert_levels(MIN_PARTIAL, MIN_PARTIAL, nr_objects);
}
END_TEST

START_TEST(slab_emptied_by_one_free_is_not_parked)
{
	full_slabs(&always, 1);
	umaple_slab_free_objects(&node, umaple_slab_of(&node, objects[0]),
				 node.layout.all);
	nr_objects = 0;
	assert_parked(0);
	ck_assert_uint_eq(node.nr_partial, 1);
}
END_TEST

/* One free has found the slab full and not parked it yet; others empty it. */
static struct umaple_slab *empty_in_passing(void)
{
	struct umaple_slab *slab = umaple_slab_of(&node, objects[0]);

	ck_assert_int_eq(umaple_slab_free_begin(&node, slab, 1), FREE_LIST);
	umaple_slab_give(&node, objects + 1, NODE_PER_SLAB - 1);
	nr_objects -= NODE_PER_SLAB;
	memmove(objects, objects + NODE_PER_SLAB,
		nr_objects * sizeof(objects[0]));
	ck_assert_uint_eq(slab->free, node.layout.all);
	ck_assert(!slab->listed);
	return slab;
}

static void park(struct umaple_slab *slab)
{
	struct umaple_slab_chain chain = { 0 };

	umaple_slab_chain_add(&chain, slab);
	umaple_slab_park(&node, &chain);
}

START_TEST(awaited_slab_is_unparked_by_who_parks_it)
{
	struct umaple_slab *slab;

	full_slabs(&always, 2);
	slab = empty_in_passing();
	ck_assert_uint_eq(node.parked->nr_awaited, 1);
	ck_assert(slab->awaited);

	park(slab);
	assert_parked(0);
	ck_assert_uint_eq(node.parked->nr_awaited, 0);
	ck_assert(slab->listed);
	assert_events(1, 1, 1);
}
END_TEST

START_TEST(awaited_slab_is_seen_to_under_the_lock)
{
	struct list_link discard;
	struct umaple_slab *slab;

	full_slabs(&contended, 2);
	slab = empty_in_passing();
	ck_assert_uint_eq(node.parked->nr_awaited, 1);

	ck_assert(!umaple_slab_may_park(&node, slab));
	list_init(&discard);
	umaple_lock_take(&node.list_lock);
	umaple_slab_free_finish(&node, slab, 1, FREE_LIST, &discard);
	umaple_lock_drop(&node.list_lock);
	ck_assert(list_is_empty(&discard));
	ck_assert_uint_eq(node.parked->nr_awaited, 0);
	assert_levels(2, 1, NODE_PER_SLAB);
}
END_TEST

START_TEST(other_parkers_leave_an_awaited_slab_alone)
{
	struct umaple_slab *slab;

	full_slabs(&always, 3);
	slab = empty_in_passing();
	give_objects(0, 1);
	ck_assert_ptr_null(node.parked->head);
	ck_assert_uint_eq(node.parked->nr_awaited, 1);
	ck_assert_uint_eq(node.nr_partial, 1);

	park(slab);
	assert_parked(0);
	assert_events(2, 2, 2);
}
END_TEST

START_TEST(deferred_nobody_is_awaited)
{
	full_slabs(&deferred, 2);
	give_objects(0, 1);
	give_objects(0, NODE_PER_SLAB - 1);
	assert_parked(1);
	ck_assert(umaple_slab_wants_unpark(&node));
	umaple_slab_unpark(&node);
	assert_parked(0);
	ck_assert(!umaple_slab_wants_unpark(&node));
	ck_assert_uint_eq(node.nr_partial, 1);
}
END_TEST

/* --- counting --- */

START_TEST(reset_keeps_park_and_unpark_equal)
{
	full_slabs(&always, 2);
	give_objects(0, 1);
	umaple_slab_stats_reset(&node);
	assert_events(0, 0, 0);
	give_objects(NODE_PER_SLAB, 1);
	assert_parked(1);
	assert_events(1, 1, 1);
}
END_TEST

static void add_when(Suite *s)
{
	TCase *tc = tcase_create("slab_park.when");

	tcase_add_checked_fixture(tc, node_set_up, node_tear_down);
	tcase_add_test(tc, slab_is_parked_while_the_lock_is_taken);
	tcase_add_test(tc, slab_is_listed_while_the_lock_is_free);
	tcase_add_test(tc, switched_off_nothing_is_parked);
	tcase_add_test(tc, always_does_not_try_the_lock);
	tcase_add_test(tc, slabs_of_a_batch_are_parked_together);
	tcase_add_test(tc, batch_parks_what_it_can_and_locks_for_the_rest);
	tcase_add_test(tc,
		       stack_lies_on_a_line_of_its_own_or_on_that_of_the_lock);
	suite_add_tcase(s, tc);
}

static void add_unparkers(Suite *s)
{
	TCase *tc = tcase_create("slab_park.who");

	tcase_add_checked_fixture(tc, node_set_up, node_tear_down);
	tcase_add_test(tc,
		       taker_finds_parked_slabs_before_it_takes_a_fresh_one);
	tcase_add_test(tc, shrink_finds_parked_slabs);
	tcase_add_test(tc, end_of_the_node_finds_parked_slabs);
	tcase_add_test(tc, unparking_discards_empty_slabs_beyond_min_partial);
	tcase_add_test(tc, release_of_deferred_objects_leaves_nothing_parked);
	suite_add_tcase(s, tc);
}

static void add_forgotten(Suite *s)
{
	TCase *tc = tcase_create("slab_park.none_forgotten");

	tcase_add_checked_fixture(tc, node_set_up, node_tear_down);
	tcase_add_test(tc, parked_slab_is_unparked_by_who_empties_it);
	tcase_add_test(tc, parked_slab_that_is_emptied_may_go_back);
	tcase_add_test(tc, slab_emptied_by_one_free_is_not_parked);
	tcase_add_test(tc, awaited_slab_is_unparked_by_who_parks_it);
	tcase_add_test(tc, awaited_slab_is_seen_to_under_the_lock);
	tcase_add_test(tc, other_parkers_leave_an_awaited_slab_alone);
	tcase_add_test(tc, deferred_nobody_is_awaited);
	tcase_add_test(tc, reset_keeps_park_and_unpark_equal);
	suite_add_tcase(s, tc);
}

void register_cases(Suite *s)
{
	add_when(s);
	add_unparkers(s);
	add_forgotten(s);
}
