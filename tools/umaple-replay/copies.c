/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * copies.c - copies of a space, as a fork makes them: equal when they are made,
 * independent ever after.
 *
 * What a space was is remembered as a digest of its ranges.
 */

#include "copies.h"

#include <errno.h>
#include <stdlib.h>

#include <umaple/cursor.h>

static uint64_t digest_add(uint64_t digest, uint64_t value)
{
	digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
	return digest ^ (digest >> 29);
}

/* Of the ranges and what they stand for. */
static uint64_t digest_contents(struct space *sp)
{
	uint64_t digest = 1;
	struct umaple_range range;
	const struct vma *v;

	umaple_for_each(&sp->tree, range, 0, UINT64_MAX)
	{
		v = range.entry;
		digest = digest_add(digest, range.first);
		digest = digest_add(digest, range.last);
		digest = digest_add(digest, v->shift);
		digest = digest_add(digest, v->file);
		digest = digest_add(digest,
				    v->prot * 4u + v->shared * 2u + v->stack);
	}
	return digest;
}

/* Of the ranges and which struct vma each has. */
static uint64_t digest_entries(struct space *sp)
{
	uint64_t digest = 1;
	struct umaple_range range;

	umaple_for_each(&sp->tree, range, 0, UINT64_MAX)
	{
		digest = digest_add(digest, range.first);
		digest = digest_add(digest, range.last);
		digest = digest_add(digest, (uintptr_t)range.entry);
	}
	return digest;
}

/* Range by range the same, down to the entries. */
static bool trees_equal(struct umaple_tree *a, struct umaple_tree *b)
{
	struct umaple_range x;
	struct umaple_range y;
	uint64_t at = 0;
	bool more;

	do {
		more = umaple_find(a, at, UINT64_MAX, &x) != NULL;
		if (more != (umaple_find(b, at, UINT64_MAX, &y) != NULL))
			return false;
		if (more && (x.first != y.first || x.last != y.last ||
			     x.entry != y.entry))
			return false;
		at = more ? x.last + 1 : 0;
	} while (at);
	return true;
}

/* Replace each of the parent's vmas in the copy by one of its own. */
static int own_entries(struct space *copy)
{
	struct umaple_range range;
	struct vma *v;
	int r;

	umaple_for_each(&copy->tree, range, 0, UINT64_MAX)
	{
		v = malloc(sizeof(*v));
		if (!v)
			return -ENOMEM;
		*v = *(struct vma *)range.entry;
		r = umaple_store_range(&copy->tree, range.first, range.last, v);
		if (r < 0) {
			free(v);
			return r;
		}
	}
	return 0;
}

static int make_copy(struct space *copy, struct space *parent,
		     unsigned int flags)
{
	int r;

	space_init(copy, flags);
	r = umaple_tree_dup(&copy->tree, &parent->tree);
	if (r < 0)
		return r;
	copy->live = parent->live;
	if (trees_equal(&copy->tree, &parent->tree))
		r = own_entries(copy);
	else
		r = -EUCLEAN;
	/* Some entries may still be the parent's: they are not freed. */
	if (r < 0)
		umaple_tree_destroy(&copy->tree);
	return r;
}

static int drop_oldest(struct copies *c, struct space *parent)
{
	struct space *copy = &c->copy[c->oldest];
	uint64_t before = digest_entries(parent);
	bool right = digest_contents(copy) == c->digest[c->oldest];

	space_destroy(copy);
	c->oldest = (c->oldest + 1) % COPIES_MOST;
	c->count--;
	return right && digest_entries(parent) == before ? 0 : -EUCLEAN;
}

int copies_add(struct copies *c, struct space *parent, unsigned int flags)
{
	uint64_t before = digest_entries(parent);
	unsigned int at;
	int old = 0;
	int r;

	if (c->count == COPIES_MOST)
		old = drop_oldest(c, parent);
	at = (c->oldest + c->count) % COPIES_MOST;
	r = make_copy(&c->copy[at], parent, flags);
	if (r < 0)
		return r;
	c->digest[at] = digest_contents(&c->copy[at]);
	c->count++;
	return digest_entries(parent) == before ? old : -EUCLEAN;
}

int copies_drop(struct copies *c, struct space *parent)
{
	int r = 0;

	while (c->count)
		if (drop_oldest(c, parent) < 0)
			r = -EUCLEAN;
	return r;
}
