/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_pages.c - platform/pages.h: alignment, contents, and what is given back.
 */

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"
#include "platform/fault.h"
#include "platform/pages.h"

const char *const suite_name = "pages";

#define MIB ((size_t)1 << 20)

/* Is every page of the range mapped?  At most 64 of them. */
static bool is_mapped(void *start, size_t bytes)
{
	unsigned char resident[64];

	ck_assert_uint_le(bytes / umaple_page_size(), sizeof(resident));
	return mincore(start, bytes, resident) == 0;
}

START_TEST(page_size_is_a_power_of_two)
{
	size_t size = umaple_page_size();

	ck_assert_uint_ge(size, 4096);
	ck_assert_uint_eq(size & (size - 1), 0);
}
END_TEST

START_TEST(runs_are_aligned_zeroed_and_writable)
{
	size_t align = umaple_page_size() << _i;
	size_t bytes = 3 * umaple_page_size();
	char *run = umaple_pages_map(bytes, align);

	ck_assert_ptr_nonnull(run);
	ck_assert_uint_eq((uintptr_t)run % align, 0);
	for (size_t i = 0; i < bytes; i++)
		ck_assert_int_eq(run[i], 0);
	memset(run, 0x5a, bytes);

	umaple_pages_unmap(run, bytes);
	ck_assert(!is_mapped(run, bytes));
}
END_TEST

START_TEST(many_aligned_runs_do_not_overlap)
{
	enum {
		N = 16
	};
	size_t page = umaple_page_size();
	char *runs[N], *spacers[N];

	/* A single page between them spoils alignment by luck. */
	for (int i = 0; i < N; i++) {
		spacers[i] = umaple_pages_map(page, page);
		ck_assert_ptr_nonnull(spacers[i]);
		runs[i] = umaple_pages_map(2 * MIB, 2 * MIB);
		ck_assert_ptr_nonnull(runs[i]);
		ck_assert_uint_eq((uintptr_t)runs[i] % (2 * MIB), 0);
		runs[i][0] = (char)i;
		runs[i][2 * MIB - 1] = (char)i;
	}

	for (int i = 0; i < N; i++) {
		ck_assert_int_eq(runs[i][0], i);
		ck_assert_int_eq(runs[i][2 * MIB - 1], i);
		umaple_pages_unmap(runs[i], 2 * MIB);
		umaple_pages_unmap(spacers[i], page);
	}
}
END_TEST

START_TEST(impossible_length_fails_and_keeps_errno)
{
	errno = 7;
	ck_assert_ptr_null(umaple_pages_map(SIZE_MAX & ~(MIB - 1), MIB));
	ck_assert_int_eq(errno, 7);
}
END_TEST

START_TEST(huge_advice_leaves_memory_alone)
{
	char *run = umaple_pages_map(2 * MIB, 2 * MIB);

	ck_assert_ptr_nonnull(run);
	run[5] = 9;
	errno = 7;
	umaple_pages_huge(run, 2 * MIB);
	ck_assert_int_eq(run[5], 9);
	ck_assert_int_eq(errno, 7);
	umaple_pages_unmap(run, 2 * MIB);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(fault_makes_map_fail_once)
{
	size_t page = umaple_page_size();
	void *run;

	umaple_fault_set(0, false);
	ck_assert_ptr_null(umaple_pages_map(page, page));
	ck_assert(umaple_fault_fired());

	run = umaple_pages_map(page, page);
	ck_assert_ptr_nonnull(run);
	umaple_pages_unmap(run, page);
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("pages");

	tcase_add_test(tc, page_size_is_a_power_of_two);
	tcase_add_loop_test(tc, runs_are_aligned_zeroed_and_writable, 0, 12);
	tcase_add_test(tc, many_aligned_runs_do_not_overlap);
	tcase_add_test(tc, impossible_length_fails_and_keeps_errno);
	tcase_add_test(tc, huge_advice_leaves_memory_alone);
#if UMAPLE_FAULT_INJECTION
	tcase_add_test(tc, fault_makes_map_fail_once);
#endif
	suite_add_tcase(s, tc);
}
