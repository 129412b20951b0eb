/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cpu.c - platform/cpu.h: numbers of CPUs, and restartable sequences.
 */

#include <sched.h>

#include "harness.h"
#include "platform/cpu.h"

const char *const suite_name = "cpu";

START_TEST(every_cpu_we_may_run_on_has_a_number_below_the_count)
{
	cpu_set_t all, one;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
		ck_assert_uint_eq(umaple_cpu_current(), cpu);
		ck_assert_uint_lt(cpu, umaple_cpu_count());
	}
	ck_assert_int_eq(sched_setaffinity(0, sizeof(all), &all), 0);
}
END_TEST

START_TEST(rseq_answer_stays_and_its_fence_works)
{
	bool available = umaple_rseq_available();

	ck_assert(umaple_rseq_available() == available);
	if (available)
		umaple_rseq_fence();
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("cpu");

	tcase_add_test(tc,
		       every_cpu_we_may_run_on_has_a_number_below_the_count);
	tcase_add_test(tc, rseq_answer_stays_and_its_fence_works);
	suite_add_tcase(s, tc);
}
