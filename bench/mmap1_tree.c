/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/mmap1_tree.c - a task with an address space of its own.
 *
 * A gap tree, readable under RCU, with as many ranges as a small process has
 * mappings: a program low, libraries and a stack high.  An iteration finds the
 * highest hole of 128 MiB and stores there; then finds that range and erases it.
 */

#include <errno.h>
#include <stdlib.h>

#include <umaple/cursor.h>
#include <umaple/debug.h>
#include <umaple/tree.h>

#include "mmap1.h"

#define RANGES	 40
#define PAGE	 ((uint64_t)4096)
#define LOWEST	 ((uint64_t)0x10000)
#define HIGHEST	 ((uint64_t)0x7fffffffefff)
#define PROGRAM	 ((uint64_t)0x555555554000)
#define LIBRARY	 ((uint64_t)0x7ffff7000000)
#define MAP_SIZE ((uint64_t)128 << 20)

struct space {
	struct umaple_tree tree;
	char entries[RANGES + 1]; /* their addresses are what is stored */
};

/* Five ranges of the program, the rest above; a hole after every second. */
static uint64_t place(unsigned int i)
{
	uint64_t base = i < 5 ? PROGRAM : LIBRARY;

	return base + (uint64_t)i * 0x100000 + (i % 2 ? 0 : PAGE);
}

static int tree_start(struct mmap1_task *task)
{
	struct space *space = calloc(1, sizeof(*space));
	int error;

	task->state = space;
	if (!space)
		return -ENOMEM;
	error = umaple_tree_init_cache(&space->tree, UMAPLE_TREE_GAPS,
				       task->cache);
	for (unsigned int i = 0; i < RANGES && !error; i++) {
		uint64_t last =
			i % 2 ? place(i) + 16 * PAGE - 1 : place(i + 1) - 1;

		error = umaple_store_range(&space->tree, place(i), last,
					   &space->entries[i]);
	}
	return error;
}

static int map(struct space *space, uint64_t *ret_first)
{
	struct umaple_cursor cursor;
	int error;

	umaple_lock(&space->tree);
	umaple_cursor_init(&cursor, &space->tree, 0, 0);
	error = umaple_cursor_gap_last(&cursor, MAP_SIZE, PAGE, LOWEST,
				       HIGHEST);
	if (!error)
		error = umaple_cursor_store(&cursor, &space->entries[RANGES]);
	*ret_first = cursor.index;
	umaple_unlock(&space->tree);
	return error;
}

static int unmap(struct mmap1_task *task, uint64_t first)
{
	struct space *space = task->state;
	struct umaple_cursor cursor;
	void *found;
	int error;

	umaple_lock(&space->tree);
	umaple_cursor_init(&cursor, &space->tree, first, first);
	found = umaple_cursor_walk(&cursor);
	if (found != &space->entries[RANGES] || cursor.index != first ||
	    cursor.last != first + MAP_SIZE - 1)
		task->wrong++;
	error = umaple_cursor_erase(&cursor, NULL);
	umaple_unlock(&space->tree);
	return error;
}

static int tree_iterate(struct mmap1_task *task)
{
	uint64_t first;
	int error = map(task->state, &first);

	return error ? error : unmap(task, first);
}

/* What was there at the start is there now, and nothing else. */
static void tree_end(struct mmap1_task *task)
{
	struct space *space = task->state;
	struct umaple_tree_info info;

	umaple_tree_measure(&space->tree, &info);
	if (info.ranges != RANGES || umaple_tree_check(&space->tree, NULL, 0))
		task->wrong++;
	for (unsigned int i = 0; i < RANGES; i++) {
		if (umaple_load(&space->tree, place(i)) != &space->entries[i])
			task->wrong++;
	}
	umaple_tree_destroy(&space->tree);
	free(space);
}

const struct mmap1_level mmap1_tree_level = {
	.name = "tree",
	.ranges = RANGES,
	.start = tree_start,
	.iterate = tree_iterate,
	.end = tree_end,
};
