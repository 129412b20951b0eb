/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Misuse of trees and cursors that would do silent damage aborts, in every
 * build, and names what is wrong.
 */

#include <stdlib.h>

#include <umaple/cursor.h>
#include <umaple/tree.h>

#include "death.h"
#include "harness.h"

const char *const suite_name = "death.tree";

static struct umaple_tree tree;

static void init_with_unknown_flags(void)
{
	umaple_tree_init(&tree, 0x8000);
}

static void init_with_known_and_unknown_flags(void)
{
	umaple_tree_init(&tree, UMAPLE_TREE_GAPS | 0x80000000u);
}

static void lock_what_has_an_external_lock(void)
{
	umaple_tree_init(&tree, UMAPLE_TREE_EXTERNAL_LOCK);
	umaple_lock(&tree);
}

static void store_into_a_tree_made_with_unknown_flags(void)
{
	struct umaple_tree made = UMAPLE_TREE_INIT_FLAGS(1u << 30);

	if (umaple_store(&made, 1, &made))
		exit(EXIT_FAILURE);
}

static void unlock_what_is_not_locked(void)
{
	umaple_tree_init(&tree, 0);
	umaple_unlock(&tree);
}

static void init_cursor_with_ends_exchanged(void)
{
	struct umaple_cursor cursor;

	umaple_tree_init(&tree, 0);
	umaple_cursor_init(&cursor, &tree, 6, 5);
}

static void set_cursor_with_ends_exchanged(void)
{
	struct umaple_cursor cursor;

	umaple_tree_init(&tree, 0);
	umaple_cursor_init(&cursor, &tree, 5, 5);
	umaple_cursor_set_range(&cursor, UINT64_MAX, 0);
}

static const struct {
	void (*act)(void);
	const char *text;
} deaths[] = {
	{ init_with_unknown_flags, "8000" },
	{ init_with_known_and_unknown_flags, "flags" },
	{ lock_what_has_an_external_lock, "external" },
	{ store_into_a_tree_made_with_unknown_flags, "flags" },
	{ unlock_what_is_not_locked, "not locked" },
	{ init_cursor_with_ends_exchanged, "cursor" },
	{ set_cursor_with_ends_exchanged, "cursor" },
};
#define DEATHS ((int)(sizeof(deaths) / sizeof(deaths[0])))

START_TEST(misuse_aborts_and_says_why)
{
	death_expect(deaths[_i].act, "umaple:");
	death_expect(deaths[_i].act, deaths[_i].text);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("death.tree");

	tcase_set_tags(tc, "death");
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, misuse_aborts_and_says_why, 0, DEATHS);
	suite_add_tcase(s, tc);
}
