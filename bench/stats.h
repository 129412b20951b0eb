/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/stats.h - a set of samples, told as two numbers.
 *
 * The median, because a neighbour that wakes up spoils a mean; the spread is
 * the distance between the quartiles as a part of the median.
 */

#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

#define STATS_MAX_SAMPLES 101

struct stats {
	double samples[STATS_MAX_SAMPLES];
	size_t count;
};

/* One more; beyond the most that fit, dropped. */
void stats_add(struct stats *stats, double sample);
double stats_median(const struct stats *stats);
double stats_spread(const struct stats *stats);

/* Seconds on a clock that only goes forward. */
double stats_now(void);

#endif /* BENCH_STATS_H */
