/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * listed.c - the `r` lines of a trace: ranges as the kernel lists them.
 */

#include "listed.h"

#include <errno.h>
#include <string.h>

static int parse_sharing(struct fields *f, bool *ret_shared)
{
	const char *word = fields_word(f, "s or p");

	if (!word)
		return -EINVAL;
	if (strcmp(word, "s") != 0 && strcmp(word, "p") != 0)
		return lines_refuse(f->in, "'%.32s' is neither s nor p", word);
	*ret_shared = *word == 's';
	return 0;
}

static int parse_kind(struct fields *f, bool *ret_stack)
{
	static const char *const kind[] = { "stack", "heap",	    "vdso",
					    "vvar",  "vvar_vclock", "-" };
	const char *word = fields_word(f, "KIND");
	size_t i;

	if (!word)
		return -EINVAL;
	for (i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		if (strcmp(word, kind[i]) == 0) {
			*ret_stack = strcmp(word, "stack") == 0;
			return 0;
		}
	}
	return lines_refuse(f->in, "unknown kind '%.32s'", word);
}

/* The fields as they stand. */
static int parse_fields(struct fields *f, struct listed *l)
{
	uint64_t prot = 0;
	uint64_t file = 0;
	int r = fields_number(f, "START", 16, &l->start);

	if (r == 0)
		r = fields_number(f, "END", 16, &l->end);
	if (r == 0)
		r = fields_number(f, "PROT", 10, &prot);
	if (r == 0)
		r = parse_sharing(f, &l->shared);
	if (r == 0)
		r = fields_number(f, "FILE", 10, &file);
	if (r == 0)
		r = fields_number(f, "OFF", 16, &l->offset);
	if (r == 0)
		r = parse_kind(f, &l->stack);
	if (r == 0)
		r = fields_end(f);
	if (r == 0 && prot > PROTECTION)
		r = lines_refuse(f->in, "PROT exceeds 7");
	if (r == 0 && file > UINT32_MAX)
		r = lines_refuse(f->in, "FILE exceeds 32 bits");
	l->prot = (uint8_t)prot;
	l->file = (uint32_t)file;
	return r;
}

/* What they mean together. */
static int check_range(struct fields *f, const struct listed *l)
{
	uint64_t end;
	int r = fields_need_pages(f, "START", l->start);

	if (r == 0)
		r = fields_need_pages(f, "END", l->end);
	if (r == 0 && l->start >= l->end)
		r = lines_refuse(f->in, "START is not below END");
	if (r == 0 && l->file)
		r = fields_need_pages(f, "OFF", l->offset);
	if (r == 0 && l->file &&
	    __builtin_add_overflow(l->offset, l->end - l->start, &end))
		r = lines_refuse(f->in, "OFF + length overflows");
	return r;
}

int listed_parse(struct fields *f, struct listed *ret_listed)
{
	struct listed l = { 0 };
	int r = parse_fields(f, &l);

	if (r == 0)
		r = check_range(f, &l);
	if (r == 0)
		*ret_listed = l;
	return r;
}
