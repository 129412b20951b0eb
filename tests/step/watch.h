/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * step/watch.h - look at a tree whose writer stands still in the middle of a
 * write, in every way a reader can.
 *
 * Role:  Two states are right, the one before the write and the one after it, and
 *        the tree goes from one to the other at one instruction:
 *        - loads, one by one and many at once, give one of the two states, whole,
 *          and never the old one again after the new one was seen;
 *        - whoever starts at the root, up or down, finds the same state;
 *        - nobody who starts at the root meets a node that is marked dead;
 *        - a cursor that has stood in the tree since before the write finds the
 *          old neighbour or the new one, the new one not too early, and in the
 *          end the new one;
 *        - a cursor that takes a step after each instruction, whether it keeps its
 *          nodes or pauses, goes in order and meets each index once.
 * Locks: the caller is in a read-side section of the tree from watch_start() on.
 */

#ifndef STEP_WATCH_H
#define STEP_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <umaple/cursor.h>
#include <umaple/tree.h>

#include "model.h"

/* One state: the slots cover all indices, in order; a hole is a slot. */
struct watch_state {
	const struct model *model;
	struct umaple_range *slots;
	size_t nr_slots;
	void **entries; /* one for each probe */
};

struct watch_cursor {
	struct umaple_cursor cursor;
	bool up;
	bool pauses;
	bool seen_new;
};

#define WATCH_WALKERS 4

struct watch {
	struct umaple_tree *tree;
	struct watch_state before;
	struct watch_state after;
	struct watch_state *now; /* what loads see */
	bool same_entries;	 /* no load can tell the two apart */
	bool finished;
	uint64_t *probes; /* indices that are loaded: in effect all */
	void **loaded;
	size_t nr_probes;
	struct watch_cursor *standers;
	size_t nr_standers;
	struct watch_cursor walkers[WATCH_WALKERS];
	unsigned long turn; /* instructions so far */
};

/*
 * Get ready, before the write: all indices below @dense are looked at one by one,
 * those above by the ends of ranges.  [@first, @last]: where standing cursors
 * stand closely.
 */
void watch_start(struct watch *watch, struct umaple_tree *tree,
		 const struct model *before, const struct model *after,
		 uint64_t dense, uint64_t first, uint64_t last);

/* Look; any answer that is wrong fails the test. */
void watch_look(struct watch *watch, bool finished);

void watch_stop(struct watch *watch);

#endif /* STEP_WATCH_H */
