/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "aged.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/atomic.h"
#include "platform/rcu.h"
#include "wide.h"

/* Items that wait for the same grace period; it takes milliseconds. */
#define BATCH 512

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		abort();
	return memory;
}

void aged_field_init(struct aged_field *field, struct umaple_tree *tree,
		     struct keys keys)
{
	*field = (struct aged_field){ .tree = tree, .keys = keys };
	field->cells = allocate(keys.cells, sizeof(*field->cells));
}

void aged_field_fini(struct aged_field *field)
{
	free(field->cells);
}

void aged_fail(struct aged_field *field, const char *format, ...)
{
	va_list args;

	if (fetch_or_acq_rel(&field->failed, 1))
		return;
	va_start(args, format);
	vsnprintf(field->text, sizeof(field->text), format, args);
	va_end(args);
}

bool aged_has_failed(struct aged_field *field)
{
	return load_acquire(&field->failed);
}

/* At the end, so that it stays dead for long. */
static void give_back(struct aged_writer *writer, struct aged_item *item)
{
	item->next = NULL;
	*writer->unused_end = item;
	writer->unused_end = &item->next;
}

void aged_writer_init(struct aged_writer *writer, struct aged_field *field,
		      uint64_t base, uint64_t cells, uint64_t seed)
{
	/* At most one item a cell is linked, and a batch is on its way out. */
	size_t count = cells + BATCH + 2;

	*writer = (struct aged_writer){
		.field = field,
		.base = base,
		.cells = cells,
	};
	rng_seed(&writer->rng, seed);
	writer->pool = allocate(count, sizeof(*writer->pool));
	writer->unused_end = &writer->unused;
	for (size_t i = 0; i < count; i++)
		give_back(writer, &writer->pool[i]);
}

void aged_writer_fini(struct aged_writer *writer)
{
	model_free(&writer->model);
	free(writer->pool);
}

/* After a grace period no reader can hold what was unlinked before. */
static void bury(struct aged_writer *writer)
{
	umaple_rcu_synchronize(umaple_rcu_default());
	while (writer->unlinked) {
		struct aged_item *item = writer->unlinked;

		writer->unlinked = item->next;
		store_relaxed(&item->age, AGED_DEAD);
		give_back(writer, item);
	}
	writer->nr_unlinked = 0;
}

static void drop_range(struct aged_writer *writer, struct aged_item *item)
{
	if (--item->ranges)
		return;
	store_relaxed(&item->age, AGED_UNLINKED);
	item->next = writer->unlinked;
	writer->unlinked = item;
	writer->nr_unlinked++;
}

/* Written down before the tree has it, so that a reader finds it here. */
static void add_piece(struct aged_item *item, uint64_t first, uint64_t last)
{
	unsigned int n = item->nr_pieces;

	if (n < AGED_PIECES) {
		store_relaxed(&item->pieces[n].first, first);
		store_relaxed(&item->pieces[n].last, last);
	}
	if (n <= AGED_PIECES)
		store_release(&item->nr_pieces, n + 1);
	item->ranges++;
}

static struct aged_item *new_item(struct aged_writer *writer, uint64_t first,
				  uint64_t last)
{
	struct aged_item *item = writer->unused;

	writer->unused = item->next;
	if (!writer->unused)
		writer->unused_end = &writer->unused;
	store_relaxed(&item->version, writer->version);
	store_relaxed(&item->nr_pieces, 0);
	store_relaxed(&item->age, AGED_LIVE);
	item->ranges = 0;
	add_piece(item, first, last);
	return item;
}

/* Tell the items that will be cut which ranges they will have. */
static void announce_cuts(struct aged_writer *writer, uint64_t first,
			  uint64_t last)
{
	struct umaple_range low = model_at(&writer->model, first);
	struct umaple_range high = model_at(&writer->model, last);

	if (low.entry && low.first < first)
		add_piece(low.entry, low.first, first - 1);
	if (high.entry && high.last > last)
		add_piece(high.entry, last + 1, high.last);
}

static void drop_displaced(struct aged_writer *writer, uint64_t first,
			   uint64_t last)
{
	struct umaple_range range;
	uint64_t next = first;

	while (model_find(&writer->model, next, last, &range)) {
		drop_range(writer, range.entry);
		if (range.last >= last)
			break;
		next = range.last + 1;
	}
}

