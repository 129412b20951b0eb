/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * call.c - the call lines of a trace: which fields each has, and what a kernel
 * could not have answered.
 *
 * A call that succeeded has aligned addresses and does not run past the end of
 * the address space, or the file is damaged.  Of a call that failed nothing can be
 * expected: programs ask for anything.
 */

#include "call.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define ERRNO_MOST   4095
#define ERRNO_NOMEM  12 /* the kernel's, on any machine */
#define ERRNO_EXISTS 17

/* One number of a call line, and where it goes in the step. */
struct number {
	const char *name;
	unsigned int base;
	size_t at; /* offset in struct step; NOWHERE: not kept */
};

#define NOWHERE SIZE_MAX
/* clang-format off: initialisers, not blocks */
#define HEX(text, member)                                                      \
	{                                                                      \
		text, 16, offsetof(struct step, member)                        \
	}
#define DEC(text, member)                                                      \
	{                                                                      \
		text, 10, offsetof(struct step, member)                        \
	}
/* clang-format on */

struct shape {
	const char *word;
	enum step_kind kind;
	int (*check)(struct fields *f, struct step *s);
	struct number number[8]; /* up to the first without a name */
};

/* Round *@len up to pages; @addr + *@len stays below 2^64. */
static int need_room(struct fields *f, const char *name, uint64_t addr,
		     uint64_t *len)
{
	uint64_t rounded;
	uint64_t end;

	if (!page_round_up(*len, &rounded) ||
	    __builtin_add_overflow(addr, rounded, &end))
		return lines_refuse(f->in,
				    "%s: %" PRIx64 " bytes at %" PRIx64
				    " overflow the address space",
				    name, *len, addr);
	*len = rounded;
	return 0;
}

static int check_range(struct fields *f, struct step *s)
{
	int r = fields_need_pages(f, "ADDR", s->addr);

	return r < 0 ? r : need_room(f, "LEN", s->addr, &s->len);
}

static int check_mmap(struct fields *f, struct step *s)
{
	uint64_t end;
	int r = check_range(f, s);

	if (r == 0 && s->len == 0)
		r = lines_refuse(f->in, "LEN is 0");
	if (r == 0)
		r = fields_need_pages(f, "OFF", s->offset);
	if (r == 0 && s->file > UINT32_MAX)
		r = lines_refuse(f->in, "FILE exceeds 32 bits");
	if (r == 0 && s->file &&
	    __builtin_add_overflow(s->offset, s->len, &end))
		r = lines_refuse(f->in, "OFF + LEN overflows");
	return r;
}

/* The kernel refuses to move a range onto itself. */
static int check_apart(struct fields *f, const struct step *s)
{
	bool meet = s->addr + s->len > s->target &&
		    s->target + s->new_len > s->addr;

	if (!meet || s->addr == s->target)
		return 0;
	return lines_refuse(f->in, "the old place and the new one overlap");
}

static int check_mremap(struct fields *f, struct step *s)
{
	int r = fields_need_pages(f, "OLD", s->addr);

	if (r == 0)
		r = fields_need_pages(f, "NEW", s->target);
	if (r == 0)
		r = need_room(f, "OLDLEN", s->addr, &s->len);
	if (r == 0)
		r = need_room(f, "NEWLEN", s->target, &s->new_len);
	if (r == 0 && s->new_len == 0)
		r = lines_refuse(f->in, "NEWLEN is 0");
	return r < 0 ? r : check_apart(f, s);
}

static int check_brk(struct fields *f, struct step *s)
{
	uint64_t rounded;

	if (page_round_up(s->addr, &rounded))
		return 0;
	return lines_refuse(f->in, "break %" PRIx64 " overflows", s->addr);
}

static int check_grow(struct fields *f, struct step *s)
{
	int r = fields_need_pages(f, "OLD", s->addr);

	if (r == 0)
		r = fields_need_pages(f, "NEW", s->target);
	if (r == 0 && s->target >= s->addr)
		r = lines_refuse(f->in, "NEW is not below OLD");
	return r;
}

