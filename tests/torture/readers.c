/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "readers.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

#include <umaple/cursor.h>
#include <umaple/debug.h>

#define ROUND_READS  16
#define ROUND_RANGES 64

/* An index inside a cell. */
static uint64_t index_in(const struct aged_field *field, uint64_t cell,
			 struct rng *rng)
{
	uint64_t first, last;

	keys_range(&field->keys, cell, cell, &first, &last);
	return first == last ? first : first + rng_next(rng) % (last - first);
}

/* Where to read, and from which version on what is found there must be. */
struct place {
	uint64_t cell;
	uint64_t index;
	uint64_t floor;
};

static struct place place_choose(struct reader *reader)
{
	struct aged_field *field = reader->field;
	uint64_t cell = rng_below(&reader->rng, field->keys.cells);
	uint64_t index = index_in(field, cell, &reader->rng);

	return (struct place){ cell, index, aged_floor(field, cell) };
}

static void read_loads(struct reader *reader)
{
	struct aged_field *field = reader->field;

	for (int i = 0; i < ROUND_READS; i++) {
		struct place at = place_choose(reader);
		void *entry = umaple_load(field->tree, at.index);

		aged_judge(field, at.cell, at.floor, entry);
		aged_hold(&reader->held, entry);
	}
}

static void read_many(struct reader *reader)
{
	struct aged_field *field = reader->field;
	struct place at[ROUND_READS];
	uint64_t indices[ROUND_READS];
	void *entries[ROUND_READS];

	for (int i = 0; i < ROUND_READS; i++) {
		at[i] = place_choose(reader);
		indices[i] = at[i].index;
	}
	umaple_load_many(field->tree, indices, entries, ROUND_READS);
	for (int i = 0; i < ROUND_READS; i++)
		aged_judge(field, at[i].cell, at[i].floor, entries[i]);
	aged_hold(&reader->held, entries[0]);
}

/* Find is a load as well: of its own cell, or of the hole before the range. */
static void read_finds(struct reader *reader)
{
	struct aged_field *field = reader->field;

	for (int i = 0; i < ROUND_READS; i++) {
		struct place at = place_choose(reader);
		struct umaple_range range = { 0, 0, NULL };
		void *entry =
			umaple_find(field->tree, at.index, UINT64_MAX, &range);
		bool here = entry && range.first <= at.index;

		aged_judge(field, at.cell, at.floor, here ? entry : NULL);
		if (!entry)
			continue;
		aged_judge_range(field, &range, false);
		if (range.last < at.index)
			aged_fail(field, "found a range before the index");
	}
}

/* Case T41: what is found lies within limits that are being replaced. */
static void read_neighbours(struct reader *reader)
{
	struct aged_field *field = reader->field;

	for (int i = 0; i < ROUND_READS; i++) {
		uint64_t cell = rng_below(&reader->rng, field->keys.cells);
		uint64_t index = index_in(field, cell, &reader->rng);
		uint64_t other = rng_below(&reader->rng, field->keys.cells);
		uint64_t limit = index_in(field, other, &reader->rng);
		uint64_t max = limit > index ? limit : UINT64_MAX;
		uint64_t min = limit < index ? limit : 0;
		struct umaple_range range;

		if (umaple_next(field->tree, index, max, &range)) {
			aged_judge_range(field, &range, false);
			if (range.first <= index || range.first > max)
				aged_fail(field, "next left its limits");
		}
		if (umaple_prev(field->tree, index, min, &range)) {
			aged_judge_range(field, &range, false);
			if (range.last >= index || range.last < min)
				aged_fail(field, "prev left its limits");
		}
	}
}

/* A hole at an index is a load of %NULL. */
static void read_holes(struct reader *reader)
{
	struct aged_field *field = reader->field;

	for (int i = 0; i < ROUND_READS; i++) {
		struct place at = place_choose(reader);
		struct umaple_range hole;

		if (!umaple_find_hole(field->tree, at.index, UINT64_MAX, &hole))
			continue;
		if (hole.first <= at.index)
			aged_judge(field, at.cell, at.floor, NULL);
		if (hole.last < at.index)
			aged_fail(field, "found a hole before the index");
	}
}

/* How a cursor goes on: up or down, over holes or to them, with nodes or without. */
struct manner {
	bool up;
	bool holes;
	bool next; /* never the place itself */
	bool pauses;
};

static bool cursor_entry(struct umaple_cursor *cursor,
			 const struct manner *manner, void **ret_entry)
{
	if (manner->up)
		*ret_entry = manner->next
				     ? umaple_cursor_next(cursor, UINT64_MAX)
				     : umaple_cursor_find(cursor, UINT64_MAX);
	else
		*ret_entry = manner->next ? umaple_cursor_prev(cursor, 0)
					  : umaple_cursor_find_rev(cursor, 0);
	return *ret_entry;
}

