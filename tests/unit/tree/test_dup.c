/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_dup.c - tree/dup.c: a copy is exact, its own, and whole or not there.
 */

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include <umaple/debug.h>

#include "harness.h"
#include "shape.h"
#include "spy.h"

const char *const suite_name = "dup";

static struct twin src, dst;

static const char *const shapes[] = {
	"1",
	".x.",
	"xx.xx",
	"16",
	"3/5 x.x.x 16",
	"2/4*2/xx.xx 5*7", /* a gap tree only */
	"2/5*2/xx.xx 5*9",
	"2/5*2/5*10/xx.xx 5*49",
};
#define SHAPES	 8
#define GAP_ONLY 5

static bool fits(unsigned int flags, int shape)
{
	return flags & UMAPLE_TREE_GAPS || shape != GAP_ONLY;
}

static void set_up(unsigned int flags, const char *shape)
{
	shape_set_up(&dst, flags, "");
	shape_set_up(&src, flags, shape);
}

static void tear_down(void)
{
	spy_reset();
	twin_compare(&src);
	twin_compare(&dst);
	twin_fini(&src);
	twin_fini(&dst);
}

/* The same in everything but the addresses of nodes. */
static void assert_same_subtree(struct node *a, struct node *b)
{
	unsigned int capacity = node_capacity(a->gapped), i;

	ck_assert_ptr_ne(a, b);
	ck_assert_uint_eq(a->count, b->count);
	ck_assert_uint_eq(a->level, b->level);
	ck_assert_uint_eq(a->gapped, b->gapped);
	ck_assert(!node_is_dead(b));
	ck_assert_mem_eq(node_pivots(a), node_pivots(b),
			 (capacity - 1) * sizeof(uint64_t));
	if (a->gapped)
		ck_assert_mem_eq(a->gap.gap, b->gap.gap, sizeof(a->gap.gap));
	for (i = 0; i < capacity; i++)
		if (a->level && i < a->count)
			assert_same_subtree(node_slots(a)[i], node_slots(b)[i]);
		else
			ck_assert_ptr_eq(node_slots(a)[i], node_slots(b)[i]);
}

START_TEST(copy_is_the_same_node_by_node)
{
	struct umaple_tree_info info;
	unsigned long generation;

	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		if (!fits(twin_flags[i], _i))
			continue;
		set_up(twin_flags[i], shapes[_i]);
		generation = dst.tree.generation_;

		ck_assert_int_eq(umaple_tree_dup(&dst.tree, &src.tree), 0);

		model_copy(&dst.model, &src.model);
		assert_same_subtree(shape_root(&src.tree),
				    shape_root(&dst.tree));
		umaple_tree_measure(&src.tree, &info);
		ck_assert_uint_eq(spy_came(), info.nodes);
		ck_assert_uint_eq(spy_went(), 0);
		ck_assert_uint_ne(dst.tree.generation_, generation);
		tear_down();
	}
}
END_TEST

START_TEST(trees_are_independent_afterwards)
{
	set_up(twin_flags[_i], "3/5 x.x.x 16");
	ck_assert_int_eq(umaple_tree_dup(&dst.tree, &src.tree), 0);
	model_copy(&dst.model, &src.model);

	twin_store(&src, 33, 127, &src);
	twin_erase(&dst, 10);
	twin_compare(&src);
	twin_compare(&dst);
	twin_clear(&src);
	twin_store(&dst, 95, UINT64_MAX - 5, &dst);
	tear_down();
}
END_TEST

START_TEST(empty_tree_is_copied_without_a_node)
{
	set_up(twin_flags[_i], "");

	ck_assert_int_eq(umaple_tree_dup(&dst.tree, &src.tree), 0);

	ck_assert(umaple_tree_is_empty(&dst.tree));
	ck_assert_uint_eq(spy_came(), 0);
	tear_down();
}
END_TEST

START_TEST(copy_gets_the_default_cache_if_it_has_none)
{
	struct umaple_tree tree = UMAPLE_TREE_INIT;

	set_up(0, "xx.xx");

	ck_assert_int_eq(umaple_tree_dup(&tree, &src.tree), 0);

	ck_assert_ptr_eq(tree.cache_, umaple_cache_default());
	ck_assert_ptr_eq(umaple_load(&tree, 33), shape_entry(3));
	umaple_tree_destroy(&tree);
	tear_down();
}
END_TEST

START_TEST(refusal_at_any_node_leaves_nothing)
{
	struct umaple_tree_info info;
	unsigned long came;
	long n;

	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		if (!fits(twin_flags[i], _i))
			continue;
		set_up(twin_flags[i], shapes[_i]);
		umaple_tree_measure(&src.tree, &info);

		for (n = 0; n < (long)info.nodes; n++) {
			spy.refuse = n;
			came = spy_came();
			ck_assert_int_eq(umaple_tree_dup(&dst.tree, &src.tree),
					 -ENOMEM);
			ck_assert(umaple_tree_is_empty(&dst.tree));
			ck_assert_uint_eq(spy_came() - came, (unsigned long)n);
			ck_assert_uint_eq(spy_went(), spy_came());
			ck_assert_uint_eq(spy.deferred, 0);
		}
		spy.refuse = n;
		ck_assert_int_eq(umaple_tree_dup(&dst.tree, &src.tree), 0);
		model_copy(&dst.model, &src.model);
		tear_down();
	}
}
END_TEST