static void set_cells(struct aged_writer *writer, uint64_t from, uint64_t to,
		      bool begin, bool hole)
{
	for (uint64_t i = from; i <= to; i++) {
		struct aged_cell *cell = &writer->field->cells[i];

		if (begin && hole)
			store_release(&cell->emptied, writer->version);
		if (begin)
			store_release(&cell->ceiling, writer->version);
		else
			store_release(&cell->floor, writer->version);
	}
}

void aged_write(struct aged_writer *writer, uint64_t from, uint64_t to,
		bool hole)
{
	struct aged_field *field = writer->field;
	struct aged_item *item = NULL;
	uint64_t first, last;
	int error;

	from += writer->base;
	to += writer->base;
	keys_range(&field->keys, from, to, &first, &last);
	writer->version++;
	if (!hole)
		item = new_item(writer, first, last);
	announce_cuts(writer, first, last);
	set_cells(writer, from, to, true, hole);
	fence_seq_cst();
	error = umaple_store_range(field->tree, first, last, item);
	if (error)
		aged_fail(field, "store returned %d", error);
	fence_seq_cst();
	set_cells(writer, from, to, false, hole);
	drop_displaced(writer, first, last);
	model_store_range(&writer->model, first, last, item);
	if (writer->nr_unlinked >= BATCH)
		bury(writer);
}

uint64_t aged_cell_of(const struct aged_field *field, uint64_t index)
{
	switch (field->keys.shape) {
	case KEYS_HIGH:
		return UINT64_MAX - index;
	case KEYS_SPREAD:
		return wide_upper(index, field->keys.cells);
	default:
		return index;
	}
}

uint64_t aged_floor(struct aged_field *field, uint64_t cell)
{
	uint64_t floor = load_acquire(&field->cells[cell].floor);

	fence_seq_cst();
	return floor;
}

/* In a section, an item that is found is alive, or was a moment ago. */
static bool judge_age(struct aged_field *field, struct aged_item *item)
{
	unsigned int age = load_relaxed(&item->age);

	if (age == AGED_LIVE || age == AGED_UNLINKED)
		return true;
	aged_fail(field, "item %p of version %" PRIu64 " has age %u",
		  (void *)item, load_relaxed(&item->version), age);
	return false;
}

void aged_judge(struct aged_field *field, uint64_t cell, uint64_t floor,
		void *entry)
{
	struct aged_cell *at = &field->cells[cell];
	struct aged_item *item = entry;
	uint64_t ceiling, version;

	fence_seq_cst();
	ceiling = load_acquire(&at->ceiling);
	if (!item) {
		version = load_acquire(&at->emptied);
		if (version < floor)
			aged_fail(field,
				  "cell %" PRIu64 " is empty, but was emptied "
				  "at %" PRIu64 ", before %" PRIu64,
				  cell, version, floor);
		return;
	}
	if (!judge_age(field, item))
		return;
	version = load_relaxed(&item->version);
	if (version < floor || version > ceiling)
		aged_fail(field,
			  "cell %" PRIu64 " has version %" PRIu64
			  ", not from %" PRIu64 " to %" PRIu64,
			  cell, version, floor, ceiling);
}

static bool is_piece(const struct aged_item *item, unsigned int n,
		     const struct umaple_range *range, bool cut)
{
	uint64_t first = load_relaxed(&item->pieces[n].first);
	uint64_t last = load_relaxed(&item->pieces[n].last);

	if (cut && first <= range->first && last >= range->last)
		return first == range->first || last == range->last;
	return first == range->first && last == range->last;
}

void aged_judge_range(struct aged_field *field,
		      const struct umaple_range *range, bool cut)
{
	struct aged_item *item = range->entry;
	unsigned int count = load_acquire(&item->nr_pieces);
	bool found = count > AGED_PIECES;

	if (!judge_age(field, item))
		return;
	for (unsigned int n = 0; n < count && !found; n++)
		found = is_piece(item, n, range, cut);
	if (!found)
		aged_fail(field,
			  "item of version %" PRIu64 " never was [%" PRIx64
			  ", %" PRIx64 "]",
			  load_relaxed(&item->version), range->first,
			  range->last);
}
