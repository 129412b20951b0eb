/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * main.c - umaple-replay: replay recorded address-space traffic on a maple tree
 * and check every answer the kernel gave.
 *
 * How to read the program: trace.h is what a trace is, space.h an address space
 * on a tree, apply.c what a call does to it, replay.c the rest.  mmt.c, call.c,
 * listed.c and flt.c read the files, by lines.c and fields.c; measure.c repeats
 * and times; report.c prints.
 *
 * All traces are read before the first is replayed: bad input gives one line and
 * nothing else.  One thread; only the public interface of the library.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <umaple/tree.h>
#include <umaple/version.h>

#include "lines.h"
#include "measure.h"
#include "message.h"
#include "options.h"
#include "paths.h"
#include "report.h"
#include "trace.h"

enum status {
	STATUS_RIGHT = 0,
	STATUS_WRONG = 1,
	STATUS_BAD = 2,
};

/**
 * struct work - Traces to be replayed.
 */
struct work {
	struct paths paths;
	struct trace **trace;
};

/* Too large for the stack. */
static struct lines input;

static int load_all(struct work *w)
{
	size_t i;
	int r;

	w->trace = calloc(w->paths.count, sizeof(struct trace *));
	if (!w->trace)
		return -ENOMEM;
	for (i = 0; i < w->paths.count; i++) {
		r = trace_load(w->paths.path[i], &input, &w->trace[i]);
		if (r == -EINVAL)
			message_at(input.path, input.number, "%s",
				   input.reason);
		if (r < 0)
			return r;
	}
	return 0;
}

static int load_work(struct work *w, const struct options *o)
{
	int i;
	int r = 0;

	for (i = 0; r == 0 && i < o->nr_path; i++)
		r = paths_add(&w->paths, o->path[i]);
	return r == 0 ? load_all(w) : r;
}

static void free_work(struct work *w)
{
	size_t i;

	for (i = 0; w->trace && i < w->paths.count; i++)
		trace_free(w->trace[i]);
	free(w->trace);
	paths_free(&w->paths);
}

static int replay_all(struct work *w, const struct options *o,
		      struct report *report)
{
	struct measure_how how = {
		.flags = o->serial ? UMAPLE_TREE_SERIAL : 0,
		.complain = o->verbose,
		.seconds = o->seconds,
	};
	struct result result;
	size_t i;
	int r;

	report_start(report, o->json, w->paths.count);
	for (i = 0; i < w->paths.count; i++) {
		report_next(report, w->trace[i]->name);
		r = measure_trace(w->trace[i], &how, &result);
		if (r < 0)
			return r;
		report_result(report, &result);
		if (ferror(stdout))
			return 0;
		trace_free(w->trace[i]);
		w->trace[i] = NULL;
	}
	report_end(report);
	return 0;
}

static enum status replay(const struct options *o)
{
	struct work work = { 0 };
	struct report report = { 0 };
	int r = load_work(&work, o);

	if (r == 0)
		r = replay_all(&work, o, &report);
	free_work(&work);
	if (r == -ENOMEM)
		message("out of memory");
	if (r < 0)
		return STATUS_BAD;
	return report.wrong ? STATUS_WRONG : STATUS_RIGHT;
}

static enum status run(const struct options *o)
{
	unsigned int v = umaple_version();

	switch (o->action) {
	case ACTION_HELP:
		options_help();
		return STATUS_RIGHT;
	case ACTION_VERSION:
		printf("umaple-replay %u.%u.%u\n", v / 10000, v / 100 % 100,
		       v % 100);
		return STATUS_RIGHT;
	default:
		return replay(o);
	}
}

int main(int argc, char **argv)
{
	struct options options;
	enum status status;

	/* A closed pipe is a write error like any other. */
	signal(SIGPIPE, SIG_IGN);
	if (options_parse(&options, argc, argv) < 0)
		return STATUS_BAD;
	status = run(&options);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		message("cannot write to standard output");
		return STATUS_BAD;
	}
	return status;
}
