/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * torture/readers.h - what a reader does beside a writer, and how it judges it.
 *
 * Each round is one read-side section, in which one kind of reading is done many
 * times; what is found is judged by support/aged.h.
 */

#ifndef TORTURE_READERS_H
#define TORTURE_READERS_H

#include "aged.h"
#include "harness.h"

struct reader {
	struct aged_field *field;
	struct umaple_cache *cache; /* for copies of the tree */
	struct rng rng;
	struct aged_held held; /* found in this round */
};

/* One round of a kind drawn at random. */
void read_round(struct reader *reader);

#endif /* TORTURE_READERS_H */
