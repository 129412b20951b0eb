/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/mmap1_cache.c - a task that only does what a tree would ask of the cache.
 *
 * A task owns five nodes.  Mapping takes three and frees the two oldest,
 * unmapping takes two and frees the three oldest: five and five, with a prefill
 * and a return around each half.  Each node carries its owner's number, so that
 * one handed out twice shows.
 */

#include <errno.h>
#include <stdlib.h>

#include "mmap1.h"

/*
 * Nodes promised to a write: what a span at height 2 may need, as a small
 * process has it (3 * height + 1).
 */
#define PROMISE 7

#define HELD_MOST (MMAP1_NODES + 3)

struct node {
	uint64_t owner;
};

/* A ring of the nodes held, the oldest first. */
struct holding {
	struct node *nodes[HELD_MOST];
	unsigned int oldest;
	unsigned int count;
};

static void hold(struct mmap1_task *task, struct node *node)
{
	struct holding *holding = task->state;
	unsigned int place = (holding->oldest + holding->count) % HELD_MOST;

	node->owner = task->number + 1;
	holding->nodes[place] = node;
	holding->count++;
}

static struct node *let_go(struct mmap1_task *task)
{
	struct holding *holding = task->state;
	struct node *node = holding->nodes[holding->oldest];

	holding->oldest = (holding->oldest + 1) % HELD_MOST;
	holding->count--;
	if (node->owner != task->number + 1)
		task->wrong++;
	return node;
}

/* One write: @take new nodes for @drop old ones. */
static int write_once(struct mmap1_task *task, int take, int drop)
{
	struct umaple_sheaf *sheaf;

	umaple_cache_throttle(task->cache);
	sheaf = umaple_cache_prefill(task->cache, PROMISE);
	if (!sheaf)
		return -ENOMEM;
	while (take--)
		hold(task, umaple_cache_take(task->cache, sheaf));
	while (drop--)
		umaple_cache_free_rcu(task->cache, let_go(task));
	umaple_cache_return(task->cache, sheaf);
	return 0;
}

static int cache_start(struct mmap1_task *task)
{
	task->state = calloc(1, sizeof(struct holding));
	if (!task->state)
		return -ENOMEM;
	for (int i = 0; i < MMAP1_NODES; i++) {
		struct node *node = umaple_cache_alloc(task->cache);

		if (!node)
			return -ENOMEM;
		hold(task, node);
	}
	return 0;
}

static int cache_iterate(struct mmap1_task *task)
{
	int error = write_once(task, 3, 2);

	return error ? error : write_once(task, 2, 3);
}

static void cache_end(struct mmap1_task *task)
{
	struct holding *holding = task->state;

	while (holding->count)
		umaple_cache_free(task->cache, let_go(task));
	free(holding);
}

const struct mmap1_level mmap1_cache_level = {
	.name = "cache",
	.start = cache_start,
	.iterate = cache_iterate,
	.end = cache_end,
};
