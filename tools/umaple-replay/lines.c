/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * lines.c - a text file, plain or .xz, line by line.
 *
 * Two stages: refill() gets the next bytes of the text, decompressed if need
 * be, and lines_next() cuts them at newlines.  A file is .xz if its name says so
 * or if it begins as one: a pipe has no name.
 */

#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What `xz -9` asks for is 65 MiB; a file that wants much more is not ours. */
#define XZ_MEMORY_MOST ((uint64_t)256 << 20)

static const uint8_t xz_magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };

int lines_refuse(struct lines *in, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vsnprintf(in->reason, sizeof(in->reason), format, args) < 0)
		in->reason[0] = '\0';
	va_end(args);
	return -EINVAL;
}

static bool has_suffix(const char *text, const char *suffix)
{
	size_t n = strlen(text);
	size_t m = strlen(suffix);

	return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* Bytes now in @in->raw after the first @have; negative: refused. */
static ssize_t read_raw(struct lines *in, size_t have)
{
	ssize_t n;

	do {
		n = read(in->fd, in->raw + have, sizeof(in->raw) - have);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return lines_refuse(in, "cannot read: %m");
	return n;
}

/* Enough of the file to see whether it is .xz: a pipe may give it in parts. */
static int read_head(struct lines *in)
{
	size_t have = 0;
	ssize_t n;

	while (have < sizeof(xz_magic)) {
		n = read_raw(in, have);
		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	in->is_xz = has_suffix(in->path, ".xz") ||
		    (have >= sizeof(xz_magic) &&
		     memcmp(in->raw, xz_magic, sizeof(xz_magic)) == 0);
	in->next = in->raw;
	in->nr_next = have;
	return 0;
}

static int start_xz(struct lines *in)
{
	in->xz = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&in->xz, XZ_MEMORY_MOST, LZMA_CONCATENATED) !=
	    LZMA_OK)
		return lines_refuse(in, "no memory to decompress");
	in->xz.next_in = in->next;
	in->xz.avail_in = in->nr_next;
	in->nr_next = 0;
	return 0;
}

int lines_open(struct lines *in, const char *path)
{
	bool absent;
	size_t i;
	int r;

	memset(in, 0, offsetof(struct lines, raw));
	for (i = 0; path[i] && i < sizeof(in->path) - 1; i++)
		in->path[i] = path[i];
	in->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0) {
		absent = errno == ENOENT || errno == ENAMETOOLONG;
		lines_refuse(in, "cannot open: %m");
		return absent ? -ENOENT : -EINVAL;
	}
	r = read_head(in);
	if (r == 0 && in->is_xz)
		r = start_xz(in);
	if (r < 0)
		close(in->fd);
	return r;
}

void lines_close(struct lines *in)
{
	if (in->is_xz)
		lzma_end(&in->xz);
	close(in->fd);
}

static const char *xz_reason(lzma_ret r)
{
	switch (r) {
	case LZMA_FORMAT_ERROR:
		return "not in .xz format";
	case LZMA_BUF_ERROR:
		return "truncated .xz file";
	case LZMA_MEMLIMIT_ERROR:
		return "decompressing takes too much memory";
	case LZMA_MEM_ERROR:
		return "no memory to decompress";
	default:
		return "damaged .xz file";
	}
}

/* 1: more text; 0: none; negative: refused. */
static int refill_xz(struct lines *in)
{
	lzma_ret r = LZMA_OK;
	lzma_action action = LZMA_RUN;
	ssize_t n;

	in->xz.next_out = in->plain;
	in->xz.avail_out = sizeof(in->plain);
	while (r == LZMA_OK && in->xz.avail_out == sizeof(in->plain)) {
		if (in->xz.avail_in == 0) {
			n = read_raw(in, 0);
			if (n < 0)
				return (int)n;
			in->xz.next_in = in->raw;
			in->xz.avail_in = (size_t)n;
			if (n == 0)
				action = LZMA_FINISH;
		}
		r = lzma_code(&in->xz, action);
	}
	if (r != LZMA_OK && r != LZMA_STREAM_END)
		return lines_refuse(in, "%s", xz_reason(r));
	in->next = in->plain;
	in->nr_next = sizeof(in->plain) - in->xz.avail_out;
	in->at_end = r == LZMA_STREAM_END;
	return in->nr_next > 0;
}

static int refill(struct lines *in)
{
	ssize_t n;

	if (in->at_end)
		return 0;
	if (in->is_xz)
		return refill_xz(in);
	n = read_raw(in, 0);
	if (n < 0)
		return (int)n;
	in->next = in->raw;
	in->nr_next = (size_t)n;
	in->at_end = n == 0;
	return n > 0;
}

/* Move bytes up to a newline into the line; true when the newline was there. */
static bool take_bytes(struct lines *in, size_t *length)
{
	const uint8_t *newline = memchr(in->next, '\n', in->nr_next);
	size_t n = newline ? (size_t)(newline - in->next) : in->nr_next;

	if (n <= LINE_MOST - *length)
		memcpy(in->text + *length, in->next, n);
	*length += n;
	in->next += n + (newline != NULL);
	in->nr_next -= n + (newline != NULL);
	return newline != NULL;
}

int lines_next(struct lines *in)
{
	size_t length = 0;
	bool whole = false;
	int r;

	in->number++;
	while (!whole) {
		if (in->nr_next == 0) {
			r = refill(in);
			if (r < 0)
				return r;
			if (r == 0)
				break;
		}
		whole = take_bytes(in, &length);
		if (length > LINE_MOST)
			return lines_refuse(in, "line longer than %d bytes",
					    LINE_MOST);
	}
	if (!whole && length == 0) {
		in->number--;
		return 0;
	}
	in->unterminated = !whole;
	in->text[length] = '\0';
	if (strlen(in->text) != length)
		return lines_refuse(in, "NUL byte in a line");
	return 1;
}
