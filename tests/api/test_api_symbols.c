/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_api_symbols.c - a program that sees what a user sees: installed headers
 * and the shared library's exported symbols.
 */

#include <stdio.h>

#include <umaple/umaple.h>

static int fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	return 1;
}

int main(void)
{
	struct umaple_tree tree = UMAPLE_TREE_INIT_FLAGS(UMAPLE_TREE_GAPS);
	struct umaple_cache_attr attr = { .size = 48, .name = "mine" };
	struct umaple_cursor cursor;
	struct umaple_range range;
	struct umaple_cache *cache;
	uint64_t gap;
	void *object;
	int value;

	if (umaple_version() != UMAPLE_VERSION_NUMBER)
		return fail("the library is of another version");
	if (umaple_cache_create(&attr, &cache))
		return fail("create");
	object = umaple_cache_alloc(cache);
	if (!object)
		return fail("alloc");
	umaple_cache_free(cache, object);
	if (umaple_cache_destroy(cache))
		return fail("destroy");
	if (umaple_store_range(&tree, 10, 19, &value) ||
	    umaple_load(&tree, 15) != &value || umaple_load(&tree, 20))
		return fail("store and load");
	umaple_for_each(&tree, range, 0,
			UINT64_MAX) if (range.first != 10 ||
					range.last !=
						19) return fail("for each");
	if (umaple_gap_first(&tree, 5, 1, 8, 100, &gap) || gap != 20)
		return fail("gap");
	umaple_cursor_init(&cursor, &tree, 0, 0);
	umaple_read_lock(&tree);
	if (umaple_cursor_find(&cursor, 100) != &value || cursor.index != 10)
		return fail("cursor");
	umaple_read_unlock(&tree);
	umaple_tree_destroy(&tree);
	return umaple_tree_is_empty(&tree) ? 0 : fail("destroy tree");
}
