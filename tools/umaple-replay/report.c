/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * report.c - what is printed: a table for people, JSON Lines for scripts, and
 * how far we are for who waits.
 *
 * The names and the order of the JSON fields are a contract: umaple-replay(1).
 */

#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Length of the UTF-8 sequence at @s, or 0 where there is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t n;
	size_t i;

	if (s[0] < 0x80)
		return 1;
	/* Leads c0, c1 and those past f4 never stand for a character. */
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what is past U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* A name may be any bytes; those that are no text become U+FFFD. */
static void put_json_string(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	putchar('"');
	for (; *s; s += n) {
		n = utf8_length(s);
		if (n == 0) {
			fputs("\\ufffd", stdout);
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			printf("\\%c", *s);
		} else if (*s < ' ') {
			printf("\\u%04x", *s);
		} else {
			fwrite(s, 1, n, stdout);
		}
	}
	putchar('"');
}

static void put_json(const struct result *result)
{
	const struct tally *t = &result->tally;
	const struct {
		const char *name;
		uint64_t value;
	} field[] = {
		{ "calls", t->calls },
		{ "checks", t->checks },
		{ "checks_wrong", t->checks_wrong },
		{ "final_wrong", t->final_wrong },
		{ "placements", t->placements },
		{ "placements_wrong", t->placements_wrong },
		{ "coverage", t->coverage },
		{ "coverage_wrong", t->coverage_wrong },
		{ "lookups", t->lookups },
		{ "lookups_wrong", t->lookups_wrong },
		{ "max_live", t->max_live },
		{ "nodes", t->nodes },
	};
	size_t i;

	fputs("{\"trace\": ", stdout);
	put_json_string(result->trace);
	for (i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		printf(", \"%s\": %" PRIu64, field[i].name, field[i].value);
	printf(", \"bytes_per_range\": %.2f, \"ns_per_call\": %.1f}\n",
	       result->bytes_per_range, result->ns_per_call);
}

static void put_heading(void)
{
	printf("%-20s %7s %7s %6s %7s %7s  %s\n", "", "", "", "", "bytes/",
	       "ns/", "wrong of all:");
	printf("%-20s %7s %7s %6s %7s %7s %9s %11s %11s %11s\n", "trace",
	       "calls", "ranges", "nodes", "range", "call", "lists", "placed",
	       "coverage", "lookups");
}

static void put_share(int width, uint64_t wrong, uint64_t all)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRIu64 "/%" PRIu64, wrong, all);
	printf(" %*s", width, text);
}

/* A name as one word of the table. */
static void put_name(const char *name)
{
	int width = 0;

	for (; *name; name++, width++)
		putchar((unsigned char)*name < ' ' || *name == 0x7f ? '?'
								    : *name);
	printf("%*s", width < 20 ? 20 - width : 0, "");
}

static void put_row(const struct result *result)
{
	const struct tally *t = &result->tally;

	put_name(result->trace);
	printf(" %7" PRIu64 " %7" PRIu64 " %6" PRIu64 " %7.1f %7.0f", t->calls,
	       t->max_live, t->nodes, result->bytes_per_range,
	       result->ns_per_call);
	put_share(9, t->checks_wrong, t->checks);
	put_share(11, t->placements_wrong, t->placements);
	put_share(11, t->coverage_wrong, t->coverage);
	put_share(11, t->lookups_wrong, t->lookups);
	puts(tally_wrong(t) ? "  WRONG" : "");
}

void report_start(struct report *r, bool json, size_t traces)
{
	*r = (struct report){
		.json = json,
		.progress = isatty(STDERR_FILENO),
		.traces = traces,
	};
	if (!json)
		put_heading();
}

/* Both streams may be the same terminal. */
static void wipe_progress(const struct report *r)
{
	if (r->progress)
		fputs("\r\033[K", stderr);
}

void report_next(struct report *r, const char *name)
{
	if (!r->progress)
		return;
	fflush(stdout);
	wipe_progress(r);
	fprintf(stderr, "%zu of %zu: %.40s", r->done + 1, r->traces, name);
	fflush(stderr);
}

void report_result(struct report *r, const struct result *result)
{
	wipe_progress(r);
	if (r->json)
		put_json(result);
	else
		put_row(result);
	r->done++;
	r->calls += result->tally.calls;
	r->wrong += tally_wrong(&result->tally);
	fflush(stdout);
}

void report_end(struct report *r)
{
	if (!r->json)
		printf("%zu traces, %" PRIu64 " calls: %" PRIu64
		       " wrong answers\n",
		       r->done, r->calls, r->wrong);
}
