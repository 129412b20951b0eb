/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * spy.h - what the tree asks of its cache, counted, and refused on demand; and
 * how often it starts again at its root.
 *
 * The linker puts the functions of spy.c in between (--wrap), so this works with
 * any cache and in every build.  Counts are those of the calling thread since its
 * last spy_reset().
 */

#ifndef TESTS_UNIT_TREE_SPY_H
#define TESTS_UNIT_TREE_SPY_H

#include <stdbool.h>
#include <stddef.h>

struct umaple_cache;

struct spy {
	unsigned long allocated; /* nodes by umaple_cache_alloc() */
	unsigned long prefills;	 /* sheaves borrowed */
	size_t promised;	 /* nodes asked for in the last of them */
	unsigned long taken;	 /* nodes from borrowed sheaves */
	unsigned long returns;	 /* sheaves given back */
	unsigned long freed;	 /* nodes given back at once */
	unsigned long deferred;	 /* nodes given back after a grace period */
	unsigned long throttles;
	unsigned long walks; /* umaple_path_walk(): from the root to a leaf */
	long refuse; /* allocations until one is refused; negative: none is */
	/* Told of each before the cache is: a node, or a call that may wait. */
	void (*on_free)(void *node, bool deferred);
	void (*on_throttle)(void);
	/* Called after each umaple_cursor_find() of another file than cursor.c. */
	void (*on_find)(void);
};

extern _Thread_local struct spy spy;

/* Count from zero, refuse nothing, tell nobody. */
void spy_reset(void);

/* Nodes that came, and nodes that went. */
unsigned long spy_came(void);
unsigned long spy_went(void);

#endif /* TESTS_UNIT_TREE_SPY_H */
