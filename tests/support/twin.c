/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "twin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <umaple/debug.h>

#include "quick.h"

const unsigned int twin_flags[TWIN_FLAGS] = {
	0,
	UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_EXTERNAL_LOCK,
	UMAPLE_TREE_GAPS,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
	UMAPLE_TREE_GAPS | UMAPLE_TREE_EXTERNAL_LOCK,
};

/*
 * Write down an operation and its numbers.  Now and then, wait as the user of a
 * tree with an external lock has to: its writes never do.
 */
#define TELL(twin, ...)                                                        \
	do {                                                                   \
		snprintf((twin)->what, sizeof((twin)->what), __VA_ARGS__);     \
		if (++(twin)->step % 1024 == 0)                                \
			umaple_cache_throttle((twin)->cache);                  \
	} while (0)

#define TWIN_ASSERT(twin, condition, format, ...)                              \
	quick_assert(condition, "step %lu, after %s: " format, (twin)->step,   \
		     (twin)->what, __VA_ARGS__)

void twin_init(struct twin *twin, unsigned int flags)
{
	struct umaple_cache_attr attr = {
		.size = 256,
		.align = 256,
		.name = "twin",
	};

	memset(twin, 0, sizeof(*twin));
	twin->flags = flags;
	snprintf(twin->what, sizeof(twin->what), "nothing");
	ck_assert_int_eq(umaple_cache_create(&attr, &twin->cache), 0);
	ck_assert_int_eq(
		umaple_tree_init_cache(&twin->tree, flags, twin->cache), 0);
}

/* Of indices that a test names, those that are meant. */
static uint64_t place(const struct twin *twin, uint64_t index)
{
	return twin->mirrored ? UINT64_MAX - index : index;
}

static void place_range(const struct twin *twin, uint64_t *first,
			uint64_t *last)
{
	uint64_t low = twin->mirrored ? *last : *first;
	uint64_t high = twin->mirrored ? *first : *last;

	*first = place(twin, low);
	*last = place(twin, high);
}

#define CROWD	   ((uint64_t)1 << 63)
#define CROWD_MOST 4000

uint64_t twin_crowd(struct twin *twin, uint64_t height)
{
	static struct umaple_range ranges[CROWD_MOST];
	struct umaple_tree_info info = { 0 };
	uint64_t count = 0, i;

	for (i = 0; i < CROWD_MOST; i++)
		ranges[i] = (struct umaple_range){ CROWD + 16 * i,
						   CROWD + 16 * i + 7, twin };
	while (info.height < height) {
		count += 1 + count / 4;
		ck_assert_uint_le(count, CROWD_MOST);
		umaple_tree_destroy(&twin->tree);
		ck_assert_int_eq(
			umaple_tree_build(&twin->tree, ranges, count, 50), 0);
		umaple_tree_measure(&twin->tree, &info);
	}
	for (i = 0; i < count; i++)
		model_store_range(&twin->model, ranges[i].first, ranges[i].last,
				  twin);
	if (!count)
		return UINT64_MAX;
	return twin->mirrored ? UINT64_MAX - ranges[count - 1].last - 1
			      : CROWD - 1;
}

void twin_fini(struct twin *twin)
{
	char text[256] = "";

	umaple_tree_destroy(&twin->tree);
	TWIN_ASSERT(twin, umaple_tree_is_empty(&twin->tree), "%s", "not empty");
	ck_assert_msg(umaple_cache_check(twin->cache, text, sizeof(text)) == 0,
		      "%s", text);
	ck_assert_msg(umaple_cache_destroy(twin->cache) == 0,
		      "nodes are lost, after %s", twin->what);
	model_free(&twin->model);
}

void twin_store(struct twin *twin, uint64_t first, uint64_t last, void *entry)
{
	int error;

	place_range(twin, &first, &last);
	TELL(twin, "store [%" PRIx64 ", %" PRIx64 "] %p", first, last, entry);
	error = umaple_store_range(&twin->tree, first, last, entry);
	TWIN_ASSERT(twin, error == 0, "returned %d", error);
	model_store_range(&twin->model, first, last, entry);
}

