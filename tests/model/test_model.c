/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * The oracle under test: support/model.c against one cell per index.
 *
 * A cell holds what its index maps to, and the number of the store that wrote
 * it: neighbours with the same number are one range.  The cells are the lowest
 * indices, or mirrored the highest; beyond them nothing is ever stored.
 */

#include <errno.h>
#include <string.h>

#include "harness.h"
#include "keys.h"
#include "model.h"
#include "quick.h"

const char *const suite_name = "model.self";

#define CELLS 96
#define STEPS 40000

#define HOLDS(condition) quick_assert(condition, "%s", #condition)

struct cells {
	bool mirrored;
	void *entry[CELLS];
	unsigned long number[CELLS]; /* 0: a hole */
};

static bool cell_of(const struct cells *cells, uint64_t index, uint64_t *cell)
{
	*cell = cells->mirrored ? UINT64_MAX - index : index;
	return *cell < CELLS;
}

static unsigned long number_at(const struct cells *cells, uint64_t index)
{
	uint64_t cell;

	return cell_of(cells, index, &cell) ? cells->number[cell] : 0;
}

static void *entry_at(const struct cells *cells, uint64_t index)
{
	uint64_t cell;

	return number_at(cells, index) && cell_of(cells, index, &cell)
		       ? cells->entry[cell]
		       : NULL;
}

/* Lowest and highest index near the cells: those where something can change. */
static uint64_t low_end(const struct cells *cells)
{
	return cells->mirrored ? UINT64_MAX - CELLS : 0;
}

static uint64_t high_end(const struct cells *cells)
{
	return cells->mirrored ? UINT64_MAX : CELLS;
}

static struct umaple_range range_at(const struct cells *cells, uint64_t index)
{
	uint64_t low = low_end(cells), high = high_end(cells);
	uint64_t near = index < low ? low : index > high ? high : index;
	struct umaple_range range = { near, near, entry_at(cells, near) };
	unsigned long number = number_at(cells, near);

	while (range.first > low && number_at(cells, range.first - 1) == number)
		range.first--;
	while (range.last < high && number_at(cells, range.last + 1) == number)
		range.last++;
	if (range.first == low)
		range.first = 0;
	if (range.last == high)
		range.last = UINT64_MAX;
	return range;
}

static void write_cells(struct cells *cells, uint64_t first, uint64_t last,
			void *entry, unsigned long number)
{
	for (uint64_t i = first;; i++) {
		uint64_t cell;

		if (cell_of(cells, i, &cell)) {
			cells->entry[cell] = entry;
			cells->number[cell] = number;
		}
		if (i == last)
			break;
	}
}

static void step_write(struct cells *cells, struct model *model,
		       struct rng *rng, unsigned long number)
{
	struct keys keys = { cells->mirrored ? KEYS_HIGH : KEYS_LOW, CELLS };
	uint64_t from = rng_below(rng, CELLS);
	uint64_t to = from + rng_below(rng, CELLS - from);
	void *entry = keys_entry(rng);
	uint64_t first, last;
	struct umaple_range range;

	if (rng_below(rng, 2))
		to = from + rng_below(rng, CELLS - from) / 16;
	keys_range(&keys, from, to, &first, &last);
	switch (rng_below(rng, 4)) {
	case 0:
		model_store_range(model, first, last, NULL);
		write_cells(cells, first, last, NULL, 0);
		break;
	case 1:
		range = model_erase(model, first);
		HOLDS(range.entry == entry_at(cells, first));
		if (range.entry)
			write_cells(cells, range.first, range.last, NULL, 0);
		break;
	case 2:
		if (model_insert_range(model, first, last, entry) == 0)
			write_cells(cells, first, last, entry, number);
		break;
	default:
		model_store_range(model, first, last, entry);
		write_cells(cells, first, last, entry, number);
		break;
	}
}

static void same(const struct umaple_range *a, const struct umaple_range *b)
{
	HOLDS(a->entry == b->entry);
	HOLDS(a->first == b->first);
	HOLDS(a->last == b->last);
}

/* Walk over everything, up by find and next, and compare with the cells. */
static void compare_ranges(const struct cells *cells, const struct model *model)
{
	struct umaple_range got, range;
	uint64_t next = 0;
	size_t holes = 0, count = 0;

	do {
		range = range_at(cells, next);
		got = model_at(model, next);
		same(&got, &range);
		if (range.entry) {
			count++;
			HOLDS(model_find(model, range.first, range.first,
					 &got) == range.entry);
			same(&got, &range);
		} else {
			holes++;
			HOLDS(!model_find(model, range.first, range.last,
					  &got));
		}
		HOLDS(model_load(model, range.last) == range.entry);
		next = range.last + 1;
	} while (next);
	HOLDS(count == model->count);
	HOLDS(holes == model_holes(model));
}

