/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * sample.c - a program with trees to look at, as a user would write it.
 *
 *    sample dump NAME   prints a tree in each format, "--" between them
 *    sample show FILE   fills the variables below, prints the deep tree to
 *                       FILE, and calls stop_here()
 *
 * check_dump.py runs the first; check_gdb.py runs gdb on the second.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <umaple/umaple.h>

/* The library has a struct node too, which is another. */
struct node {
	int level;
	struct node *next;
};

struct node own_node = { 7, NULL };

struct umaple_tree empty_tree = UMAPLE_TREE_INIT;
struct umaple_tree leaf_tree = UMAPLE_TREE_INIT;
struct umaple_tree whole_tree =
	UMAPLE_TREE_INIT_FLAGS(UMAPLE_TREE_EXTERNAL_LOCK | UMAPLE_TREE_MERGE);
struct umaple_tree gap_tree =
	UMAPLE_TREE_INIT_FLAGS(UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL);
struct umaple_tree deep_tree = UMAPLE_TREE_INIT;

struct umaple_cursor fresh_cursor;
struct umaple_cursor at_cursor;
struct umaple_cursor paused_cursor;
struct umaple_cursor stale_cursor;

struct umaple_cache *cache;
struct umaple_sheaf *sheaf;
struct umaple_cache_stats stats; /* of cache */

void stop_here(struct umaple_cursor *cursor);

/* @count ranges of ten indices, ten apart. */
static void fill(struct umaple_tree *tree, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (umaple_store_range(tree, 20 * i, 20 * i + 9,
				       (void *)(uintptr_t)(0x1000 + i)))
			abort();
}

static void fill_leaf(struct umaple_tree *tree)
{
	if (umaple_store_range(tree, 10, 19, &own_node) ||
	    umaple_store_range(tree, 50, 59, UMAPLE_RESERVED))
		abort();
}

static void fill_whole(struct umaple_tree *tree)
{
	if (umaple_store_range(tree, 0, UINT64_MAX, &own_node))
		abort();
}

static void fill_gap(struct umaple_tree *tree)
{
	fill(tree, 20);
}

static void fill_deep(struct umaple_tree *tree)
{
	fill(tree, 3000);
}

static const struct sample {
	const char *name;
	struct umaple_tree *tree;
	void (*fill)(struct umaple_tree *tree);
} samples[] = {
	{ "empty", &empty_tree, NULL },	      { "leaf", &leaf_tree, fill_leaf },
	{ "whole", &whole_tree, fill_whole }, { "gap", &gap_tree, fill_gap },
	{ "deep", &deep_tree, fill_deep },
};

#define NR_SAMPLES (sizeof(samples) / sizeof(samples[0]))

static int print(const char *name)
{
	const struct sample *sample;
	size_t i;

	for (i = 0; i < NR_SAMPLES && strcmp(samples[i].name, name); i++)
		;
	if (i == NR_SAMPLES)
		return 2;
	sample = &samples[i];
	if (sample->fill)
		sample->fill(sample->tree);
	umaple_tree_dump(sample->tree, UMAPLE_DUMP_TEXT, stdout);
	puts("--");
	umaple_tree_dump(sample->tree, UMAPLE_DUMP_JSON, stdout);
	puts("--");
	umaple_tree_dump(sample->tree, UMAPLE_DUMP_DOT, stdout);
	umaple_tree_destroy(sample->tree);
	return ferror(stdout) ? 1 : 0;
}

/* The debugger's breakpoint; the compiler must not see that it does nothing. */
__attribute__((noinline)) void stop_here(struct umaple_cursor *cursor)
{
	__asm__ volatile("" : : "r"(cursor) : "memory");
}

/* One of each, and one whose tree has changed since; in a read-side section. */
static void place_cursors(void)
{
	umaple_cursor_init(&fresh_cursor, &gap_tree, 25, 30);
	umaple_cursor_init(&at_cursor, &gap_tree, 25, 30);
	umaple_cursor_walk(&at_cursor);
	paused_cursor = at_cursor;
	umaple_cursor_pause(&paused_cursor);
	umaple_cursor_init(&stale_cursor, &leaf_tree, 15, 15);
	umaple_cursor_walk(&stale_cursor);
	if (umaple_store(&leaf_tree, 30, &own_node) ||
	    umaple_cursor_prealloc(&fresh_cursor, &own_node))
		abort();
}

/* Objects taken, freed and lent; then nothing changes any more. */
static void place_objects(void)
{
	struct umaple_cache_attr attr = {
		.size = 64,
		.name = "sample",
		.sheaf_capacity = 8,
	};
	void *objects[40];
	size_t i;

	if (umaple_cache_create(&attr, &cache))
		abort();
	for (i = 0; i < 40; i++) {
		objects[i] = umaple_cache_alloc(cache);
		if (!objects[i])
			abort();
	}
	for (i = 0; i < 20; i++)
		umaple_cache_free(cache, objects[i]);
	for (; i < 40; i++)
		umaple_cache_free_rcu(cache, objects[i]);
	umaple_cache_barrier(cache);
	sheaf = umaple_cache_prefill(cache, 8);
	if (!sheaf || !umaple_cache_take(cache, sheaf))
		abort();
	umaple_cache_stats_get(cache, &stats);
}

/* A cursor on the stack, as they are. */
static void walk_and_stop(void)
{
	struct umaple_cursor cursor;

	umaple_cursor_init(&cursor, &leaf_tree, 12, 12);
	umaple_cursor_walk(&cursor);
	stop_here(&cursor);
}

static int show(const char *file)
{
	FILE *stream = fopen(file, "w");
	size_t i;

	if (!stream)
		return 1;
	for (i = 0; i < NR_SAMPLES; i++)
		if (samples[i].fill)
			samples[i].fill(samples[i].tree);
	umaple_tree_dump(&deep_tree, UMAPLE_DUMP_TEXT, stream);
	fclose(stream);
	place_objects();
	umaple_read_lock(&leaf_tree);
	place_cursors();
	walk_and_stop();
	umaple_cursor_finish(&fresh_cursor);
	umaple_read_unlock(&leaf_tree);
	umaple_cache_return(cache, sheaf);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "dump"))
		return print(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "show"))
		return show(argv[2]);
	return 2;
}
