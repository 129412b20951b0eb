/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Store two ranges that overlap, and look inside.  The README quotes what
 * follows.
 */

#include <stdio.h>

#include <umaple/umaple.h>

int main(void)
{
	struct umaple_tree tree = UMAPLE_TREE_INIT;
	char teens[] = "ten to nineteen", more[] = "fifteen to thirty";

	if (umaple_store_range(&tree, 10, 19, teens) ||
	    umaple_store_range(&tree, 15, 30, more))
		return 1; /* out of memory: the tree is as it was */
	printf("12: %s\n", (char *)umaple_load(&tree, 12));
	printf("17: %s\n", (char *)umaple_load(&tree, 17));
	umaple_tree_destroy(&tree);
	return 0;
}
