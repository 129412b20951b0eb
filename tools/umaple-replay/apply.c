/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * apply.c - what each call does to a space, and what its result implies.
 *
 * The meaning of each call is the table in data/traces/FORMAT.md.  The kernel's
 * answer is checked before the call is done, against the space as it was then.
 */

#include <errno.h>
#include <inttypes.h>

#include <umaple/tree.h>

#include "place.h"
#include "play.h"

/* Last byte of a range that is not empty. */
static uint64_t last_of(uint64_t addr, uint64_t len)
{
	return addr + len - 1;
}

/* An answer about whether a range is free or covered. */
static void answer_coverage(struct play *p, const struct step *s, bool right,
			    const char *claim)
{
	p->tally.coverage++;
	if (right)
		return;
	p->tally.coverage_wrong++;
	play_complain(p, p->trace->path, s->line,
		      "%" PRIx64 " + %" PRIx64 " %s", s->addr, s->len, claim);
}

/* A call succeeded, so this is there: an answer only when it is not. */
static const struct vma *need_source(struct play *p, const struct step *s,
				     uint64_t addr)
{
	const struct vma *v = umaple_load(&p->space.tree, addr);

	if (!v)
		answer_coverage(p, s, false,
				"is not there, but the call did it");
	return v;
}

static bool is_covered(const struct play *p, const struct step *s)
{
	return s->len == 0 ||
	       space_is_covered(&p->space, s->addr, last_of(s->addr, s->len));
}

static bool is_free(const struct play *p, const struct step *s)
{
	return s->len == 0 ||
	       space_is_free(&p->space, s->addr, last_of(s->addr, s->len));
}

static void answer_placement(struct play *p, const struct step *s)
{
	uint64_t addr = place_find(&p->space, p->trace->base, s);

	p->tally.placements++;
	if (addr == s->addr)
		return;
	p->tally.placements_wrong++;
	play_complain(p, p->trace->path, s->line,
		      "placement: %" PRIx64 " + %" PRIx64
		      ", but the rule says %" PRIx64,
		      s->addr, s->len, addr);
}

static struct vma vma_of_mmap(const struct step *s)
{
	return (struct vma){
		.shift = s->file ? s->offset - s->addr : 0,
		.file = (uint32_t)s->file,
		.prot = s->prot & PROTECTION,
		.shared = s->flags & MAPPING_SHARED,
	};
}

static int apply_mmap(struct play *p, const struct step *s)
{
	struct vma what = vma_of_mmap(s);

	if (s->flags & MAPPING_NOREPLACE || !(s->flags & MAPPING_FIXED))
		answer_coverage(p, s, is_free(p, s), "was not free");
	if (p->trace->base && place_is_ruled(s))
		answer_placement(p, s);
	return space_store(&p->space, s->addr, last_of(s->addr, s->len), &what);
}

static int apply_munmap(struct play *p, const struct step *s)
{
	if (s->len == 0)
		return 0;
	return space_erase(&p->space, s->addr, last_of(s->addr, s->len));
}

/* With the GROWSDOWN bit the kernel begins where the range begins. */
static uint64_t protect_first(struct play *p, const struct step *s)
{
	struct umaple_range range;

	if (s->prot & PROTECTION_GROWSDOWN &&
	    umaple_find(&p->space.tree, s->addr, s->addr, &range))
		return range.first;
	return s->addr;
}

static int protect(struct play *p, const struct step *s)
{
	if (s->len == 0)
		return 0;
	return space_protect(&p->space, protect_first(p, s),
			     last_of(s->addr, s->len), s->prot & PROTECTION);
}

static int apply_mprotect(struct play *p, const struct step *s)
{
	if (!is_covered(p, s))
		answer_coverage(p, s, false, "has a hole, but mprotect did it");
	return protect(p, s);
}

static int apply_hole_mprotect(struct play *p, const struct step *s)
{
	answer_coverage(p, s, !is_covered(p, s), "has no hole");
	return protect(p, s);
}

static int apply_madvise(struct play *p, const struct step *s)
{
	answer_coverage(p, s, is_covered(p, s), "has a hole");
	return 0;
}

static int apply_hole(struct play *p, const struct step *s)
{
	answer_coverage(p, s, !is_covered(p, s), "has no hole");
	return 0;
}

static int apply_taken(struct play *p, const struct step *s)
{
	answer_coverage(p, s, !is_free(p, s), "was free");
	return 0;
}

static int apply_failed(struct play *p, const struct step *s)
{
	return 0;
}

/* The last range goes on, up to NEWLEN. */
static int extend(struct play *p, const struct step *s)
{
	const struct vma *v = need_source(p, s, last_of(s->addr, s->len));

	if (!v)
		return 0;
	return space_store(&p->space, s->addr + s->len,
			   last_of(s->addr, s->new_len), v);
}

static int move(struct play *p, const struct step *s, uint64_t len)
{
	uint64_t last = last_of(s->addr, len);
	int r = space_copy_parts(&p->space, s->addr, last, s->target,
				 last_of(s->target, s->new_len));

	if (r < 0 || s->flags & REMAP_DONTUNMAP)
		return r;
	return space_erase(&p->space, s->addr, last);
}

/*
 * What is at the new place goes as the parts are stored over it.  Under a hole
 * between the parts it stays, as it does in the kernel.
 */
static int apply_mremap(struct play *p, const struct step *s)
{
	int r = 0;

	if (!need_source(p, s, s->addr))
		return 0;
	/* The old length 0 asks for a second mapping of the same. */
	if (s->len == 0)
		return space_copy_parts(&p->space, s->addr, s->addr, s->target,
					last_of(s->target, s->new_len));
	if (s->new_len < s->len)
		r = space_erase(&p->space, s->addr + s->new_len,
				last_of(s->addr, s->len));
	if (r < 0)
		return r;
	if (s->target != s->addr)
		return move(p, s, s->new_len < s->len ? s->new_len : s->len);
	return s->new_len > s->len ? extend(p, s) : 0;
}

static int apply_brk(struct play *p, const struct step *s)
{
	static const struct vma heap = { .prot = 3 };
	uint64_t old = 0;
	uint64_t new = 0;

	/* Neither overflows: the parser has seen to it. */
	(void)page_round_up(p->brk, &old);
	(void)page_round_up(s->addr, &new);
	p->brk = s->addr;
	if (new > old)
		return space_store(&p->space, old, new - 1, &heap);
	if (new < old)
		return space_erase(&p->space, new, old - 1);
	return 0;
}

static int apply_grow(struct play *p, const struct step *s)
{
	const struct vma *v = need_source(p, s, s->addr);

	return v ? space_store(&p->space, s->target, s->addr - 1, v) : 0;
}

int apply_call(struct play *p, const struct step *s)
{
	static int (*const apply[])(struct play * p, const struct step *s) = {
		[STEP_MMAP] = apply_mmap,
		[STEP_MUNMAP] = apply_munmap,
		[STEP_MPROTECT] = apply_mprotect,
		[STEP_MREMAP] = apply_mremap,
		[STEP_BRK] = apply_brk,
		[STEP_MADVISE] = apply_madvise,
		[STEP_HOLE] = apply_hole,
		[STEP_HOLE_MPROTECT] = apply_hole_mprotect,
		[STEP_TAKEN] = apply_taken,
		[STEP_FAILED] = apply_failed,
		[STEP_GROW] = apply_grow,
	};

	p->tally.calls += step_is_call(s);
	return apply[s->kind](p, s);
}
