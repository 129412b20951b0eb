/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * consumer.c - the smallest program against an installed umaple; also C++.
 */

#include <umaple/umaple.h>

int main(void)
{
	struct umaple_tree tree = UMAPLE_TREE_INIT;
	int value = 0, err;

	err = umaple_store_range(&tree, 1, UINT64_MAX, &value);
	if (err || umaple_load(&tree, 7) != &value)
		return 1;
	umaple_tree_destroy(&tree);
	return umaple_version() == UMAPLE_VERSION_NUMBER ? 0 : 1;
}
