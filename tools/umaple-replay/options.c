/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * options.c - what the command line asks for.
 */

#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "message.h"

/* More than a week is a mistake. */
#define SECONDS_MOST 1e6

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'j' },
	{ "seconds-per-trace", required_argument, NULL, 's' },
	{ "serial", no_argument, NULL, 'S' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

void options_help(void)
{
	fputs("Usage: umaple-replay [OPTION]... TRACE...\n"
	      "Replay recorded address-space traces on a maple tree and check "
	      "every answer\n"
	      "the kernel gave.\n"
	      "\n"
	      "TRACE is a .mmt file, plain or .xz, or a directory of them.  The "
	      ".flt file\n"
	      "beside a trace is looked up by itself.\n"
	      "\n"
	      "  --json                   print one JSON object per trace\n"
	      "  --seconds-per-trace S    repeat each replay until S seconds "
	      "have passed\n"
	      "  --serial                 use a tree without readers, not one "
	      "in RCU mode\n"
	      "  --verbose                name the first wrong answers of each "
	      "trace\n"
	      "  --help                   print this and exit\n"
	      "  --version                print the version and exit\n"
	      "\n"
	      "Ranges are the most at a time; nodes and bytes are the tree's "
	      "at that moment.\n"
	      "The time is that of the calls alone, the median of all repeats.  "
	      "Lists are\n"
	      "the kernel's own, the final one included.\n"
	      "\n"
	      "Exit status: 0 all answers are right, 1 some are wrong, 2 bad "
	      "usage or input.\n",
	      stdout);
}

static int parse_seconds(const char *text, double *ret)
{
	char *end;
	double seconds = strtod(text, &end);

	/* Written so that a NaN is refused too. */
	if (end == text || *end || !(seconds >= 0 && seconds <= SECONDS_MOST)) {
		message("'%s' is not a number of seconds", text);
		return -EINVAL;
	}
	*ret = seconds;
	return 0;
}

static int refuse_option(char c, char **argv)
{
	if (c == ':')
		message("option '%s' needs a value", argv[optind - 1]);
	else
		message("unknown option '%s'; try --help", argv[optind - 1]);
	return -EINVAL;
}

static int take_option(struct options *o, int c, char **argv)
{
	switch (c) {
	case 'h':
		o->action = ACTION_HELP;
		return 0;
	case 'V':
		o->action = ACTION_VERSION;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 's':
		return parse_seconds(optarg, &o->seconds);
	case 'S':
		o->serial = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	default:
		return refuse_option((char)c, argv);
	}
}

int options_parse(struct options *o, int argc, char **argv)
{
	int c;
	int r;

	*o = (struct options){ 0 };
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		r = take_option(o, c, argv);
		if (r < 0)
			return r;
		if (o->action != ACTION_REPLAY)
			return 0;
	}
	o->path = argv + optind;
	o->nr_path = argc - optind;
	if (o->nr_path > 0)
		return 0;
	message("no trace given; try --help");
	return -EINVAL;
}
