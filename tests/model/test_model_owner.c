/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * An owner that counts references by what the tree tells of displaced entries:
 * after each write, of every kind, its count of an entry's ranges is what a walk
 * finds; each report is of a range there was, once, in order.  In trees that merge
 * and in trees that do not.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "keys.h"
#include "quick.h"
#include "twin.h"

const char *const suite_name = "model.owner";

#define ENTRIES 4
#define STEPS	1500

/* The last is the reserved entry, which has no owner. */
static char value[ENTRIES];

static const uint64_t sizes[] = { 30, 300 };

#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))
#define RUNS  (SIZES * 2 * TWIN_FLAGS * 2)

struct owner {
	struct twin twin;
	struct keys keys;
	struct rng rng;
	long references[ENTRIES];
	struct model before; /* what there was when the write began */
	uint64_t told;	     /* above the last range told of */
	bool told_all;	     /* which ended at the highest index */
};

static bool merges(const struct owner *owner)
{
	return owner->twin.flags & UMAPLE_TREE_MERGE;
}

static void *entry_of(size_t i)
{
	return i + 1 < ENTRIES ? &value[i] : UMAPLE_RESERVED;
}

/* Its number; the reserved entry's counter stays zero. */
static long *references_of(struct owner *owner, const void *entry)
{
	static long none;

	if (entry == UMAPLE_RESERVED)
		return &none;
	return &owner->references[(const char *)entry - value];
}

static void told(const struct umaple_displaced *what, void *arg)
{
	struct owner *owner = arg;
	struct umaple_range at = model_at(&owner->before, what->first);

	quick_assert(at.entry == what->entry && what->last <= at.last &&
			     what->first <= what->last,
		     "told of [%" PRIx64 ", %" PRIx64 "], which was not there",
		     what->first, what->last);
	quick_assert(what->entry != UMAPLE_RESERVED, "told of reserved");
	quick_assert(!owner->told_all && at.first >= owner->told,
		     "told of [%" PRIx64 ", %" PRIx64 "] twice, or late",
		     at.first, at.last);
	owner->told = at.last + 1;
	owner->told_all = at.last == UINT64_MAX;
	*references_of(owner, what->entry) += (long)what->remaining - 1;
}

/* Ranges with the same entry that touch are one. */
static void merge_model(struct model *model)
{
	struct umaple_range *ranges = model->ranges;
	size_t to = 0;

	for (size_t i = 1; i < model->count; i++) {
		if (ranges[i].entry == ranges[to].entry &&
		    ranges[i].first == ranges[to].last + 1)
			ranges[to].last = ranges[i].last;
		else
			ranges[++to] = ranges[i];
	}
	model->count = model->count ? to + 1 : 0;
}

static void compare(struct owner *owner)
{
	long seen[ENTRIES] = { 0 };
	struct umaple_range range;

	if (merges(owner))
		merge_model(&owner->twin.model);
	twin_compare(&owner->twin);
	umaple_for_each(&owner->twin.tree, range, 0, UINT64_MAX)
		seen[(char *)range.entry - value]++;
	for (size_t i = 0; i < ENTRIES; i++)
		quick_assert(seen[i] == owner->references[i],
			     "after %s: %ld references of %ld ranges",
			     owner->twin.what, owner->references[i], seen[i]);
}

static void written(struct owner *owner, int err, void *entry)
{
	quick_assert(err == 0, "%s: %d", owner->twin.what, err);
	if (entry)
		++*references_of(owner, entry);
}

/* Some cells, where ranges begin and end often, and what they map to. */
struct span {
	uint64_t first;
	uint64_t last;
	void *entry;
};

static struct span choose(struct owner *owner)
{
	uint64_t cells = owner->keys.cells;
	uint64_t from = rng_below(&owner->rng, cells);
	uint64_t most = rng_below(&owner->rng, 24) ? 5 : cells;
	uint64_t to = from + rng_below(&owner->rng, most);
	struct span span;

	if (to >= cells)
		to = cells - 1;
	keys_range(&owner->keys, from, to, &span.first, &span.last);
	span.entry = entry_of(rng_below(&owner->rng, ENTRIES));
	return span;
}

static void store(struct owner *owner, struct span span)
{
	struct twin *twin = &owner->twin;

	written(owner,
		umaple_store_range(&twin->tree, span.first, span.last,
				   span.entry),
		span.entry);
	model_store_range(&twin->model, span.first, span.last, span.entry);
}

static void store_by_cursor(struct owner *owner, struct span span)
{
	struct twin *twin = &owner->twin;
	struct umaple_cursor cursor;
	int err;

	umaple_cursor_init(&cursor, &twin->tree, span.first, span.last);
	err = umaple_cursor_prealloc(&cursor, span.entry);
	twin_lock(twin);
	if (!err)
		err = umaple_cursor_store_prealloc(&cursor, span.entry);
	twin_unlock(twin);
	written(owner, err, span.entry);
	model_store_range(&twin->model, span.first, span.last, span.entry);
}

