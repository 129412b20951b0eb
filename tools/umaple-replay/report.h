/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * report.h - what is printed: a table for people, JSON Lines for scripts, and
 * how far we are for who waits.
 */

#ifndef REPLAY_REPORT_H
#define REPLAY_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

/**
 * struct report - A report being printed.
 * @json:     As JSON Lines, not as a table.
 * @progress: Standard error is a terminal: say how far we are.
 * @traces:   Traces to come, and
 * @done:     those reported.
 * @calls:    Their calls,
 * @wrong:    and wrong answers.
 */
struct report {
	bool json;
	bool progress;
	size_t traces;
	size_t done;
	uint64_t calls;
	uint64_t wrong;
};

void report_start(struct report *r, bool json, size_t traces);

/* A trace is about to be replayed. */
void report_next(struct report *r, const char *name);

void report_result(struct report *r, const struct result *result);

void report_end(struct report *r);

#endif /* REPLAY_REPORT_H */
