/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/find.c - searches of the simple API: a cursor for one call.
 *
 * A reserved range has no entry for these; cursors show it.
 *
 * Context: each enters a read-side section, unless the tree is serial.
 */

#include "tree/tree_priv.h"

const char umaple_reserved_mark;

void *umaple_reserved(void)
{
	return reserved_entry();
}

/* A cursor call that searches up to a limit. */
typedef void *search_fn(struct umaple_cursor *cursor, uint64_t limit);

/*
 * One call is to report a range that was there as a whole at one moment.  A cursor
 * that loses its path to a writer half way goes on with the part of a range that
 * it has not passed yet: then the search starts again.
 */
static void *tree_search(const struct umaple_tree *tree, uint64_t index,
			 uint64_t limit, struct umaple_range *ret,
			 search_fn *search)
{
	struct umaple_cursor cursor;
	void *entry;

	tree_section_enter(tree);
	do {
		umaple_cursor_init(&cursor, tree_writable(tree), index, index);
		do {
			entry = search(&cursor, limit);
		} while (entry == reserved_entry());
	} while (entry && umaple_cursor_is_cut(&cursor));
	tree_section_leave(tree);
	if (entry && ret)
		*ret = (struct umaple_range){ cursor.index, cursor.last,
					      entry };
	return entry;
}

void *umaple_find(const struct umaple_tree *tree, uint64_t index, uint64_t max,
		  struct umaple_range *ret)
{
	return tree_search(tree, index, max, ret, umaple_cursor_find);
}

void *umaple_find_rev(const struct umaple_tree *tree, uint64_t index,
		      uint64_t min, struct umaple_range *ret)
{
	return tree_search(tree, index, min, ret, umaple_cursor_find_rev);
}

void *umaple_next(const struct umaple_tree *tree, uint64_t index, uint64_t max,
		  struct umaple_range *ret)
{
	return tree_search(tree, index, max, ret, umaple_cursor_next);
}

void *umaple_prev(const struct umaple_tree *tree, uint64_t index, uint64_t min,
		  struct umaple_range *ret)
{
	return tree_search(tree, index, min, ret, umaple_cursor_prev);
}

bool umaple_find_hole(const struct umaple_tree *tree, uint64_t index,
		      uint64_t max, struct umaple_range *ret)
{
	struct umaple_cursor cursor;
	bool found;
	void *entry;

	tree_section_enter(tree);
	do {
		umaple_cursor_init(&cursor, tree_writable(tree), index, index);
		do {
			found = umaple_cursor_find_range(&cursor, max, &entry);
		} while (found && entry);
	} while (found && umaple_cursor_is_cut(&cursor));
	tree_section_leave(tree);
	if (found && ret)
		*ret = (struct umaple_range){ cursor.index, cursor.last, NULL };
	return found;
}

/*
 * A range that has grown over what was passed is looked at as a whole: it counts
 * only if no part of it has been counted.
 */
uint64_t umaple_count(const struct umaple_tree *tree, uint64_t first,
		      uint64_t last)
{
	uint64_t count = 0, next = 0; /* above what has been counted */
	struct umaple_cursor cursor;
	void *entry;

	umaple_cursor_init(&cursor, tree_writable(tree), first, first);
	tree_section_enter(tree);
	umaple_cursor_for_each(&cursor, entry, last) {
		if (unlikely(umaple_cursor_is_cut(&cursor)))
			entry = umaple_cursor_walk(&cursor);
		if (!entry || entry == reserved_entry() || cursor.index < next)
			continue;
		count++;
		next = cursor.last + 1;
	}
	tree_section_leave(tree);
	return count;
}
