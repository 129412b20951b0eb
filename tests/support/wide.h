/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/wide.h - products of 128 bits, also where the compiler has no type of
 * that size.
 */

#ifndef TESTS_WIDE_H
#define TESTS_WIDE_H

#include <stdint.h>

/* The upper 64 bits of @a times @b. */
static inline uint64_t wide_upper(uint64_t a, uint64_t b)
{
	uint64_t a_low = (uint32_t)a, a_high = a >> 32;
	uint64_t b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t first = a_low * b_high + ((a_low * b_low) >> 32);
	uint64_t second = a_high * b_low + (uint32_t)first;

	return a_high * b_high + (first >> 32) + (second >> 32);
}

#endif /* TESTS_WIDE_H */
