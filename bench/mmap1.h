/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/mmap1.h - the traffic of will-it-scale mmap1 in the node cache.
 *
 * Each task maps 128 MiB and unmaps it, for ever.  In a kernel's node cache one
 * such iteration is two prefills, two returns, five nodes taken and five freed
 * after a grace period.  Every task has its own tree; all share one node cache.
 */

#ifndef BENCH_MMAP1_H
#define BENCH_MMAP1_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <umaple/cache.h>

#include "options.h"
#include "report.h"

/* One iteration, by the published counters. */
#define MMAP1_PREFILLS 2
#define MMAP1_NODES    5

struct mmap1_task {
	struct umaple_cache *cache;
	unsigned int number;
	void *state;	     /* the level's */
	uint64_t iterations; /* done */
	uint64_t wrong;	     /* answers */
	pthread_t thread;
};

/* What a task does.  The functions return 0, or -ENOMEM. */
struct mmap1_level {
	const char *name;
	uint64_t ranges; /* live in each task; 0: there is no tree */
	int (*start)(struct mmap1_task *task);
	int (*iterate)(struct mmap1_task *task);
	/* Give everything back; counts what is wrong in the end. */
	void (*end)(struct mmap1_task *task);
};

/* The arithmetic of the traffic, without a tree. */
extern const struct mmap1_level mmap1_cache_level;
/* A tree per task: find a hole top-down, store; find it again, erase. */
extern const struct mmap1_level mmap1_tree_level;

void mmap1_run(const struct options *options, struct report *report);

/* Tables and identities of a run at rest: bench/mmap1_figures.c. */
struct mmap1_run_facts {
	const struct mmap1_level *level;
	struct umaple_cache_stats stats;
	uint64_t objects_before; /* used when counting began */
	uint64_t iterations;
	double seconds;
	unsigned int threads;
};

void mmap1_report_figures(const struct mmap1_run_facts *facts,
			  struct report *report);

#endif /* BENCH_MMAP1_H */
