/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/tree.h - the tree beside other ordered maps, operation by operation.
 */

#ifndef BENCH_TREE_H
#define BENCH_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "data.h"
#include "options.h"
#include "peer.h"
#include "report.h"

/* One timing of one row with one implementation. */
struct tree_sample {
	const struct peer *peer;
	const struct data *data;
	void *map;	   /* holds the data, where the row wants it */
	unsigned int turn; /* how many samples went before */
	enum peer_kind kind;
	/* out */
	double seconds;
	uint64_t operations;
	uint64_t checksum; /* must be the same for all implementations */
	uint64_t bytes;	   /* of all nodes when the map is full; or 0 */
};

struct tree_row {
	const char *name;
	enum peer_kind kind;
	bool full; /* works on a map that holds the data from the start */
	void (*take)(struct tree_sample *sample);
};

/* bench/tree_busy.c */
void tree_take_mmap1(struct tree_sample *sample);
void tree_take_reader(struct tree_sample *sample);

/* bench/tree_rows.c */
extern const struct tree_row tree_rows[];
extern const unsigned int tree_nr_rows;
void tree_fill(const struct peer *peer, void *map, const struct data *data);

void tree_run(const struct options *options, struct report *report);

#endif /* BENCH_TREE_H */
