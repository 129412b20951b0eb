/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "aged.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/atomic.h"
#include "platform/rcu.h"

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

static void pool_init(struct aged_writer *writer)
{
	/* A cell can be two ranges of a list; a batch is on its way out. */
	size_t count = writer->cells + BATCH + 2;

	writer->pool = allocate(count, sizeof(*writer->pool));
	writer->unused_end = &writer->unused;
	for (size_t i = 0; i < count; i++)
		give_back(writer, &writer->pool[i]);
}

static void cache_init(struct aged_writer *writer)
{
	struct umaple_cache_attr attr = {
		.size = sizeof(struct aged_item),
		.name = "aged",
	};

	if (umaple_cache_create(&attr, &writer->cache))
		abort();
}

void aged_writer_init(struct aged_writer *writer, struct aged_field *field,
		      uint64_t base, uint64_t cells, uint64_t seed,
		      bool from_cache)
{
	*writer = (struct aged_writer){
		.field = field,
		.base = base,
		.cells = cells,
	};
	rng_seed(&writer->rng, seed);
	writer->old.ranges = allocate(cells + 4, sizeof(struct umaple_range));
	writer->new.ranges = allocate(cells + 4, sizeof(struct umaple_range));
	if (from_cache)
		cache_init(writer);
	else
		pool_init(writer);
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

static void unlink_item(struct aged_writer *writer, struct aged_item *item)
{
	store_relaxed(&item->age, AGED_UNLINKED);
	if (writer->cache) {
		umaple_cache_free_rcu(writer->cache, item);
		return;
	}
	item->next = writer->unlinked;
	writer->unlinked = item;
	writer->nr_unlinked++;
}

void aged_writer_fini(struct aged_writer *writer)
{
	for (size_t i = 0; i < writer->model.count; i++) {
		struct aged_item *item = writer->model.ranges[i].entry;

		if (--item->ranges == 0)
			unlink_item(writer, item);
	}
	if (writer->cache && umaple_cache_destroy(writer->cache))
		abort();
	model_free(&writer->model);
	free(writer->old.ranges);
	free(writer->new.ranges);
	free(writer->pool);
}

static struct aged_item *take_item(struct aged_writer *writer)
{
	struct aged_item *item = writer->unused;

	if (writer->cache) {
		item = umaple_cache_alloc(writer->cache);
		if (!item)
			abort();
		return item;
	}
	writer->unused = item->next;
	if (!writer->unused)
		writer->unused_end = &writer->unused;
	return item;
}

static struct aged_item *new_item(struct aged_writer *writer)
{
	struct aged_item *item = take_item(writer);

	store_relaxed(&item->version, writer->version);
	store_relaxed(&item->nr_pieces, 0);
	store_relaxed(&item->age, AGED_LIVE);
	item->ranges = 0;
	return item;
}

/* -- what a write does to the places of items ------------------------------------ */

/* Written down before the tree has it, so that a reader finds it here. */
static void add_piece(struct aged_item *item, const struct umaple_range *range,
		      uint64_t version)
{
	unsigned int n = item->nr_pieces;

	if (n < AGED_PIECES) {
		store_relaxed(&item->pieces[n].first, range->first);
		store_relaxed(&item->pieces[n].last, range->last);
		store_relaxed(&item->pieces[n].version, version);
	}
	if (n <= AGED_PIECES)
		store_release(&item->nr_pieces, n + 1);
}

/* The latest write that put the item where the range is. */
static uint64_t placed_by(const struct aged_item *item,
			  const struct umaple_range *range)
{
	unsigned int n = item->nr_pieces;

	for (n = n < AGED_PIECES ? n : AGED_PIECES; n; n--)
		if (item->pieces[n - 1].first <= range->first &&
		    item->pieces[n - 1].last >= range->last)
			return item->pieces[n - 1].version;
	return item->version;
}

/* The ranges from the one before @first to the one after @last. */
static void collect(const struct aged_writer *writer, struct aged_list *list,
		    const struct umaple_range *hull)
{
	struct umaple_range range;
	uint64_t next = hull->first;

	list->count = 0;
	while (model_find(&writer->model, next, hull->last, &range)) {
		list->ranges[list->count++] = range;
		if (range.last >= hull->last)
			break;
		next = range.last + 1;
	}
}

static bool is_listed(const struct aged_list *list, size_t *from,
		      const struct umaple_range *range)
{
	while (*from < list->count && list->ranges[*from].first < range->first)
		++*from;
	return *from < list->count &&
	       list->ranges[*from].first == range->first &&
	       list->ranges[*from].last == range->last &&
	       list->ranges[*from].entry == range->entry;
}

/* Tell items which ranges they will have; in @placed they are put anew. */
static void announce(struct aged_writer *writer,
		     const struct umaple_range *placed)
{
	size_t from = 0;

	for (size_t i = 0; i < writer->new.count; i++) {
		const struct umaple_range *range = &writer->new.ranges[i];
		struct aged_item *item = range->entry;

		if (range->first <= placed->last &&
		    range->last >= placed->first)
			add_piece(item, range, writer->version);
		else if (!is_listed(&writer->old, &from, range))
			add_piece(item, range, placed_by(item, range));
	}
}

/* Count ranges; what has none left is out of the tree. */
static void settle(struct aged_writer *writer)
{
	struct aged_item *item;

	for (size_t i = 0; i < writer->new.count; i++) {
		item = writer->new.ranges[i].entry;
		item->ranges++;
	}
	for (size_t i = 0; i < writer->old.count; i++) {
		item = writer->old.ranges[i].entry;
		if (--item->ranges == 0)
			unlink_item(writer, item);
	}
	if (writer->nr_unlinked >= BATCH)
		bury(writer);
}

/* -- what a write does to cells ------------------------------------------------- */

static void cells_begin(struct aged_writer *writer, uint64_t from, uint64_t to)
{
	struct aged_field *field = writer->field;
	uint64_t first, last;

	for (uint64_t i = from; i <= to; i++) {
		struct aged_cell *cell = &field->cells[i];

		keys_range(&field->keys, i, i, &first, &last);
		if (!model_load(&writer->model, first))
			store_release(&cell->emptied, writer->version);
		store_release(&cell->ceiling, writer->version);
	}
}

static void cells_end(struct aged_writer *writer, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i <= to; i++)
		store_release(&writer->field->cells[i].floor, writer->version);
}

