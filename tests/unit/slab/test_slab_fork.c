/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_fork.c - slab/slab_fork.c: what threads that are gone left half done.
 */

#include <sys/wait.h>
#include <unistd.h>

#include "platform/lock.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_fork";

/* As in a child: the locks are held, and by nobody. */
static void reset(void)
{
	umaple_slab_node_lock_all(&node);
	umaple_slab_node_reset(&node);
	assert_sound();
}

START_TEST(lock_all_holds_every_lock)
{
	umaple_slab_node_lock_all(&node);
	ck_assert(umaple_lock_is_held(&node.defer_lock));
	ck_assert(umaple_lock_is_held(&node.list_lock));
	ck_assert(umaple_lock_is_held(&node.pool_lock));
	umaple_slab_node_unlock_all(&node);
	ck_assert(!umaple_lock_is_held(&node.defer_lock));
	ck_assert(!umaple_lock_is_held(&node.list_lock));
	ck_assert(!umaple_lock_is_held(&node.pool_lock));
}
END_TEST

START_TEST(reset_of_a_node_at_rest_changes_nothing)
{
	size_t slabs, partial;

	take_objects(1000);
	give_objects(100, 500);
	umaple_slab_defer(&node, objects[--nr_objects]);
	slabs = node.nr_slabs;
	partial = node.nr_partial;

	reset();
	assert_levels(slabs, partial, nr_objects + 1);
	ck_assert_uint_eq(umaple_slab_defer_release(
				  &node, umaple_slab_defer_collect(&node)),
			  1);
	take_objects(1000);
}
END_TEST

/* A free had found the slab full and not yet listed it. */
START_TEST(slab_owed_to_the_list_is_listed)
{
	struct umaple_slab *slab;

	take_objects(NODE_PER_SLAB);
	slab = umaple_slab_of(&node, objects[0]);
	ck_assert_int_eq(umaple_slab_free_begin(&node, slab, 1), FREE_LIST);
	objects[0] = objects[--nr_objects];
	reset();
	assert_levels(1, 1, 63);
}
END_TEST

/* The same, between the flag and the push; and a slab that is on the stack. */
START_TEST(parked_slabs_are_listed)
{
	const struct umaple_parking always = { .when = PARK_ALWAYS };
	struct umaple_slab *slab;

	umaple_slab_node_set_parking(&node, &always);
	take_objects(2 * NODE_PER_SLAB);
	slab = umaple_slab_of(&node, objects[0]);
	give_objects(NODE_PER_SLAB, 1);
	ck_assert_ptr_nonnull(node.parked->head);
	ck_assert_int_eq(umaple_slab_free_begin(&node, slab, 1), FREE_LIST);
	objects[0] = objects[--nr_objects];
	slab->parked = true;
	node.parked->park_slab++;

	reset();
	ck_assert_ptr_null(node.parked->head);
	assert_levels(2, 2, 2 * NODE_PER_SLAB - 2);
}
END_TEST

/* The same, and other threads had emptied it meanwhile. */
START_TEST(awaited_slab_is_listed)
{
	const struct umaple_parking always = { .when = PARK_ALWAYS };
	struct umaple_slab *slab;

	umaple_slab_node_set_parking(&node, &always);
	take_objects(NODE_PER_SLAB);
	slab = umaple_slab_of(&node, objects[0]);
	ck_assert_int_eq(umaple_slab_free_begin(&node, slab, 1), FREE_LIST);
	umaple_slab_give(&node, objects + 1, NODE_PER_SLAB - 1);
	nr_objects = 0;
	ck_assert_uint_eq(node.parked->nr_awaited, 1);

	reset();
	ck_assert_uint_eq(node.parked->nr_awaited, 0);
	assert_levels(1, 1, 0);
}
END_TEST

/* A fresh slab whose taker had not come to list the rest. */
START_TEST(fresh_slab_in_passing_is_listed_or_given_back)
{
	take_objects(node.geo.min_partial * NODE_PER_SLAB);
	for (size_t i = node.geo.min_partial; i-- > 0;)
		give_objects(i * NODE_PER_SLAB, 1);
	ck_assert_ptr_nonnull(umaple_pool_alloc_slab(&node));
	assert_violates("L5:");

	reset();
	assert_levels(node.geo.min_partial, node.geo.min_partial,
		      node.geo.min_partial * 63);
}
END_TEST

START_TEST(collection_of_a_lost_thread_waits_anew)
{
	uint64_t ticket;

	take_objects(100);
	for (int i = 0; i < 40; i++)
		umaple_slab_defer(&node, objects[--nr_objects]);
	ck_assert_ptr_nonnull(umaple_slab_defer_collect(&node));
	for (int i = 0; i < 30; i++)
		umaple_slab_defer(&node, objects[--nr_objects]);

	reset();
	ticket = umaple_slab_defer_ticket(&node);
	ck_assert(!umaple_slab_defer_done(&node, ticket));
	ck_assert_uint_eq(umaple_slab_defer_release(
				  &node, umaple_slab_defer_collect(&node)),
			  70);
	ck_assert(umaple_slab_defer_done(&node, ticket));
}
END_TEST

/* The child uses what the parent had, and gives all of it back. */
START_TEST(child_goes_on_with_its_copy)
{
	int status;
	pid_t pid;

	take_objects(3000);
	umaple_slab_node_lock_all(&node);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		umaple_slab_node_reset(&node);
		take_objects(1000);
		umaple_slab_give(&node, objects, nr_objects);
		_exit(umaple_slab_check(&node, NULL, 0) ||
		      umaple_slab_node_fini(&node));
	}
	umaple_slab_node_unlock_all(&node);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	take_objects(1000);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("slab_fork");

	tcase_add_checked_fixture(tc, node_set_up, node_tear_down);
	tcase_add_test(tc, lock_all_holds_every_lock);
	tcase_add_test(tc, reset_of_a_node_at_rest_changes_nothing);
	tcase_add_test(tc, slab_owed_to_the_list_is_listed);
	tcase_add_test(tc, parked_slabs_are_listed);
	tcase_add_test(tc, awaited_slab_is_listed);
	tcase_add_test(tc, fresh_slab_in_passing_is_listed_or_given_back);
	tcase_add_test(tc, collection_of_a_lost_thread_waits_anew);
	tcase_add_test(tc, child_goes_on_with_its_copy);
	suite_add_tcase(s, tc);
}
