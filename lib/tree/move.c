/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/move.c - move a range, with all entries in it, as one step.
 *
 * A draft is written while the original, which does not change, says what there
 * was: so the two places may overlap, and a failure half way leaves no trace.
 *
 * Locks: the tree's lock is taken unless it is the caller's.
 */

#include <errno.h>
#include <string.h>

#include <umaple/debug.h>

#include "tree/tree_priv.h"

struct move {
	uint64_t first;
	uint64_t last;
	uint64_t to;
};

static uint64_t move_to_last(const struct move *move)
{
	return move->to + (move->last - move->first);
}

/* The part of a range that lies in [@first, @last]; they meet. */
static struct umaple_range clip(const struct umaple_cursor *at, uint64_t first,
				uint64_t last)
{
	return (struct umaple_range){
		.first = at->index > first ? at->index : first,
		.last = at->last < last ? at->last : last,
	};
}

/* Both places are emptied, then each range is stored at its new place. */
static int move_write(struct draft *draft, const struct move *move)
{
	struct umaple_tree *tree = &draft->tree;
	struct umaple_cursor cursor;
	struct umaple_range part;
	void *entry;
	int err;

	err = umaple_tree_write(tree, NULL, move->first, move->last, NULL);
	if (!err)
		err = umaple_tree_write(tree, NULL, move->to,
					move_to_last(move), NULL);
	umaple_cursor_init(&cursor, draft->original, move->first, move->first);
	while (!err && (entry = umaple_cursor_find(&cursor, move->last))) {
		part = clip(&cursor, move->first, move->last);
		err = umaple_tree_write(tree, NULL,
					part.first - move->first + move->to,
					part.last - move->first + move->to,
					entry);
	}
	return err;
}

/* -- what owners are told --------------------------------------------------------- */

struct interval {
	uint64_t first;
	uint64_t last;
};

/*
 * What a move does to the ranges there were: the indices that are written (the
 * old place and the new one; one interval where they meet, else two in order), and
 * those of the new place that did not move away themselves.
 *
 * In a tree that merges, what lay before or after the new place may have become
 * one with what came there: then the index beside the new place is @joined, and
 * what is looked at reaches up to it.
 */
struct touched {
	struct umaple_tree *tree;
	struct interval source;
	struct interval lost;
	struct interval written[2];
	struct interval looked_at[2];
	unsigned int nr;
	struct interval joined[2];
	unsigned int nr_joined;
};

static bool meets(const struct umaple_cursor *range,
		  const struct interval *part)
{
	return range->index <= part->last && range->last >= part->first;
}

static void touched_by(struct touched *touched, const struct move *move)
{
	struct interval source = { move->first, move->last };
	struct interval target = { move->to, move_to_last(move) };
	struct interval low = source, high = target;

	if (target.first < source.first) {
		low = target;
		high = source;
	}
	touched->source = source;
	touched->written[0] = low;
	touched->written[1] = high;
	touched->nr = 2;
	touched->lost = target;
	if (high.first > low.last)
		return;
	touched->written[0].last = high.last;
	touched->nr = 1;
	if (target.first < source.first)
		touched->lost.last = source.first - 1;
	else
		touched->lost.first = source.last + 1;
}

static void add_joined(struct touched *touched, uint64_t index)
{
	touched->joined[touched->nr_joined++] =
		(struct interval){ index, index };
}

/* Does a range of the new tree reach out of the new place? */
static void joined_by(struct touched *touched, const struct move *move)
{
	struct interval *low = &touched->looked_at[0];
	struct interval *high = &touched->looked_at[touched->nr - 1];
	struct umaple_cursor cursor;

	umaple_cursor_init(&cursor, touched->tree, move->to, move->to);
	if (umaple_cursor_walk(&cursor) && cursor.index < move->to) {
		add_joined(touched, move->to - 1);
		(low->first == move->to ? low : high)->first--;
	}
	umaple_cursor_set(&cursor, move_to_last(move));
	if (umaple_cursor_walk(&cursor) && cursor.last > move_to_last(move)) {
		add_joined(touched, move_to_last(move) + 1);
		(high->last == move_to_last(move) ? high : low)->last++;
	}
}

