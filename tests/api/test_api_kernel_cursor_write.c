/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_api_kernel_cursor_write.c - umaple/kernel_cursor.h: stores, erases, nodes in
 * advance and gaps, their errors, and the wait that a long hold of the lock needs.
 */

#include "kernel_test.h"

const char *const suite_name = "api.kernel_cursor_write";

#define MAX  ULONG_MAX
#define GAPS MT_FLAGS_ALLOC_RANGE

static struct maple_tree mt;

static unsigned int flags_of(int loop)
{
	return loop ? GAPS : 0;
}

static void assert_failed(struct ma_state *mas, int err)
{
	ck_assert(mas_is_err(mas));
	ck_assert_int_eq(mas->status, ma_error);
	ck_assert(!mas_is_active(mas));
	ck_assert(xa_is_err(mas->node));
	ck_assert_int_eq(xa_err(mas->node), err);
}

/* -- store and erase --------------------------------------------------------------- */

START_TEST(store_returns_what_was_at_the_index)
{
	MA_STATE(mas, &mt, 15, 34);

	map_a(&mt, flags_of(_i));
	mas_lock(&mas);
	ck_assert_ptr_eq(mas_store(&mas, entry(4)), entry(1));
	ck_assert_uint_eq(mas.index, 15);
	ck_assert_uint_eq(mas.last, 34);
	ck_assert(mas_is_active(&mas));
	/* A hole at the index, whatever else is overwritten. */
	mas_set_range(&mas, 45, 55);
	ck_assert_ptr_null(mas_store(&mas, entry(5)));
	ck_assert(!mas_is_err(&mas));
	ck_assert_ptr_null(mas_next(&mas, 55));
	ck_assert_ptr_eq(mas_next(&mas, MAX), entry(3));
	mas_unlock(&mas);
	assert_range(&mt, 10, 14, entry(1));
	assert_range(&mt, 15, 34, entry(4));
	assert_range(&mt, 35, 39, entry(2));
	assert_range(&mt, 45, 55, entry(5));
	assert_range(&mt, 56, 59, entry(3));
	mtree_destroy(&mt);
}
END_TEST

