/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "stats.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void stats_add(struct stats *stats, double sample)
{
	if (stats->count < STATS_MAX_SAMPLES)
		stats->samples[stats->count++] = sample;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The sample at @part of the sorted ones, between two where it falls there. */
static double quantile(const struct stats *stats, double part)
{
	double sorted[STATS_MAX_SAMPLES];
	double place = part * (double)(stats->count - 1);
	size_t below = (size_t)place;

	memcpy(sorted, stats->samples, stats->count * sizeof(sorted[0]));
	qsort(sorted, stats->count, sizeof(sorted[0]), compare);
	if (below + 1 >= stats->count)
		return sorted[stats->count - 1];
	return sorted[below] +
	       (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_median(const struct stats *stats)
{
	return stats->count ? quantile(stats, 0.5) : 0;
}

double stats_spread(const struct stats *stats)
{
	double median = stats_median(stats);

	if (median <= 0)
		return 0;
	return (quantile(stats, 0.75) - quantile(stats, 0.25)) / median;
}

double stats_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
