/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * fields.h - the fields of one line: words and numbers, taken from left to right.
 *
 * Every function that takes a field refuses a wrong one by lines_refuse(), with
 * the field's name, and returns -EINVAL where it returns a number.
 */

#ifndef REPLAY_FIELDS_H
#define REPLAY_FIELDS_H

#include <stdint.h>

#include "lines.h"

/* A record has at most 11. */
#define FIELDS_MOST 12

/**
 * struct fields - A line cut at its spaces.
 * @in:    Where the line came from; its text is cut in place.
 * @count: Fields in the line.
 * @at:    The next one to take.
 * @field: The fields.
 */
struct fields {
	struct lines *in;
	unsigned int count;
	unsigned int at;
	const char *field[FIELDS_MOST];
};

/* Cut the line at hand: single spaces, no other blanks. */
int fields_split(struct fields *f, struct lines *in);

/* NULL when it is missing, and then that is refused. */
const char *fields_word(struct fields *f, const char *name);

/* Hexadecimal (@base 16) or decimal (10) number without sign or prefix. */
int fields_number(struct fields *f, const char *name, unsigned int base,
		  uint64_t *ret_number);

/* `@T`, the thread. */
int fields_thread(struct fields *f);

/* @value, just taken, is a multiple of a page. */
int fields_need_pages(struct fields *f, const char *name, uint64_t value);

/* Nothing may follow. */
int fields_end(struct fields *f);

#endif /* REPLAY_FIELDS_H */
