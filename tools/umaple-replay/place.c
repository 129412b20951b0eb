/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * place.c - where the kernel puts a mapping whose address the program leaves
 * open: the rule of data/traces/FORMAT.md, "Placement".
 *
 * In order: the hint, if it is free; room for an aligned huge page, if the
 * mapping can use one; else the highest hole that fits, from its end.
 */

#include "place.h"

#define HUGE_BYTES ((uint64_t)0x200000)

/* Hints end here: the last page of user space is never mapped. */
#define SPACE_END ((uint64_t)0x7ffffffff000)

/* No hint is below this, the kernel's vm.mmap_min_addr. */
#define HINT_LEAST ((uint64_t)0x10000)

/* Page 0 stays free, whatever the search. */
#define SEARCH_LEAST PAGE_BYTES

bool place_is_ruled(const struct step *mmap)
{
	return !(mmap->flags &
		 (MAPPING_FIXED | MAPPING_NOREPLACE | MAPPING_32BIT));
}

static bool hint_fits(const struct space *sp, uint64_t hint, uint64_t len)
{
	return len <= SPACE_END && hint <= SPACE_END - len &&
	       space_is_free(sp, hint, hint + len - 1);
}

/* The highest hole of @len below @base, at its end; 0: none. */
static uint64_t highest_hole(struct space *sp, uint64_t base, uint64_t len)
{
	uint64_t first;

	if (base <= SEARCH_LEAST ||
	    umaple_gap_last(&sp->tree, len, 1, SEARCH_LEAST, base - 1, &first) <
		    0)
		return 0;
	return first;
}

/* Offset from which the kernel aligns: a file's, as huge pages lie in it. */
static uint64_t huge_offset(const struct step *mmap)
{
	return mmap->file ? mmap->offset : 0;
}

static bool wants_huge(const struct step *mmap, uint64_t hint)
{
	bool whole = mmap->flags & MAPPING_ANONYMOUS &&
		     (mmap->flags & MAPPING_TYPE) == MAPPING_PRIVATE && !hint &&
		     mmap->len % HUGE_BYTES == 0;
	uint64_t skip = -huge_offset(mmap) % HUGE_BYTES;

	if (mmap->len < HUGE_BYTES || !(mmap->file || whole))
		return false;
	return mmap->len >= skip && mmap->len - skip >= HUGE_BYTES;
}

/* An address that agrees with the offset modulo a huge page; 0: no room. */
static uint64_t find_huge(struct space *sp, uint64_t base,
			  const struct step *mmap)
{
	uint64_t hole;
	uint64_t skip;

	if (mmap->len > SPACE_END)
		return 0;
	hole = highest_hole(sp, base, mmap->len + HUGE_BYTES);
	if (!hole)
		return 0;
	skip = (huge_offset(mmap) - hole) % HUGE_BYTES;
	return hole + (skip ? skip : HUGE_BYTES);
}

/* What the hint comes to; 0: none, as for one in page 0. */
static uint64_t round_hint(uint64_t hint)
{
	hint &= ~(PAGE_BYTES - 1);
	return hint && hint < HINT_LEAST ? HINT_LEAST : hint;
}

uint64_t place_find(struct space *sp, uint64_t base, const struct step *mmap)
{
	uint64_t hint = round_hint(mmap->target);
	uint64_t found = 0;

	if (hint && hint_fits(sp, hint, mmap->len))
		return hint;
	if (wants_huge(mmap, hint))
		found = find_huge(sp, base, mmap);
	return found ? found : highest_hole(sp, base, mmap->len);
}