static void store_merge(struct owner *owner, struct span span)
{
	struct twin *twin = &owner->twin;

	written(owner,
		umaple_store_merge(&twin->tree, span.first, span.last,
				   span.entry, NULL, NULL),
		span.entry);
	model_store_merge(&twin->model, span.first, span.last, span.entry);
}

static void insert(struct owner *owner, struct span span)
{
	struct twin *twin = &owner->twin;
	int err = umaple_insert_range(&twin->tree, span.first, span.last,
				      span.entry);

	quick_assert(err == model_insert_range(&twin->model, span.first,
					       span.last, span.entry),
		     "%s: %d", twin->what, err);
	if (!err)
		written(owner, 0, span.entry);
}

static void erase(struct owner *owner, struct span span)
{
	struct twin *twin = &owner->twin;

	written(owner, umaple_erase(&twin->tree, span.first, NULL), NULL);
	model_erase(&twin->model, span.first);
}

static void replace(struct owner *owner, struct span span)
{
	struct twin *twin = &owner->twin;
	struct umaple_range at = model_at(&twin->model, span.first);

	if (!at.entry)
		return;
	written(owner,
		umaple_replace(&twin->tree, span.first, at.entry, span.entry),
		span.entry);
	model_store_range(&twin->model, at.first, at.last, span.entry);
}

/* To anywhere; often to where it overlaps with, or touches, the old place. */
static void move(struct owner *owner, struct span span)
{
	struct twin *twin = &owner->twin;
	uint64_t size = span.last - span.first;
	uint64_t to = choose(owner).first;

	if (rng_below(&owner->rng, 4) == 0)
		to = span.last + 1 - rng_below(&owner->rng, 3);
	else if (rng_below(&owner->rng, 4) == 0)
		to = span.first - (size + 1) + rng_below(&owner->rng, 3);
	if (keys_cell(&owner->keys, to) >= owner->keys.cells ||
	    keys_cell(&owner->keys, to + size) >= owner->keys.cells)
		return;
	snprintf(twin->what, sizeof(twin->what),
		 "move [%" PRIx64 ", %" PRIx64 "] to %" PRIx64, span.first,
		 span.last, to);
	written(owner,
		umaple_move_range(&twin->tree, span.first, span.last, to),
		NULL);
	model_move_range(&twin->model, span.first, span.last, to);
}

struct operation {
	void (*run)(struct owner *owner, struct span span);
	const char *name;
};

static const struct operation operations[] = {
	{ store, "store" },   { store_by_cursor, "store_prealloc" },
	{ insert, "insert" }, { store_merge, "store_merge" },
	{ erase, "erase" },   { replace, "replace" },
	{ move, "move" },     { move, "move" },
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

static void step(struct owner *owner)
{
	const struct operation *operation =
		&operations[rng_below(&owner->rng, OPERATIONS)];
	struct span span = choose(owner);

	if (operation->run == store && rng_below(&owner->rng, 3) == 0)
		span.entry = NULL;
	snprintf(owner->twin.what, sizeof(owner->twin.what),
		 "%s [%" PRIx64 ", %" PRIx64 "] %td", operation->name,
		 span.first, span.last, (char *)span.entry - value);
	model_free(&owner->before);
	model_copy(&owner->before, &owner->twin.model);
	owner->told = 0;
	owner->told_all = false;
	umaple_cache_throttle(owner->twin.cache);
	operation->run(owner, span);
	compare(owner);
}

static void run(struct owner *owner, unsigned int flags, struct keys keys)
{
	unsigned long steps = test_scaled(STEPS);

	memset(owner, 0, sizeof(*owner));
	owner->keys = keys;
	rng_seed(&owner->rng, test_seed() + keys.cells * 16 + flags);
	twin_init(&owner->twin, flags);
	umaple_tree_set_displaced(&owner->twin.tree, told, owner);
	while (steps--)
		step(owner);
	model_free(&owner->before);
	model_copy(&owner->before, &owner->twin.model);
	owner->told = 0;
	owner->told_all = false;
	twin_clear(&owner->twin);
	compare(owner);
	model_free(&owner->before);
	twin_fini(&owner->twin);
}

START_TEST(references_are_what_a_walk_finds)
{
	static struct owner owner;
	int flags = _i / 4 % TWIN_FLAGS;
	struct keys keys = {
		.shape = _i % 2 ? KEYS_HIGH : KEYS_LOW,
		.cells = sizes[_i / 2 % SIZES],
	};

	run(&owner,
	    twin_flags[flags] | (_i / 4 / TWIN_FLAGS ? UMAPLE_TREE_MERGE : 0),
	    keys);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("model.owner");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, references_are_what_a_walk_finds, 0, RUNS);
	suite_add_tcase(s, tc);
}
