/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Under the tree's lock, through a cursor: take the highest hole of a size and
 * alignment, as a process takes address space from the top down; then give every
 * other range back.
 */

#include <inttypes.h>
#include <stdio.h>

#include <umaple/umaple.h>

#define TOP  UINT64_C(0x7fff00000000)
#define PAGE UINT64_C(4096)

/* Reserve @pages pages; 0 when there is no room or no memory. */
static uint64_t reserve(struct umaple_tree *tree, uint64_t pages, void *owner)
{
	struct umaple_cursor cursor;
	uint64_t start = 0;

	umaple_lock(tree);
	umaple_cursor_init(&cursor, tree, 0, 0);
	if (!umaple_cursor_gap_last(&cursor, pages * PAGE, PAGE, PAGE,
				    TOP - 1) &&
	    !umaple_cursor_store(&cursor, owner))
		start = cursor.index;
	umaple_unlock(tree);
	return start;
}

/* Erase every other range.  True if there was memory for all of it. */
static int thin_out(struct umaple_tree *tree)
{
	struct umaple_cursor cursor;
	void *owner;
	int odd = 0, err = 0;

	umaple_lock(tree);
	umaple_cursor_init(&cursor, tree, 0, 0);
	umaple_cursor_for_each(&cursor, owner, TOP)
		if (odd++ & 1 && !err)
			err = umaple_cursor_erase(&cursor, NULL);
	umaple_unlock(tree);
	return !err;
}

int main(void)
{
	struct umaple_tree tree = UMAPLE_TREE_INIT_FLAGS(UMAPLE_TREE_GAPS);
	struct umaple_tree_info info;
	uint64_t start = 0;
	int owner, i;

	for (i = 1; i <= 100; i++) {
		start = reserve(&tree, (uint64_t)i, &owner);
		if (!start)
			return 1;
	}
	printf("the last of 100 ranges starts at %#" PRIx64 "\n", start);
	if (!thin_out(&tree))
		return 1;
	umaple_tree_measure(&tree, &info);
	printf("%" PRIu64 " ranges left in %" PRIu64 " nodes\n", info.ranges,
	       info.nodes);
	umaple_tree_destroy(&tree);
	return info.ranges == 50 ? 0 : 1;
}