static bool cursor_range(struct umaple_cursor *cursor,
			 const struct manner *manner, void **ret_entry)
{
	if (manner->up)
		return manner->next
			       ? umaple_cursor_next_range(cursor, UINT64_MAX,
							  ret_entry)
			       : umaple_cursor_find_range(cursor, UINT64_MAX,
							  ret_entry);
	return manner->next
		       ? umaple_cursor_prev_range(cursor, 0, ret_entry)
		       : umaple_cursor_find_range_rev(cursor, 0, ret_entry);
}

static bool cursor_go(struct umaple_cursor *cursor, const struct manner *manner,
		      struct umaple_range *ret)
{
	bool found = manner->holes ? cursor_range(cursor, manner, &ret->entry)
				   : cursor_entry(cursor, manner, &ret->entry);

	ret->first = cursor->index;
	ret->last = cursor->last;
	return found;
}

/* The bounds of a step: never back, no index twice, and with holes none left out. */
static bool is_in_order(const struct manner *manner, uint64_t edge,
			const struct umaple_range *range)
{
	if (manner->holes)
		return manner->up ? range->first == edge + 1
				  : range->last == edge - 1;
	return manner->up ? range->first > edge : range->last < edge;
}

/* A step is a load as well, of the index where it begins to look. */
static bool step_from(struct aged_field *field, struct umaple_cursor *cursor,
		      const struct manner *manner, uint64_t target,
		      struct umaple_range *range)
{
	uint64_t cell = keys_cell(&field->keys, target);
	bool inside = cell < field->keys.cells;
	uint64_t floor = inside ? aged_floor(field, cell) : 0;
	bool found = cursor_go(cursor, manner, range);
	bool here = found && range->first <= target && target <= range->last;

	if (inside)
		aged_judge(field, cell, floor, here ? range->entry : NULL);
	return found;
}

/* The first step: a find looks at the place itself, next and prev do not. */
static bool step_first(struct aged_field *field, struct umaple_cursor *cursor,
		       const struct manner *manner, struct umaple_range *range)
{
	return manner->next
		       ? cursor_go(cursor, manner, range)
		       : step_from(field, cursor, manner, cursor->index, range);
}

static bool step_on(struct aged_field *field, struct umaple_cursor *cursor,
		    const struct manner *manner, struct umaple_range *range)
{
	uint64_t edge = manner->up ? cursor->last : cursor->index;
	uint64_t target = manner->up ? edge + 1 : edge - 1;

	if (edge == (manner->up ? UINT64_MAX : 0) ||
	    !step_from(field, cursor, manner, target, range))
		return false;
	if (!is_in_order(manner, edge, range))
		aged_fail(field,
			  "from %" PRIx64 " to [%" PRIx64 ", %" PRIx64 "], %s",
			  edge, range->first, range->last,
			  manner->up ? "up" : "down");
	return true;
}

static void read_by_cursor(struct reader *reader)
{
	struct aged_field *field = reader->field;
	uint64_t cell = rng_below(&reader->rng, field->keys.cells);
	uint64_t index = index_in(field, cell, &reader->rng);
	uint64_t draw = rng_next(&reader->rng);
	struct manner manner = { draw >> 60 & 1, draw >> 61 & 1, draw >> 62 & 1,
				 draw >> 63 & 1 };
	struct umaple_range range = { 0, 0, NULL };
	struct umaple_cursor cursor;

	umaple_cursor_init(&cursor, field->tree, index, index);
	for (int i = 0; i < ROUND_RANGES; i++) {
		if (i ? !step_on(field, &cursor, &manner, &range)
		      : !step_first(field, &cursor, &manner, &range))
			break;
		if (range.entry)
			aged_judge_range(field, &range, true);
		if (i == 0)
			aged_hold(&reader->held, range.entry);
		if (manner.pauses)
			umaple_cursor_pause(&cursor);
	}
}

static void read_by_for_each(struct reader *reader)
{
	struct aged_field *field = reader->field;
	uint64_t cell = rng_below(&reader->rng, field->keys.cells);
	uint64_t from = index_in(field, cell, &reader->rng);
	uint64_t edge = from;
	struct umaple_range range;
	int count = 0;

	umaple_for_each(field->tree, range, from, UINT64_MAX)
	{
		aged_judge_range(field, &range, true);
		if (range.last < edge || (count && range.last == edge))
			aged_fail(field, "for_each went back");
		edge = range.last;
		if (++count == ROUND_RANGES)
			break;
	}
}