static const struct shape shape[] = {
	{ "mmap",
	  STEP_MMAP,
	  check_mmap,
	  { HEX("ADDR", addr), HEX("LEN", len), DEC("PROT", prot),
	    HEX("FLAGS", flags), DEC("FILE", file), HEX("OFF", offset),
	    HEX("HINT", target) } },
	{ "munmap",
	  STEP_MUNMAP,
	  check_range,
	  { HEX("ADDR", addr), HEX("LEN", len) } },
	{ "mprotect",
	  STEP_MPROTECT,
	  check_range,
	  { HEX("ADDR", addr), HEX("LEN", len), DEC("PROT", prot) } },
	{ "mremap",
	  STEP_MREMAP,
	  check_mremap,
	  { HEX("OLD", addr), HEX("OLDLEN", len), HEX("NEWLEN", new_len),
	    DEC("FLAGS", flags), HEX("NEW", target) } },
	{ "brk", STEP_BRK, check_brk, { HEX("B", addr) } },
	{ "madvise",
	  STEP_MADVISE,
	  check_range,
	  { HEX("ADDR", addr), HEX("LEN", len), { "ADVICE", 10, NOWHERE } } },
};

static const struct shape grow_shape = {
	"grow",
	STEP_GROW,
	check_grow,
	{ HEX("OLD", addr), HEX("NEW", target) },
};

static const struct shape *shape_of(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(shape) / sizeof(shape[0]); i++)
		if (strcmp(word, shape[i].word) == 0)
			return &shape[i];
	return NULL;
}

static int parse_numbers(struct fields *f, const struct shape *sh,
			 struct step *s)
{
	const struct number *n;
	uint64_t value = 0;
	int r;

	for (n = sh->number; n->name; n++) {
		r = fields_number(f, n->name, n->base, &value);
		if (r < 0)
			return r;
		if (n->at != NOWHERE)
			memcpy((char *)s + n->at, &value, sizeof(value));
	}
	return 0;
}

/*
 * What a failed call still tells of [addr, +len).  Where the end would be past
 * 2^64 the kernel refuses the whole call at once: then there is a hole, above
 * all ranges, and nothing changed.
 */
static int learn_from_failure(struct fields *f, struct step *s, uint64_t error)
{
	enum step_kind was = s->kind;
	uint64_t end;

	s->kind = STEP_FAILED;
	if (was == STEP_MMAP && error == ERRNO_EXISTS) {
		s->kind = STEP_TAKEN;
		s->addr = s->target;
	} else if (was == STEP_MADVISE && error == ERRNO_NOMEM) {
		s->kind = STEP_HOLE;
	} else if (was == STEP_MPROTECT && error == ERRNO_NOMEM) {
		s->kind = STEP_HOLE_MPROTECT;
	} else {
		return 0;
	}
	if (!page_round_up(s->len, &s->len) ||
	    __builtin_add_overflow(s->addr, s->len, &end)) {
		s->len = UINT64_MAX - s->addr;
		if (s->kind == STEP_HOLE_MPROTECT)
			s->kind = STEP_HOLE;
	}
	return s->kind == STEP_TAKEN ? 0
				     : fields_need_pages(f, "ADDR", s->addr);
}

static int parse_call(struct fields *f, const struct shape *sh, struct step *s)
{
	int r;

	s->kind = sh->kind;
	r = parse_numbers(f, sh, s);
	if (r == 0)
		r = fields_thread(f);
	return r == 0 ? fields_end(f) : r;
}

static int parse_failure(struct fields *f, struct step *s)
{
	const struct shape *sh;
	const char *word;
	uint64_t error;
	int r = fields_number(f, "ERRNO", 10, &error);

	if (r < 0)
		return r;
	if (error == 0 || error > ERRNO_MOST)
		return lines_refuse(f->in, "ERRNO %" PRIu64 " is none", error);
	word = fields_word(f, "call");
	if (!word)
		return -EINVAL;
	sh = shape_of(word);
	if (!sh)
		return lines_refuse(f->in, "unknown call '%.32s'", word);
	r = parse_call(f, sh, s);
	return r == 0 ? learn_from_failure(f, s, error) : r;
}

int call_parse(struct fields *f, const char *word, struct step *ret_step)
{
	const struct shape *sh = shape_of(word);
	struct step s = { .line = f->in->number };
	int r;

	if (sh) {
		r = parse_call(f, sh, &s);
	} else if (strcmp(word, "err") == 0) {
		r = parse_failure(f, &s);
	} else if (strcmp(word, "grow") == 0) {
		sh = &grow_shape;
		s.kind = sh->kind;
		r = parse_numbers(f, sh, &s);
		if (r == 0)
			r = fields_end(f);
	} else {
		return -ENOENT;
	}
	if (r == 0 && sh)
		r = sh->check(f, &s);
	if (r == 0)
		*ret_step = s;
	return r;
}
