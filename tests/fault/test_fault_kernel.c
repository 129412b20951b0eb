/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * The kernel's names without memory: each allocation of each call fails for good.
 * The call says so in the way its namesake does, and what was there is there still;
 * loops that try again come to an end.
 */

#include <string.h>

#include "kernel_test.h"
#include "kernel_vma.h"
#include "platform/fault.h"
#include "quick.h"

const char *const suite_name = "fault.kernel";

#define MAX    ULONG_MAX
#define RANGES 300

static struct maple_tree mt;

static void *value(unsigned long i)
{
	return xa_mk_value(i);
}

/* Into an empty tree. */
static void tree_fill(void)
{
	for (unsigned long i = 0; i < RANGES; i++)
		ck_assert_int_eq(mtree_store_range(&mt, 10 * i, 10 * i + 4,
						   value(i), GFP_KERNEL),
				 0);
}

static void tree_check(void)
{
	unsigned long index = 0, i = 0;
	void *found;

	mt_validate(&mt);
	mt_for_each(&mt, found, index, MAX) {
		quick_assert(found == value(i) && index == 10 * i + 5,
			     "range %lu", i);
		i++;
	}
	ck_assert_uint_eq(i, RANGES);
}

/* A call that needs memory.  Returns 0 or a negative errno. */
typedef int call(void);

static int store_range(void)
{
	return mtree_store_range(&mt, 123, 1777, value(5), GFP_KERNEL);
}

static int insert(void)
{
	return mtree_insert(&mt, 126, value(5), GFP_NOWAIT);
}

static int alloc_range(void)
{
	unsigned long at = 77;
	int err = mtree_alloc_range(&mt, &at, value(5), 3, 0, MAX, GFP_KERNEL);

	quick_assert(!err || at == 77, "at %lu", at);
	return err;
}

static int alloc_rrange(void)
{
	unsigned long at = 77;
	int err =
		mtree_alloc_rrange(&mt, &at, value(5), 3, 0, 1000, GFP_NOWAIT);

	quick_assert(!err || at == 77, "at %lu", at);
	return err;
}

static int alloc_cyclic(void)
{
	unsigned long at = 77, next = 105;
	int err = mtree_alloc_cyclic(&mt, &at, value(5), 0, MAX, &next,
				     GFP_KERNEL);

	quick_assert(!err || (at == 77 && next == 105), "at %lu, next %lu", at,
		     next);
	return err;
}

/* There is something to be erased, so no entry means no memory. */
static int erase(void)
{
	void *erased = mtree_erase(&mt, 103);

	if (!erased)
		return -ENOMEM;
	ck_assert_ptr_eq(erased, value(10));
	ck_assert_ptr_null(mtree_load(&mt, 103));
	return 0;
}

static int dup(void)
{
	struct maple_tree copy;
	int err;

	mt_init_flags(&copy, MT_FLAGS_ALLOC_RANGE);
	err = mtree_dup(&mt, &copy, GFP_KERNEL);
	ck_assert_int_eq(mtree_empty(&copy), err != 0);
	mtree_destroy(&copy);
	return err;
}

/* What a cursor says of its failure, and that it is where it was. */
static int cursor_result(const struct ma_state *mas, unsigned long first,
			 unsigned long last)
{
	if (!mas_is_err(mas))
		return 0;
	quick_assert(mas->index == first && mas->last == last,
		     "cursor at %lu..%lu", mas->index, mas->last);
	return xa_err(mas->node);
}

static int cursor_store_gfp(void)
{
	MA_STATE(mas, &mt, 123, 1777);
	int err;

	mas_lock(&mas);
	err = mas_store_gfp(&mas, value(5), GFP_KERNEL);
	mas_unlock(&mas);
	ck_assert_int_eq(err, cursor_result(&mas, 123, 1777));
	return err;
}

static int cursor_erase(void)
{
	MA_STATE(mas, &mt, 103, 103);
	void *erased;
	int err;

	mas_lock(&mas);
	erased = mas_erase(&mas);
	mas_unlock(&mas);
	err = cursor_result(&mas, 103, 103);
	ck_assert_ptr_eq(erased, err ? NULL : value(10));
	return err;
}

