/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report_init(struct report *report, const char *command)
{
	*report = (struct report){ .command = command };
}

void report_fini(struct report *report)
{
	for (size_t i = 0; i < report->nr_tables; i++)
		free(report->tables[i].metrics);
	free(report->tables);
	free(report->rows);
	free(report->identities);
}

/* Room for one more element; arrays here are short. */
static void *grow(void *array, size_t count, size_t size)
{
	void *more = realloc(array, (count + 1) * size);

	if (!more)
		abort();
	memset((char *)more + count * size, 0, size);
	return more;
}

static void set_name(char *to, const char *name)
{
	snprintf(to, REPORT_NAME, "%s", name);
}

struct report_row *report_add_row(struct report *report, const char *name,
				  const char *impl)
{
	struct report_row *row;

	report->rows = grow(report->rows, report->nr_rows, sizeof(*row));
	row = &report->rows[report->nr_rows++];
	set_name(row->name, name);
	set_name(row->impl, impl);
	return row;
}

struct report_table *report_add_table(struct report *report, const char *name)
{
	struct report_table *table;

	report->tables =
		grow(report->tables, report->nr_tables, sizeof(*table));
	table = &report->tables[report->nr_tables++];
	set_name(table->name, name);
	return table;
}

void report_add_metric(struct report_table *table, const char *name,
		       double before, double after)
{
	struct report_metric *metric;

	table->metrics =
		grow(table->metrics, table->nr_metrics, sizeof(*metric));
	metric = &table->metrics[table->nr_metrics++];
	set_name(metric->name, name);
	metric->before = before;
	metric->after = after;
}

void report_add_identity(struct report *report, const char *name, double left,
			 double right, double tolerance)
{
	struct report_identity *identity;

	report->identities = grow(report->identities, report->nr_identities,
				  sizeof(*identity));
	identity = &report->identities[report->nr_identities++];
	set_name(identity->name, name);
	identity->left = left;
	identity->right = right;
	identity->holds = fabs(left - right) <= tolerance;
}

bool report_is_right(const struct report *report)
{
	for (size_t i = 0; i < report->nr_identities; i++) {
		if (!report->identities[i].holds)
			return false;
	}
	return true;
}

/* A whole number without decimals, another with two; nothing if absent. */
static void print_cell(double value, int width)
{
	if (isnan(value))
		printf(" %*s", width, "");
	else if (value == floor(value))
		printf(" %*.0f", width, value);
	else
		printf(" %*.2f", width, value);
}

static void print_optional(double value, int width)
{
	print_cell(value > 0 ? value : NAN, width);
}

static void print_rows(const struct report *report)
{
	if (!report->nr_rows)
		return;
	printf("%-14s %-8s %10s %4s %11s %12s %9s %12s %7s\n", "name", "impl",
	       "n", "thr", "ns/op", "ops/s", "B/range", "peak bytes", "spread");
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct report_row *row = &report->rows[i];

		printf("%-14s %-8s", row->name, row->impl);
		print_optional((double)row->n, 10);
		print_optional(row->threads, 4);
		print_optional(row->ns_per_op, 11);
		print_optional(round(row->ops_per_s), 12);
		print_optional(row->bytes_per_range, 9);
		print_optional((double)row->peak_bytes, 12);
		if (row->spread > 0)
			printf(" %6.1f%%", row->spread * 100);
		printf("\n");
	}
}

static bool has_before(const struct report_table *table)
{
	for (size_t i = 0; i < table->nr_metrics; i++) {
		if (!isnan(table->metrics[i].before))
			return true;
	}
	return false;
}

static void print_table(const struct report_table *table)
{
	bool both = has_before(table);

	printf("\n%-28s", table->name);
	if (both)
		printf(" %16s %16s", "before", "after");
	printf("\n");
	for (size_t i = 0; i < table->nr_metrics; i++) {
		printf("  %-26s", table->metrics[i].name);
		if (both)
			print_cell(table->metrics[i].before, 16);
		print_cell(table->metrics[i].after, 16);
		printf("\n");
	}
}

static void print_identities(const struct report *report)
{
	if (report->nr_identities)
		printf("\n");
	for (size_t i = 0; i < report->nr_identities; i++) {
		const struct report_identity *identity = &report->identities[i];

		printf("%-5s %-46s %.0f = %.0f\n",
		       identity->holds ? "holds" : "WRONG", identity->name,
		       identity->left, identity->right);
	}
}

void report_print_text(const struct report *report)
{
	print_rows(report);
	for (size_t i = 0; i < report->nr_tables; i++)
		print_table(&report->tables[i]);
	print_identities(report);
}
