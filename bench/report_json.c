/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/report_json.c - a report as one JSON object on one line.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <umaple/version.h>

#include "machine.h"
#include "report.h"

static void print_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

/* Field @name, after a comma; whole numbers keep all their digits. */
static void print_number(const char *name, double value)
{
	if (isnan(value))
		return;
	printf(",\"%s\":", name);
	if (value == floor(value) && fabs(value) < 1e15)
		printf("%.0f", value);
	else
		printf("%.6g", value);
}

static void print_optional(const char *name, double value)
{
	print_number(name, value > 0 ? value : NAN);
}

static void print_row(const struct report_row *row)
{
	printf("{\"name\":");
	print_string(row->name);
	printf(",\"impl\":");
	print_string(row->impl);
	print_optional("n", (double)row->n);
	print_optional("threads", row->threads);
	print_optional("ns_per_op", row->ns_per_op);
	print_optional("ops_per_s", row->ops_per_s);
	print_optional("bytes_per_range", row->bytes_per_range);
	print_optional("peak_bytes", (double)row->peak_bytes);
	print_optional("spread", row->spread);
	putchar('}');
}

static void print_table(const struct report_table *table)
{
	printf("{\"name\":");
	print_string(table->name);
	printf(",\"rows\":[");
	for (size_t i = 0; i < table->nr_metrics; i++) {
		printf("%s{\"metric\":", i ? "," : "");
		print_string(table->metrics[i].name);
		print_number("before", table->metrics[i].before);
		print_number("after", table->metrics[i].after);
		putchar('}');
	}
	printf("]}");
}

static void print_identity(const struct report_identity *identity)
{
	printf("{\"name\":");
	print_string(identity->name);
	printf(",\"holds\":%s", identity->holds ? "true" : "false");
	print_number("left", identity->left);
	print_number("right", identity->right);
	putchar('}');
}

static void print_machine(void)
{
	struct machine machine;

	machine_describe(&machine);
	printf(",\"machine\":{\"cpu\":");
	print_string(machine.cpu);
	printf(",\"cpus\":%ld,\"system\":", machine.cpus);
	print_string(machine.system);
	printf(",\"compiler\":");
	print_string(machine.compiler);
	putchar('}');
}

void report_print_json(const struct report *report)
{
	unsigned int v = umaple_version();

	printf("{\"tool\":\"umaple-bench\",\"version\":\"%u.%u.%u\",\"command\":",
	       v / 10000, v / 100 % 100, v % 100);
	print_string(report->command);
	print_machine();
	if (report->nr_rows)
		printf(",\"rows\":[");
	for (size_t i = 0; i < report->nr_rows; i++) {
		printf("%s", i ? "," : "");
		print_row(&report->rows[i]);
	}
	if (report->nr_rows)
		printf("]");
	if (report->nr_tables)
		printf(",\"tables\":[");
	for (size_t i = 0; i < report->nr_tables; i++) {
		printf("%s", i ? "," : "");
		print_table(&report->tables[i]);
	}
	if (report->nr_tables)
		printf("]");
	if (report->nr_identities)
		printf(",\"identities\":[");
	for (size_t i = 0; i < report->nr_identities; i++) {
		printf("%s", i ? "," : "");
		print_identity(&report->identities[i]);
	}
	if (report->nr_identities)
		printf("]");
	printf("}\n");
}