/* -- writes ---------------------------------------------------------------------- */

/*
 * One write: what it touches, in cells (twice, for a move), in indices, and the
 * place where items are put.  Begun when the model has it, ended when the tree
 * has it.
 */
struct step {
	uint64_t from[2];
	uint64_t to[2];
	struct umaple_range hull;
	struct umaple_range placed;
};

static void step_plan(struct aged_writer *writer, struct step *step)
{
	writer->version++;
	collect(writer, &writer->old, &step->hull);
}

static void step_begin(struct aged_writer *writer, const struct step *step)
{
	collect(writer, &writer->new, &step->hull);
	announce(writer, &step->placed);
	for (int i = 0; i < 2; i++)
		cells_begin(writer, step->from[i], step->to[i]);
	fence_seq_cst();
}

static void step_end(struct aged_writer *writer, const struct step *step,
		     int error)
{
	if (error)
		aged_fail(writer->field, "a write returned %d", error);
	fence_seq_cst();
	for (int i = 0; i < 2; i++)
		cells_end(writer, step->from[i], step->to[i]);
	settle(writer);
}

/* A write to cells @from to @to of the field, and nothing else. */
static struct step step_within(struct aged_writer *writer, uint64_t from,
			       uint64_t to)
{
	struct step step = { .from = { from, from }, .to = { to, to } };

	keys_range(&writer->field->keys, from, to, &step.placed.first,
		   &step.placed.last);
	step.hull = step.placed;
	return step;
}

/* The hull takes in the ranges that its ends cut. */
static void step_widen(struct aged_writer *writer, struct step *step)
{
	step->hull.first = model_at(&writer->model, step->hull.first).first;
	step->hull.last = model_at(&writer->model, step->hull.last).last;
}

void aged_write(struct aged_writer *writer, uint64_t from, uint64_t to,
		bool hole)
{
	struct step step =
		step_within(writer, writer->base + from, writer->base + to);
	uint64_t first = step.placed.first, last = step.placed.last;
	void *item;

	step_widen(writer, &step);
	step_plan(writer, &step);
	item = hole ? NULL : new_item(writer);
	model_store_range(&writer->model, first, last, item);
	step_begin(writer, &step);
	step_end(writer, &step,
		 umaple_store_range(writer->field->tree, first, last, item));
}

/* Also the ranges that touch and have this entry, one after the other. */
static void step_widen_over(struct aged_writer *writer, struct step *step,
			    const void *entry)
{
	struct umaple_range beside;

	step_widen(writer, step);
	while (step->hull.first > 0) {
		beside = model_at(&writer->model, step->hull.first - 1);
		if (beside.entry != entry)
			break;
		step->hull.first = beside.first;
	}
	while (step->hull.last < UINT64_MAX) {
		beside = model_at(&writer->model, step->hull.last + 1);
		if (beside.entry != entry)
			break;
		step->hull.last = beside.last;
	}
}