void twin_insert(struct twin *twin, uint64_t first, uint64_t last, void *entry)
{
	int error, wanted;

	place_range(twin, &first, &last);
	TELL(twin, "insert [%" PRIx64 ", %" PRIx64 "] %p", first, last, entry);
	error = umaple_insert_range(&twin->tree, first, last, entry);
	wanted = model_insert_range(&twin->model, first, last, entry);
	TWIN_ASSERT(twin, error == wanted, "returned %d, not %d", error,
		    wanted);
}

static void same_range(struct twin *twin, const struct umaple_range *got,
		       const struct umaple_range *wanted)
{
	TWIN_ASSERT(twin,
		    got->first == wanted->first && got->last == wanted->last &&
			    got->entry == wanted->entry,
		    "got [%" PRIx64 ", %" PRIx64 "] %p, not [%" PRIx64
		    ", %" PRIx64 "] %p",
		    got->first, got->last, got->entry, wanted->first,
		    wanted->last, wanted->entry);
}

void twin_erase(struct twin *twin, uint64_t index)
{
	struct umaple_range got = { 1, 0, NULL }, wanted;
	int error;

	index = place(twin, index);
	TELL(twin, "erase %" PRIx64, index);
	error = umaple_erase(&twin->tree, index, &got);
	TWIN_ASSERT(twin, error == 0, "returned %d", error);
	wanted = model_erase(&twin->model, index);
	same_range(twin, &got, &wanted);
}

void twin_clear(struct twin *twin)
{
	TELL(twin, "%s", "destroy");
	umaple_tree_destroy(&twin->tree);
	TWIN_ASSERT(twin, umaple_tree_is_empty(&twin->tree), "%s", "not empty");
	model_free(&twin->model);
}

void twin_load(struct twin *twin, uint64_t index)
{
	void *got, *wanted;

	index = place(twin, index);
	got = umaple_load(&twin->tree, index);
	wanted = model_load(&twin->model, index);
	TWIN_ASSERT(twin, got == wanted, "load %" PRIx64 " gave %p, not %p",
		    index, got, wanted);
}

typedef void *tree_search(const struct umaple_tree *tree, uint64_t index,
			  uint64_t limit, struct umaple_range *ret);
typedef void *model_search(const struct model *model, uint64_t index,
			   uint64_t limit, struct umaple_range *ret);

static void search(struct twin *twin, const char *name, tree_search *ask_tree,
		   model_search *ask_model, uint64_t index, uint64_t limit)
{
	/* What is not found must leave its output alone. */
	struct umaple_range got = { 12, 34, twin };
	struct umaple_range wanted = got;
	void *entry = ask_tree(&twin->tree, index, limit, &got);
	void *right = ask_model(&twin->model, index, limit, &wanted);

	TWIN_ASSERT(twin, entry == right,
		    "%s(%" PRIx64 ", %" PRIx64 ") gave %p, not %p", name, index,
		    limit, entry, right);
	same_range(twin, &got, &wanted);
}

static void search_up(struct twin *twin, uint64_t index, uint64_t max)
{
	search(twin, "find", umaple_find, model_find, index, max);
}

static void search_down(struct twin *twin, uint64_t index, uint64_t min)
{
	search(twin, "find_rev", umaple_find_rev, model_find_rev, index, min);
}

static void search_next(struct twin *twin, uint64_t index, uint64_t max)
{
	search(twin, "next", umaple_next, model_next, index, max);
}

static void search_prev(struct twin *twin, uint64_t index, uint64_t min)
{
	search(twin, "prev", umaple_prev, model_prev, index, min);
}

void twin_find(struct twin *twin, uint64_t index, uint64_t max)
{
	(twin->mirrored ? search_down : search_up)(twin, place(twin, index),
						   place(twin, max));
}

void twin_find_rev(struct twin *twin, uint64_t index, uint64_t min)
{
	(twin->mirrored ? search_up : search_down)(twin, place(twin, index),
						   place(twin, min));
}

void twin_next(struct twin *twin, uint64_t index, uint64_t max)
{
	(twin->mirrored ? search_prev : search_next)(twin, place(twin, index),
						     place(twin, max));
}

void twin_prev(struct twin *twin, uint64_t index, uint64_t min)
{
	(twin->mirrored ? search_next : search_prev)(twin, place(twin, index),
						     place(twin, min));
}

typedef int tree_gap(struct umaple_tree *tree, uint64_t size, uint64_t align,
		     uint64_t min, uint64_t max, uint64_t *ret_first);
