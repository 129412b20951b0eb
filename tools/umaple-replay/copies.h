/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * copies.h - copies of a space, as a fork makes them: equal when they are made,
 * independent ever after.
 *
 * A copy made by umaple_tree_dup() is compared with its parent at once, and then
 * gets a struct vma of its own for each range: a write to each slot, which the
 * parent must not notice.  While the parent goes on, the copy must stay what it
 * was, and when it goes, the parent must not notice that either.
 */

#ifndef REPLAY_COPIES_H
#define REPLAY_COPIES_H

#include "space.h"

/* Copies kept at a time: the oldest goes when there is one more. */
#define COPIES_MOST 8

/**
 * struct copies - The copies of one space that are kept.
 * @copy:   A ring of the copies.
 * @digest: What each was when it was made.
 * @oldest: Where the oldest is.
 * @count:  How many there are.
 */
struct copies {
	struct space copy[COPIES_MOST];
	uint64_t digest[COPIES_MOST];
	unsigned int oldest;
	unsigned int count;
};

/*
 * Copy @parent, whose tree has the flags given.  0; -EUCLEAN if the copy is not
 * equal, or this or an older one not independent; -ENOMEM.
 */
int copies_add(struct copies *c, struct space *parent, unsigned int flags);

/* Let all go.  0; -EUCLEAN if one was not independent of @parent. */
int copies_drop(struct copies *c, struct space *parent);

#endif /* REPLAY_COPIES_H */
