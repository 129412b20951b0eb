/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_api_kernel_caller.c - two callers in the kernel's idiom, beside models that
 * are arrays: whoever pastes such code gets what it was written for.
 */

#include <pthread.h>
#include <string.h>

#include "kernel_regs.h"
#include "kernel_test.h"
#include "kernel_vma.h"
#include "quick.h"

const char *const suite_name = "api.kernel_caller";

/* -- address spaces ------------------------------------------------------------------ */

#define PAGES ((VM_HIGH - VM_LOW) / VM_PAGE)

/* Flags of each page; 0 where none is mapped. */
struct pages {
	unsigned long flags[PAGES];
};

static struct space space;
static struct pages pages;
static struct rng rng;

static unsigned long page_address(unsigned long page)
{
	return VM_LOW + page * VM_PAGE;
}

static void pages_set(unsigned long page, unsigned long count,
		      unsigned long flags)
{
	while (count--)
		pages.flags[page++] = flags;
}

/* The area that a run of equal pages must be. */
static void check_run(struct space *which, unsigned long page,
		      unsigned long end, unsigned long flags)
{
	unsigned long start = page_address(page);
	struct area area;
	bool found = space_lookup(which, start + 5, &area);

	quick_assert(found == (flags != 0), "page %lu", page);
	if (found)
		quick_assert(area.start == start &&
				     area.end == page_address(end) &&
				     area.flags == flags,
			     "area %#lx..%#lx, pages %lu..%lu", area.start,
			     area.end, page, end);
}

/* As many areas as there are runs, and each at its place. */
static void check_space(struct space *which, const struct pages *wanted)
{
	unsigned long page, end, mapped = 0;
	int runs = 0;

	mt_validate(&which->mt);
	for (page = 0; page < PAGES; page = end) {
		unsigned long flags = wanted->flags[page];

		for (end = page; end < PAGES && wanted->flags[end] == flags;)
			end++;
		check_run(which, page, end, flags);
		runs += flags != 0;
		mapped += flags ? end - page : 0;
	}
	quick_assert(which->count == runs, "%d areas, not %d", which->count,
		     runs);
	quick_assert(which->total == mapped * VM_PAGE, "%lu bytes",
		     which->total);
}

static bool pages_all(unsigned long page, unsigned long count, bool mapped)
{
	while (count--)
		if ((pages.flags[page++] != 0) != mapped)
			return false;
	return true;
}

/* The highest hole of @count pages, or PAGES. */
static unsigned long pages_gap(unsigned long count)
{
	for (unsigned long page = PAGES - count + 1; page--;)
		if (pages_all(page, count, false))
			return page;
	return PAGES;
}

static void do_map(unsigned long count, unsigned long flags)
{
	unsigned long page = pages_gap(count);
	long address = space_map(&space, count * VM_PAGE, flags);

	if (page == PAGES) {
		quick_assert(address == -ENOMEM || address == -EBUSY,
			     "map: %ld", address);
		return;
	}
	quick_assert(address == (long)page_address(page), "map: %#lx", address);
	pages_set(page, count, flags);
}

static void do_map_fixed(unsigned long page, unsigned long count,
			 unsigned long flags)
{
	quick_assert(!space_map_fixed(&space, page_address(page),
				      count * VM_PAGE, flags),
		     "map fixed");
	pages_set(page, count, flags);
}

static void do_protect(unsigned long page, unsigned long count,
		       unsigned long flags)
{
	int err = space_protect(&space, page_address(page), count * VM_PAGE,
				flags);

	if (!pages_all(page, count, true)) {
		quick_assert(err == -ENOMEM, "protect: %d", err);
		return;
	}
	quick_assert(!err, "protect: %d", err);
	pages_set(page, count, flags);
}

static void do_grow(unsigned long page)
{
	unsigned long above = page;
	int err = space_grow(&space, page_address(page));

	while (above < PAGES && !pages.flags[above])
		above++;
	if (above == PAGES ||
	    (above > page && !(pages.flags[above] & VM_GROWS_DOWN))) {
		quick_assert(err == -EFAULT, "grow: %d", err);
		return;
	}
	quick_assert(!err, "grow: %d", err);
	pages_set(page, above - page, pages.flags[above]);
}