typedef int model_gap(const struct model *model, uint64_t size, uint64_t align,
		      uint64_t min, uint64_t max, uint64_t *ret_first);

static void gap(struct twin *twin, const char *name, tree_gap *ask_tree,
		model_gap *ask_model, const uint64_t arguments[4])
{
	uint64_t size = arguments[0], align = arguments[1];
	uint64_t min = arguments[2], max = arguments[3];
	uint64_t got = 1234567, wanted = got;
	int error = ask_tree(&twin->tree, size, align, min, max, &got);
	int right = ask_model(&twin->model, size, align, min, max, &wanted);

	TWIN_ASSERT(twin, error == right && got == wanted,
		    "%s(size %" PRIx64 ", align %" PRIx64 ", [%" PRIx64
		    ", %" PRIx64 "]) gave %d %" PRIx64 ", not %d %" PRIx64,
		    name, size, align, min, max, error, got, right, wanted);
}

static void gap_low(struct twin *twin, uint64_t size, uint64_t align,
		    uint64_t min, uint64_t max)
{
	gap(twin, "gap_first", umaple_gap_first, model_gap_first,
	    (uint64_t[4]){ size, align, min, max });
}

static void gap_high(struct twin *twin, uint64_t size, uint64_t align,
		     uint64_t min, uint64_t max)
{
	gap(twin, "gap_last", umaple_gap_last, model_gap_last,
	    (uint64_t[4]){ size, align, min, max });
}

void twin_gap_first(struct twin *twin, uint64_t size, uint64_t align,
		    uint64_t min, uint64_t max)
{
	place_range(twin, &min, &max);
	(twin->mirrored ? gap_high : gap_low)(twin, size, align, min, max);
}

void twin_gap_last(struct twin *twin, uint64_t size, uint64_t align,
		   uint64_t min, uint64_t max)
{
	place_range(twin, &min, &max);
	(twin->mirrored ? gap_low : gap_high)(twin, size, align, min, max);
}

void twin_compare_ends(struct twin *twin, uint64_t first, uint64_t last)
{
	twin_load(twin, first);
	twin_load(twin, last);
	if (first > 0)
		twin_load(twin, first - 1);
	if (last < UINT64_MAX)
		twin_load(twin, last + 1);
}

void twin_check(struct twin *twin)
{
	size_t holes = model_holes(&twin->model);
	struct umaple_tree_info info;
	char text[256] = "";
	int error = umaple_tree_check(&twin->tree, text, sizeof(text));

	TWIN_ASSERT(twin, error == 0, "%d: %s", error, text);
	umaple_tree_measure(&twin->tree, &info);
	TWIN_ASSERT(twin, info.ranges == twin->model.count,
		    "%" PRIu64 " ranges, not %zu", info.ranges,
		    twin->model.count);
	TWIN_ASSERT(twin, info.holes == holes, "%" PRIu64 " holes, not %zu",
		    info.holes, holes);
	TWIN_ASSERT(twin,
		    umaple_tree_is_empty(&twin->tree) ==
			    (twin->model.count == 0),
		    "%s", "wrong about being empty");
	TWIN_ASSERT(twin, info.ranges || (!info.nodes && !info.height),
		    "an empty tree has %" PRIu64 " nodes", info.nodes);
}

void twin_compare(struct twin *twin)
{
	struct umaple_cursor cursor;
	uint64_t next = 0;

	twin_check(twin);
	umaple_read_lock(&twin->tree);
	umaple_cursor_init(&cursor, &twin->tree, 0, 0);
	do {
		struct umaple_range wanted = model_at(&twin->model, next);
		struct umaple_range got;

		umaple_cursor_set(&cursor, next);
		got.entry = umaple_cursor_walk(&cursor);
		got.first = cursor.index;
		got.last = cursor.last;
		same_range(twin, &got, &wanted);
		next = wanted.last + 1;
	} while (next);
	umaple_read_unlock(&twin->tree);
}

static bool lock_is_external(const struct twin *twin)
{
	return twin->flags & UMAPLE_TREE_EXTERNAL_LOCK;
}

void twin_lock(struct twin *twin)
{
	if (!lock_is_external(twin))
		umaple_lock(&twin->tree);
}

void twin_unlock(struct twin *twin)
{
	if (!lock_is_external(twin))
		umaple_unlock(&twin->tree);
}
