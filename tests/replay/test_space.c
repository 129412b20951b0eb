/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_space.c - the address space of umaple-replay against an array with one
 * cell per page, its copies, and the placement rule.
 */

#include <errno.h>
#include <string.h>

#include <umaple/debug.h>

#include "copies.h"
#include "harness.h"
#include "place.h"
#include "space.h"

const char *const suite_name = "replay-space";

#define PAGES ((uint64_t)200)
#define FIRST ((uint64_t)0x7f0000000000) /* address of page 0 of the array */

/**
 * struct cells - The oracle: what each page stands for.
 */
struct cells {
	bool there[PAGES];
	struct vma what[PAGES];
};

static uint64_t addr_of(uint64_t page)
{
	return FIRST + page * PAGE_BYTES;
}

/* The last byte of the page before @page. */
static uint64_t last_before(uint64_t page)
{
	return addr_of(page) - 1;
}

static void cells_set(struct cells *c, uint64_t from, uint64_t to,
		      const struct vma *what)
{
	for (; from < to; from++) {
		c->there[from] = what;
		if (what)
			c->what[from] = *what;
	}
}

static bool cells_join(const struct cells *c, uint64_t page)
{
	return c->there[page - 1] && c->there[page] &&
	       vma_equal(&c->what[page - 1], &c->what[page]);
}

/* The space has exactly the ranges of the array, joined where they can be. */
static void ck_same(struct space *sp, const struct cells *c)
{
	struct umaple_range range;
	char text[256] = "";
	uint64_t page = 0;
	size_t count = 0;

	umaple_for_each(&sp->tree, range, 0, UINT64_MAX)
	{
		while (page < PAGES && !c->there[page])
			page++;
		ck_assert_uint_lt(page, PAGES);
		ck_assert_uint_eq(range.first, addr_of(page));
		ck_assert(vma_equal(range.entry, &c->what[page]));
		do {
			page++;
		} while (page < PAGES && cells_join(c, page));
		ck_assert_uint_eq(range.last, last_before(page));
		count++;
	}
	while (page < PAGES)
		ck_assert(!c->there[page++]);
	ck_assert_uint_eq(sp->live, count);
	ck_assert_msg(umaple_tree_check(&sp->tree, text, sizeof(text)) == 0,
		      "%s", text);
}

/* One of few, so that neighbours are often equal. */
static struct vma random_vma(struct rng *rng)
{
	uint32_t file = (uint32_t)rng_below(rng, 3);

	return (struct vma){
		.shift = file ? rng_below(rng, 2) * PAGE_BYTES : 0,
		.file = file,
		.prot = (uint8_t)rng_below(rng, 2),
		.shared = rng_below(rng, 4) == 0,
		.stack = rng_below(rng, 20) == 0,
	};
}

static void random_pages(struct rng *rng, uint64_t *from, uint64_t *to)
{
	uint64_t most = rng_below(rng, 8) ? 12 : PAGES;

	*from = rng_below(rng, PAGES);
	*to = *from + 1 + rng_below(rng, most);
	if (*to > PAGES)
		*to = PAGES;
}

static void do_store(struct space *sp, struct cells *c, struct rng *rng)
{
	struct vma what = random_vma(rng);
	uint64_t from;
	uint64_t to;

	random_pages(rng, &from, &to);
	cells_set(c, from, to, &what);
	ck_assert_int_eq(space_store(sp, addr_of(from), last_before(to), &what),
			 0);
}

static void do_erase(struct space *sp, struct cells *c, struct rng *rng)
{
	uint64_t from;
	uint64_t to;

	random_pages(rng, &from, &to);
	cells_set(c, from, to, NULL);
	ck_assert_int_eq(space_erase(sp, addr_of(from), last_before(to)), 0);
}

static void do_protect(struct space *sp, struct cells *c, struct rng *rng)
{
	uint8_t prot = (uint8_t)rng_below(rng, 2);
	uint64_t from;
	uint64_t to;
	uint64_t page;

	random_pages(rng, &from, &to);
	for (page = from; page < to && c->there[page]; page++)
		c->what[page].prot = prot;
	ck_assert_int_eq(
		space_protect(sp, addr_of(from), last_before(to), prot), 0);
}

/* Copy from the lower half into the upper, the last part perhaps longer. */
static void do_copy(struct space *sp, struct cells *c, struct rng *rng)
{
	uint64_t from = rng_below(rng, PAGES / 2 - 10);
	uint64_t len = 1 + rng_below(rng, 10);
	uint64_t target = PAGES / 2 + rng_below(rng, PAGES / 2 - 14);
	uint64_t longer = rng_below(rng, 4);
	uint64_t i;
	struct vma what;

	for (i = 0; i < len + longer; i++) {
		if (i < len && !c->there[from + i])
			continue;
		if (i >= len && !c->there[from + len - 1])
			break;
		what = c->what[from + (i < len ? i : len - 1)];
		if (what.file)
			what.shift -= (target - from) * PAGE_BYTES;
		cells_set(c, target + i, target + i + 1, &what);
	}
	ck_assert_int_eq(space_copy_parts(sp, addr_of(from),
					  last_before(from + len),
					  addr_of(target),
					  last_before(target + len + longer)),
			 0);
}

