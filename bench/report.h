/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/report.h - what a command found out, as tables or as one JSON object.
 *
 * Fields that are 0 (or not a number) are absent: they are not printed.
 */

#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_NAME 48

/* A measurement. */
struct report_row {
	char name[REPORT_NAME];
	char impl[REPORT_NAME]; /* "umaple", or the peer's name */
	uint64_t n;
	unsigned int threads;
	double ns_per_op;
	double ops_per_s;
	double bytes_per_range;
	uint64_t peak_bytes;
	double spread;
};

struct report_metric {
	char name[REPORT_NAME];
	double before;
	double after;
};

/* Metrics, as published tables have them. */
struct report_table {
	char name[REPORT_NAME];
	struct report_metric *metrics;
	size_t nr_metrics;
};

/* Two numbers that must agree. */
struct report_identity {
	char name[REPORT_NAME];
	double left;
	double right;
	bool holds;
};

struct report {
	const char *command;
	struct report_row *rows;
	size_t nr_rows;
	struct report_table *tables;
	size_t nr_tables;
	struct report_identity *identities;
	size_t nr_identities;
};

void report_init(struct report *report, const char *command);
void report_fini(struct report *report);

/* A new row, to be filled in; valid until the next. */
struct report_row *report_add_row(struct report *report, const char *name,
				  const char *impl);
/* A new table; valid until the next. */
struct report_table *report_add_table(struct report *report, const char *name);
/* NAN where there is no figure. */
void report_add_metric(struct report_table *table, const char *name,
		       double before, double after);
/* They may differ by @tolerance. */
void report_add_identity(struct report *report, const char *name, double left,
			 double right, double tolerance);

/* Every identity holds. */
bool report_is_right(const struct report *report);

/* To standard output. */
void report_print_text(const struct report *report);
void report_print_json(const struct report *report);

#endif /* BENCH_REPORT_H */