/* The next and the previous range, found by going from range to range. */
static void compare_neighbours(const struct cells *cells,
			       const struct model *model, uint64_t index)
{
	struct umaple_range up = range_at(cells, index), down = up, got;

	do
		up = up.last == UINT64_MAX ? (struct umaple_range){ 0 }
					   : range_at(cells, up.last + 1);
	while (!up.entry && up.last != UINT64_MAX && up.last);
	HOLDS(model_next(model, index, UINT64_MAX, &got) == up.entry);
	if (up.entry) {
		same(&got, &up);
		HOLDS(model_next(model, index, up.first, &got) == up.entry);
		HOLDS(!model_next(model, index, up.first - 1, &got));
	}
	do
		down = down.first == 0 ? (struct umaple_range){ 0 }
				       : range_at(cells, down.first - 1);
	while (!down.entry && down.first != 0);
	HOLDS(model_prev(model, index, 0, &got) == down.entry);
	if (down.entry) {
		same(&got, &down);
		HOLDS(model_prev(model, index, down.last, &got) == down.entry);
		HOLDS(!model_prev(model, index, down.last + 1, &got));
	}
}

/* Every start in the window is tried, from below and from above. */
static void compare_gaps(const struct cells *cells, const struct model *model,
			 struct rng *rng)
{
	uint64_t min = low_end(cells) + rng_below(rng, CELLS);
	uint64_t max = min + rng_below(rng, high_end(cells) - min + 1);
	uint64_t size = 1 + rng_below(rng, 1 + (max - min) / 4);
	uint64_t align = 1u << rng_below(rng, 5);
	uint64_t first = 0, last = 0, got = 0;
	bool found = false;
	int wanted;

	for (uint64_t at = min;; at++) {
		uint64_t free = 0;

		while (free < size && !entry_at(cells, at + free))
			free++;
		if (free == size && at % align == 0) {
			first = found ? first : at;
			last = at;
			found = true;
		}
		if (max - at < size)
			break;
	}
	wanted = found ? 0 : -EBUSY;
	HOLDS(model_gap_first(model, size, align, min, max, &got) == wanted);
	HOLDS(!found || got == first);
	HOLDS(model_gap_last(model, size, align, min, max, &got) == wanted);
	HOLDS(!found || got == last);
}

START_TEST(model_equals_one_cell_per_index)
{
	static struct cells cells;
	struct model model = { 0 };
	struct rng rng;

	cells.mirrored = _i;
	rng_seed(&rng, test_seed());
	for (unsigned long i = 1; i <= test_scaled(STEPS); i++) {
		step_write(&cells, &model, &rng, i);
		compare_ranges(&cells, &model);
		compare_neighbours(&cells, &model,
				   low_end(&cells) + rng_below(&rng, CELLS));
		compare_gaps(&cells, &model, &rng);
	}
	model_free(&model);
}
END_TEST

START_TEST(gap_arguments_that_are_wrong_are_refused)
{
	struct model model = { 0 };
	uint64_t got;

	ck_assert_int_eq(model_gap_first(&model, 0, 1, 5, 9, &got), -EINVAL);
	ck_assert_int_eq(model_gap_first(&model, 6, 1, 5, 9, &got), -EINVAL);
	ck_assert_int_eq(model_gap_first(&model, 1, 1, 5, 4, &got), -EINVAL);
	ck_assert_int_eq(model_gap_last(&model, 1, 3, 0, 9, &got), -EINVAL);
	ck_assert_int_eq(model_gap_last(&model, 1, 0, 0, 9, &got), -EINVAL);
}
END_TEST

static char a[] = "a", b[] = "b", c[] = "c";

/* Two that touch, a hole, and one more. */
static void given_three(struct model *model)
{
	model_store_range(model, 10, 19, a);
	model_store_range(model, 20, 29, b);
	model_store_range(model, 30, 39, NULL);
	model_store_range(model, 40, 49, c);
}

static void check_at(const struct model *model, uint64_t first, uint64_t last,
		     const void *entry)
{
	struct umaple_range at = model_at(model, first);

	ck_assert_uint_eq(at.first, first);
	ck_assert_uint_eq(at.last, last);
	ck_assert_ptr_eq(at.entry, entry);
}

START_TEST(merge_joins_neighbours_and_what_it_cuts)
{
	struct model model = { 0 };

	given_three(&model);
	model_store_merge(&model, 15, 24, a);
	check_at(&model, 10, 24, a);
	check_at(&model, 25, 29, b);
	model_store_merge(&model, 25, 39, c);
	check_at(&model, 25, 49, c);
	ck_assert_uint_eq(model.count, 2);
	model_free(&model);
}
END_TEST

START_TEST(move_takes_holes_along_and_cuts_at_its_ends)
{
	struct model model = { 0 };

	given_three(&model);
	model_move_range(&model, 25, 44, 12);
	check_at(&model, 10, 11, a);
	check_at(&model, 12, 16, b);
	check_at(&model, 17, 26, NULL);
	check_at(&model, 27, 31, c);
	check_at(&model, 32, 44, NULL);
	check_at(&model, 45, 49, c);
	ck_assert_uint_eq(model.count, 4);
	model_free(&model);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("model.self");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, model_equals_one_cell_per_index, 0, 2);
	tcase_add_test(tc, gap_arguments_that_are_wrong_are_refused);
	tcase_add_test(tc, merge_joins_neighbours_and_what_it_cuts);
	tcase_add_test(tc, move_takes_holes_along_and_cuts_at_its_ends);
	suite_add_tcase(s, tc);
}
