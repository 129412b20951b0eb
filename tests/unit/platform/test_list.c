/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_list.c - platform/list.h: order is kept, removal closes the ring.
 */

#include "harness.h"
#include "platform/list.h"

const char *const suite_name = "list";

#define NR_MEMBERS 5

struct member {
	int id;
	struct list_link link;
};

static struct member members[NR_MEMBERS];
static struct list_link list;

static void set_up(void)
{
	list_init(&list);
	for (int i = 0; i < NR_MEMBERS; i++)
		members[i].id = i;
}

/* The ids from front to back, and the links both ways. */
static void assert_order(const struct list_link *head, const int *ids, int n)
{
	const struct list_link *link = head->next;

	for (int i = 0; i < n; i++, link = link->next) {
		const struct member *m =
			container_of((uintptr_t)link, struct member, link);

		ck_assert_ptr_ne(link, head);
		ck_assert_int_eq(m->id, ids[i]);
		ck_assert_ptr_eq(link->next->prev, link);
	}
	ck_assert_ptr_eq(link, head);
}

START_TEST(new_list_is_empty)
{
	ck_assert(list_is_empty(&list));
	assert_order(&list, NULL, 0);
}
END_TEST

START_TEST(front_and_back_are_the_ends)
{
	list_push_back(&list, &members[1].link);
	list_push_back(&list, &members[2].link);
	list_push_front(&list, &members[0].link);

	ck_assert(!list_is_empty(&list));
	assert_order(&list, (const int[]){ 0, 1, 2 }, 3);
}
END_TEST

START_TEST(removal_closes_the_ring)
{
	for (int i = 0; i < NR_MEMBERS; i++)
		list_push_back(&list, &members[i].link);

	list_remove(&members[2].link);
	assert_order(&list, (const int[]){ 0, 1, 3, 4 }, 4);
	list_remove(&members[0].link);
	list_remove(&members[4].link);
	assert_order(&list, (const int[]){ 1, 3 }, 2);
	list_remove(&members[1].link);
	list_remove(&members[3].link);
	ck_assert(list_is_empty(&list));
}
END_TEST

START_TEST(append_moves_all_and_empties_the_source)
{
	struct list_link from;

	list_init(&from);
	list_append(&list, &from);
	ck_assert(list_is_empty(&list));

	list_push_back(&list, &members[0].link);
	list_push_back(&from, &members[1].link);
	list_push_back(&from, &members[2].link);
	list_append(&list, &from);

	ck_assert(list_is_empty(&from));
	assert_order(&list, (const int[]){ 0, 1, 2 }, 3);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("list");

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, new_list_is_empty);
	tcase_add_test(tc, front_and_back_are_the_ends);
	tcase_add_test(tc, removal_closes_the_ring);
	tcase_add_test(tc, append_moves_all_and_empties_the_source);
	suite_add_tcase(s, tc);
}
