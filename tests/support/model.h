/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/model.h - what a tree must answer, the slow way.
 *
 * Role:  The oracle of the tests: a plain array of ranges in order, read and
 *        changed by loops that can be checked by eye.  tests/model/test_model.c
 *        compares it with something plainer still, one cell per index.
 * Locks: none; one thread at a time.
 */

#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <umaple/tree.h>

/* Ranges with an entry, in order, none overlapping.  Zero is an empty model. */
struct model {
	struct umaple_range *ranges; /* ranges[0..count) */
	size_t count;
	size_t room;
};

/* A cursor by the rules of umaple/cursor.h. */
struct model_cursor {
	uint64_t index;
	uint64_t last;
	bool fresh;
};

void model_free(struct model *model);
void model_copy(struct model *to, const struct model *from);

/* Reads; as the functions of umaple/tree.h with the same names. */
void *model_load(const struct model *model, uint64_t index);
void *model_find(const struct model *model, uint64_t index, uint64_t max,
		 struct umaple_range *ret);
void *model_find_rev(const struct model *model, uint64_t index, uint64_t min,
		     struct umaple_range *ret);
void *model_next(const struct model *model, uint64_t index, uint64_t max,
		 struct umaple_range *ret);
void *model_prev(const struct model *model, uint64_t index, uint64_t min,
		 struct umaple_range *ret);
/* The range at @index, or the hole there with a %NULL entry. */
struct umaple_range model_at(const struct model *model, uint64_t index);
/* Maximal ranges without an entry. */
size_t model_holes(const struct model *model);

/* Writes; never fail for want of memory. */
void model_store_range(struct model *model, uint64_t first, uint64_t last,
		       void *entry);
int model_insert_range(struct model *model, uint64_t first, uint64_t last,
		       void *entry);
struct umaple_range model_erase(struct model *model, uint64_t index);
/* Neighbours with the same entry become one with what is stored. */
void model_store_merge(struct model *model, uint64_t first, uint64_t last,
		       void *entry);
/* The new place does not end above UINT64_MAX. */
void model_move_range(struct model *model, uint64_t first, uint64_t last,
		      uint64_t to);

/* Every hole is looked at, in order. */
int model_gap_first(const struct model *model, uint64_t size, uint64_t align,
		    uint64_t min, uint64_t max, uint64_t *ret_first);
int model_gap_last(const struct model *model, uint64_t size, uint64_t align,
		   uint64_t min, uint64_t max, uint64_t *ret_first);

/* The moves of a cursor; each returns the entry it is on, or %NULL. */
void *model_cursor_walk(const struct model *model, struct model_cursor *cursor);
void *model_cursor_find(const struct model *model, struct model_cursor *cursor,
			uint64_t max);
void *model_cursor_find_rev(const struct model *model,
			    struct model_cursor *cursor, uint64_t min);
void *model_cursor_next(const struct model *model, struct model_cursor *cursor,
			uint64_t max);
void *model_cursor_prev(const struct model *model, struct model_cursor *cursor,
			uint64_t min);

#endif /* TESTS_MODEL_H */
