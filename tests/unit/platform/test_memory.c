/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_memory.c - platform/memory.h: zeroed, aligned, failing on request.
 */

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "harness.h"
#include "platform/fault.h"
#include "platform/memory.h"

const char *const suite_name = "memory";

static bool is_zero(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

START_TEST(memory_is_zeroed_also_when_reused)
{
	for (int i = 0; i < 4; i++) {
		char *memory = umaple_zalloc_aligned(64, 1000);

		ck_assert_ptr_nonnull(memory);
		ck_assert(is_zero(memory, 1000));
		memset(memory, 1, 1000);
		umaple_zfree(memory);
	}
}
END_TEST

START_TEST(alignment_is_kept)
{
	size_t align = (size_t)1 << _i;
	void *memory = umaple_zalloc_aligned(align, 24);

	ck_assert_ptr_nonnull(memory);
	ck_assert_uint_eq((uintptr_t)memory % align, 0);
	umaple_zfree(memory);
}
END_TEST

START_TEST(null_is_ignored)
{
	umaple_zfree(NULL);
}
END_TEST

#if UMAPLE_FAULT_INJECTION
START_TEST(faults_strike_and_keep_errno)
{
	errno = 7;
	umaple_fault_set(0, true);
	ck_assert_ptr_null(umaple_zalloc_aligned(64, 8));
	umaple_fault_set(-1, false);
	ck_assert_int_eq(errno, 7);
}
END_TEST
#endif

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("memory");

	tcase_add_test(tc, memory_is_zeroed_also_when_reused);
	tcase_add_loop_test(tc, alignment_is_kept, 0, 13);
	tcase_add_test(tc, null_is_ignored);
#if UMAPLE_FAULT_INJECTION
	tcase_add_test(tc, faults_strike_and_keep_errno);
#endif
	suite_add_tcase(s, tc);
}
