/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_fault.c - platform/fault.h: which allocation fails, and in which thread.
 */

#include <pthread.h>

#include "harness.h"
#include "platform/fault.h"

const char *const suite_name = "fault";

#if UMAPLE_FAULT_INJECTION

START_TEST(nothing_fails_unless_asked)
{
	for (int i = 0; i < 100; i++)
		ck_assert(!umaple_fault());
	ck_assert(!umaple_fault_fired());
}
END_TEST

START_TEST(only_the_nth_fails)
{
	umaple_fault_set(_i, false);
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(umaple_fault(), i == _i);
		ck_assert_int_eq(umaple_fault_fired(), i >= _i);
	}
}
END_TEST

START_TEST(forever_fails_the_nth_and_all_after)
{
	umaple_fault_set(_i, true);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(umaple_fault(), i >= _i);
}
END_TEST

START_TEST(negative_turns_faults_off)
{
	umaple_fault_set(0, true);
	ck_assert(umaple_fault());

	umaple_fault_set(-1, false);
	ck_assert(!umaple_fault());
	ck_assert(!umaple_fault_fired());
}
END_TEST

static void *ask_in_another_thread(void *answer)
{
	*(bool *)answer = umaple_fault();
	return NULL;
}

START_TEST(other_threads_are_spared)
{
	pthread_t thread;
	bool answer = true;

	umaple_fault_set(0, true);
	ck_assert_int_eq(pthread_create(&thread, NULL, ask_in_another_thread,
					&answer),
			 0);
	pthread_join(thread, NULL);

	ck_assert(!answer);
	ck_assert(umaple_fault());
}
END_TEST

static void add_cases(TCase *tc)
{
	tcase_add_test(tc, nothing_fails_unless_asked);
	tcase_add_loop_test(tc, only_the_nth_fails, 0, 4);
	tcase_add_loop_test(tc, forever_fails_the_nth_and_all_after, 0, 4);
	tcase_add_test(tc, negative_turns_faults_off);
	tcase_add_test(tc, other_threads_are_spared);
}

#else

START_TEST(nothing_ever_fails_without_injection)
{
	ck_assert(!umaple_fault());
}
END_TEST

static void add_cases(TCase *tc)
{
	tcase_add_test(tc, nothing_ever_fails_without_injection);
}

#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("fault");

	add_cases(tc);
	suite_add_tcase(s, tc);
}
