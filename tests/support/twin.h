/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/twin.h - a tree and its model, changed together.
 *
 * Role:  Tests write through the functions below: each does the same to both
 *        and fails the test when the answers differ.  The last operation is
 *        kept as text, for the message.  A mirrored twin does it at the other
 *        end of the key space: up is down, the lowest gap is the highest.
 * Locks: none is held between calls.  A tree with an external lock has a
 *        pretended one: twins belong to one thread.
 */

#ifndef TESTS_TWIN_H
#define TESTS_TWIN_H

#include <umaple/cache.h>
#include <umaple/cursor.h>
#include <umaple/tree.h>

#include "model.h"

/*
 * The library checks a whole tree after each write when it is built so: big
 * trees must then stay small.
 */
#if UMAPLE_ASSERT_LEVEL >= 3
#define TWIN_BIG(count) ((count) / 16)
#else
#define TWIN_BIG(count) (count)
#endif

struct twin {
	struct umaple_tree tree;
	unsigned int flags;
	struct umaple_cache *cache; /* its own, so that leaks are seen */
	struct model model;
	bool mirrored;	    /* index i is UINT64_MAX - i in both, from now on */
	unsigned long step; /* writes so far */
	char what[160];	    /* the last of them */
};

/* Combinations of flags that tests go through; flags with gaps come last. */
extern const unsigned int twin_flags[];
#define TWIN_FLAGS	6 /* entries of twin_flags */
#define TWIN_FLAGS_GAPS 3 /* the first of them with gaps */

void twin_init(struct twin *twin, unsigned int flags);
/*
 * Ranges of 8 in the middle of the key space, in both, so that the tree has this
 * height; it is empty now.  The highest index (of the mirrored ones, where they are)
 * below them.
 */
uint64_t twin_crowd(struct twin *twin, uint64_t height);
/* Destroy both; fails if a node does not come back. */
void twin_fini(struct twin *twin);

void twin_store(struct twin *twin, uint64_t first, uint64_t last, void *entry);
void twin_insert(struct twin *twin, uint64_t first, uint64_t last, void *entry);
void twin_erase(struct twin *twin, uint64_t index);
/* Empty both. */
void twin_clear(struct twin *twin);

/* Compare one answer. */
void twin_load(struct twin *twin, uint64_t index);
void twin_find(struct twin *twin, uint64_t index, uint64_t max);
void twin_find_rev(struct twin *twin, uint64_t index, uint64_t min);
void twin_next(struct twin *twin, uint64_t index, uint64_t max);
void twin_prev(struct twin *twin, uint64_t index, uint64_t min);
void twin_gap_first(struct twin *twin, uint64_t size, uint64_t align,
		    uint64_t min, uint64_t max);
void twin_gap_last(struct twin *twin, uint64_t size, uint64_t align,
		   uint64_t min, uint64_t max);

/* Loads at both sides of both ends of a range. */
void twin_compare_ends(struct twin *twin, uint64_t first, uint64_t last);
/* Invariants, and the number of ranges and holes. */
void twin_check(struct twin *twin);
/* The same, and each range and hole in order. */
void twin_compare(struct twin *twin);

/* The tree's lock, unless it is external. */
void twin_lock(struct twin *twin);
void twin_unlock(struct twin *twin);

#endif /* TESTS_TWIN_H */
