/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/peer_umaple.c - the tree through its public interface.
 */

#include <stdlib.h>

#include <umaple/cursor.h>
#include <umaple/debug.h>
#include <umaple/tree.h>

#include "options.h"
#include "peer.h"

/* Ranges that are asked for at a time. */
#define BATCH 64

struct map {
	struct umaple_tree tree;
	struct umaple_cursor cursor; /* between read_begin and read_end */
};

static void *entry_of(uint64_t value)
{
	return (void *)(uintptr_t)value;
}

static uint64_t value_of(void *entry)
{
	return (uint64_t)(uintptr_t)entry;
}

static void *umaple_make(enum peer_kind kind)
{
	static const unsigned int flags[] = {
		[PEER_PLAIN] = UMAPLE_TREE_SERIAL,
		[PEER_SHARED] = 0,
		[PEER_GAPS] = UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL,
		[PEER_BUSY] = UMAPLE_TREE_GAPS,
	};
	struct map *map = aligned_alloc(64, (sizeof(*map) + 63) / 64 * 64);

	if (!map)
		options_die("no memory");
	umaple_tree_init(&map->tree, flags[kind]);
	return map;
}

static void umaple_free(void *map)
{
	umaple_tree_destroy(&((struct map *)map)->tree);
	free(map);
}

static void umaple_put(void *map, uint64_t first, uint64_t last, uint64_t value)
{
	if (umaple_store_range(&((struct map *)map)->tree, first, last,
			       entry_of(value)))
		options_die("no memory");
}

static uint64_t umaple_remove(void *map, uint64_t index)
{
	struct umaple_range range;

	if (umaple_erase(&((struct map *)map)->tree, index, &range))
		options_die("no memory");
	return value_of(range.entry);
}

static uint64_t umaple_get(void *map, uint64_t index)
{
	return value_of(umaple_load(&((struct map *)map)->tree, index));
}

static uint64_t umaple_get_many(void *map, const uint64_t *indices,
				size_t count)
{
	void *entries[BATCH];
	uint64_t sum = 0;

	umaple_load_many(&((struct map *)map)->tree, indices, entries, count);
	for (size_t i = 0; i < count; i++)
		sum += value_of(entries[i]);
	return sum;
}

static void umaple_begin(void *argument)
{
	struct map *map = argument;

	umaple_read_lock(&map->tree);
	umaple_cursor_init(&map->cursor, &map->tree, 0, 0);
}

static uint64_t umaple_walk(void *argument, uint64_t index)
{
	struct map *map = argument;

	umaple_cursor_set(&map->cursor, index);
	return value_of(umaple_cursor_walk(&map->cursor));
}

static void umaple_end(void *argument)
{
	struct map *map = argument;

	umaple_cursor_pause(&map->cursor);
	umaple_read_unlock(&map->tree);
}

static uint64_t umaple_sum(void *argument)
{
	struct map *map = argument;
	struct umaple_range ranges[BATCH];
	struct umaple_cursor cursor;
	uint64_t sum = 0;
	size_t count;

	umaple_read_lock(&map->tree);
	umaple_cursor_init(&cursor, &map->tree, 0, 0);
	do {
		count = umaple_cursor_find_many(&cursor, UINT64_MAX, ranges,
						BATCH);
		for (size_t i = 0; i < count; i++)
			sum += peer_mix(ranges[i].first, ranges[i].last,
					value_of(ranges[i].entry));
	} while (count == BATCH);
	umaple_read_unlock(&map->tree);
	return sum;
}

static uint64_t umaple_step(void *argument)
{
	struct map *map = argument;
	struct umaple_cursor cursor;
	uint64_t sum = 0;
	void *entry;

	umaple_read_lock(&map->tree);
	umaple_cursor_init(&cursor, &map->tree, 0, 0);
	umaple_cursor_for_each(&cursor, entry, UINT64_MAX)
		sum += peer_mix(cursor.index, cursor.last, value_of(entry));
	umaple_read_unlock(&map->tree);
	return sum;
}

static uint64_t umaple_lowest(void *map, uint64_t size, uint64_t min,
			      uint64_t max)
{
	uint64_t first = PEER_NO_GAP;

	if (umaple_gap_first(&((struct map *)map)->tree, size, 1, min, max,
			     &first))
		return PEER_NO_GAP;
	return first;
}

static uint64_t umaple_highest(void *map, uint64_t size, uint64_t min,
			       uint64_t max)
{
	uint64_t first = PEER_NO_GAP;

	if (umaple_gap_last(&((struct map *)map)->tree, size, 1, min, max,
			    &first))
		return PEER_NO_GAP;
	return first;
}

static uint64_t umaple_bytes(void *map)
{
	struct umaple_tree_info info;

	umaple_tree_measure(&((struct map *)map)->tree, &info);
	return info.bytes;
}

const struct peer peer_umaple = {
	.name = "umaple",
	.make = umaple_make,
	.destroy = umaple_free,
	.store = umaple_put,
	.erase = umaple_remove,
	.load = umaple_get,
	.load_many = umaple_get_many,
	.read_begin = umaple_begin,
	.walk = umaple_walk,
	.read_end = umaple_end,
	.iterate = umaple_sum,
	.step = umaple_step,
	.gap_first = umaple_lowest,
	.gap_last = umaple_highest,
	.bytes = umaple_bytes,
};
