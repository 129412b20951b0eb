/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/options.h - what the command line asks for.
 *
 * Bad usage ends the program: one line on standard error, exit status 2.
 */

#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_MAX_SIZES 16
#define OPTIONS_MAX_ROWS  64

enum options_level {
	LEVEL_CACHE,
	LEVEL_TREE
};

struct options {
	bool json;
	double seconds; /* 0: the command's default */
	unsigned int threads;
	enum options_level level;
	unsigned int study; /* switches of umaple/experimental.h */
	uint64_t sizes[OPTIONS_MAX_SIZES];
	size_t nr_sizes;
	const char *rows[OPTIONS_MAX_ROWS]; /* none: all */
	size_t nr_rows;
	bool holes_all; /* a hole after every range, not every second */
	uint64_t seed;
};

/* Options that a command takes, beside --json and --seconds. */
#define OPTION_THREADS (1u << 0)
#define OPTION_LEVEL   (1u << 1)
#define OPTION_SIZES   (1u << 2)
#define OPTION_HOLES   (1u << 3)
#define OPTION_SEED    (1u << 4)
#define OPTION_ROWS    (1u << 5)
#define OPTION_STUDY   (1u << 6)

/* Read argv[2..argc); @allowed: of the OPTION_ bits. */
void options_read(struct options *options, unsigned int allowed, int argc,
		  char *const *argv);

/* "umaple-bench: " and the reason, and exit status 2. */
void options_die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

#endif /* BENCH_OPTIONS_H */