/* As callers write it. */
static int cursor_store_and_retry(void)
{
	MA_STATE(mas, &mt, 123, 1777);
	int tries = 0;
	void *old;

	mas_lock(&mas);
	do {
		tries++;
		quick_assert(tries < 10, "no end");
		old = mas_store(&mas, value(5));
	} while (mas_nomem(&mas, GFP_KERNEL));
	mas_unlock(&mas);
	if (!mas_is_err(&mas))
		ck_assert_ptr_eq(old, value(12));
	return cursor_result(&mas, 123, 1777);
}

static int cursor_alloc_cyclic(void)
{
	MA_STATE(mas, &mt, 3, 4);
	unsigned long at = 77, next = 105;
	int err;

	mas_lock(&mas);
	err = mas_alloc_cyclic(&mas, &at, value(5), 0, MAX, &next, GFP_KERNEL);
	quick_assert(!err || (at == 77 && next == 105 && mas.index == 3 &&
			      mas.last == 4),
		     "at %lu, next %lu", at, next);
	mas_unlock(&mas);
	return err;
}

static int cursor_preallocate(void)
{
	MA_STATE(mas, &mt, 123, 1777);
	int err = mas_preallocate(&mas, value(5), GFP_KERNEL);

	ck_assert(!mas_is_err(&mas));
	ck_assert_uint_eq(mas.last, 1777);
	mas_destroy(&mas);
	return err;
}

static call *const calls[] = {
	store_range,
	insert,
	alloc_range,
	alloc_rrange,
	alloc_cyclic,
	erase,
	dup,
	cursor_erase,
	cursor_store_and_retry,
	cursor_store_gfp,
	cursor_preallocate,
	cursor_alloc_cyclic,
};