START_TEST(trees_that_do_not_go_together_are_refused)
{
	struct umaple_tree other;

	set_up(twin_flags[_i], "5");

	ck_assert_int_eq(umaple_tree_dup(&src.tree, &src.tree), -EINVAL);
	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		if (twin_flags[i] == twin_flags[_i])
			continue;
		umaple_tree_init(&other, twin_flags[i]);
		ck_assert_int_eq(umaple_tree_dup(&other, &src.tree), -EINVAL);
		ck_assert(umaple_tree_is_empty(&other));
	}
	twin_store(&dst, 7, 9, &dst);
	ck_assert_int_eq(umaple_tree_dup(&dst.tree, &src.tree), -EINVAL);

	ck_assert_uint_eq(spy_came(), 1);
	tear_down();
}
END_TEST

/* -- locks -------------------------------------------------------------------- */

static void assert_no_lock_is_held(void)
{
	ck_assert(!umaple_lock_is_held(&src.tree.lock_));
	ck_assert(!umaple_lock_is_held(&dst.tree.lock_));
}

/*
 * Whoever waits for readers must not hold a lock that one of them may want.
 * Both ways round, as the order of the locks depends on the addresses.
 */
START_TEST(nothing_waits_for_readers_with_a_lock_held)
{
	struct twin *from = _i ? &dst : &src, *to = _i ? &src : &dst;

	set_up(0, "");
	shape_build(from, "5");
	spy_reset();
	spy.on_throttle = assert_no_lock_is_held;

	ck_assert_int_eq(umaple_tree_dup(&to->tree, &from->tree), 0);

	ck_assert_uint_eq(spy.throttles, 2);
	model_copy(&to->model, &from->model);
	assert_no_lock_is_held();
	tear_down();
}
END_TEST

/* For a caller who holds both locks, and goes on writing under them. */
START_TEST(copy_with_both_locks_held_keeps_them)
{
	struct umaple_cursor cursor;
	bool locks = !(twin_flags[_i] & UMAPLE_TREE_EXTERNAL_LOCK);

	set_up(twin_flags[_i], "3/5 x.x.x 16");
	if (locks) {
		umaple_lock(&src.tree);
		umaple_lock(&dst.tree);
	}
	spy_reset();

	ck_assert_int_eq(umaple_tree_dup_locked(&dst.tree, &src.tree), 0);
	model_copy(&dst.model, &src.model);
	ck_assert_int_eq(umaple_tree_dup_locked(&dst.tree, &src.tree), -EINVAL);
	ck_assert_int_eq(umaple_tree_dup_locked(&src.tree, &src.tree), -EINVAL);

	ck_assert_uint_eq(spy.throttles, 0);
	ck_assert_int_eq(umaple_lock_is_held(&src.tree.lock_), locks);
	ck_assert_int_eq(umaple_lock_is_held(&dst.tree.lock_), locks);
	umaple_cursor_init(&cursor, &dst.tree, 33, 127);
	ck_assert_int_eq(umaple_cursor_store(&cursor, &dst), 0);
	model_store_range(&dst.model, 33, 127, &dst);
	if (locks) {
		umaple_unlock(&dst.tree);
		umaple_unlock(&src.tree);
	}
	tear_down();
}
END_TEST

static void *copy_from(void *from)
{
	struct umaple_tree *to = from == &src.tree ? &dst.tree : &src.tree;

	/* Neither is empty: it takes both locks, and gives up. */
	return umaple_tree_dup(to, from) == -EINVAL ? from : NULL;
}

/*
 * Whichever way a copy goes, it waits for the lock at the lower address and does
 * not hold the other meanwhile: two copies in opposite directions cannot wait for
 * each other.
 */
START_TEST(lock_at_the_lower_address_comes_first)
{
	struct umaple_tree *from = _i ? &dst.tree : &src.tree;
	struct umaple_tree *low = &src < &dst ? &src.tree : &dst.tree;
	struct umaple_tree *high = &src < &dst ? &dst.tree : &src.tree;
	pthread_t thread;
	void *result;

	set_up(0, "5");
	shape_build(&dst, "16");
	umaple_lock_take(&low->lock_);
	ck_assert_int_eq(pthread_create(&thread, NULL, copy_from, from), 0);
	/* Until it sleeps on the lock. */
	while (load_relaxed(&low->lock_) != LOCK_CONTENDED)
		sched_yield();

	ck_assert(!umaple_lock_is_held(&high->lock_));
	umaple_lock_drop(&low->lock_);

	pthread_join(thread, &result);
	ck_assert_ptr_eq(result, from);
	assert_no_lock_is_held();
	tear_down();
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("dup.copy");

	tcase_add_loop_test(tc, copy_is_the_same_node_by_node, 0, SHAPES);
	tcase_add_flags_test(tc, trees_are_independent_afterwards);
	tcase_add_flags_test(tc, empty_tree_is_copied_without_a_node);
	tcase_add_test(tc, copy_gets_the_default_cache_if_it_has_none);
	suite_add_tcase(s, tc);

	tc = tcase_create("dup.refused");
	tcase_add_loop_test(tc, refusal_at_any_node_leaves_nothing, 0, SHAPES);
	tcase_add_flags_test(tc, trees_that_do_not_go_together_are_refused);
	suite_add_tcase(s, tc);

	tc = tcase_create("dup.locks");
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, nothing_waits_for_readers_with_a_lock_held, 0,
			    2);
	tcase_add_flags_test(tc, copy_with_both_locks_held_keeps_them);
	tcase_add_loop_test(tc, lock_at_the_lower_address_comes_first, 0, 2);
	suite_add_tcase(s, tc);
}