static void do_find(unsigned long page)
{
	unsigned long prev_start, at = page, below;
	struct area area;
	bool found =
		space_find(&space, page_address(page) + 9, &area, &prev_start);

	while (at < PAGES && !pages.flags[at])
		at++;
	quick_assert(found == (at < PAGES), "find at page %lu", page);
	if (found)
		quick_assert(area.start <= page_address(at) &&
				     area.end > page_address(at),
			     "find at page %lu: %#lx", page, area.start);
	/* Before the area at the page, or the hole there. */
	for (below = page;
	     below && pages.flags[below - 1] == pages.flags[page];)
		below--;
	while (below && !pages.flags[below - 1])
		below--;
	quick_assert((prev_start != 0) == (below != 0), "prev of page %lu",
		     page);
	if (below)
		quick_assert(prev_start <= page_address(below - 1),
			     "prev of page %lu: %#lx", page, prev_start);
}

/* A flag of its own for areas that grow; equal ones touch now and then. */
static unsigned long random_flags(void)
{
	static const unsigned long flags[] = { 1, 2, 3, 1 | VM_GROWS_DOWN };

	return flags[rng_below(&rng, 4)];
}

static void do_anything(void)
{
	unsigned long page = (unsigned long)rng_below(&rng, PAGES);
	unsigned long most = PAGES - page < 40 ? PAGES - page : 40;
	unsigned long count = (unsigned long)rng_below(&rng, most) + 1;

	switch (rng_below(&rng, 8)) {
	case 0:
	case 1:
		do_map(count, random_flags());
		break;
	case 2:
		do_map_fixed(page, count, random_flags());
		break;
	case 3:
	case 4:
		quick_assert(!space_unmap(&space, page_address(page),
					  count * VM_PAGE),
			     "unmap");
		pages_set(page, count, 0);
		break;
	case 5:
		do_protect(page, count, random_flags());
		break;
	case 6:
		do_grow(page);
		break;
	default:
		do_find(page);
	}
}

static void space_fill(void)
{
	rng_seed(&rng, test_seed());
	memset(&pages, 0, sizeof(pages));
	space_init(&space);
}

START_TEST(space_is_as_its_pages_say)
{
	unsigned long rounds = test_scaled(2000);

	space_fill();
	for (unsigned long i = 0; i < rounds; i++) {
		do_anything();
		if (i % 16 == 0)
			check_space(&space, &pages);
	}
	check_space(&space, &pages);
	space_exit(&space);
	ck_assert_int_eq(space.count, 0);
	ck_assert_uint_eq(space.total, 0);
	ck_assert_int_eq(space_end_all(), 0);
}
END_TEST

START_TEST(child_has_its_own_copy)
{
	struct space child;
	struct pages before;

	space_fill();
	for (unsigned long i = 0; i < test_scaled(400); i++)
		do_anything();
	before = pages;
	space_init(&child);
	ck_assert_int_eq(space_dup(&child, &space), 0);
	check_space(&child, &before);
	for (int i = 0; i < 100; i++)
		do_anything();
	check_space(&child, &before);
	check_space(&space, &pages);
	space_exit(&space);
	check_space(&child, &before);
	space_exit(&child);
	ck_assert_int_eq(space_end_all(), 0);
}
END_TEST

/*
 * A thread looks up while areas are cut, joined and grown under it: pages that
 * stay mapped are always found, with one of the flags they are given.
 */
struct reader {
	bool stop; /* atomic */
	unsigned long lookups;
	unsigned long wrong;
};

#define STAY	  8 /* pages at the start that are never unmapped */
#define KNOWN(fl) ((fl) == 1 || (fl) == 2)

static void *look_up(void *arg)
{
	struct reader *reader = (struct reader *)arg;
	struct area area;
	unsigned long page = 0, address;

	while (!__atomic_load_n(&reader->stop, __ATOMIC_RELAXED)) {
		page = (page + 3) % STAY;
		address = page_address(page);
		if (!space_lookup(&space, address, &area) ||
		    area.start > address || area.end <= address ||
		    !KNOWN(area.flags))
			reader->wrong++;
		reader->lookups++;
	}
	return NULL;
}

