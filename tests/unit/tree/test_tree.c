/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_tree.c - tree/tree.c: life of a tree, its lock and its sections, and what
 * the functions that write return.
 */

#include <errno.h>
#include <string.h>

#include "harness.h"
#include "shape.h"
#include "spy.h"

const char *const suite_name = "tree";

#define MAX UINT64_MAX

static struct twin twin;

static void set_up(unsigned int flags, const char *shape)
{
	shape_set_up(&twin, flags, shape);
}

static void tear_down(void)
{
	spy_reset();
	twin_compare(&twin);
	twin_fini(&twin);
}

static bool locks_itself(unsigned int flags)
{
	return !(flags & (UMAPLE_TREE_SERIAL | UMAPLE_TREE_EXTERNAL_LOCK));
}

static bool lock_is_held(void)
{
	return umaple_lock_is_held(&twin.tree.lock_);
}

static bool in_section(void)
{
	return umaple_rcu_read_ongoing(umaple_tree_flavor(&twin.tree));
}

/* -- life ------------------------------------------------------------------------- */

static struct umaple_tree plain_tree = UMAPLE_TREE_INIT;
static struct umaple_tree gap_tree = UMAPLE_TREE_INIT_FLAGS(UMAPLE_TREE_GAPS);

static void assert_usable(struct umaple_tree *tree, unsigned int flags)
{
	ck_assert_uint_eq(tree->flags_, flags);
	ck_assert(umaple_tree_is_empty(tree));
	ck_assert_ptr_null(umaple_load(tree, 0));
	ck_assert_ptr_null(umaple_find(tree, 0, MAX, NULL));
	ck_assert_int_eq(umaple_store_range(tree, 5, 7, &twin), 0);
	ck_assert(!umaple_tree_is_empty(tree));
	ck_assert_ptr_eq(umaple_load(tree, 6), &twin);
	umaple_tree_destroy(tree);
	ck_assert(umaple_tree_is_empty(tree));
	ck_assert_ptr_null(umaple_load(tree, 6));
}

START_TEST(static_tree_is_ready_and_gets_the_default_cache)
{
	ck_assert_ptr_null(plain_tree.cache_);
	assert_usable(&plain_tree, 0);
	ck_assert_ptr_eq(plain_tree.cache_, umaple_cache_default());
	assert_usable(&gap_tree, UMAPLE_TREE_GAPS);
	/* Destroyed is empty, not ended. */
	assert_usable(&gap_tree, UMAPLE_TREE_GAPS);
}
END_TEST

START_TEST(initialised_tree_is_empty_and_keeps_its_flags)
{
	struct umaple_tree tree;

	memset(&tree, 0xff, sizeof(tree));
	umaple_tree_init(&tree, twin_flags[_i]);

	ck_assert_ptr_null(tree.cache_);
	ck_assert(!umaple_lock_is_held(&tree.lock_));
	assert_usable(&tree, twin_flags[_i]);
}
END_TEST

START_TEST(nodes_come_from_the_cache_that_was_given)
{
	struct umaple_cache_stats stats;

	set_up(twin_flags[_i], "3/5*3");

	ck_assert_ptr_eq(twin.tree.cache_, twin.cache);
	umaple_cache_stats_get(twin.cache, &stats);
	ck_assert_uint_ge(stats.objects, 4);
	tear_down();
}
END_TEST

/* Objects of another size. */
START_TEST(cache_that_does_not_fit_is_refused)
{
	struct umaple_cache_attr attr = { .size = (size_t)_i, .align = 64 };
	struct umaple_tree tree = { .flags_ = 123 };
	struct umaple_cache *cache;

	ck_assert_int_eq(umaple_cache_create(&attr, &cache), 0);

	ck_assert_int_eq(umaple_tree_init_cache(&tree, 0, cache), -EINVAL);

	ck_assert_uint_eq(tree.flags_, 123);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}
END_TEST

START_TEST(destroy_gives_back_every_node)
{
	unsigned long generation;

	set_up(twin_flags[_i],
	       _i < TWIN_FLAGS_GAPS ? "2/5*2/5*10" : "2/4*2/5*8");
	generation = twin.tree.generation_;

	twin_clear(&twin);

	ck_assert_uint_eq(spy_went(), _i < TWIN_FLAGS_GAPS ? 13 : 11);
	ck_assert_uint_eq(twin.tree.generation_, generation + 1);
	/* There is nothing to do a second time. */
	umaple_tree_destroy(&twin.tree);
	ck_assert_uint_eq(twin.tree.generation_, generation + 1);
	twin_store(&twin, 5, 7, &twin);
	tear_down();
}
END_TEST

