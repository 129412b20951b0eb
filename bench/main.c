/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/main.c - umaple-bench: figures of the tree and its node cache.
 *
 * How to read the program: mmap1.c and tree.c are its commands, peer.h is what
 * is compared, report.h what comes out.  Only the public interface is used.
 *
 * Exit status: 0 all is right, 1 an answer or an equation was wrong, 2 bad
 * usage, or the output could not be written.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <umaple/version.h>

#include "mmap1.h"
#include "options.h"
#include "report.h"
#include "tree.h"

static const struct command {
	const char *name;
	unsigned int options;
	void (*run)(const struct options *options, struct report *report);
} commands[] = {
	{ "mmap1", OPTION_LEVEL | OPTION_THREADS | OPTION_STUDY, mmap1_run },
	{ "tree", OPTION_SIZES | OPTION_HOLES | OPTION_SEED | OPTION_ROWS,
	  tree_run },
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char help[] =
	"usage: umaple-bench COMMAND [OPTION]...\n"
	"\n"
	"mmap1  traffic of will-it-scale mmap1 in the node cache: statistics,\n"
	"       figures per iteration beside the published ones, memory\n"
	"  --level cache|tree  without a tree (default), or a tree per task\n"
	"  --threads N         tasks (2)\n"
	"  --barn-refill on|off  short sheaves to the barn (default), or to slabs\n"
	"  --park contended|always|never  slabs that became partial\n"
	"  --unpark at-once|deferred  those that became empty\n"
	"  --park-stack apart|beside  a cache line of its own, or the lock's\n"
	"  --seconds S         how long (10)\n"
	"\n"
	"tree   operations of the tree beside those of other ordered maps\n"
	"  --n N...            ranges in the map (1000 100000)\n"
	"  --rows NAME...      only these; all without it\n"
	"  --holes half|all    a hole after every second range (default), or each\n"
	"  --seconds S         for each row at each size, five turns at least (1)\n"
	"  --seed N            for the data (1)\n"
	"\n"
	"  --json              one JSON object instead of tables\n"
	"  --help, --version\n"
	"\n"
	"exit status: 0 all right, 1 a wrong answer or equation, 2 bad usage\n";

static void print_version(void)
{
	unsigned int v = umaple_version();

	printf("umaple-bench %u.%u.%u\n", v / 10000, v / 100 % 100, v % 100);
}

/* What is in the buffer must get out, or the status would lie. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout))
		options_die("cannot write to standard output");
	return status;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	options_die("unknown command: %s (see --help)", name);
}

/* --help and --version count wherever they stand. */
static bool asked_for(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], name) == 0)
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct options options;
	struct report report;
	bool right;

	if (asked_for("--help", argc, argv)) {
		fputs(help, stdout);
		return finish(0);
	}
	if (asked_for("--version", argc, argv)) {
		print_version();
		return finish(0);
	}
	if (argc < 2)
		options_die("no command (see --help)");
	command = find_command(argv[1]);
	options_read(&options, command->options, argc, argv);
	report_init(&report, command->name);
	command->run(&options, &report);
	if (options.json)
		report_print_json(&report);
	else
		report_print_text(&report);
	right = report_is_right(&report);
	report_fini(&report);
	return finish(right ? 0 : 1);
}