START_TEST(call_without_memory_says_so_and_changes_nothing)
{
	int err = -ENOMEM;

	mt_init_flags(&mt, MT_FLAGS_ALLOC_RANGE);
	tree_fill();
	for (long n = 0; err; n++) {
		ck_assert_int_lt(n, 1000);
		umaple_fault_set(n, true);
		err = calls[_i]();
		umaple_fault_set(-1, false);
		if (!err)
			break;
		ck_assert_int_eq(err, -ENOMEM);
		tree_check();
	}
	mt_validate(&mt);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(store_with_nodes_in_advance_needs_no_memory)
{
	MA_STATE(mas, &mt, 123, 1777);

	mt_init_flags(&mt, MT_FLAGS_ALLOC_RANGE);
	tree_fill();
	ck_assert_int_eq(mas_preallocate(&mas, value(5), GFP_KERNEL), 0);
	umaple_fault_set(0, true);
	mas_lock(&mas);
	if (_i)
		mas_store_prealloc(&mas, value(5));
	else
		ck_assert_ptr_eq(mas_store(&mas, value(5)), value(12));
	mas_destroy(&mas);
	mas_unlock(&mas);
	umaple_fault_set(-1, false);
	ck_assert(!mas_is_err(&mas));
	assert_range(&mt, 123, 1777, value(5));
	mtree_destroy(&mt);
}
END_TEST

/* The tree has grown since, and there is no memory for more nodes. */
START_TEST(stale_nodes_and_no_memory_is_an_error)
{
	struct umaple_cache *cache = small_tree(&mt, 0, 4, 0);
	MA_STATE(mas, &mt, 123, 1777);

	ck_assert_int_eq(mas_preallocate(&mas, value(5), GFP_KERNEL), 0);
	tree_fill();
	mas_lock(&mas);
	umaple_fault_set(0, true);
	mas_store_prealloc(&mas, value(5));
	umaple_fault_set(-1, false);
	ck_assert_int_eq(cursor_result(&mas, 123, 1777), -ENOMEM);
	tree_check();
	mas_store_prealloc(&mas, value(5));
	ck_assert(!mas_is_err(&mas));
	mas_unlock(&mas);
	assert_range(&mt, 123, 1777, value(5));
	mtree_destroy(&mt);
	ck_assert_int_eq(umaple_cache_destroy(cache), 0);
}
END_TEST

/* -- objects ----------------------------------------------------------------------------- */

START_TEST(bulk_is_all_or_nothing)
{
	struct kmem_cache *cache =
		kmem_cache_create("bulk", 64, NULL, SLAB_PANIC);
	void *objects[100];
	int got = 0;

	for (long n = 0; !got; n++) {
		umaple_fault_set(n, true);
		got = kmem_cache_alloc_bulk(cache, GFP_KERNEL, 100, objects);
		umaple_fault_set(-1, false);
		ck_assert(got == 0 || got == 100);
	}
	kmem_cache_free_bulk(cache, 100, objects);
	ck_assert_int_eq(umaple_cache_destroy(umaple_kmem_cache(cache)), 0);
}
END_TEST

/* -- a caller -------------------------------------------------------------------------- */

static struct space space, child;

#define AT(page) (VM_LOW + (page)*VM_PAGE)

static int caller_map(void)
{
	long address = space_map(&space, 3 * VM_PAGE, 2);

	return address < 0 ? (int)address : 0;
}

static int caller_map_fixed(void)
{
	return space_map_fixed(&space, AT(15), 60 * VM_PAGE, 2);
}

static int caller_unmap(void)
{
	return space_unmap(&space, AT(15), 60 * VM_PAGE);
}

static int caller_protect(void)
{
	return space_protect(&space, AT(81), VM_PAGE, 2);
}

static int caller_dup(void)
{
	int err;

	space_init(&child);
	err = space_dup(&child, &space);
	space_exit(&child);
	return err;
}

static call *const caller_calls[] = { caller_map, caller_map_fixed,
				      caller_unmap, caller_protect,
				      caller_dup };

/* One area of three pages every ten. */
static void space_fill(void)
{
	space_init(&space);
	for (unsigned long page = 0; page < 400; page += 10)
		ck_assert_int_eq(
			space_map_fixed(&space, AT(page), 3 * VM_PAGE, 1), 0);
}

/* Areas may have been cut; nothing is mapped that was not, or the other way. */
static void space_check(void)
{
	struct area area;

	mt_validate(&space.mt);
	for (unsigned long page = 0; page < 400; page++) {
		bool found = space_lookup(&space, AT(page), &area);

		quick_assert(found == (page % 10 < 3), "page %lu", page);
		quick_assert(!found || area.flags == 1, "page %lu", page);
	}
	ck_assert_uint_eq(space.total, 40 * 3 * VM_PAGE);
}

START_TEST(caller_copes_and_loses_nothing)
{
	int err = -ENOMEM;

	space_fill();
	for (long n = 0; err; n++) {
		ck_assert_int_lt(n, 1000);
		umaple_fault_set(n, true);
		err = caller_calls[_i]();
		umaple_fault_set(-1, false);
		if (!err)
			break;
		ck_assert_int_eq(err, -ENOMEM);
		space_check();
	}
	space_exit(&space);
	ck_assert_int_eq(space.count, 0);
	ck_assert_int_eq(space_end_all(), 0);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("fault_kernel.tree");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, call_without_memory_says_so_and_changes_nothing,
			    0, ARRAY_SIZE(calls));
	tcase_add_loop_test(tc, store_with_nodes_in_advance_needs_no_memory, 0,
			    2);
	tcase_add_test(tc, stale_nodes_and_no_memory_is_an_error);
	suite_add_tcase(s, tc);

	tc = tcase_create("fault_kernel.objects");
	tcase_add_test(tc, bulk_is_all_or_nothing);
	suite_add_tcase(s, tc);

	tc = tcase_create("fault_kernel.caller");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, caller_copes_and_loses_nothing, 0,
			    ARRAY_SIZE(caller_calls));
	suite_add_tcase(s, tc);
}
