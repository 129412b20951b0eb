/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/aged.h - entries that know how old they are, so that a reader can
 * tell whether it may see them.
 *
 * Role:  A writer owns some cells of a field and writes to them through
 *        aged_write(); readers look at any cell and judge what they got.
 *        Two oracles:
 *        - Age.  An item that is taken out of the tree becomes dead after a
 *          grace period.  A reader that finds a dead one inside a section has
 *          found a bug.  Items of a cache are poisoned instead,
 *          where AddressSanitizer is, and no item may change in a section.
 *        - Version.  Before each write its cells are given the new version as
 *          ceiling, after it as floor.  A reader that takes the floor, looks,
 *          and takes the ceiling must have seen a write between the two.
 * Locks: one thread per writer; none for readers.
 */

#ifndef TESTS_AGED_H
#define TESTS_AGED_H

#include <umaple/cache.h>
#include <umaple/tree.h>

#include "keys.h"
#include "model.h"

enum aged_age {
	AGED_UNUSED,
	AGED_LIVE,     /* in the tree, or on the way */
	AGED_UNLINKED, /* out of the tree; readers may still hold it */
	AGED_DEAD      /* a grace period later: nobody may see it */
};

#define AGED_PIECES 16

/* A place that an item had, and the write that put it there. */
struct aged_piece {
	uint64_t first;
	uint64_t last;
	uint64_t version;
};

/* What the tree maps to.  Atomic where readers look. */
struct aged_item {
	unsigned int age;
	unsigned int nr_pieces; /* more than AGED_PIECES: some are not here */
	uint64_t version; /* of the write that made it; never used again */
	struct aged_piece pieces[AGED_PIECES]; /* every range it ever had */
	unsigned long ranges;		       /* in the tree; the writer's */
	struct aged_item *next;
};

/* One cell: versions of the last write begun and the last one done. */
struct aged_cell {
	uint64_t floor;
	uint64_t ceiling;
	uint64_t emptied; /* of the last NULL write begun */
};

struct aged_field {
	struct umaple_tree *tree;
	struct keys keys;
	struct aged_cell *cells;
	unsigned int failed; /* someone is telling, or has told */
	char text[240];	     /* what */
};

/* Ranges of the model round a write. */
struct aged_list {
	struct umaple_range *ranges;
	size_t count;
};

struct aged_writer {
	struct aged_field *field;
	uint64_t base;	/* its cells are base..base + nr_cells - 1 */
	uint64_t cells; /* how many */
	struct model model;
	struct rng rng;
	uint64_t version;
	struct aged_list old; /* round the write at hand, before it */
	struct aged_list new;

	/* where items come from: a cache, or a pool that knows the dead */
	struct umaple_cache *cache;
	struct aged_item *pool;
	struct aged_item *unused; /* the longest dead first */
	struct aged_item **unused_end;
	struct aged_item *unlinked;
	unsigned long nr_unlinked;
};

void aged_field_init(struct aged_field *field, struct umaple_tree *tree,
		     struct keys keys);
void aged_field_fini(struct aged_field *field);
/* Keep the first failure; later ones are lost. */
void aged_fail(struct aged_field *field, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool aged_has_failed(struct aged_field *field);

/*
 * @from_cache: items come from a cache of the writer's and go by
 * umaple_cache_free_rcu(); else the writer waits for readers itself, and marks
 * items dead.
 */
void aged_writer_init(struct aged_writer *writer, struct aged_field *field,
		      uint64_t base, uint64_t cells, uint64_t seed,
		      bool from_cache);
/* All items go; nobody reads, and the tree is empty. */
void aged_writer_fini(struct aged_writer *writer);
/* Store a fresh item, or NULL with @hole, over its cells @from to @to. */
void aged_write(struct aged_writer *writer, uint64_t from, uint64_t to,
		bool hole);
/* Store the item of the cell before, so that the two ranges become one. */
void aged_merge(struct aged_writer *writer, uint64_t from, uint64_t to);
/* Erase the whole range that a cell is part of. */
void aged_erase(struct aged_writer *writer, uint64_t cell);
/* Move; all cells have the same number of indices. */
void aged_move(struct aged_writer *writer, uint64_t from, uint64_t to,
	       uint64_t target);
/* Empty the tree, and build it anew with every other cell in use. */
void aged_refill(struct aged_writer *writer);

/* Reader's side, all inside a read-side section. */
uint64_t aged_floor(struct aged_field *field, uint64_t cell);
/* Judge what a load of @cell gave, @floor taken before. */
void aged_judge(struct aged_field *field, uint64_t cell, uint64_t floor,
		void *entry);
/* The same item, from then until the end of the section? */
struct aged_held {
	struct aged_item *item;
	uint64_t version;
};
void aged_hold(struct aged_held *held, void *entry);
void aged_judge_held(struct aged_field *field, const struct aged_held *held);
/* Judge a range with its entry; @cut allows one that an iteration shortened. */
void aged_judge_range(struct aged_field *field,
		      const struct umaple_range *range, bool cut);

#endif /* TESTS_AGED_H */
