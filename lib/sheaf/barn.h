/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * sheaf/barn.h - the shared store of full and empty sheaves of one NUMA node, and
 * one that is neither.
 *
 * Role:  Lets CPUs exchange whole sheaves, so that objects freed on one CPU serve
 *        another without a visit to the slabs.  Each function is one lock hold.
 * Above: the cache layer decides what is put and taken, and counts it.
 * Locks: each barn has one, taken and dropped inside each function; nothing is
 *        allocated, freed or waited for under it.
 * Limits are soft by design: @force passes by, and the exchanges that leave the
 * number of sheaves as it was do not ask.
 */

#ifndef SHEAF_BARN_H
#define SHEAF_BARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "sheaf/sheaf.h"

/* Sheaves of each kind.  The published traffic was measured with these. */
enum {
	BARN_MAX_FULL = 10,
	BARN_MAX_EMPTY = 10
};

/* Why the barn gave no empty sheaf for a full one. */
enum umaple_barn_why {
	BARN_FULL = 1,	  /* it has as many full sheaves as it may */
	BARN_NO_EMPTY = 2 /* it has no empty sheaf to give */
};

/**
 * struct umaple_barn - Full and empty sheaves, last in first out.
 * @partial: One with some objects and room for more, or NULL: what is left over
 *           when sheaves that hold too few are exchanged.
 *
 * Everything is guarded by @lock; the two numbers and whether there is a partial
 * sheaf may also be read without it, as hints.  It fills whole cache lines.  All
 * its sheaves have the same capacity.
 *
 * Invariants, checked by umaple_barn_check():
 *        S3  nr_full and nr_empty are the lengths of the lists.
 *        S4  a sheaf of the full list holds at least one object.
 *        S5  a sheaf of the empty list holds none.
 *        S6  no sheaf is listed twice, nor is the partial sheaf.
 *        S7  the partial sheaf is neither full nor empty.
 */
struct umaple_barn {
	uint32_t lock;
	uint32_t nr_full;
	uint32_t nr_empty;
	struct umaple_sheaf *full;
	struct umaple_sheaf *empty;
	struct umaple_sheaf *partial;
} UMAPLE_CACHELINE_ALIGNED;

void umaple_barn_init(struct umaple_barn *barn);

/* The barn is empty by now: umaple_barn_take_all(). */
void umaple_barn_fini(struct umaple_barn *barn);

/* Full or part-filled sheaf in; false when at the limit, unless @force. */
bool umaple_barn_put_full(struct umaple_barn *barn, struct umaple_sheaf *sheaf,
			  bool force);

/* Empty sheaf in; false when at the limit: then the caller deletes it. */
bool umaple_barn_put_empty(struct umaple_barn *barn,
			   struct umaple_sheaf *sheaf);

/* Out: a sheaf with objects, or one without. */
struct umaple_sheaf *umaple_barn_get_full(struct umaple_barn *barn);
struct umaple_sheaf *umaple_barn_get_empty(struct umaple_barn *barn);

/*
 * Allocation: empty sheaf in, sheaf with objects out.  No limit is tested, since
 * the barn holds no more sheaves than before.  %NULL: there is none, and @empty
 * stays the caller's.
 */
struct umaple_sheaf *umaple_barn_empty_for_full(struct umaple_barn *barn,
						struct umaple_sheaf *empty);

/*
 * Free: full sheaf in, empty sheaf out.  %NULL: @full stays the caller's, and
 * @ret_why says why.
 */
struct umaple_sheaf *umaple_barn_full_for_empty(struct umaple_barn *barn,
						struct umaple_sheaf *full,
						enum umaple_barn_why *ret_why);

/*
 * Refill: a sheaf with room in, one with more objects out, which may be the same.
 *   1. If it and the partial sheaf fill one together, the fuller of the two is
 *      filled from the other and comes out; what is left is the partial sheaf, or
 *      an empty one.
 *   2. Else a full sheaf comes out; the partial sheaf takes in the objects of
 *      @sheaf, which becomes an empty one, or @sheaf is the partial sheaf from
 *      now on.
 * No limit is tested, as above.  What comes out is full, but in 2 if the sheaf of
 * the full list was not and both did not fill it; it never holds fewer than @sheaf
 * did.  %NULL: neither is possible, and @sheaf stays the caller's, unchanged.
 */
struct umaple_sheaf *umaple_barn_refill(struct umaple_barn *barn,
					struct umaple_sheaf *sheaf);

/* Every sheaf, linked by next, those with objects first. */
struct umaple_sheaf *umaple_barn_take_all(struct umaple_barn *barn);

/* Hints, old as soon as they are read. */
static inline unsigned int umaple_barn_nr_full(const struct umaple_barn *barn)
{
	return load_relaxed(&barn->nr_full);
}

static inline unsigned int umaple_barn_nr_empty(const struct umaple_barn *barn)
{
	return load_relaxed(&barn->nr_empty);
}

static inline bool umaple_barn_has_partial(const struct umaple_barn *barn)
{
	return load_relaxed(&barn->partial) != NULL;
}

/*
 * 0, or -EUCLEAN and the first violation of S1 to S7 in @text (may be NULL).
 * No other call on @barn is running.
 */
int umaple_barn_check(const struct umaple_barn *barn, char *text, size_t size);

#endif /* SHEAF_BARN_H */