/* For a caller who holds the lock, and goes on writing under it. */
START_TEST(destroy_with_the_lock_held_keeps_it)
{
	bool locks = !(twin_flags[_i] & UMAPLE_TREE_EXTERNAL_LOCK);
	struct umaple_cursor cursor;

	set_up(twin_flags[_i],
	       _i < TWIN_FLAGS_GAPS ? "2/5*2/5*10" : "2/4*2/5*8");
	if (locks)
		umaple_lock(&twin.tree);

	umaple_tree_destroy_locked(&twin.tree);
	model_free(&twin.model);

	ck_assert_uint_eq(spy_went(), _i < TWIN_FLAGS_GAPS ? 13 : 11);
	ck_assert_int_eq(lock_is_held(), locks);
	umaple_cursor_init(&cursor, &twin.tree, 5, 7);
	ck_assert_int_eq(umaple_cursor_store(&cursor, &twin), 0);
	model_store_range(&twin.model, 5, 7, &twin);
	if (locks)
		umaple_unlock(&twin.tree);
	tear_down();
}
END_TEST

/* -- lock and sections ----------------------------------------------------------------- */

START_TEST(lock_is_a_section_too_unless_the_tree_is_serial)
{
	bool serial = twin_flags[_i] & UMAPLE_TREE_SERIAL;

	if (twin_flags[_i] & UMAPLE_TREE_EXTERNAL_LOCK)
		return;
	set_up(twin_flags[_i], "5");

	umaple_lock(&twin.tree);
	ck_assert(lock_is_held());
	ck_assert_int_eq(in_section(), !serial);
	umaple_unlock(&twin.tree);

	ck_assert(!lock_is_held());
	ck_assert(!in_section());
	tear_down();
}
END_TEST

START_TEST(read_sections_nest)
{
	set_up(twin_flags[_i], "5");

	umaple_read_lock(&twin.tree);
	umaple_read_lock(&twin.tree);
	ck_assert_ptr_eq(umaple_load(&twin.tree, 0), shape_entry(0));
	umaple_read_unlock(&twin.tree);
	ck_assert(in_section());
	ck_assert_ptr_eq(umaple_find(&twin.tree, 15, MAX, NULL),
			 shape_entry(1));
	ck_assert(in_section());
	umaple_read_unlock(&twin.tree);
	ck_assert(!in_section());
	tear_down();
}
END_TEST

/* The flavour of a tree without a cache is that of the default cache. */
START_TEST(section_works_before_there_is_a_cache)
{
	struct umaple_tree tree = UMAPLE_TREE_INIT;

	ck_assert_ptr_eq(umaple_tree_flavor(&tree), umaple_rcu_default());
	umaple_read_lock(&tree);
	ck_assert(umaple_rcu_read_ongoing(umaple_rcu_default()));
	ck_assert_int_eq(umaple_store(&tree, 1, &twin), 0);
	ck_assert_ptr_eq(umaple_tree_flavor(&tree), umaple_rcu_default());
	umaple_read_unlock(&tree);
	ck_assert(!umaple_rcu_read_ongoing(umaple_rcu_default()));
	umaple_tree_destroy(&tree);
}
END_TEST

static void assert_unlocked(void)
{
	ck_assert(!lock_is_held());
}

static void assert_locked(void *node, bool deferred)
{
	ck_assert_int_eq(lock_is_held(), locks_itself(twin.flags));
}

/* What the functions that write do, one after the other; twins wait themselves. */
static void write_all(void)
{
	struct umaple_tree *tree = &twin.tree;

	ck_assert_int_eq(umaple_store_range(tree, 12, 15, &twin), 0);
	ck_assert_int_eq(umaple_erase(tree, 3, NULL), 0);
	ck_assert_int_eq(umaple_insert_range(tree, 3, 4, &twin), 0);
	ck_assert_int_eq(umaple_insert_range(tree, 3, 4, &twin), -EEXIST);
	ck_assert_int_eq(umaple_store(tree, 5, &twin), 0);
	ck_assert_int_eq(umaple_insert(tree, 5, &twin), -EEXIST);
	ck_assert_int_eq(umaple_erase(tree, 5, NULL), 0);
	ck_assert_int_eq(umaple_replace(tree, 3, &twin, &twin), 0);
	umaple_tree_destroy(tree);
}
#define WRITES 9

