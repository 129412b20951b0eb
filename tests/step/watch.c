/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "quick.h"
#include "tree/node.h"

/* Slots between one standing cursor and the next, far from the write and near. */
#define FAR_SLOTS  13
#define NEAR_SLOTS 20

#define RANGE_FORMAT	"[%" PRIx64 ", %" PRIx64 "] %p"
#define RANGE_VALUES(r) (r).first, (r).last, (r).entry

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		abort();
	return memory;
}

/* -- the two states ------------------------------------------------------------ */

static void state_init(struct watch_state *state, const struct model *model)
{
	uint64_t next = 0;

	state->model = model;
	state->slots = allocate(2 * model->count + 1, sizeof(*state->slots));
	do {
		struct umaple_range range = model_at(model, next);

		state->slots[state->nr_slots++] = range;
		next = range.last + 1;
	} while (next);
}

static size_t slot_at(const struct watch_state *state, uint64_t index)
{
	size_t low = 0, high = state->nr_slots - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (state->slots[middle].last < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_probe(struct watch *watch, uint64_t index, uint64_t dense)
{
	if (index >= dense)
		watch->probes[watch->nr_probes++] = index;
}

static void add_probes_of(struct watch *watch, const struct watch_state *state,
			  uint64_t dense)
{
	for (size_t i = 0; i < state->nr_slots; i++) {
		add_probe(watch, state->slots[i].first, dense);
		add_probe(watch, state->slots[i].last, dense);
	}
}

static void load_expected(struct watch *watch, struct watch_state *state)
{
	state->entries = allocate(watch->nr_probes, sizeof(void *));
	for (size_t i = 0; i < watch->nr_probes; i++)
		state->entries[i] = model_load(state->model, watch->probes[i]);
}

static void choose_probes(struct watch *watch, uint64_t dense)
{
	size_t most =
		dense + 2 * watch->before.nr_slots + 2 * watch->after.nr_slots;

	watch->probes = allocate(most, sizeof(*watch->probes));
	watch->loaded = allocate(most, sizeof(void *));
	for (uint64_t i = 0; i < dense; i++)
		watch->probes[watch->nr_probes++] = i;
	add_probes_of(watch, &watch->before, dense);
	add_probes_of(watch, &watch->after, dense);
	load_expected(watch, &watch->before);
	load_expected(watch, &watch->after);
	watch->same_entries =
		!memcmp(watch->before.entries, watch->after.entries,
			watch->nr_probes * sizeof(void *));
}

/* -- cursors ------------------------------------------------------------------- */

static bool is_near(const struct watch *watch, size_t slot, uint64_t index)
{
	size_t at = slot_at(&watch->before, index);

	return slot + NEAR_SLOTS > at && slot < at + NEAR_SLOTS;
}

static void place_standers(struct watch *watch, uint64_t first, uint64_t last)
{
	const struct watch_state *before = &watch->before;

	watch->standers =
		allocate(2 * before->nr_slots, sizeof(*watch->standers));
	for (size_t i = 0; i < 2 * before->nr_slots; i++) {
		struct watch_cursor *at = &watch->standers[watch->nr_standers];
		uint64_t index = before->slots[i / 2].first;

		if (i / 2 % FAR_SLOTS && !is_near(watch, i / 2, first) &&
		    !is_near(watch, i / 2, last))
			continue;
		at->up = i % 2;
		umaple_cursor_init(&at->cursor, watch->tree, index, index);
		umaple_cursor_walk(&at->cursor);
		watch->nr_standers++;
	}
}

/* From one end to the other. */
static void walker_restart(struct watch *watch, struct watch_cursor *walker)
{
	uint64_t index = walker->up ? 0 : UINT64_MAX;

	umaple_cursor_init(&walker->cursor, watch->tree, index, index);
	umaple_cursor_walk(&walker->cursor);
}

/* Those that keep their nodes start in the middle, where the write is. */
static void place_walkers(struct watch *watch, uint64_t middle)
{
	for (unsigned int i = 0; i < WATCH_WALKERS; i++) {
		struct watch_cursor *walker = &watch->walkers[i];

		walker->up = i % 2;
		walker->pauses = i / 2;
		umaple_cursor_init(&walker->cursor, watch->tree, middle,
				   middle);
		umaple_cursor_walk(&walker->cursor);
	}
}

void watch_start(struct watch *watch, struct umaple_tree *tree,
		 const struct model *before, const struct model *after,
		 uint64_t dense, uint64_t first, uint64_t last)
{
	memset(watch, 0, sizeof(*watch));
	watch->tree = tree;
	state_init(&watch->before, before);
	state_init(&watch->after, after);
	watch->now = &watch->before;
	choose_probes(watch, dense);
	place_standers(watch, first, last);
	place_walkers(watch, first);
}

static void state_fini(struct watch_state *state)
{
	free(state->slots);
	free(state->entries);
}

void watch_stop(struct watch *watch)
{
	state_fini(&watch->before);
	state_fini(&watch->after);
	free(watch->probes);
	free(watch->loaded);
	free(watch->standers);
}

/* -- lookups ------------------------------------------------------------------- */

static void look_by_load(struct watch *watch)
{
	bool old = false, new = false;

	for (size_t i = 0; i < watch->nr_probes; i++) {
		void *got = umaple_load(watch->tree, watch->probes[i]);
		bool is_old = got == watch->before.entries[i];
		bool is_new = got == watch->after.entries[i];

		quick_assert(is_old || is_new,
			     "after %lu: index %" PRIx64 " is %p", watch->turn,
			     watch->probes[i], got);
		old |= !is_new;
		new |= !is_old;
	}
	quick_assert(!old || !new, "after %lu: half of the write is seen",
		     watch->turn);
	quick_assert(!old || watch->now == &watch->before,
		     "after %lu: the write is not seen any more", watch->turn);
	quick_assert(!old || !watch->finished, "the write is not seen");
	if (new)
		watch->now = &watch->after;
}

static void look_by_load_many(struct watch *watch)
{
	umaple_load_many(watch->tree, watch->probes, watch->loaded,
			 watch->nr_probes);
	quick_assert(!memcmp(watch->loaded, watch->now->entries,
			     watch->nr_probes * sizeof(void *)),
		     "after %lu: load_many differs from load", watch->turn);
}

static bool same_range(const struct umaple_range *a,
		       const struct umaple_range *b)
{
	return a->first == b->first && a->last == b->last &&
	       a->entry == b->entry;
}

static void check_search(struct watch *watch, const char *name, void *got,
			 const struct umaple_range *range, void *wanted,
			 const struct umaple_range *wanted_range)
{
	quick_assert(got == wanted && same_range(range, wanted_range),
		     "after %lu: %s gave " RANGE_FORMAT, watch->turn, name,
		     RANGE_VALUES(*range));
}

static void look_for_hole(struct watch *watch, uint64_t index)
{
	const struct watch_state *now = watch->now;
	struct umaple_range got = { 0, 0, NULL };
	size_t slot = slot_at(now, index);
	bool found = umaple_find_hole(watch->tree, index, UINT64_MAX, &got);

	while (slot < now->nr_slots && now->slots[slot].entry)
		slot++;
	quick_assert(found == (slot < now->nr_slots) &&
			     (!found || same_range(&got, &now->slots[slot])),
		     "after %lu: find_hole gave " RANGE_FORMAT, watch->turn,
		     RANGE_VALUES(got));
}

/* The searches of the simple API, from another place each time. */
static void look_by_search(struct watch *watch)
{
	uint64_t index = watch->probes[watch->turn % watch->nr_probes];
	const struct model *model = watch->now->model;
	struct umaple_range got = { 0 }, wanted = { 0 };
	void *entry = umaple_find(watch->tree, index, UINT64_MAX, &got);

	check_search(watch, "find", entry, &got,
		     model_find(model, index, UINT64_MAX, &wanted), &wanted);
	entry = umaple_next(watch->tree, index, UINT64_MAX, &got);
	check_search(watch, "next", entry, &got,
		     model_next(model, index, UINT64_MAX, &wanted), &wanted);
	entry = umaple_prev(watch->tree, index, 0, &got);
	check_search(watch, "prev", entry, &got,
		     model_prev(model, index, 0, &wanted), &wanted);
	look_for_hole(watch, index);
}

/* -- iterations ------------------------------------------------------------------ */

static bool cursor_step(struct umaple_cursor *cursor, bool up,
			struct umaple_range *got)
{
	bool found =
		up ? umaple_cursor_find_range(cursor, UINT64_MAX, &got->entry)
		   : umaple_cursor_find_range_rev(cursor, 0, &got->entry);

	got->first = cursor->index;
	got->last = cursor->last;
	return found;
}

/* From one end to the other: exactly the slots of @state? */
static bool iterates_as(struct watch *watch, const struct watch_state *state,
			bool up)
{
	struct umaple_cursor cursor;
	struct umaple_range got;
	uint64_t end = up ? 0 : UINT64_MAX;
	size_t n;

	umaple_cursor_init(&cursor, watch->tree, end, end);
	for (n = 0; cursor_step(&cursor, up, &got); n++) {
		size_t slot = up ? n : state->nr_slots - 1 - n;

		if (n == state->nr_slots ||
		    !same_range(&got, &state->slots[slot]))
			return false;
	}
	return n == state->nr_slots;
}

static void look_in_order(struct watch *watch)
{
	/* When entries do not tell, ranges do. */
	if (watch->same_entries &&
	    (watch->finished || !iterates_as(watch, watch->now, true)))
		watch->now = &watch->after;
	quick_assert(iterates_as(watch, watch->now, true),
		     "after %lu: wrong ranges upwards", watch->turn);
	quick_assert(iterates_as(watch, watch->now, false),
		     "after %lu: wrong ranges downwards", watch->turn);
}

/* What lies beside a cursor's range; false at the end of all. */
static bool neighbour(const struct watch_state *state,
		      const struct umaple_cursor *cursor, bool up,
		      struct umaple_range *range)
{
	uint64_t bound = up ? cursor->last + 1 : cursor->index - 1;

	if (up ? cursor->last == UINT64_MAX : cursor->index == 0)
		return false;
	*range = state->slots[slot_at(state, bound)];
	if (up)
		range->first = bound;
	else
		range->last = bound;
	return true;
}

/* Let a cursor take a step, and judge it.  False at the end. */
static bool take_step(struct watch *watch, struct watch_cursor *at,
		      struct umaple_cursor *cursor)
{
	struct umaple_range old = { 0 }, new = { 0 }, got;
	bool more = neighbour(&watch->before, cursor, at->up, &old) &&
		    neighbour(&watch->after, cursor, at->up, &new);
	bool found = cursor_step(cursor, at->up, &got);
	bool is_old, is_new;

	quick_assert(found == more, "after %lu: a cursor %s", watch->turn,
		     found ? "goes beyond the end" : "ends too early");
	if (!found)
		return false;
	is_old = same_range(&got, &old);
	is_new = same_range(&got, &new);
	quick_assert(is_old || is_new, "after %lu: a cursor gave " RANGE_FORMAT,
		     watch->turn, RANGE_VALUES(got));
	quick_assert(is_old || watch->now == &watch->after,
		     "after %lu: a cursor is early at " RANGE_FORMAT,
		     watch->turn, RANGE_VALUES(got));
	quick_assert(is_new || !(watch->finished || at->seen_new ||
				 (at->pauses && watch->now == &watch->after)),
		     "after %lu: a cursor is late at " RANGE_FORMAT,
		     watch->turn, RANGE_VALUES(got));
	at->seen_new |= !is_old;
	return true;
}

/* Who starts at the root because of a dead node must not meet it again. */
static void look_for_dead(struct watch *watch, uint64_t index)
{
	struct umaple_cursor cursor;

	if (umaple_tree_is_empty(watch->tree))
		return;
	umaple_cursor_init(&cursor, watch->tree, index, index);
	umaple_cursor_walk(&cursor);
	for (unsigned int i = 0; i < cursor.path_.height; i++)
		quick_assert(!node_is_dead(cursor.path_.at[i].node),
			     "after %lu: a dead node is in the tree",
			     watch->turn);
}

/* Each takes its first step again and again. */
static void look_from_standers(struct watch *watch)
{
	struct umaple_cursor copy;

	for (size_t i = 0; i < watch->nr_standers; i++) {
		copy = watch->standers[i].cursor;
		look_for_dead(watch, copy.index);
		take_step(watch, &watch->standers[i], &copy);
	}
}

static void look_from_walkers(struct watch *watch)
{
	for (unsigned int i = 0; i < WATCH_WALKERS; i++) {
		struct watch_cursor *walker = &watch->walkers[i];

		if (walker->pauses)
			umaple_cursor_pause(&walker->cursor);
		if (!take_step(watch, walker, &walker->cursor))
			walker_restart(watch, walker);
		/* Another place: the next step may well be an old one. */
		walker->seen_new = false;
	}
}

void watch_look(struct watch *watch, bool finished)
{
	watch->turn++;
	watch->finished = finished;
	look_by_load(watch);
	look_in_order(watch);
	look_by_load_many(watch);
	look_by_search(watch);
	look_from_standers(watch);
	look_from_walkers(watch);
}
