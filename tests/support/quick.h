/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/quick.h - an assertion for inner loops.
 *
 * libcheck writes the place of every assertion to a file, two system calls for
 * each that holds.  This one costs a branch.
 */

#ifndef TESTS_QUICK_H
#define TESTS_QUICK_H

#include <check.h>

#define quick_assert(condition, ...)                                           \
	do {                                                                   \
		if (!(condition))                                              \
			ck_abort_msg(__VA_ARGS__);                             \
	} while (0)

#endif /* TESTS_QUICK_H */
