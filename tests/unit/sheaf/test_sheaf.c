/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_sheaf.c - sheaf/sheaf.h: a stack that keeps what is put in.
 */

#include <errno.h>

#include "harness.h"
#include "platform/fault.h"
#include "sheaf/sheaf.h"

const char *const suite_name = "sheaf";

#define CAPACITY 8

static char pool[2 * CAPACITY];
static struct umaple_sheaf *sheaf;

static void set_up(void)
{
	sheaf = umaple_sheaf_new(CAPACITY);
	ck_assert_ptr_nonnull(sheaf);
}

static void tear_down(void)
{
	sheaf->count = 0;
	umaple_sheaf_delete(sheaf);
}

static void push_up_to(struct umaple_sheaf *to, int first, int last)
{
	for (int i = first; i <= last; i++)
		umaple_sheaf_push(to, &pool[i]);
}

START_TEST(new_sheaf_is_empty_and_on_a_line_of_its_own)
{
	ck_assert_uint_eq((uintptr_t)sheaf % UMAPLE_CACHELINE, 0);
	ck_assert_uint_eq(sheaf->count, 0);
	ck_assert_uint_eq(sheaf->capacity, CAPACITY);
	ck_assert_uint_eq(umaple_sheaf_room(sheaf), CAPACITY);
	ck_assert(!umaple_sheaf_is_full(sheaf));
	ck_assert_ptr_null(sheaf->next);
	ck_assert_int_eq(umaple_sheaf_check(sheaf, NULL, 0), 0);
}
END_TEST

START_TEST(impossible_capacities_give_no_sheaf)
{
	ck_assert_ptr_null(umaple_sheaf_new(0));
	ck_assert_ptr_null(umaple_sheaf_new((size_t)UINT32_MAX + 1));
	ck_assert_ptr_null(umaple_sheaf_new(SIZE_MAX));
	/* As many as their bytes wrap to few where size_t has 32 bits. */
	if (SIZE_MAX == UINT32_MAX)
		ck_assert_ptr_null(umaple_sheaf_new(SIZE_MAX / 4 + 1));
	umaple_sheaf_delete(NULL);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(no_memory_gives_no_sheaf)
{
	umaple_fault_set(0, false);
	ck_assert_ptr_null(umaple_sheaf_new(CAPACITY));
	ck_assert(umaple_fault_fired());
}
END_TEST
#endif

START_TEST(last_in_is_first_out)
{
	push_up_to(sheaf, 0, CAPACITY - 1);
	ck_assert(umaple_sheaf_is_full(sheaf));
	ck_assert_uint_eq(umaple_sheaf_room(sheaf), 0);

	for (int i = CAPACITY - 1; i >= 0; i--)
		ck_assert_ptr_eq(umaple_sheaf_pop(sheaf), &pool[i]);
	ck_assert_uint_eq(sheaf->count, 0);
}
END_TEST

START_TEST(move_keeps_order_and_total)
{
	struct umaple_sheaf *to = umaple_sheaf_new(2 * CAPACITY);

	push_up_to(to, 0, 1);
	push_up_to(sheaf, 2, 6);
	umaple_sheaf_move(to, sheaf, 3);

	ck_assert_uint_eq(to->count, 5);
	ck_assert_uint_eq(sheaf->count, 2);
	for (int i = 6; i >= 4; i--)
		ck_assert_ptr_eq(umaple_sheaf_pop(to), &pool[i]);
	ck_assert_ptr_eq(umaple_sheaf_pop(to), &pool[1]);
	ck_assert_ptr_eq(umaple_sheaf_pop(sheaf), &pool[3]);

	umaple_sheaf_move(to, sheaf, 0);
	ck_assert_uint_eq(to->count, 1);
	to->count = 0;
	umaple_sheaf_delete(to);
}
END_TEST

static void assert_violates(const char *number)
{
	char text[128] = "";

	ck_assert_int_eq(umaple_sheaf_check(sheaf, text, sizeof(text)),
			 -EUCLEAN);
	ck_assert_msg(!strncmp(text, number, strlen(number)), "found: %s",
		      text);
}

START_TEST(damage_is_found)
{
	push_up_to(sheaf, 0, 3);
	ck_assert_int_eq(umaple_sheaf_check(sheaf, NULL, 0), 0);

	sheaf->count = CAPACITY + 1;
	assert_violates("S1:");
	sheaf->count = 4;
	sheaf->capacity = 0;
	assert_violates("S1:");
	sheaf->capacity = CAPACITY;

	sheaf->objects[3] = sheaf->objects[1];
	assert_violates("S2:");
	sheaf->objects[3] = NULL;
	assert_violates("S2:");
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("sheaf");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, new_sheaf_is_empty_and_on_a_line_of_its_own);
	tcase_add_test(tc, impossible_capacities_give_no_sheaf);
#if UMAPLE_FAULT_INJECTION
	tcase_add_test(tc, no_memory_gives_no_sheaf);
#endif
	tcase_add_test(tc, last_in_is_first_out);
	tcase_add_test(tc, move_keeps_order_and_total);
	tcase_add_test(tc, damage_is_found);
	suite_add_tcase(s, tc);
}