void aged_merge(struct aged_writer *writer, uint64_t from, uint64_t to)
{
	uint64_t before = writer->base + from - 1, first, last;
	struct step step;
	void *item = NULL;

	if (from > 0) {
		keys_range(&writer->field->keys, before, before, &first, &last);
		item = model_load(&writer->model, first);
	}
	if (!item) {
		aged_write(writer, from, to, false);
		return;
	}
	step = step_within(writer, writer->base + from, writer->base + to);
	first = step.placed.first;
	last = step.placed.last;
	step_widen_over(writer, &step, item);
	step_plan(writer, &step);
	model_store_merge(&writer->model, first, last, item);
	step_begin(writer, &step);
	step_end(writer, &step,
		 umaple_store_merge(writer->field->tree, first, last, item,
				    NULL, NULL));
}

void aged_erase(struct aged_writer *writer, uint64_t cell)
{
	struct aged_field *field = writer->field;
	uint64_t first, last, from, to;
	struct umaple_range at;
	struct step step;

	keys_range(&field->keys, writer->base + cell, writer->base + cell,
		   &first, &last);
	at = model_at(&writer->model, first);
	if (!at.entry)
		return;
	from = keys_cell(&field->keys, at.first);
	to = keys_cell(&field->keys, at.last);
	step = from < to ? step_within(writer, from, to)
			 : step_within(writer, to, from);
	step_plan(writer, &step);
	model_erase(&writer->model, first);
	step_begin(writer, &step);
	step_end(writer, &step, umaple_erase(field->tree, first, NULL));
}

void aged_move(struct aged_writer *writer, uint64_t from, uint64_t to,
	       uint64_t target)
{
	struct step step, place;
	uint64_t first, last;

	step = step_within(writer, writer->base + from, writer->base + to);
	place = step_within(writer, writer->base + target,
			    writer->base + target + (to - from));
	first = step.placed.first;
	last = step.placed.last;
	step.placed = place.placed;
	step.from[1] = place.from[0];
	step.to[1] = place.to[0];
	if (step.hull.first > place.hull.first)
		step.hull.first = place.hull.first;
	if (step.hull.last < place.hull.last)
		step.hull.last = place.hull.last;
	step_widen(writer, &step);
	step_plan(writer, &step);
	model_move_range(&writer->model, first, last, step.placed.first);
	step_begin(writer, &step);
	step_end(writer, &step,
		 umaple_move_range(writer->field->tree, first, last,
				   step.placed.first));
}

void aged_refill(struct aged_writer *writer)
{
	struct step step = step_within(writer, writer->base,
				       writer->base + writer->cells - 1);
	struct umaple_tree *tree = writer->field->tree;
	uint64_t first, last;

	step.hull = step.placed =
		(struct umaple_range){ .first = 0, .last = UINT64_MAX };
	step_plan(writer, &step);
	model_store_range(&writer->model, 0, UINT64_MAX, NULL);
	step_begin(writer, &step);
	umaple_tree_destroy(tree);
	step_end(writer, &step, 0);
	step_plan(writer, &step);
	for (uint64_t i = 0; i < writer->cells; i += 2) {
		keys_range(&writer->field->keys, writer->base + i,
			   writer->base + i, &first, &last);
		model_store_range(&writer->model, first, last,
				  new_item(writer));
	}
	step_begin(writer, &step);
	step_end(writer, &step,
		 umaple_tree_build(tree, writer->model.ranges,
				   writer->model.count, 70));
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

/* Was the item put into the cell by a write from @floor to @ceiling? */
static bool was_placed(const struct aged_item *item, uint64_t index,
		       uint64_t floor, uint64_t ceiling)
{
	unsigned int count = load_acquire(&item->nr_pieces);

	if (count > AGED_PIECES)
		return load_relaxed(&item->version) <= ceiling;
	for (unsigned int n = 0; n < count; n++) {
		uint64_t version = load_relaxed(&item->pieces[n].version);

		if (load_relaxed(&item->pieces[n].first) <= index &&
		    load_relaxed(&item->pieces[n].last) >= index &&
		    version >= floor && version <= ceiling)
			return true;
	}
	return false;
}

void aged_judge(struct aged_field *field, uint64_t cell, uint64_t floor,
		void *entry)
{
	struct aged_cell *at = &field->cells[cell];
	struct aged_item *item = entry;
	uint64_t ceiling, version, first, last;

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
	keys_range(&field->keys, cell, cell, &first, &last);
	if (judge_age(field, item) && !was_placed(item, first, floor, ceiling))
		aged_fail(field,
			  "cell %" PRIu64 " has an item of version %" PRIu64
			  ", not put there from %" PRIu64 " to %" PRIu64,
			  cell, load_relaxed(&item->version), floor, ceiling);
}

void aged_hold(struct aged_held *held, void *entry)
{
	held->item = entry;
	if (entry)
		held->version = load_relaxed(&held->item->version);
}

void aged_judge_held(struct aged_field *field, const struct aged_held *held)
{
	if (held->item && judge_age(field, held->item) &&
	    load_relaxed(&held->item->version) != held->version)
		aged_fail(field, "item %p was used again within a section",
			  (void *)held->item);
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
