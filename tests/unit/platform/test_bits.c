/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_bits.c - platform/bits.h against loops that look at one bit at a time.
 */

#include "harness.h"
#include "platform/bits.h"

const char *const suite_name = "bits";

/* One word of each kind, then random ones of every density. */
static uint64_t sample(struct rng *rng, unsigned long i)
{
	static const uint64_t edges[] = { 0, 1, UINT64_C(1) << 63, UINT64_MAX,
					  UINT64_MAX - 1 };
	uint64_t word;

	if (i < sizeof(edges) / sizeof(edges[0]))
		return edges[i];
	word = rng_next(rng);
	if (i % 3 == 1)
		word &= rng_next(rng) & rng_next(rng);
	if (i % 3 == 2)
		word |= rng_next(rng) | rng_next(rng);
	return word;
}

static unsigned int slow_count(uint64_t word)
{
	unsigned int count = 0;

	for (; word; word >>= 1)
		count += word & 1;
	return count;
}

static uint64_t slow_lowest(uint64_t word, size_t count)
{
	uint64_t result = 0;

	for (unsigned int bit = 0; bit < 64 && count; bit++) {
		if (word & (UINT64_C(1) << bit)) {
			result |= UINT64_C(1) << bit;
			count--;
		}
	}
	return result;
}

START_TEST(count_and_lowest_agree_with_loops)
{
	struct rng rng;
	uint64_t word;

	rng_seed(&rng, test_seed());
	for (unsigned long i = 0; i < test_scaled(2000); i++) {
		word = sample(&rng, i);

		ck_assert_uint_eq(bits_count(word), slow_count(word));
		for (size_t n = 0; n <= 66; n++)
			ck_assert_uint_eq(bits_lowest(word, n),
					  slow_lowest(word, n));
	}
}
END_TEST

START_TEST(first_and_last_set_find_the_ends)
{
	for (unsigned int low = 0; low < 64; low++) {
		for (unsigned int high = low; high < 64; high++) {
			uint64_t word = bits_one(low) | bits_one(high);

			ck_assert_uint_eq(bits_first(word), low);
			ck_assert_uint_eq(bits_last_set(word), high + 1);
		}
	}
	ck_assert_uint_eq(bits_last_set(0), 0);
}
END_TEST

START_TEST(below_holds_that_many)
{
	ck_assert_uint_eq(bits_below(0), 0);
	ck_assert_uint_eq(bits_below(1), 1);
	ck_assert_uint_eq(bits_below(63), UINT64_MAX >> 1);
	ck_assert_uint_eq(bits_below(64), UINT64_MAX);
}
END_TEST

START_TEST(powers_of_two_and_rounding)
{
	ck_assert(!is_power_of_two(0));
	ck_assert(is_power_of_two(1));
	ck_assert(!is_power_of_two(3));
	ck_assert(is_power_of_two(SIZE_MAX / 2 + 1));

	ck_assert_uint_eq(ilog2(1), 0);
	ck_assert_uint_eq(ilog2(255), 7);
	ck_assert_uint_eq(ilog2(256), 8);

	ck_assert_uint_eq(round_up(0, 8), 0);
	ck_assert_uint_eq(round_up(1, 8), 8);
	ck_assert_uint_eq(round_up(8, 8), 8);
	ck_assert_uint_eq(round_up(4097, 4096), 8192);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("bits");

	/* Loops are scaled: Meson's timeout is scaled with them. */
	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, count_and_lowest_agree_with_loops);
	tcase_add_test(tc, first_and_last_set_find_the_ends);
	tcase_add_test(tc, below_holds_that_many);
	tcase_add_test(tc, powers_of_two_and_rounding);
	suite_add_tcase(s, tc);
}
