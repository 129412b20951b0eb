/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * options.h - what the command line asks for.
 */

#ifndef REPLAY_OPTIONS_H
#define REPLAY_OPTIONS_H

#include <stdbool.h>

enum action {
	ACTION_REPLAY,
	ACTION_HELP,
	ACTION_VERSION,
};

/**
 * struct options - The command line.
 * @action:  What to do.
 * @json:    Print JSON Lines.
 * @serial:  Use a tree without readers, not one in RCU mode.
 * @verbose: Name wrong answers.
 * @seconds: Repeat each trace so long.
 * @path:    Traces and directories of them.
 * @nr_path: Their number; at least 1 for ACTION_REPLAY.
 */
struct options {
	enum action action;
	bool json;
	bool serial;
	bool verbose;
	double seconds;
	char **path;
	int nr_path;
};

/* 0; -EINVAL, and the reason has been printed. */
int options_parse(struct options *o, int argc, char **argv);

void options_help(void);

#endif /* REPLAY_OPTIONS_H */
