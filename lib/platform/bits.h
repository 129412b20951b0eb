/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/bits.h - words as sets of bits, and arithmetic with powers of two.
 */

#ifndef PLATFORM_BITS_H
#define PLATFORM_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The set {0, ..., count - 1}; @count is at most 64. */
static inline uint64_t bits_below(unsigned int count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static inline uint64_t bits_one(unsigned int bit)
{
	return UINT64_C(1) << bit;
}

/* The lowest member; @word is not empty. */
static inline unsigned int bits_first(uint64_t word)
{
	return (unsigned int)__builtin_ctzll(word);
}

/* How many members.  Spelled out: without -mpopcnt the builtin is a call. */
static inline unsigned int bits_count(uint64_t word)
{
	word -= (word >> 1) & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) +
	       ((word >> 2) & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned int)((word * UINT64_C(0x0101010101010101)) >> 56);
}

/* The @count lowest members; all of them when there are not more. */
static inline uint64_t bits_lowest(uint64_t word, size_t count)
{
	uint64_t rest = word;

	if (bits_count(word) <= count)
		return word;
	for (; count; count--)
		rest &= rest - 1;
	return word & ~rest;
}

/* Position of the highest set bit, counted from 1; 0 for an empty word. */
static inline unsigned int bits_last_set(uint64_t word)
{
	return word ? 64 - (unsigned int)__builtin_clzll(word) : 0;
}

static inline bool is_power_of_two(size_t value)
{
	return value && !(value & (value - 1));
}

/* Rounded down; @value is not 0. */
static inline unsigned int ilog2(size_t value)
{
	return bits_last_set(value) - 1;
}

/* @align is a power of two; the result must fit. */
static inline size_t round_up(size_t value, size_t align)
{
	return (value + align - 1) & ~(align - 1);
}

#endif /* PLATFORM_BITS_H */