START_TEST(writers_wait_before_they_lock_and_unlock_after)
{
	unsigned long wanted = locks_itself(twin_flags[_i]) ? WRITES : 0;

	set_up(twin_flags[_i], "16");
	spy.on_throttle = assert_unlocked;
	spy.on_free = assert_locked;

	write_all();

	ck_assert_uint_eq(spy.throttles, wanted);
	ck_assert(!lock_is_held());
	ck_assert(!in_section());
	twin_clear(&twin);
	tear_down();
}
END_TEST

START_TEST(lock_waits_before_it_is_taken)
{
	if (!locks_itself(twin_flags[_i]))
		return;
	set_up(twin_flags[_i], "5");
	spy.on_throttle = assert_unlocked;

	umaple_lock(&twin.tree);
	ck_assert_uint_eq(spy.throttles, 1);
	umaple_unlock(&twin.tree);
	tear_down();
}
END_TEST

/* {0..5: a, 11..15: b}; while a write waits, another stores 6..10. */
static void others_store_beside(void)
{
	spy.on_throttle = NULL;
	ck_assert_int_eq(umaple_store_range(&twin.tree, 6, 10, &spy), 0);
	model_store_range(&twin.model, 6, 10, &spy);
}

/* T37: a hole is widened by what lies beside it after the wait, not before. */
START_TEST(null_store_that_waited_keeps_what_came_meanwhile)
{
	twin_init(&twin, _i / 2 ? UMAPLE_TREE_GAPS : 0);
	twin_store(&twin, 0, 5, &twin);
	twin_store(&twin, 11, 15, &spy.walks);
	spy_reset();
	spy.on_throttle = others_store_beside;
	if (_i % 2)
		ck_assert_int_eq(umaple_erase(&twin.tree, 3, NULL), 0);
	else
		ck_assert_int_eq(umaple_store_range(&twin.tree, 0, 5, NULL), 0);
	ck_assert_ptr_null(spy.on_throttle);
	model_store_range(&twin.model, 0, 5, NULL);
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* Failures, too, let go of the lock. */
START_TEST(failed_write_holds_no_lock)
{
	set_up(twin_flags[_i], "2/xx.xx 5");
	for (int erase = 0; erase < 2; erase++) {
		struct umaple_range range = { 1, 2, &twin };

		spy.refuse = 0;
		if (erase)
			ck_assert_int_eq(umaple_erase(&twin.tree, 35, &range),
					 -ENOMEM);
		else
			ck_assert_int_eq(umaple_store_range(&twin.tree, 35, 95,
							    &twin),
					 -ENOMEM);
		ck_assert(!lock_is_held());
		ck_assert_uint_eq(range.first, 1);
		ck_assert_uint_eq(range.last, 2);
		ck_assert_ptr_eq(range.entry, &twin);
	}
	ck_assert_shape(&twin, "2/xx.xx 5");
	tear_down();
}
END_TEST

/* -- what the writers return ------------------------------------------------------------ */

/* Inserts into "x.x.x". */
static const struct {
	uint64_t first, last;
	int err;
	const char *after;
} inserts[] = {
	{ 10, 19, 0, "xxx.x" },	      { 10, 10, 0, "xx.x.x" },
	{ 12, 17, 0, "x.x.x.x" },     { 19, 19, 0, "x.xx.x" },
	{ 9, 10, -EEXIST, "x.x.x" },  { 19, 20, -EEXIST, "x.x.x" },
	{ 15, 35, -EEXIST, "x.x.x" }, { 0, 0, -EEXIST, "x.x.x" },
	{ 20, 29, -EEXIST, "x.x.x" }, { MAX, MAX, -EEXIST, "x.x.x" },
	{ 0, MAX, -EEXIST, "x.x.x" }, { 19, 10, -EINVAL, "x.x.x" },
	{ MAX, 0, -EINVAL, "x.x.x" },
};

START_TEST(insert_wants_the_whole_range_free)
{
	set_up(0, "x.x.x");

	ck_assert_int_eq(umaple_insert_range(&twin.tree, inserts[_i].first,
					     inserts[_i].last, &twin),
			 inserts[_i].err);
	if (!inserts[_i].err)
		model_store_range(&twin.model, inserts[_i].first,
				  inserts[_i].last, &twin);

	ck_assert_shape(&twin, inserts[_i].after);
	tear_down();
}
END_TEST

START_TEST(bad_arguments_are_refused_before_anything_is_done)
{
	set_up(twin_flags[_i], "x.x.x");

	ck_assert_int_eq(umaple_store_range(&twin.tree, 15, 14, &twin),
			 -EINVAL);
	ck_assert_int_eq(umaple_store_range(&twin.tree, MAX, 0, NULL), -EINVAL);
	ck_assert_int_eq(umaple_insert_range(&twin.tree, 15, 15, NULL),
			 -EINVAL);
	ck_assert_int_eq(umaple_insert(&twin.tree, 15, NULL), -EINVAL);
	ck_assert_int_eq(umaple_replace(&twin.tree, 5, NULL, &twin), -EINVAL);
	ck_assert_int_eq(umaple_replace(&twin.tree, 5, shape_entry(0), NULL),
			 -EINVAL);

	ck_assert_uint_eq(spy_came() + spy.throttles, 0);
	tear_down();
}
END_TEST

START_TEST(insert_into_an_empty_tree_makes_it)
{
	set_up(twin_flags[_i], "");

	twin_insert(&twin, 5, 9, &twin);

	ck_assert_shape(&twin, ".x.");
	tear_down();
}
END_TEST

START_TEST(insert_walks_once)
{
	set_up(twin_flags[_i], "2/5*2/xx.xx 5*9");

	twin_insert(&twin, 23, 25, &twin);
	ck_assert_uint_eq(spy.walks, 1);
	twin_insert(&twin, 120, 130, &twin);
	ck_assert_uint_eq(spy.walks, 2);
	tear_down();
}
END_TEST

/* Erases from "2/xx.xx 5". */
static const struct {
	uint64_t index;
	struct umaple_range erased; /* its entry is not compared */
	int k;
	const char *after;
} erases[] = {
	{ 5, { 0, 9, NULL }, 0, "2/.x.xx 5" },
	{ 0, { 0, 9, NULL }, 0, "2/.x.xx 5" },
	{ 99, { 90, MAX, NULL }, 9, "2/xx.xx xxxx." },
	{ MAX, { 90, MAX, NULL }, 9, "2/xx.xx xxxx." },
	{ 25, { 20, 29, NULL }, -1, "2/xx.xx 5" },
	{ 30, { 30, 39, NULL }, 3, "xx.xxxxxx" },
};

START_TEST(erase_tells_the_whole_range)
{
	struct umaple_range range = { 1, 2, &twin };
	void *wanted = NULL;

	if (erases[_i].k >= 0)
		wanted = shape_entry((uint64_t)erases[_i].k);
	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		set_up(twin_flags[i], "2/xx.xx 5");

		ck_assert_int_eq(
			umaple_erase(&twin.tree, erases[_i].index, &range), 0);
		model_erase(&twin.model, erases[_i].index);

		ck_assert_uint_eq(range.first, erases[_i].erased.first);
		ck_assert_uint_eq(range.last, erases[_i].erased.last);
		ck_assert_ptr_eq(range.entry, wanted);
		ck_assert_shape(&twin, erases[_i].after);
		tear_down();
	}
}
END_TEST

