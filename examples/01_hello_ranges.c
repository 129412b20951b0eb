/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Store a range and look inside.  The README quotes what follows.
 */

#include <stdio.h>

#include <umaple/umaple.h>

int main(void)
{
	struct umaple_tree tree = UMAPLE_TREE_INIT;
	char text[] = "ten to nineteen";

	if (umaple_store_range(&tree, 10, 19, text))
		return 1; /* out of memory: the tree is as it was */
	printf("15: %s\n", (char *)umaple_load(&tree, 15));
	umaple_tree_destroy(&tree);
	return 0;
}
