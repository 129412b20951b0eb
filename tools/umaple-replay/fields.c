/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * fields.c - the fields of one line: words and numbers, taken from left to right.
 *
 * What is quoted from a line has been seen by fields_split() to hold nothing
 * unprintable, so that a message stays one line.
 */

#include "fields.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "trace.h"

/* How much of a field a message quotes. */
#define QUOTED 32

static int check_bytes(struct lines *in)
{
	const unsigned char *c;

	for (c = (const unsigned char *)in->text; *c; c++)
		if (*c < ' ' || *c > '~')
			return lines_refuse(in, "byte 0x%02x in a record", *c);
	return 0;
}

int fields_split(struct fields *f, struct lines *in)
{
	char *start = in->text;
	char *space;
	int r;

	f->in = in;
	f->count = 0;
	f->at = 0;
	r = check_bytes(in);
	if (r < 0)
		return r;
	do {
		if (f->count == FIELDS_MOST)
			return lines_refuse(in, "more than %d fields",
					    FIELDS_MOST);
		space = strchr(start, ' ');
		if (space == start || *start == '\0')
			return lines_refuse(in, "empty field: one space "
						"between fields, none around");
		f->field[f->count++] = start;
		if (space) {
			*space = '\0';
			start = space + 1;
		}
	} while (space);
	return 0;
}

const char *fields_word(struct fields *f, const char *name)
{
	if (f->at < f->count)
		return f->field[f->at++];
	lines_refuse(f->in, "%s is missing", name);
	return NULL;
}

/* The digit's value, or 16 for what is none. */
static unsigned int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned int)(c - 'A') + 10;
	return 16;
}

static int to_number(const char *text, unsigned int base, uint64_t *ret)
{
	uint64_t number = 0;
	unsigned int digit;

	if (*text == '\0')
		return -EINVAL;
	for (; *text; text++) {
		digit = digit_value(*text);
		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(number, (uint64_t)base, &number) ||
		    __builtin_add_overflow(number, (uint64_t)digit, &number))
			return -ERANGE;
	}
	*ret = number;
	return 0;
}

int fields_number(struct fields *f, const char *name, unsigned int base,
		  uint64_t *ret_number)
{
	const char *word = fields_word(f, name);
	int r;

	if (!word)
		return -EINVAL;
	r = to_number(word, base, ret_number);
	if (r == -ERANGE)
		return lines_refuse(f->in, "%s '%.*s' exceeds 64 bits", name,
				    QUOTED, word);
	if (r < 0)
		return lines_refuse(f->in, "%s '%.*s' is not %s", name, QUOTED,
				    word,
				    base == 16 ? "hexadecimal" : "decimal");
	return 0;
}

int fields_thread(struct fields *f)
{
	const char *word = fields_word(f, "thread");
	uint64_t thread;

	if (!word)
		return -EINVAL;
	if (*word != '@' || to_number(word + 1, 10, &thread) < 0 ||
	    thread > UINT32_MAX)
		return lines_refuse(f->in,
				    "'%.*s' is not a thread: '@' and a "
				    "number",
				    QUOTED, word);
	return 0;
}

int fields_need_pages(struct fields *f, const char *name, uint64_t value)
{
	if (value % PAGE_BYTES == 0)
		return 0;
	return lines_refuse(f->in, "%s %" PRIx64 " is not a multiple of a page",
			    name, value);
}

int fields_end(struct fields *f)
{
	if (f->at == f->count)
		return 0;
	return lines_refuse(f->in, "'%.*s' is one field too many", QUOTED,
			    f->field[f->at]);
}