static void ck_questions(struct space *sp, const struct cells *c,
			 struct rng *rng)
{
	bool covered = true;
	bool is_free = true;
	uint64_t from;
	uint64_t to;
	uint64_t page;

	random_pages(rng, &from, &to);
	for (page = from; page < to; page++) {
		covered &= c->there[page];
		is_free &= !c->there[page];
	}
	ck_assert_int_eq(space_is_covered(sp, addr_of(from), last_before(to)),
			 covered);
	ck_assert_int_eq(space_is_free(sp, addr_of(from), last_before(to)),
			 is_free);
}

START_TEST(space_agrees_with_an_array_of_pages)
{
	static void (*const change[])(struct space * sp, struct cells * c,
				      struct rng * rng) = {
		do_store, do_store, do_store, do_erase, do_protect, do_copy,
	};
	static struct cells cells;
	unsigned long steps = test_scaled(10000);
	struct space sp;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uint64_t)_i);
	memset(&cells, 0, sizeof(cells));
	space_init(&sp, _i ? UMAPLE_TREE_SERIAL : 0);

	while (steps--) {
		change[rng_below(&rng, 6)](&sp, &cells, &rng);
		ck_same(&sp, &cells);
		ck_questions(&sp, &cells, &rng);
	}

	space_destroy(&sp);
	ck_assert(umaple_tree_is_empty(&sp.tree));
}
END_TEST

/* A space of @count ranges of one page, no two of them equal. */
static void fill(struct space *sp, uint64_t count)
{
	struct vma what = { .file = 1 };
	uint64_t i;

	space_init(sp, 0);
	for (i = 0; i < count; i++) {
		what.file = (uint32_t)(1 + i);
		ck_assert_int_eq(space_store(sp, addr_of(i), last_before(i + 1),
					     &what),
				 0);
	}
}

START_TEST(copies_stay_what_they_were_while_the_parent_changes)
{
	static struct copies copies;
	struct vma what = { .prot = 7 };
	struct space sp;
	uint64_t i;

	fill(&sp, 100);

	for (i = 0; i < 3 * COPIES_MOST; i++) {
		ck_assert_int_eq(copies_add(&copies, &sp, 0), 0);
		ck_assert_int_eq(
			space_erase(&sp, addr_of(i), last_before(i + 1)), 0);
		ck_assert_int_eq(space_store(&sp, addr_of(40 + i),
					     last_before(60 + i), &what),
				 0);
	}

	ck_assert_uint_eq(copies.count, COPIES_MOST);
	ck_assert_int_eq(copies_drop(&copies, &sp), 0);
	ck_assert_uint_eq(copies.count, 0);
	space_destroy(&sp);
}
END_TEST

START_TEST(copy_that_lost_a_range_is_found)
{
	static struct copies copies;
	struct space sp;

	fill(&sp, 100);
	ck_assert_int_eq(copies_add(&copies, &sp, 0), 0);

	ck_assert_int_eq(
		space_erase(&copies.copy[0], addr_of(50), last_before(51)), 0);

	ck_assert_int_eq(copies_drop(&copies, &sp), -EUCLEAN);
	space_destroy(&sp);
}
END_TEST

START_TEST(copy_whose_entry_changed_is_found)
{
	static struct copies copies;
	struct umaple_range range;
	struct vma *v;
	struct space sp;

	fill(&sp, 100);
	ck_assert_int_eq(copies_add(&copies, &sp, 0), 0);

	v = umaple_find(&copies.copy[0].tree, addr_of(7), UINT64_MAX, &range);
	v->prot ^= 1;

	ck_assert_int_eq(copies_drop(&copies, &sp), -EUCLEAN);
	space_destroy(&sp);
}
END_TEST

START_TEST(copy_has_entries_of_its_own)
{
	static struct copies copies;
	struct space sp;
	uint64_t i;

	fill(&sp, 100);
	ck_assert_int_eq(copies_add(&copies, &sp, 0), 0);

	for (i = 0; i < 100; i++)
		ck_assert_ptr_ne(umaple_load(&sp.tree, addr_of(i)),
				 umaple_load(&copies.copy[0].tree, addr_of(i)));

	ck_assert_int_eq(copies_drop(&copies, &sp), 0);
	space_destroy(&sp);
}
END_TEST

#define BASE ((uint64_t)0x7f0000400000)
#define ANON (MAPPING_ANONYMOUS | MAPPING_PRIVATE)

/* Taken in every case: one page below BASE, and one 5 MiB further down. */
#define HIGH (BASE - PAGE_BYTES)
#define LOW  (HIGH - 0x500000)