/* The original widens index and last to the whole hole. */
START_TEST(store_of_nothing_stays_on_the_range_written)
{
	MA_STATE(mas, &mt, 20, 24);

	map_a(&mt, flags_of(_i));
	mas_lock(&mas);
	ck_assert_int_eq(mas_store_gfp(&mas, NULL, GFP_KERNEL), 0);
	ck_assert_uint_eq(mas.index, 20);
	ck_assert_uint_eq(mas.last, 24);
	mas_set_range(&mas, 35, 45);
	ck_assert_int_eq(mas_store_gfp(&mas, NULL, GFP_NOWAIT), 0);
	ck_assert_uint_eq(mas.index, 35);
	ck_assert_uint_eq(mas.last, 45);
	ck_assert_ptr_eq(mas_find(&mas, MAX), entry(3));
	mas_unlock(&mas);
	assert_range(&mt, 35, 49, NULL);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(place_by_hand_is_where_a_store_goes)
{
	MA_STATE(mas, &mt, 12, 12);

	map_a(&mt, flags_of(_i));
	mas_lock(&mas);
	ck_assert_ptr_eq(mas_walk(&mas), entry(1));
	mas.last = 14;
	ck_assert_int_eq(mas_store_gfp(&mas, entry(4), GFP_KERNEL), 0);
	ck_assert_ptr_eq(mas_next(&mas, MAX), entry(1));
	mas_set(&mas, 35);
	ck_assert_ptr_eq(mas_walk(&mas), entry(2));
	mas.index = 38;
	ck_assert_int_eq(mas_store_gfp(&mas, entry(6), GFP_KERNEL), 0);
	mas.index = 55;
	mas.last = 70;
	ck_assert_ptr_eq(mas_store(&mas, entry(5)), entry(3));
	__mas_set_range(&mas, 60, 65);
	ck_assert_ptr_eq(mas_store(&mas, NULL), entry(5));
	mas_unlock(&mas);
	assert_range(&mt, 10, 14, entry(4));
	assert_range(&mt, 15, 19, entry(1));
	assert_range(&mt, 30, 37, entry(2));
	assert_range(&mt, 38, 39, entry(6));
	assert_range(&mt, 50, 54, entry(3));
	assert_range(&mt, 55, 59, entry(5));
	assert_range(&mt, 60, 65, NULL);
	assert_range(&mt, 66, 70, entry(5));
	mtree_destroy(&mt);
}
END_TEST

START_TEST(erase_returns_the_entry_and_tells_its_range)
{
	MA_STATE(mas, &mt, 35, 35);

	map_a(&mt, flags_of(_i));
	mas_lock(&mas);
	ck_assert_ptr_eq(mas_erase(&mas), entry(2));
	ck_assert_uint_eq(mas.index, 30);
	ck_assert_uint_eq(mas.last, 39);
	ck_assert_ptr_null(mas_erase(&mas));
	ck_assert(!mas_is_err(&mas));
	ck_assert_uint_eq(mas.index, 20);
	ck_assert_uint_eq(mas.last, 49);
	mas_unlock(&mas);
	mt_validate(&mt);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(loop_may_erase_and_store)
{
	MA_STATE(mas, &mt, 0, 0);
	unsigned long count = 0;
	void *found;

	mt_init_flags(&mt, flags_of(_i));
	for (unsigned long i = 0; i < 300; i++)
		ck_assert_int_eq(mtree_store_range(&mt, 10 * i, 10 * i + 4,
						   entry(1), GFP_KERNEL),
				 0);
	mas_lock(&mas);
	mas_for_each(&mas, found, MAX) {
		ck_assert_uint_eq(mas.index, 10 * count);
		if (count % 3 == 0)
			ck_assert_ptr_eq(mas_erase(&mas), entry(1));
		else if (count % 3 == 1)
			ck_assert_ptr_eq(mas_store(&mas, entry(2)), entry(1));
		count++;
	}
	ck_assert_uint_eq(count, 300);
	mas_set(&mas, MAX);
	mas_for_each_rev(&mas, found, 0) {
		ck_assert_ptr_eq(mas_erase(&mas), found);
		count--;
	}
	mas_unlock(&mas);
	ck_assert_uint_eq(count, 100);
	ck_assert(mtree_empty(&mt));
}
END_TEST

/* -- errors -------------------------------------------------------------------------- */

START_TEST(range_upside_down_is_an_error)
{
	MA_STATE(mas, &mt, 15, 14);

	map_a(&mt, 0);
	mas_lock(&mas);
	ck_assert_ptr_null(mas_store(&mas, entry(4)));
	assert_failed(&mas, -EINVAL);
	ck_assert(!mas_nomem(&mas, GFP_KERNEL));
	ck_assert_int_eq(mas_store_gfp(&mas, entry(4), GFP_KERNEL), -EINVAL);
	ck_assert_uint_eq(mas.index, 15);
	ck_assert_uint_eq(mas.last, 14);
	ck_assert_int_eq(mas_preallocate(&mas, entry(4), GFP_KERNEL), -EINVAL);
	ck_assert(!mas_is_err(&mas));
	mas_store_prealloc(&mas, entry(4));
	assert_failed(&mas, -EINVAL);

	/* Searches find nothing until the cursor is set; a walk starts again. */
	ck_assert_ptr_null(mas_find(&mas, MAX));
	ck_assert_ptr_null(mas_find_rev(&mas, 0));
	ck_assert_ptr_null(mas_next(&mas, MAX));
	ck_assert_ptr_null(mas_prev(&mas, 0));
	ck_assert_ptr_null(mas_next_range(&mas, MAX));
	ck_assert_ptr_null(mas_prev_range(&mas, 0));
	assert_failed(&mas, -EINVAL);
	ck_assert_ptr_eq(mas_walk(&mas), entry(1));
	ck_assert(!mas_is_err(&mas));
	ck_assert_ptr_null(mas.node);
	mas_set_range(&mas, 3, 2);
	ck_assert_ptr_null(mas_store(&mas, entry(4)));
	mas_reset(&mas);
	ck_assert(!mas_is_err(&mas));
	ck_assert_ptr_eq(mas_find(&mas, MAX), entry(1));
	mas_set_range(&mas, 3, 2);
	ck_assert_ptr_null(mas_store(&mas, entry(4)));
	mas_pause(&mas);
	ck_assert_int_eq(mas.status, ma_start);
	ck_assert_ptr_null(mas.node);
	/* Writes start again, too, from a place that makes sense. */
	ck_assert_ptr_null(mas_store(&mas, entry(4)));
	__mas_set_range(&mas, 2, 3);
	assert_failed(&mas, -EINVAL);
	ck_assert_int_eq(mas_preallocate(&mas, entry(4), GFP_KERNEL), 0);
	ck_assert(!mas_is_err(&mas));
	mas_store_prealloc(&mas, entry(4));
	ck_assert(mas_is_active(&mas));
	mas_unlock(&mas);
	mtree_destroy(&mt);
}
END_TEST

/* -- nodes in advance ------------------------------------------------------------------- */

START_TEST(store_with_nodes_got_in_advance)
{
	MA_STATE(mas, &mt, 15, 34);

	map_a(&mt, flags_of(_i));
	ck_assert_int_eq(mas_preallocate(&mas, entry(4), GFP_KERNEL), 0);
	mas_lock(&mas);
	mas_store_prealloc(&mas, entry(4));
	ck_assert(!mas_is_err(&mas));
	mas_set_range(&mas, 10, 12);
	ck_assert_int_eq(mas_preallocate(&mas, NULL, GFP_NOWAIT), 0);
	mas_store_prealloc(&mas, NULL);
	ck_assert(mas_is_active(&mas));
	mas_unlock(&mas);
	assert_range(&mt, 13, 14, entry(1));
	assert_range(&mt, 15, 34, entry(4));
	mtree_destroy(&mt);
}
END_TEST

/* For another range, or for a store of the other kind. */
START_TEST(nodes_got_for_something_else_are_refused)
{
	MA_STATE(mas, &mt, 10, 14);

	map_a(&mt, flags_of(_i));
	mas_lock(&mas);
	ck_assert_int_eq(mas_preallocate(&mas, entry(4), GFP_KERNEL), 0);
	mas_set_range(&mas, 5, 55);
	mas_store_prealloc(&mas, entry(4));
	assert_failed(&mas, -EINVAL);
	mas_set_range(&mas, 10, 14);
	mas_store_prealloc(&mas, NULL);
	assert_failed(&mas, -EINVAL);
	mas_destroy(&mas);
	mas_store_prealloc(&mas, entry(4));
	assert_failed(&mas, -EINVAL);
	mas_unlock(&mas);
	assert_range(&mt, 10, 19, entry(1));
	assert_range(&mt, 30, 39, entry(2));
	mtree_destroy(&mt);
}
END_TEST

/* The tree grows by levels after the nodes were counted: more are got. */
START_TEST(store_after_the_tree_has_grown_gets_more_nodes)
{
	struct umaple_cache *cache = small_tree(&mt, flags_of(_i), 4, 0);
	MA_STATE(mas, &mt, 3, 2000);

	ck_assert_int_eq(mas_preallocate(&mas, entry(4), GFP_KERNEL), 0);
	for (unsigned long i = 0; i < 1000; i++)
		ck_assert_int_eq(mtree_store(&mt, 5 * i, entry(1), GFP_KERNEL),
				 0);
	mas_lock(&mas);
	mas_store_prealloc(&mas, entry(4));
	ck_assert(!mas_is_err(&mas));
	mas_unlock(&mas);
	assert_range(&mt, 3, 2000, entry(4));
	mt_validate(&mt);
	mtree_destroy(&mt);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}
END_TEST

/* Nothing of what was got in advance is lost. */
START_TEST(nodes_in_advance_come_back)
{
	struct umaple_cache *cache = small_tree(&mt, 0, 4, 0);
	MA_STATE(mas, &mt, 10, 14);
	MA_STATE(unused, &mt, 10, 14);

	mas_lock(&mas);
	ck_assert_int_eq(mas_preallocate(&mas, entry(1), GFP_KERNEL), 0);
	ck_assert_int_eq(mas_preallocate(&mas, entry(2), GFP_KERNEL), 0);
	mas_store_prealloc(&mas, entry(1));
	ck_assert_int_eq(mas_preallocate(&mas, NULL, GFP_KERNEL), 0);
	mas_destroy(&mas);
	/* An ordinary store may use them. */
	mas_set_range(&mas, 12, 17);
	ck_assert_int_eq(mas_preallocate(&mas, entry(2), GFP_KERNEL), 0);
	ck_assert_ptr_eq(mas_store(&mas, entry(2)), entry(1));
	mas_destroy(&mas);
	mas_destroy(&unused);
	mas_unlock(&mas);
	mtree_destroy(&mt);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}
END_TEST

/* -- gaps ---------------------------------------------------------------------------------- */

static const struct gap {
	bool rev;
	unsigned long min, max, size;
	int err;
	unsigned long index, last;
} gaps[] = {
	{ false, 0, MAX, 10, 0, 0, 9 },	    { false, 1, MAX, 10, 0, 20, 29 },
	{ false, 21, MAX, 10, 0, 40, 49 },  { false, 0, 59, 11, -EBUSY, 0, 0 },
	{ true, 0, 60, 1, 0, 60, 60 },	    { true, 0, 59, 10, 0, 40, 49 },
	{ true, 0, 48, 10, 0, 20, 29 },	    { true, 0, 48, 9, 0, 40, 48 },
	{ false, 10, 19, 1, -EBUSY, 0, 0 }, { true, 10, 19, 1, -EBUSY, 0, 0 },
	{ false, 10, 20, 1, 0, 20, 20 },    { true, 9, 19, 1, 0, 9, 9 },
	{ false, 5, 4, 1, -EINVAL, 0, 0 },  { false, 5, 9, 0, -EINVAL, 0, 0 },
	{ true, 5, 9, 6, -EINVAL, 0, 0 },
};

static int go_to_gap(struct ma_state *mas, const struct gap *gap)
{
	if (gap->rev)
		return mas_empty_area_rev(mas, gap->min, gap->max, gap->size);
	return mas_empty_area(mas, gap->min, gap->max, gap->size);
}

static void search_and_store(const struct gap *gap)
{
	MA_STATE(mas, &mt, 33, 35);

	mas_lock(&mas);
	ck_assert_int_eq(go_to_gap(&mas, gap), gap->err);
	ck_assert_uint_eq(mas.index, gap->err ? 33 : gap->index);
	ck_assert_uint_eq(mas.last, gap->err ? 35 : gap->last);
	if (!gap->err) {
		ck_assert_int_eq(mas_store_gfp(&mas, entry(7), GFP_KERNEL), 0);
		assert_range(&mt, gap->index, gap->last, entry(7));
	}
	mas_unlock(&mas);
}

START_TEST(gap_search_goes_to_the_gap)
{
	for (int i = 0; i < ARRAY_SIZE(gaps); i++) {
		map_a(&mt, GAPS);
		search_and_store(&gaps[i]);
		mt_validate(&mt);
		mtree_destroy(&mt);
	}
}
END_TEST

/* The original goes on behind where the last search ended. */
START_TEST(gap_searches_are_independent)
{
	MA_STATE(mas, &mt, 0, 0);

	map_a(&mt, GAPS);
	mas_lock(&mas);
	ck_assert_int_eq(mas_empty_area(&mas, 30, 59, 11), -EBUSY);
	ck_assert_int_eq(mas_empty_area(&mas, 0, MAX, 10), 0);
	ck_assert_uint_eq(mas.index, 0);
	ck_assert_int_eq(mas_empty_area_rev(&mas, 0, 49, 3), 0);
	ck_assert_uint_eq(mas.index, 47);
	ck_assert_int_eq(mas_empty_area(&mas, 0, MAX, 10), 0);
	ck_assert_uint_eq(mas.index, 0);
	mas_unlock(&mas);
	mtree_destroy(&mt);
	map_a(&mt, 0);
	ck_assert_int_eq(mas_empty_area(&mas, 0, MAX, 10), -EINVAL);
	ck_assert_int_eq(mas_empty_area_rev(&mas, 0, MAX, 10), -EINVAL);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(cyclic_allocation_under_the_lock)
{
	MA_STATE(mas, &mt, 0, 0);
	unsigned long at, next = 2;

	mt_init_flags(&mt, GAPS);
	mas_lock(&mas);
	for (unsigned long i = 2; i < 5; i++) {
		ck_assert_int_eq(mas_alloc_cyclic(&mas, &at, entry(1), 1, 4,
						  &next, GFP_KERNEL),
				 0);
		ck_assert_uint_eq(at, i);
		ck_assert_uint_eq(mas.index, i);
		ck_assert_uint_eq(mas.last, i);
	}
	ck_assert_int_eq(mas_alloc_cyclic(&mas, &at, entry(1), 1, 4, &next,
					  GFP_KERNEL),
			 1);
	ck_assert_uint_eq(at, 1);
	ck_assert_int_eq(mas_alloc_cyclic(&mas, &at, entry(1), 1, 4, &next,
					  GFP_KERNEL),
			 -EBUSY);
	ck_assert_uint_eq(at, 1);
	ck_assert_uint_eq(next, 2);
	ck_assert_int_eq(mas_alloc_cyclic(&mas, &at, entry(1), 5, 4, &next,
					  GFP_KERNEL),
			 -EINVAL);
	mas_unlock(&mas);
	mtree_destroy(&mt);
}
END_TEST

/* -- one lock, many stores ------------------------------------------------------------------ */

/*
 * Nodes that were replaced under the lock come back only when it is let go of, so
 * there is a limit.  A store that may wait lets go of it in between; one that must
 * not says so.
 */
static struct umaple_cache *limited;

static void limited_tree(unsigned int flags)
{
	limited = small_tree(&mt, flags, 0, 64);
}

static void limited_destroy(void)
{
	mt_validate(&mt);
	mtree_destroy(&mt);
	ck_assert_int_eq(umaple_cache_destroy(limited), 0);
}

/* A range that changes nodes each time. */
static void set_range(struct ma_state *mas, unsigned long i)
{
	mas_set_range(mas, i % 97, i % 97 + i % 5);
}

#define MANY 20000

START_TEST(stores_that_may_wait_go_on_for_ever)
{
	MA_STATE(mas, &mt, 0, 0);
	unsigned long i, erased = 0;

	limited_tree(0);
	mas_lock(&mas);
	for (i = 0; i < MANY; i++) {
		set_range(&mas, i);
		ck_assert_int_eq(mas_store_gfp(&mas, entry((int)(i % 7) + 1),
					       GFP_KERNEL),
				 0);
		mas_set(&mas, i % 89);
		erased += mas_erase(&mas) != NULL;
		ck_assert(!mas_is_err(&mas));
	}
	mas_unlock(&mas);
	ck_assert_uint_gt(erased, MANY / 4);
	limited_destroy();
}
END_TEST

START_TEST(stores_that_must_not_wait_fail_in_the_end)
{
	MA_STATE(mas, &mt, 0, 0);
	unsigned long i = 0;
	int err;

	limited_tree(0);
	mas_lock(&mas);
	do {
		set_range(&mas, ++i);
		err = mas_store_gfp(&mas, entry((int)(i % 7) + 1), GFP_NOWAIT);
	} while (!err && i < MANY);
	ck_assert_int_eq(err, -ENOMEM);
	assert_failed(&mas, -ENOMEM);
	ck_assert_uint_eq(mas.index, i % 97);
	ck_assert_uint_eq(mas.last, i % 97 + i % 5);
	ck_assert(!mas_nomem(&mas, GFP_NOWAIT));
	assert_failed(&mas, -ENOMEM);
	/* Allowed to wait, it can be tried again, from the same place. */
	ck_assert(mas_nomem(&mas, GFP_KERNEL));
	ck_assert(!mas_is_err(&mas));
	ck_assert_uint_eq(mas.index, i % 97);
	mas_store(&mas, entry(9));
	ck_assert(!mas_is_err(&mas));
	ck_assert(!mas_nomem(&mas, GFP_KERNEL));
	mas_unlock(&mas);
	ck_assert_ptr_eq(mtree_load(&mt, i % 97), entry(9));
	limited_destroy();
}
END_TEST

/* The loop that callers write: it ends, with the store done. */
START_TEST(retry_loop_of_callers_ends)
{
	MA_STATE(mas, &mt, 0, 0);
	unsigned long retries = 0;

	limited_tree(0);
	mas_lock(&mas);
	for (unsigned long i = 0; i < MANY; i++) {
		set_range(&mas, i);
retry:
		mas_store(&mas, entry((int)(i % 7) + 1));
		if (mas_nomem(&mas, GFP_KERNEL)) {
			retries++;
			goto retry;
		}
		ck_assert(!mas_is_err(&mas));
	}
	mas_unlock(&mas);
	ck_assert_uint_gt(retries, 0);
	limited_destroy();
}
END_TEST

START_TEST(cyclic_allocation_may_wait)
{
	MA_STATE(mas, &mt, 0, 0);
	unsigned long at, next = 0;

	limited_tree(GAPS);
	mas_lock(&mas);
	for (unsigned long i = 0; i < MANY; i++) {
		ck_assert_int_eq(mas_alloc_cyclic(&mas, &at, entry(1), 0, MAX,
						  &next, GFP_KERNEL),
				 0);
		ck_assert_uint_eq(at, i);
		if (i < 50)
			continue;
		mas_set(&mas, i - 50);
		ck_assert_ptr_eq(mas_erase(&mas), entry(1));
	}
	mas_unlock(&mas);
	limited_destroy();
}
END_TEST

/* The lock of others is never let go of. */
START_TEST(stores_under_another_lock_fail_in_the_end)
{
	MA_STATE(mas, &mt, 0, 0);
	unsigned long i = 0;
	int err;

	limited_tree(MT_FLAGS_LOCK_EXTERN);
	rcu_read_lock();
	do {
		set_range(&mas, ++i);
		err = mas_store_gfp(&mas, entry((int)(i % 7) + 1), GFP_KERNEL);
	} while (!err && i < MANY);
	ck_assert_int_eq(err, -ENOMEM);
	ck_assert(!mas_nomem(&mas, GFP_KERNEL));
	rcu_read_unlock();
	umaple_cache_throttle(limited);
	ck_assert_int_eq(mas_store_gfp(&mas, entry(1), GFP_KERNEL), 0);
	limited_destroy();
}
END_TEST

static void add_wait(Suite *s)
{
	TCase *tc = tcase_create("kernel_cursor_write.wait");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, stores_that_may_wait_go_on_for_ever);
	tcase_add_test(tc, stores_that_must_not_wait_fail_in_the_end);
	tcase_add_test(tc, retry_loop_of_callers_ends);
	tcase_add_test(tc, cyclic_allocation_may_wait);
	tcase_add_test(tc, stores_under_another_lock_fail_in_the_end);
	suite_add_tcase(s, tc);
}

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("kernel_cursor_write.store");

	tcase_add_loop_test(tc, store_returns_what_was_at_the_index, 0, 2);
	tcase_add_loop_test(tc, store_of_nothing_stays_on_the_range_written, 0,
			    2);
	tcase_add_loop_test(tc, place_by_hand_is_where_a_store_goes, 0, 2);
	tcase_add_loop_test(tc, erase_returns_the_entry_and_tells_its_range, 0,
			    2);
	tcase_add_loop_test(tc, loop_may_erase_and_store, 0, 2);
	tcase_add_test(tc, range_upside_down_is_an_error);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_cursor_write.advance");
	tcase_add_loop_test(tc, store_with_nodes_got_in_advance, 0, 2);
	tcase_add_loop_test(tc, nodes_got_for_something_else_are_refused, 0, 2);
	tcase_add_loop_test(tc, store_after_the_tree_has_grown_gets_more_nodes,
			    0, 2);
	tcase_add_test(tc, nodes_in_advance_come_back);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_cursor_write.gap");
	tcase_add_test(tc, gap_search_goes_to_the_gap);
	tcase_add_test(tc, gap_searches_are_independent);
	tcase_add_test(tc, cyclic_allocation_under_the_lock);
	suite_add_tcase(s, tc);
	add_wait(s);
}
