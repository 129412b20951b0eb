/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * message.c - one line on standard error: `umaple-replay: file:line: reason`.
 *
 * A file may have any name; what would break the line is shown as '?'.
 */

#include "message.h"

#include <stdio.h>

#define TOOL "umaple-replay: "

static void put_path(const char *path)
{
	for (; *path; path++)
		putc((unsigned char)*path < ' ' || *path == 0x7f ? '?' : *path,
		     stderr);
}

void message(const char *format, ...)
{
	va_list args;

	fputs(TOOL, stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
}

void message_at_va(const char *path, unsigned long line, const char *format,
		   va_list args)
{
	fputs(TOOL, stderr);
	put_path(path);
	fprintf(stderr, ":%lu: ", line);
	vfprintf(stderr, format, args);
	putc('\n', stderr);
}

void message_at(const char *path, unsigned long line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message_at_va(path, line, format, args);
	va_end(args);
}