START_TEST(erase_need_not_tell)
{
	struct umaple_range range = { 1, 2, &twin };

	set_up(twin_flags[_i], "xx");

	ck_assert_int_eq(umaple_erase(&twin.tree, 3, NULL), 0);
	model_erase(&twin.model, 3);
	ck_assert_int_eq(umaple_erase(&twin.tree, 30, NULL), 0);
	model_erase(&twin.model, 30);
	ck_assert_shape(&twin, "");
	ck_assert_int_eq(umaple_erase(&twin.tree, 30, &range), 0);
	ck_assert_uint_eq(range.first, 0);
	ck_assert_uint_eq(range.last, MAX);
	ck_assert_ptr_null(range.entry);
	tear_down();
}
END_TEST

START_TEST(replace_keeps_leaf_and_range)
{
	struct node *leaf;

	set_up(twin_flags[_i], "2/xx.xx 5");
	leaf = shape_leaf(&twin.tree, 1);

	ck_assert_int_eq(umaple_replace(&twin.tree, 75, shape_entry(7), &twin),
			 0);
	model_store_range(&twin.model, 70, 79, &twin);
	ck_assert_int_eq(umaple_replace(&twin.tree, 75, shape_entry(7), &twin),
			 -EAGAIN);
	ck_assert_int_eq(umaple_replace(&twin.tree, 25, shape_entry(2), &twin),
			 -EAGAIN);

	ck_assert_ptr_eq(shape_leaf(&twin.tree, 1), leaf);
	ck_assert_uint_eq(spy_came(), 0);
	tear_down();
}
END_TEST

