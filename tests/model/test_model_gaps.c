/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Random gap searches, of all sizes, alignments and windows, against a look at
 * each hole in order; and allocators made of them.
 */

#include <errno.h>
#include <inttypes.h>

#include "harness.h"
#include "mix.h"
#include "quick.h"

const char *const suite_name = "model.gaps";

#define STEPS 4000

static const uint64_t sizes[] = { 24, 200, 1000, 10000 };
#define SIZES	  (sizeof(sizes) / sizeof(sizes[0]))
#define GAP_MODES (TWIN_FLAGS - TWIN_FLAGS_GAPS)
#define RUNS	  ((int)SIZES * KEYS_SHAPES * GAP_MODES)

/* Mostly what the holes are like, now and then anything at all. */
static uint64_t choose_size(const struct keys *keys, struct rng *rng)
{
	uint64_t cell =
		keys->shape == KEYS_SPREAD ? UINT64_MAX / keys->cells : 1;

	switch (rng_below(rng, 8)) {
	case 0:
		return rng_next(rng) >> rng_below(rng, 64);
	case 1:
		return cell * (1 + rng_below(rng, keys->cells));
	default:
		return cell * (1 + rng_below(rng, 6)) - 1 + rng_below(rng, 3);
	}
}

static uint64_t choose_align(const struct keys *keys, struct rng *rng)
{
	unsigned int bits = keys->shape == KEYS_SPREAD ? 60 : 5;

	if (rng_below(rng, 2))
		return 1;
	if (rng_below(rng, 64) == 0)
		return rng_next(rng); /* hardly ever a power of two */
	return (uint64_t)1 << rng_below(rng, rng_below(rng, 8) ? bits : 64);
}

static void search_once(struct twin *twin, const struct keys *keys,
			struct rng *rng)
{
	uint64_t size = choose_size(keys, rng);
	uint64_t align = choose_align(keys, rng);
	uint64_t a = keys_index(keys, rng), b = keys_index(keys, rng);
	uint64_t min = a < b ? a : b, max = a < b ? b : a;

	switch (rng_below(rng, 8)) {
	case 0: /* any window, also the wrong way round */
		min = a;
		max = b;
		break;
	case 1: /* exactly as large as what is wanted */
		max = min + size - 1;
		break;
	case 2:
	case 3:
	case 4:
		min = 0;
		max = UINT64_MAX;
		break;
	default:
		break;
	}
	twin_gap_first(twin, size, align, min, max);
	twin_gap_last(twin, size, align, min, max);
}

START_TEST(gap_search_answers_as_its_model)
{
	unsigned int i = (unsigned int)_i;
	struct keys keys = {
		.shape = (enum keys_shape)(i % KEYS_SHAPES),
		.cells = sizes[i / KEYS_SHAPES % SIZES],
	};
	unsigned int mode = i / KEYS_SHAPES / SIZES;
	struct twin twin;
	struct mix mix;
	struct rng rng;

	rng_seed(&rng, test_seed() + i);
	twin_init(&twin, twin_flags[TWIN_FLAGS_GAPS + mode]);
	mix_init(&mix, keys, 16 + keys.cells / 4, &rng);
	for (unsigned long n = test_scaled(STEPS); n; n--) {
		mix_step(&mix, &twin);
		search_once(&twin, &keys, &rng);
		search_once(&twin, &keys, &rng);
		if (n % 16 == 0)
			twin_check(&twin);
	}
	twin_compare(&twin);
	twin_fini(&twin);
}
END_TEST

/* Take the lowest or highest gap with a cursor, as an allocator would. */
static bool allocate(struct twin *twin, bool from_top, uint64_t size,
		     uint64_t align, uint64_t max)
{
	struct umaple_cursor cursor;
	uint64_t first = 0;
	int error, wanted;

	twin_lock(twin);
	umaple_cursor_init(&cursor, &twin->tree, 0, 0);
	error = from_top
			? umaple_cursor_gap_last(&cursor, size, align, 0, max)
			: umaple_cursor_gap_first(&cursor, size, align, 0, max);
	wanted = from_top ? model_gap_last(&twin->model, size, align, 0, max,
					   &first)
			  : model_gap_first(&twin->model, size, align, 0, max,
					    &first);
	quick_assert(error == wanted, "gave %d, not %d", error, wanted);
	if (!error) {
		quick_assert(cursor.index == first &&
				     cursor.last == first + size - 1,
			     "gap at %" PRIx64 ", not %" PRIx64, cursor.index,
			     first);
		quick_assert(umaple_cursor_store(&cursor, twin) == 0, "store");
		model_store_range(&twin->model, first, first + size - 1, twin);
	}
	twin_unlock(twin);
	return !error;
}

/*
 * Until nothing fits; then one in three goes back, and it starts again.  Sizes
 * are powers of two and their own alignment, as in a buddy allocator.
 */
START_TEST(allocator_fills_its_space_and_reuses_it)
{
	bool from_top = _i % 2;
	uint64_t max = 0xffff;
	unsigned long rounds = test_scaled(4);
	struct twin twin;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uint64_t)_i);
	twin_init(&twin, twin_flags[TWIN_FLAGS_GAPS + _i / 2]);
	while (rounds--) {
		unsigned long refused = 0;

		while (refused < 20) {
			uint64_t size = (uint64_t)1 << rng_below(&rng, 10);

			refused += !allocate(&twin, from_top, size, size, max);
		}
		while (allocate(&twin, from_top, 1, 1, max))
			continue;
		ck_assert_uint_eq(model_holes(&twin.model), 1);
		for (uint64_t i = 0; i <= max;) {
			struct umaple_range at = model_at(&twin.model, i);

			if (rng_below(&rng, 3) == 0)
				twin_erase(&twin, i);
			i = at.last + 1;
		}
		twin_compare(&twin);
	}
	twin_fini(&twin);
}
END_TEST

START_TEST(tree_without_gaps_refuses_to_search)
{
	struct twin twin;
	struct umaple_cursor cursor;
	uint64_t first = 7;

	twin_init(&twin, twin_flags[_i]);
	ck_assert_int_eq(umaple_gap_first(&twin.tree, 1, 1, 0, 9, &first),
			 -EINVAL);
	ck_assert_int_eq(umaple_gap_last(&twin.tree, 1, 1, 0, 9, &first),
			 -EINVAL);
	ck_assert_uint_eq(first, 7);
	twin_lock(&twin);
	umaple_cursor_init(&cursor, &twin.tree, 3, 4);
	ck_assert_int_eq(umaple_cursor_gap_first(&cursor, 1, 1, 0, 9), -EINVAL);
	ck_assert_int_eq(umaple_cursor_gap_last(&cursor, 1, 1, 0, 9), -EINVAL);
	ck_assert_uint_eq(cursor.index, 3);
	ck_assert_uint_eq(cursor.last, 4);
	twin_unlock(&twin);
	twin_fini(&twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("model.gaps");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, gap_search_answers_as_its_model, 0, RUNS);
	tcase_add_loop_test(tc, allocator_fills_its_space_and_reuses_it, 0,
			    2 * GAP_MODES);
	tcase_add_loop_test(tc, tree_without_gaps_refuses_to_search, 0,
			    TWIN_FLAGS_GAPS);
	suite_add_tcase(s, tc);
}