static void read_by_for_each_rev(struct reader *reader)
{
	struct aged_field *field = reader->field;
	uint64_t cell = rng_below(&reader->rng, field->keys.cells);
	uint64_t from = index_in(field, cell, &reader->rng);
	uint64_t edge = from;
	struct umaple_range range;
	int count = 0;

	umaple_for_each_rev(field->tree, range, from, 0)
	{
		aged_judge_range(field, &range, true);
		if (range.first > edge || (count && range.first == edge))
			aged_fail(field, "for_each_rev went back");
		edge = range.first;
		if (++count == ROUND_RANGES)
			break;
	}
}

/* Cells that follow each other in the tree: a field may be laid out backwards. */
struct row {
	uint64_t cell[ROUND_RANGES];
	uint64_t floor[ROUND_RANGES];
	size_t nr;
};

static void row_choose(struct row *row, struct aged_field *field,
		       struct rng *rng)
{
	bool backwards = field->keys.shape == KEYS_HIGH;
	uint64_t cells = field->keys.cells, from = rng_below(rng, cells);

	row->nr = 1 + rng_below(rng, ROUND_RANGES);
	if (row->nr > cells - from)
		row->nr = cells - from;
	for (size_t i = 0; i < row->nr; i++) {
		row->cell[i] = from + (backwards ? row->nr - 1 - i : i);
		row->floor[i] = aged_floor(field, row->cell[i]);
	}
}

/* As far as a batch goes, each cell is judged as a load: by what holds it, if any. */
static void row_judge(const struct row *row, struct aged_field *field,
		      const struct umaple_range *ranges, size_t count)
{
	uint64_t first, last;
	size_t at = 0;

	for (size_t i = 0; i < row->nr; i++) {
		keys_range(&field->keys, row->cell[i], row->cell[i], &first,
			   &last);
		while (at < count && ranges[at].last < first)
			at++;
		if (at == count)
			return;
		aged_judge(field, row->cell[i], row->floor[i],
			   ranges[at].first <= last ? ranges[at].entry : NULL);
	}
}

static void read_batch(struct reader *reader)
{
	struct aged_field *field = reader->field;
	struct umaple_range ranges[ROUND_RANGES];
	struct umaple_cursor cursor;
	uint64_t first, last;
	struct row row = { .nr = 0 };
	size_t count;

	row_choose(&row, field, &reader->rng);
	keys_range(&field->keys, row.cell[0], row.cell[0], &first, &last);
	umaple_cursor_init(&cursor, field->tree, first, first);
	count = umaple_cursor_find_many(&cursor, UINT64_MAX, ranges, row.nr);
	for (size_t i = 0; i < count; i++) {
		aged_judge_range(field, &ranges[i], true);
		if (i && ranges[i].first <= ranges[i - 1].last)
			aged_fail(field, "a batch went back");
	}
	row_judge(&row, field, ranges, count);
	if (count)
		aged_hold(&reader->held, ranges[0].entry);
}

/* A copy is one moment: each of its cells is judged as a load. */
static void read_copy(struct reader *reader)
{
	struct aged_field *field = reader->field;
	uint64_t cells = field->keys.cells, first, last;
	uint64_t *floors = malloc(cells * sizeof(*floors));
	struct umaple_tree copy;
	char text[160] = "";

	if (!floors ||
	    umaple_tree_init_cache(&copy, field->tree->flags_, reader->cache))
		abort();
	for (uint64_t i = 0; i < cells; i++)
		floors[i] = aged_floor(field, i);
	if (umaple_tree_dup(&copy, field->tree))
		aged_fail(field, "no copy");
	if (umaple_tree_check(&copy, text, sizeof(text)))
		aged_fail(field, "a copy is wrong: %s", text);
	for (uint64_t i = 0; i < cells; i++) {
		keys_range(&field->keys, i, i, &first, &last);
		aged_judge(field, i, floors[i], umaple_load(&copy, first));
	}
	umaple_tree_destroy(&copy);
	free(floors);
}

typedef void read_fn(struct reader *reader);

void read_round(struct reader *reader)
{
	static read_fn *const kinds[] = {
		read_loads,	      read_many,      read_finds,
		read_neighbours,      read_holes,     read_by_cursor,
		read_by_cursor,	      read_by_cursor, read_by_for_each,
		read_by_for_each_rev, read_batch,
	};
	struct umaple_tree *tree = reader->field->tree;

	reader->held.item = NULL;
	umaple_read_lock(tree);
	if (rng_below(&reader->rng, 256) == 0)
		read_copy(reader);
	else
		kinds[rng_below(&reader->rng, sizeof(kinds) / sizeof(kinds[0]))](
			reader);
	aged_judge_held(reader->field, &reader->held);
	umaple_read_unlock(tree);
	if (rng_below(&reader->rng, 16) == 0)
		sched_yield();
}
