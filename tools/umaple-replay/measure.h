/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * measure.h - replay a trace as often as asked, and say what it took.
 */

#ifndef REPLAY_MEASURE_H
#define REPLAY_MEASURE_H

#include <stdbool.h>

#include "replay.h"
#include "trace.h"

/**
 * struct measure_how - How to go about it.
 * @flags:    Of the tree.
 * @complain: Name wrong answers on standard error.
 * @seconds:  Repeat until so many have passed.
 */
struct measure_how {
	unsigned int flags;
	bool complain;
	double seconds;
};

/**
 * struct result - What came of a trace.
 * @trace:           The trace's name, which is the trace's.
 * @tally:           The counts; of the replay with the most wrong answers.
 * @bytes_per_range: Bytes of nodes for each range, at the peak.
 * @ns_per_call:     Median of the replays after the first.
 */
struct result {
	const char *trace;
	struct tally tally;
	double bytes_per_range;
	double ns_per_call;
};

/* 0; -ENOMEM. */
int measure_trace(const struct trace *t, const struct measure_how *how,
		  struct result *ret_result);

/* Wrong answers of all kinds. */
uint64_t tally_wrong(const struct tally *tally);

#endif /* REPLAY_MEASURE_H */
