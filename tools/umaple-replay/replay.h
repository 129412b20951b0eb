/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * replay.h - go through a trace once, and check every answer the kernel gave.
 */

#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "trace.h"

/**
 * struct tally - What one replay counted.
 * @calls:            Calls, failed ones included.
 * @checks:           Lists compared, the final one included.
 * @checks_wrong:     Of these, wrong.  A damaged tree, or a fork whose copy is
 *                    not equal or not independent, counts as one more, wrong.
 * @final_wrong:      1 if the final list is wrong.
 * @placements:       Addresses that the placement rule predicts.
 * @placements_wrong: Of these, elsewhere.
 * @coverage:         Calls whose result says that a range is free, covered, or
 *                    neither.
 * @coverage_wrong:   Of these, wrong.  A call that succeeded on a range that is
 *                    not there counts as one more, wrong.
 * @lookups:          Page faults looked up.
 * @lookups_wrong:    Not in a range, or on page 0 in one.
 * @max_live:         Most ranges at a time.
 * @peak:             Steps done when there first were so many.
 * @nodes:            Nodes of the tree then, if asked for.
 * @bytes:            Bytes of these nodes.
 * @ns:               Time spent in calls: not in comparing lists, copying at
 *                    forks, looking up faults.
 */
struct tally {
	uint64_t calls;
	uint64_t checks;
	uint64_t checks_wrong;
	uint64_t final_wrong;
	uint64_t placements;
	uint64_t placements_wrong;
	uint64_t coverage;
	uint64_t coverage_wrong;
	uint64_t lookups;
	uint64_t lookups_wrong;
	uint64_t max_live;
	size_t peak;
	uint64_t nodes;
	uint64_t bytes;
	uint64_t ns;
};

/**
 * struct replay_how - How to go through it.
 * @flags:    Of the tree.
 * @complain: Name each wrong answer on standard error, up to a limit.
 * @measure:  Measure the tree after @peak steps.
 * @peak:     When; from an earlier replay.
 */
struct replay_how {
	unsigned int flags;
	bool complain;
	bool measure;
	size_t peak;
};

/* 0; -ENOMEM. */
int replay_trace(const struct trace *t, const struct replay_how *how,
		 struct tally *ret_tally);

#endif /* REPLAY_REPLAY_H */