START_TEST(replace_merges_where_the_tree_does)
{
	set_up(UMAPLE_TREE_MERGE, "2/xx.xx 5");

	spy.refuse = 0;
	ck_assert_int_eq(umaple_replace(&twin.tree, 75, shape_entry(7),
					shape_entry(8)),
			 -ENOMEM);
	ck_assert_shape(&twin, "2/xx.xx 5");
	spy_reset();
	ck_assert_int_eq(umaple_replace(&twin.tree, 75, shape_entry(7), &twin),
			 0);
	ck_assert_uint_eq(spy_came(), 0);
	ck_assert_int_eq(umaple_replace(&twin.tree, 75, &twin, shape_entry(8)),
			 0);
	model_store_range(&twin.model, 70, 89, shape_entry(8));
	tear_down();
}
END_TEST

/* -- searches ------------------------------------------------------------------------------ */

/* Each answer is the model's, for indices and limits at and beside every end. */
START_TEST(searches_agree_with_the_model_at_every_limit)
{
	static const uint64_t at[] = { 0,  9,  10, 15, 19,	20, 29,
				       30, 70, 79, 80, MAX - 1, MAX };
	struct umaple_range range;

	set_up(twin_flags[_i], "2/.x.x.x x.x.x");
	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++)
		for (unsigned int j = 0; j < ARRAY_SIZE(at); j++) {
			twin_find(&twin, at[i], at[j]);
			twin_next(&twin, at[i], at[j]);
			twin_prev(&twin, at[i], at[j]);
			ck_assert_ptr_eq(
				umaple_find(&twin.tree, at[i], at[j], NULL),
				umaple_find(&twin.tree, at[i], at[j], &range));
		}
	tear_down();
}
END_TEST

START_TEST(loop_visits_each_range_up_to_its_end)
{
	struct umaple_range range;
	uint64_t next = 0;
	size_t nr = 0;

	set_up(twin_flags[_i], "2/.x.x.x x.x.x");
	umaple_for_each(&twin.tree, range, 0, MAX)
	{
		ck_assert_uint_ge(range.first, next);
		next = range.last + 1;
		nr++;
	}
	ck_assert_uint_eq(nr, twin.model.count);
	/* Only what starts at or below the end; from the middle of a range. */
	nr = 0;
	umaple_for_each(&twin.tree, range, 15, 50) nr++;
	ck_assert_uint_eq(nr, 3);
	nr = 0;
	umaple_for_each(&twin.tree, range, 50, 15) nr++;
	ck_assert_uint_eq(nr, 0);
	tear_down();
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("tree.life");

	tcase_add_test(tc, static_tree_is_ready_and_gets_the_default_cache);
	tcase_add_flags_test(tc, initialised_tree_is_empty_and_keeps_its_flags);
	tcase_add_flags_test(tc, nodes_come_from_the_cache_that_was_given);
	tcase_add_loop_test(tc, cache_that_does_not_fit_is_refused, 192, 193);
	tcase_add_loop_test(tc, cache_that_does_not_fit_is_refused, 320, 321);
	tcase_add_flags_test(tc, destroy_gives_back_every_node);
	tcase_add_flags_test(tc, destroy_with_the_lock_held_keeps_it);
	suite_add_tcase(s, tc);

	tc = tcase_create("tree.lock");
	tcase_add_flags_test(tc,
			     lock_is_a_section_too_unless_the_tree_is_serial);
	tcase_add_flags_test(tc, read_sections_nest);
	tcase_add_test(tc, section_works_before_there_is_a_cache);
	tcase_add_flags_test(tc,
			     writers_wait_before_they_lock_and_unlock_after);
	tcase_add_flags_test(tc, lock_waits_before_it_is_taken);
	tcase_add_loop_test(
		tc, null_store_that_waited_keeps_what_came_meanwhile, 0, 4);
	tcase_add_flags_test(tc, failed_write_holds_no_lock);
	suite_add_tcase(s, tc);

	tc = tcase_create("tree.write");
	tcase_add_loop_test(tc, insert_wants_the_whole_range_free, 0,
			    (int)ARRAY_SIZE(inserts));
	tcase_add_flags_test(tc,
			     bad_arguments_are_refused_before_anything_is_done);
	tcase_add_flags_test(tc, insert_into_an_empty_tree_makes_it);
	tcase_add_flags_test(tc, insert_walks_once);
	tcase_add_loop_test(tc, erase_tells_the_whole_range, 0,
			    (int)ARRAY_SIZE(erases));
	tcase_add_flags_test(tc, erase_need_not_tell);
	tcase_add_flags_test(tc, replace_keeps_leaf_and_range);
	tcase_add_test(tc, replace_merges_where_the_tree_does);
	suite_add_tcase(s, tc);

	tc = tcase_create("tree.search");
	tcase_add_flags_test(tc, searches_agree_with_the_model_at_every_limit);
	tcase_add_flags_test(tc, loop_visits_each_range_up_to_its_end);
	suite_add_tcase(s, tc);
}