START_TEST(readers_always_find_what_stays_mapped)
{
	struct reader reader = { false, 0, 0 };
	pthread_t thread;
	unsigned long page;

	space_fill();
	ck_assert_int_eq(space_map_fixed(&space, VM_LOW, STAY * VM_PAGE, 1), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, look_up, &reader), 0);
	for (unsigned long i = 0; i < test_scaled(5000); i++) {
		page = (unsigned long)rng_below(&rng, STAY);
		ck_assert_int_eq(space_protect(&space, page_address(page),
					       VM_PAGE, 1 + (i & 1)),
				 0);
		if (i & 2)
			ck_assert_int_eq(space_map_fixed(&space,
							 page_address(STAY),
							 3 * VM_PAGE, 1),
					 0);
		else
			ck_assert_int_eq(space_unmap(&space, page_address(STAY),
						     3 * VM_PAGE),
					 0);
	}
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(reader.wrong, 0);
	space_exit(&space);
	ck_assert_int_eq(space_end_all(), 0);
}
END_TEST

/* -- registers ------------------------------------------------------------------------- */

#define REGS 400

static struct regs regs;
static int values[REGS]; /* -1: none */

static void check_regs(void)
{
	unsigned long index = 0;
	int value, blocks = 0, runs = 0;
	void *block;

	mt_validate(&regs.mt);
	for (unsigned long reg = 0; reg < REGS; reg++) {
		bool found = regs_read(&regs, reg, &value);

		quick_assert(found == (values[reg] >= 0), "reg %lu", reg);
		quick_assert(!found || value == values[reg], "reg %lu", reg);
		runs += found && (!reg || values[reg - 1] < 0);
	}
	mt_for_each(&regs.mt, block, index, ULONG_MAX)
		blocks++;
	quick_assert(blocks == runs, "%d blocks, not %d", blocks, runs);
}

START_TEST(registers_have_the_values_written)
{
	rng_seed(&rng, test_seed());
	regs_init(&regs);
	for (int reg = 0; reg < REGS; reg++)
		values[reg] = -1;
	for (unsigned long i = 0; i < test_scaled(3000); i++) {
		unsigned long reg = (unsigned long)rng_below(&rng, REGS);
		unsigned long last =
			reg + (unsigned long)rng_below(&rng, REGS - reg);

		if (rng_below(&rng, 40)) {
			ck_assert_int_eq(regs_write(&regs, reg, (int)i), 0);
			values[reg] = (int)i;
		} else {
			ck_assert_int_eq(regs_drop(&regs, reg, last), 0);
			for (; reg <= last; reg++)
				values[reg] = -1;
		}
		if (i % 32 == 0)
			check_regs();
	}
	check_regs();
	regs_exit(&regs);
	ck_assert(mtree_empty(&regs.mt));
}
END_TEST

START_TEST(registers_at_the_ends_have_values)
{
	static const unsigned long ends[] = { 0, 1, ULONG_MAX - 1, ULONG_MAX };
	int value;

	regs_init(&regs);
	for (int i = 0; i < ARRAY_SIZE(ends); i++)
		ck_assert_int_eq(regs_write(&regs, ends[i], i), 0);
	for (int i = 0; i < ARRAY_SIZE(ends); i++) {
		ck_assert(regs_read(&regs, ends[i], &value));
		ck_assert_int_eq(value, i);
	}
	ck_assert_int_eq(regs_drop(&regs, 1, ULONG_MAX - 1), 0);
	ck_assert(regs_read(&regs, ULONG_MAX, &value));
	ck_assert_int_eq(value, 3);
	ck_assert(!regs_read(&regs, 1, &value));
	ck_assert_int_eq(regs_drop(&regs, 0, ULONG_MAX), 0);
	ck_assert(mtree_empty(&regs.mt));
	regs_exit(&regs);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("kernel_caller.space");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, space_is_as_its_pages_say);
	tcase_add_test(tc, child_has_its_own_copy);
	tcase_add_test(tc, readers_always_find_what_stays_mapped);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_caller.regs");
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, registers_have_the_values_written);
	tcase_add_test(tc, registers_at_the_ends_have_values);
	suite_add_tcase(s, tc);
}
