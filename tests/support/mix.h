/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/mix.h - random writes to a twin, in phases.
 *
 * A tree that only ever sees one mix of operations stays in one shape.  So the
 * mix changes every so often: it grows, shrinks to nothing, is overwritten in
 * wide spans, is appended to, grows downwards, alternates entry and hole, loses
 * its ends or all of it.
 */

#ifndef TESTS_MIX_H
#define TESTS_MIX_H

#include "keys.h"
#include "twin.h"

struct mix {
	struct keys keys;
	struct rng *rng;
	unsigned int phase;
	unsigned long left; /* writes until the phase changes */
	unsigned long length;
	uint64_t edge; /* the cell where appends go on */
};

/* A range that was written. */
struct mix_write {
	uint64_t first;
	uint64_t last;
};

/* @length: writes per phase; about as many as make the tree full. */
void mix_init(struct mix *mix, struct keys keys, unsigned long length,
	      struct rng *rng);

/* Do the next write to both; fails the test if their answers differ. */
struct mix_write mix_step(struct mix *mix, struct twin *twin);

#endif /* TESTS_MIX_H */