/* At how many ends of the new place has a range become part of another? */
static unsigned int count_joined(const struct touched *touched,
				 const struct umaple_cursor *range)
{
	unsigned int joined = 0, i;

	for (i = 0; i < touched->nr_joined; i++)
		joined += meets(range, &touched->joined[i]);
	return joined;
}

/* Pieces that are left of a range: what was not written, and what moved. */
static unsigned int count_pieces(const struct touched *touched,
				 const struct umaple_cursor *range)
{
	unsigned int left = meets(range, &touched->source), i;
	uint64_t next = range->index;

	for (i = 0; i < touched->nr; i++) {
		if (!meets(range, &touched->written[i]))
			continue;
		left += touched->written[i].first > next;
		if (touched->written[i].last >= range->last)
			return left;
		next = touched->written[i].last + 1;
	}
	return left + 1;
}

static void tell_one(const struct touched *touched,
		     const struct umaple_cursor *range, void *entry)
{
	bool lost = meets(range, &touched->lost);
	unsigned int joined = count_joined(touched, range);
	struct interval part = { range->index, range->last };
	struct umaple_displaced what = { .entry = entry };
	struct umaple_range clipped;

	if (lost)
		part = touched->lost;
	else if (meets(range, &touched->source))
		part = touched->source;
	clipped = clip(range, part.first, part.last);
	what.first = clipped.first;
	what.last = clipped.last;
	what.remaining = count_pieces(touched, range) - joined;
	if (entry != reserved_entry() &&
	    (lost || joined || what.remaining != 1))
		umaple_displaced_tell(touched->tree, &what);
}

/*
 * Each range of the tree before that is touched, once.  @old is published over, but
 * its nodes are not yet retired.
 */
static void tell_displaced(struct umaple_tree *tree, struct umaple_tree *old,
			   const struct move *move)
{
	struct touched touched = { .tree = tree };
	const struct interval *part;
	struct umaple_cursor cursor;
	unsigned int i;
	void *entry;

	touched_by(&touched, move);
	memcpy(touched.looked_at, touched.written, sizeof(touched.written));
	if (tree_merges(tree))
		joined_by(&touched, move);
	for (i = 0; i < touched.nr; i++) {
		part = &touched.looked_at[i];
		umaple_cursor_init(&cursor, old, part->first, part->first);
		umaple_cursor_for_each(&cursor, entry, part->last)
			if (!i || !meets(&cursor, &touched.looked_at[0]))
				tell_one(&touched, &cursor, entry);
	}
}

static int move_locked(struct umaple_tree *tree, const struct move *move)
{
	struct umaple_tree old = {
		.root_ = tree_root(tree),
		.cache_ = tree_cache(tree),
		.flags_ = tree->flags_ | UMAPLE_TREE_SERIAL,
	};
	struct draft draft;
	int err;

	if (!tree_root(tree) || move->to == move->first)
		return 0;
	umaple_draft_begin(&draft, tree);
	err = move_write(&draft, move);
	if (err) {
		umaple_draft_drop(&draft);
		return err;
	}
	err = umaple_draft_publish(&draft);
	if (err)
		return err;
	if (tree->displaced_)
		tell_displaced(tree, &old, move);
	umaple_draft_retire_all(&draft);
	UMAPLE_ASSERT_FULL(!umaple_tree_check(tree, NULL, 0));
	return 0;
}

int umaple_move_range(struct umaple_tree *tree, uint64_t first, uint64_t last,
		      uint64_t to)
{
	struct move move = { first, last, to };
	int err;

	if (first > last || move_to_last(&move) < to)
		return -EINVAL;
	umaple_tree_enter(tree);
	err = move_locked(tree, &move);
	umaple_tree_leave(tree);
	return err;
}