static const struct {
	const char *what;
	uint64_t flags;
	uint64_t file;
	uint64_t offset;
	uint64_t hint;
	uint64_t len;
	uint64_t addr;
} place_case[] = {
	{ "end of the highest hole", ANON, 0, 0, 0, 0x3000, HIGH - 0x3000 },
	{ "the hole exactly", ANON, 0, 0, 0, 0x4ff000, LOW + 0x1000 },
	{ "a page too large for it", ANON, 0, 0, 0, 0x500000, LOW - 0x500000 },
	{ "free hint", ANON, 0, 0, 0x7e0000000000, 0x1000, 0x7e0000000000 },
	{ "hint in a page", ANON, 0, 0, 0x7e0000000fff, 0x1000,
	  0x7e0000000000 },
	{ "hint above the base", ANON, 0, 0, BASE, 0x1000, BASE },
	{ "taken hint", ANON, 0, 0, HIGH, 0x1000, HIGH - 0x1000 },
	{ "hint that runs into a range", ANON, 0, 0, HIGH - 0x1000, 0x2000,
	  HIGH - 0x2000 },
	{ "low hint", ANON, 0, 0, 0x5000, 0x1000, 0x10000 },
	{ "hint in page 0", ANON, 0, 0, 0xfff, 0x1000, HIGH - 0x1000 },
	{ "highest hint", ANON, 0, 0, 0x7fffffffe000, 0x1000, 0x7fffffffe000 },
	{ "hint past the highest", ANON, 0, 0, 0x7fffffffe000, 0x2000,
	  HIGH - 0x2000 },
	{ "hint at the end", ANON, 0, 0, UINT64_MAX, 0x1000, HIGH - 0x1000 },
	/* The hole found, at HIGH - 400000, is a page below a huge page. */
	{ "huge page", ANON, 0, 0, 0, 0x200000, BASE - 0x400000 },
	{ "huge page, small part more", ANON, 0, 0, 0, 0x201000,
	  HIGH - 0x201000 },
	{ "huge page, taken hint", ANON, 0, 0, HIGH, 0x200000,
	  HIGH - 0x200000 },
	{ "huge page, hint in page 0", ANON, 0, 0, 1, 0x200000,
	  BASE - 0x400000 },
	{ "huge page, shared", MAPPING_ANONYMOUS | MAPPING_SHARED, 0, 0, 0,
	  0x200000, HIGH - 0x200000 },
	{ "huge page of a file", MAPPING_PRIVATE, 1, 0, 0, 0x201000,
	  BASE - 0x400000 },
	{ "huge page of a file, further in", MAPPING_PRIVATE, 1, 0x3000, 0,
	  0x400000, LOW - 0x600000 + 0x104000 },
	{ "file without a whole huge page", MAPPING_PRIVATE, 1, 0x3000, 0,
	  0x201000, HIGH - 0x201000 },
	{ "huge page without room to align", ANON, 0, 0, 0, 0x7effffe00000,
	  LOW - 0x7effffe00000 },
	{ "more than there is", ANON, 0, 0, 0, 0x7f0000000000, 0 },
	{ "more than can be", ANON, 0, 0, 0, 0xffffffffffe00000, 0 },
};

START_TEST(placement_follows_the_rule)
{
	struct step mmap = {
		.kind = STEP_MMAP,
		.flags = place_case[_i].flags,
		.file = place_case[_i].file,
		.offset = place_case[_i].offset,
		.target = place_case[_i].hint,
		.len = place_case[_i].len,
	};
	struct vma what = { .prot = 3 };
	struct space sp;
	uint64_t addr;

	space_init(&sp, 0);
	ck_assert_int_eq(space_store(&sp, HIGH, BASE - 1, &what), 0);
	ck_assert_int_eq(space_store(&sp, LOW, LOW + PAGE_BYTES - 1, &what), 0);

	addr = place_find(&sp, BASE, &mmap);

	ck_assert_msg(addr == place_case[_i].addr, "%s: %#lx, not %#lx",
		      place_case[_i].what, (unsigned long)addr,
		      (unsigned long)place_case[_i].addr);
	space_destroy(&sp);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *model = tcase_create("space.model");
	TCase *copies = tcase_create("space.copies");
	TCase *place = tcase_create("space.place");

	tcase_set_timeout(model, 120);
	tcase_add_loop_test(model, space_agrees_with_an_array_of_pages, 0, 2);
	suite_add_tcase(s, model);

	tcase_add_test(copies,
		       copies_stay_what_they_were_while_the_parent_changes);
	tcase_add_test(copies, copy_that_lost_a_range_is_found);
	tcase_add_test(copies, copy_whose_entry_changed_is_found);
	tcase_add_test(copies, copy_has_entries_of_its_own);
	suite_add_tcase(s, copies);

	tcase_add_loop_test(place, placement_follows_the_rule, 0,
			    sizeof(place_case) / sizeof(place_case[0]));
	suite_add_tcase(s, place);
}
