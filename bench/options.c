/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UMAPLE_ENABLE_EXPERIMENTAL
#include <umaple/experimental.h>

#define MAX_THREADS 1024
#define MAX_SECONDS 86400.0
#define MAX_SIZE    100000000

void options_die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "umaple-bench: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(2);
}

static uint64_t read_number(const char *name, const char *text, uint64_t min,
			    uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value < min ||
	    value > max)
		options_die("%s: \"%s\" is not a number from %llu to %llu",
			    name, text, (unsigned long long)min,
			    (unsigned long long)max);
	return value;
}

static double read_seconds(const char *text)
{
	double value;
	char *end;

	value = strtod(text, &end);
	/* Written so that what is not a number is refused, too. */
	if (end == text || *end || !(value > 0 && value <= MAX_SECONDS))
		options_die("--seconds: \"%s\" is not a time up to %.0f", text,
			    MAX_SECONDS);
	return value;
}

static enum options_level read_level(const char *text)
{
	if (strcmp(text, "cache") == 0)
		return LEVEL_CACHE;
	if (strcmp(text, "tree") == 0)
		return LEVEL_TREE;
	options_die("--level: \"%s\" is neither cache nor tree", text);
}

static bool read_holes(const char *text)
{
	if (strcmp(text, "all") == 0)
		return true;
	if (strcmp(text, "half") == 0)
		return false;
	options_die("--holes: \"%s\" is neither all nor half", text);
}

/* Each value of a study switch and what it sets; the first is the default. */
static const struct {
	const char *name;
	struct {
		const char *text;
		unsigned int study;
	} values[3];
} switches[] = {
	{ "--barn-refill",
	  { { "on", 0 }, { "off", UMAPLE_STUDY_NO_BARN_REFILL } } },
	{ "--park",
	  { { "contended", 0 },
	    { "always", UMAPLE_STUDY_PARK_ALWAYS },
	    { "never", UMAPLE_STUDY_PARK_NEVER } } },
	{ "--unpark",
	  { { "at-once", 0 }, { "deferred", UMAPLE_STUDY_UNPARK_DEFERRED } } },
	{ "--park-stack",
	  { { "apart", 0 }, { "beside", UMAPLE_STUDY_PARK_BESIDE_LOCK } } },
};
#define SWITCHES (sizeof(switches) / sizeof(switches[0]))

static void set_switch(struct options *options, size_t which, const char *text)
{
	unsigned int others = 0, chosen = 0;
	bool known = false;

	for (size_t i = 0; i < 3 && switches[which].values[i].text; i++) {
		others |= switches[which].values[i].study;
		if (strcmp(text, switches[which].values[i].text))
			continue;
		chosen = switches[which].values[i].study;
		known = true;
	}
	if (!known)
		options_die("%s: \"%s\" is none of its values",
			    switches[which].name, text);
	options->study = (options->study & ~others) | chosen;
}

/* False: @name is no switch. */
static bool read_switch(struct options *options, const char *name,
			const char *text)
{
	for (size_t i = 0; i < SWITCHES; i++) {
		if (strcmp(name, switches[i].name) == 0) {
			set_switch(options, i, text);
			return true;
		}
	}
	return false;
}

static void add_size(struct options *options, const char *text)
{
	if (options->nr_sizes == OPTIONS_MAX_SIZES)
		options_die("--n: more than %d sizes", OPTIONS_MAX_SIZES);
	options->sizes[options->nr_sizes++] =
		read_number("--n", text, 2, MAX_SIZE);
}

static void add_row(struct options *options, const char *text)
{
	if (options->nr_rows == OPTIONS_MAX_ROWS)
		options_die("--rows: more than %d rows", OPTIONS_MAX_ROWS);
	options->rows[options->nr_rows++] = text;
}

/* --n and --rows take one argument or several; those it used up. */
static int read_several(struct options *options, int left, char *const *argv,
			void (*add)(struct options *options, const char *text))
{
	int used = 0;

	while (1 + used < left && strncmp(argv[1 + used], "--", 2) != 0)
		add(options, argv[1 + used++]);
	if (!used)
		options_die("%s: nothing is named", argv[0]);
	return 1 + used;
}

/* One option with its argument; the arguments it used up. */
static int read_option(struct options *options, unsigned int allowed, int left,
		       char *const *argv)
{
	const char *name = argv[0];
	const char *value = left > 1 ? argv[1] : NULL;

	if (strcmp(name, "--json") == 0) {
		options->json = true;
		return 1;
	}
	if ((allowed & OPTION_SIZES) && strcmp(name, "--n") == 0)
		return read_several(options, left, argv, add_size);
	if ((allowed & OPTION_ROWS) && strcmp(name, "--rows") == 0)
		return read_several(options, left, argv, add_row);
	if (strcmp(name, "--seconds") == 0 && value)
		options->seconds = read_seconds(value);
	else if ((allowed & OPTION_THREADS) && value &&
		 strcmp(name, "--threads") == 0)
		options->threads =
			(unsigned int)read_number(name, value, 1, MAX_THREADS);
	else if ((allowed & OPTION_LEVEL) && value &&
		 strcmp(name, "--level") == 0)
		options->level = read_level(value);
	else if ((allowed & OPTION_HOLES) && value &&
		 strcmp(name, "--holes") == 0)
		options->holes_all = read_holes(value);
	else if ((allowed & OPTION_SEED) && value &&
		 strcmp(name, "--seed") == 0)
		options->seed = read_number(name, value, 0, UINT64_MAX);
	else if (!(allowed & OPTION_STUDY) || !value ||
		 !read_switch(options, name, value))
		options_die("unknown option, or one without its argument: %s",
			    name);
	return 2;
}

void options_read(struct options *options, unsigned int allowed, int argc,
		  char *const *argv)
{
	*options = (struct options){ .seed = 1 };
	for (int i = 2; i < argc;)
		i += read_option(options, allowed, argc - i, argv + i);
}
