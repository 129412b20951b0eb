/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * space.c - an address space: ranges with protection and backing, kept in a
 * umaple tree and nowhere else.
 *
 * Every write is one edit: look at the ranges that meet or touch the one to be
 * written, work out what it joins and what it displaces, store once.  Only where
 * a range loses its middle a second store gives the upper part a struct vma of
 * its own.
 *
 * Locks: an edit takes the tree's lock, so that what it saw is still there when
 *        it stores, and lets go of it before the next, so that many edits in a
 *        row never outrun grace periods.  The program has one thread.
 */

#include "space.h"

#include <errno.h>
#include <stdlib.h>

#include <umaple/cursor.h>

/**
 * struct edit - One write in the making.
 * @lo, @hi:     What was asked for.
 * @what:        What it shall stand for; %NULL: nothing.
 * @first, @last: What will be stored: @lo to @hi and the ranges that join.
 * @gone:        Chain of what is displaced.
 * @hit:         Does any range meet [@lo, @hi]?
 * @tail:        What shall stand for (@hi, @tail_last], or %NULL.
 */
struct edit {
	uint64_t lo;
	uint64_t hi;
	const struct vma *what;
	uint64_t first;
	uint64_t last;
	struct vma *gone;
	bool hit;
	struct vma *tail;
	uint64_t tail_last;
};

void space_init(struct space *sp, unsigned int flags)
{
	umaple_tree_init(&sp->tree, flags | UMAPLE_TREE_GAPS);
	sp->live = 0;
}

void space_destroy(struct space *sp)
{
	struct umaple_range range;

	umaple_for_each(&sp->tree, range, 0, UINT64_MAX) free(range.entry);
	umaple_tree_destroy(&sp->tree);
	sp->live = 0;
}

bool vma_equal(const struct vma *a, const struct vma *b)
{
	return a->prot == b->prot && a->shared == b->shared &&
	       a->file == b->file && a->stack == b->stack &&
	       a->shift == b->shift;
}

static struct vma *vma_copy(const struct vma *v)
{
	struct vma *copy = malloc(sizeof(*copy));

	if (copy)
		*copy = *v;
	return copy;
}

static void vma_free_chain(struct vma *v)
{
	struct vma *next;

	for (; v; v = next) {
		next = v->next;
		free(v);
	}
}

static void edit_drop(struct edit *e, struct vma *v)
{
	v->next = e->gone;
	e->gone = v;
}

/* Take account of a range that meets or touches [lo, hi]. */
static int edit_see(struct edit *e, uint64_t first, uint64_t last,
		    struct vma *v)
{
	bool meets = first <= e->hi && last >= e->lo;

	e->hit |= meets;
	if (e->what && vma_equal(v, e->what)) {
		if (first < e->first)
			e->first = first;
		if (last > e->last)
			e->last = last;
		edit_drop(e, v);
	} else if (meets && first >= e->lo && last <= e->hi) {
		edit_drop(e, v);
	} else if (first < e->lo && last > e->hi) {
		e->tail = vma_copy(v);
		e->tail_last = last;
		if (!e->tail)
			return -ENOMEM;
	}
	return 0;
}

static int edit_look(struct edit *e, struct umaple_cursor *c)
{
	uint64_t to = e->hi + (e->hi < UINT64_MAX);
	struct vma *v;
	int r = 0;

	umaple_cursor_for_each(c, v, to) {
		r = edit_see(e, c->index, c->last, v);
		if (r < 0)
			break;
	}
	return r;
}

static int edit_store(struct space *sp, struct umaple_cursor *c, uint64_t first,
		      uint64_t last, struct vma *v)
{
	int r;

	umaple_cursor_set_range(c, first, last);
	r = umaple_cursor_store(c, v);
	if (r == 0 && v)
		sp->live++;
	return r;
}

/* Store what the edit has become; @v, or nothing where it is %NULL. */
static int edit_write(struct space *sp, struct edit *e, struct umaple_cursor *c,
		      struct vma *v)
{
	struct vma *gone;
	int r;

	if (e->tail) {
		r = edit_store(sp, c, e->hi + 1, e->tail_last, e->tail);
		if (r < 0)
			return r;
		e->tail = NULL;
	}
	if (!v && !e->hit)
		return 0;
	r = edit_store(sp, c, e->first, e->last, v);
	if (r < 0)
		return r;
	for (gone = e->gone; gone; gone = gone->next)
		sp->live--;
	vma_free_chain(e->gone);
	return 0;
}

/* Write [@lo, @hi]; @v is the space's on success. */
static int space_edit(struct space *sp, uint64_t lo, uint64_t hi, struct vma *v)
{
	struct edit e = { .lo = lo,
			  .hi = hi,
			  .what = v,
			  .first = lo,
			  .last = hi };
	struct umaple_cursor c;
	int r;

	umaple_lock(&sp->tree);
	umaple_cursor_init(&c, &sp->tree, lo - (lo > 0), hi);
	r = edit_look(&e, &c);
	if (r == 0)
		r = edit_write(sp, &e, &c, v);
	umaple_unlock(&sp->tree);
	free(e.tail);
	return r;
}

int space_store(struct space *sp, uint64_t first, uint64_t last,
		const struct vma *what)
{
	struct vma *v = vma_copy(what);
	int r;

	if (!v)
		return -ENOMEM;
	r = space_edit(sp, first, last, v);
	if (r < 0)
		free(v);
	return r;
}

int space_erase(struct space *sp, uint64_t first, uint64_t last)
{
	return space_edit(sp, first, last, NULL);
}

/* Cut a range to [@first, @last], which it meets. */
static void range_clip(struct umaple_range *range, uint64_t first,
		       uint64_t last)
{
	if (range->first < first)
		range->first = first;
	if (range->last > last)
		range->last = last;
}

int space_protect(struct space *sp, uint64_t first, uint64_t last, uint8_t prot)
{
	struct umaple_range range;
	uint64_t at = first;
	struct vma what;
	int r = 0;

	while (r == 0 && umaple_find(&sp->tree, at, last, &range)) {
		if (range.first > at)
			break;
		range_clip(&range, at, last);
		what = *(struct vma *)range.entry;
		if (what.prot != prot) {
			what.prot = prot;
			r = space_store(sp, range.first, range.last, &what);
		}
		if (range.last == last)
			break;
		at = range.last + 1;
	}
	return r;
}

int space_copy_parts(struct space *sp, uint64_t first, uint64_t last,
		     uint64_t target, uint64_t target_last)
{
	struct umaple_range range;
	uint64_t at = first;
	uint64_t end;
	struct vma what;
	int r = 0;

	while (r == 0 && umaple_find(&sp->tree, at, last, &range)) {
		range_clip(&range, at, last);
		what = *(struct vma *)range.entry;
		if (what.file)
			what.shift += first - target;
		end = range.last == last ? target_last
					 : range.last - first + target;
		r = space_store(sp, range.first - first + target, end, &what);
		if (range.last == last)
			break;
		at = range.last + 1;
	}
	return r;
}

bool space_is_covered(const struct space *sp, uint64_t first, uint64_t last)
{
	struct umaple_range range;
	uint64_t at = first;

	while (umaple_find(&sp->tree, at, last, &range)) {
		if (range.first > at)
			return false;
		if (range.last >= last)
			return true;
		at = range.last + 1;
	}
	return false;
}

bool space_is_free(const struct space *sp, uint64_t first, uint64_t last)
{
	return !umaple_find(&sp->tree, first, last, NULL);
}
