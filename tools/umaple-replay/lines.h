/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * lines.h - a text file, plain or .xz, line by line.
 *
 * Knows nothing of what the lines mean.  It is also where the reason of a
 * refusal is kept, because only it knows the place: the parsers say
 * lines_refuse() and return what that returns.
 */

#ifndef REPLAY_LINES_H
#define REPLAY_LINES_H

#include <limits.h>
#include <lzma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest line, its newline not counted.  Records have less than 128. */
#define LINE_MOST 4095

#define REASON_BYTES 256

/**
 * struct lines - A file being read.
 * @path:         Its name, for messages; cut if it is very long.
 * @number:       Line now in @text, from 1; 0 before the first.
 * @text:         The line, without its newline, ended by a NUL.
 * @unterminated: The line at hand ends with the file, not with a newline.
 * @reason:       Why something was refused; one line of text.
 */
struct lines {
	char path[PATH_MAX];
	unsigned long number;
	char text[LINE_MOST + 1];
	bool unterminated;
	char reason[REASON_BYTES];

	int fd;
	bool is_xz;
	bool at_end; /* of the file, compressed or not */
	lzma_stream xz;
	const uint8_t *next; /* bytes of the text not yet looked at */
	size_t nr_next;
	uint8_t raw[32768];   /* as in the file */
	uint8_t plain[65536]; /* decompressed */
};

/*
 * Open @path.  0; -ENOENT when there is no such file; -EINVAL for everything
 * else, both with a reason.  After a failure there is nothing to close.
 */
int lines_open(struct lines *in, const char *path);

void lines_close(struct lines *in);

/* 1: @in->text is the next line; 0: the file is over; -EINVAL: refused. */
int lines_next(struct lines *in);

/* Keep why the line at hand cannot be taken; returns -EINVAL. */
int lines_refuse(struct lines *in, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* REPLAY_LINES_H */
