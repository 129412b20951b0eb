/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_slab_pool.c - slab/slab_pool.c: chunks come when they are needed and go
 * when they are idle.
 */

#include <sys/mman.h>

#include "platform/fault.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "slab_pool";

#define MAX_SLABS 600

static struct umaple_slab *slabs[MAX_SLABS];
static size_t nr_slabs;

static void set_up(void)
{
	node_set_up();
	nr_slabs = 0;
}

static void alloc_slabs(size_t count)
{
	for (; count; count--) {
		struct umaple_slab *slab = umaple_pool_alloc_slab(&node);

		ck_assert_ptr_nonnull(slab);
		ck_assert(slab->in_use);
		slabs[nr_slabs++] = slab;
	}
}

/* The last @count. */
static void free_slabs(size_t count)
{
	struct list_link list;

	list_init(&list);
	for (; count; count--)
		list_push_back(&list, &slabs[--nr_slabs]->link);
	umaple_pool_free_slabs(&node, &list);
}

static void tear_down(void)
{
	free_slabs(nr_slabs);
	assert_sound();
	umaple_pool_trim(&node);
	ck_assert_ptr_null(node.idle);
	ck_assert(list_is_empty(&node.chunks_avail));
	ck_assert(list_is_empty(&node.chunks_full));
	ck_assert_uint_eq(node.nr_slabs, 0);
	ck_assert_uint_eq(node.alloc_slab, node.free_slab);
}

static size_t count_links(const struct list_link *head)
{
	size_t count = 0;

	for (struct list_link *link = head->next; link != head;
	     link = link->next)
		count++;
	return count;
}

static void assert_chunks(size_t avail, size_t full, bool idle)
{
	ck_assert_uint_eq(count_links(&node.chunks_avail), avail);
	ck_assert_uint_eq(count_links(&node.chunks_full), full);
	ck_assert_int_eq(node.idle != NULL, idle);
}

static bool is_mapped(void *chunk)
{
	unsigned char resident;

	return mincore(chunk, 1, &resident) == 0;
}

START_TEST(slabs_are_distinct_and_chunks_fill_up)
{
	size_t per_chunk = node.geo.slabs_per_chunk;

	alloc_slabs(per_chunk);
	assert_chunks(0, 1, false);
	alloc_slabs(1);
	assert_chunks(1, 1, false);
	alloc_slabs(2 * per_chunk);
	assert_chunks(1, 3, false);

	ck_assert_uint_eq(node.nr_slabs, 3 * per_chunk + 1);
	ck_assert_uint_eq(node.alloc_slab, 3 * per_chunk + 1);
	for (size_t i = 0; i < nr_slabs; i++)
		for (size_t j = 0; j < i; j++)
			ck_assert_ptr_ne(slabs[i], slabs[j]);
}
END_TEST

START_TEST(one_idle_chunk_is_kept_and_used_again)
{
	struct umaple_chunk *chunk;

	alloc_slabs(1);
	chunk = umaple_chunk_of(slabs[0]);
	free_slabs(1);
	assert_chunks(0, 0, true);
	ck_assert_ptr_eq(node.idle, chunk);

	alloc_slabs(1);
	assert_chunks(1, 0, false);
	ck_assert_ptr_eq(umaple_chunk_of(slabs[0]), chunk);
}
END_TEST

START_TEST(second_idle_chunk_goes_back_to_the_system)
{
	struct umaple_chunk *first, *second;

	alloc_slabs(node.geo.slabs_per_chunk + 1);
	first = umaple_chunk_of(slabs[0]);
	second = umaple_chunk_of(slabs[nr_slabs - 1]);
	ck_assert_ptr_ne(first, second);

	free_slabs(1);
	assert_chunks(0, 1, true);
	free_slabs(nr_slabs);
	assert_chunks(0, 0, true);
	ck_assert_ptr_eq(node.idle, second);
	ck_assert(!is_mapped(first));
	ck_assert(is_mapped(second));

	umaple_pool_trim(&node);
	assert_chunks(0, 0, false);
	ck_assert(!is_mapped(second));
}
END_TEST

START_TEST(full_chunk_becomes_available_with_its_first_free_slab)
{
	struct umaple_slab *slab;

	alloc_slabs(node.geo.slabs_per_chunk);
	slab = slabs[nr_slabs - 1];
	free_slabs(1);
	assert_chunks(1, 0, false);
	alloc_slabs(1);
	ck_assert_ptr_eq(slabs[nr_slabs - 1], slab);
	assert_chunks(0, 1, false);
}
END_TEST

START_TEST(huge_pages_can_be_turned_off)
{
	struct umaple_slab_geometry geo = node.geo;

	ck_assert(geo.huge_pages);
	geo.huge_pages = false;
	ck_assert_int_eq(umaple_slab_node_init(&node, &geo, "small pages"), 0);
	alloc_slabs(1);
	ck_assert_uint_eq(slabs[0]->free, node.layout.all);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(no_memory_gives_no_slab_and_changes_nothing)
{
	umaple_fault_set(0, false);
	ck_assert_ptr_null(umaple_pool_alloc_slab(&node));
	ck_assert(umaple_fault_fired());
	ck_assert_uint_eq(node.alloc_slab, 0);
	assert_chunks(0, 0, false);
	assert_sound();

	alloc_slabs(1);
	umaple_fault_set(0, true);
	alloc_slabs(node.geo.slabs_per_chunk - 1);
	ck_assert_ptr_null(umaple_pool_alloc_slab(&node));
	umaple_fault_set(-1, false);
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("slab_pool");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, slabs_are_distinct_and_chunks_fill_up);
	tcase_add_test(tc, one_idle_chunk_is_kept_and_used_again);
	tcase_add_test(tc, second_idle_chunk_goes_back_to_the_system);
	tcase_add_test(tc,
		       full_chunk_becomes_available_with_its_first_free_slab);
	tcase_add_test(tc, huge_pages_can_be_turned_off);
#if UMAPLE_FAULT_INJECTION
	tcase_add_test(tc, no_memory_gives_no_slab_and_changes_nothing);
#endif
	suite_add_tcase(s, tc);
}
