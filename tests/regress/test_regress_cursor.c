/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Cursors that other maple trees moved wrongly, or that faulted.  Case numbers
 * are fixed: reports name them.
 *
 * Most cases play on map A: 10..19 is 1, 30..39 is 2, 50..59 is 3.
 */

#include "harness.h"
#include "twin.h"

const char *const suite_name = "regress.cursor";

#define MAX UINT64_MAX

static void *value(uint64_t number)
{
	return (void *)(uintptr_t)number;
}

struct scene {
	struct twin twin;
	struct umaple_cursor cursor;
};

/* An empty tree, the reader's section open, and a cursor at 0. */
static void scene_init(struct scene *scene, int flags)
{
	twin_init(&scene->twin, twin_flags[flags]);
	umaple_cursor_init(&scene->cursor, &scene->twin.tree, 0, 0);
	umaple_read_lock(&scene->twin.tree);
}

static void scene_init_map_a(struct scene *scene, int flags)
{
	scene_init(scene, flags);
	twin_store(&scene->twin, 10, 19, value(1));
	twin_store(&scene->twin, 30, 39, value(2));
	twin_store(&scene->twin, 50, 59, value(3));
}

static void scene_fini(struct scene *scene)
{
	umaple_read_unlock(&scene->twin.tree);
	twin_fini(&scene->twin);
}

static void at(const struct scene *scene, uint64_t first, uint64_t last)
{
	ck_assert_uint_eq(scene->cursor.index, first);
	ck_assert_uint_eq(scene->cursor.last, last);
}

/* A call that must find entry @number on [@first, @last]. */
#define FINDS(call, number, first, last)                                       \
	do {                                                                   \
		ck_assert_ptr_eq(call, value(number));                         \
		at(&scene, first, last);                                       \
	} while (0)

/* A call that must find nothing, and move nothing. */
#define MISSES(call)                                                           \
	do {                                                                   \
		uint64_t index_ = scene.cursor.index;                          \
		uint64_t last_ = scene.cursor.last;                            \
		ck_assert_ptr_null(call);                                      \
		at(&scene, index_, last_);                                     \
	} while (0)

/*
 * Case T17: a limit missed by a cursor that had never found anything left it
 * without a node, and the next call faulted.
 */
START_TEST(cursor_goes_on_after_a_limit_was_missed)
{
	struct scene scene;
	struct umaple_cursor *c = &scene.cursor;

	scene_init_map_a(&scene, _i);
	umaple_cursor_set(c, 5);
	MISSES(umaple_cursor_next(c, 3));
	MISSES(umaple_cursor_find_rev(c, 0));
	umaple_cursor_set(c, 35);
	MISSES(umaple_cursor_next(c, 3));
	FINDS(umaple_cursor_find_rev(c, 0), 2, 30, 39);
	umaple_cursor_set(c, 35);
	MISSES(umaple_cursor_prev(c, 40));
	FINDS(umaple_cursor_find_rev(c, 0), 2, 30, 39);
	umaple_cursor_set(c, 35);
	MISSES(umaple_cursor_next(c, 3));
	FINDS(umaple_cursor_next(c, MAX), 3, 50, 59);
	umaple_cursor_set(c, 35);
	MISSES(umaple_cursor_prev(c, 40));
	FINDS(umaple_cursor_prev(c, 0), 1, 10, 19);
	umaple_cursor_set(c, 35);
	MISSES(umaple_cursor_prev(c, 40));
	FINDS(umaple_cursor_find(c, MAX), 2, 30, 39);
	scene_fini(&scene);
}
END_TEST

/* Case T18, and every move there is on an empty tree. */
START_TEST(cursor_finds_nothing_in_an_empty_tree)
{
	static const uint64_t places[] = { 0, 10, MAX };
	struct scene scene;
	struct umaple_cursor *c = &scene.cursor;

	scene_init(&scene, _i);
	for (unsigned int i = 0; i < 3; i++) {
		umaple_cursor_set(c, places[i]);
		for (int twice = 0; twice < 2; twice++) {
			MISSES(umaple_cursor_find_rev(c, 0));
			MISSES(umaple_cursor_find(c, MAX));
			MISSES(umaple_cursor_next(c, MAX));
			MISSES(umaple_cursor_prev(c, 0));
		}
		ck_assert_ptr_null(umaple_cursor_walk(c));
		at(&scene, 0, MAX);
		MISSES(umaple_cursor_find_rev(c, 0));
		MISSES(umaple_cursor_next(c, MAX));
	}
	scene_fini(&scene);
}
END_TEST

/* Case T40b: a search down that failed must not skip the way up. */
START_TEST(find_after_a_failed_prev_sees_the_range_at_hand)
{
	struct scene scene;
	struct umaple_cursor *c = &scene.cursor;

	scene_init(&scene, _i);
	twin_store(&scene.twin, 0, 9, value(1));
	twin_store(&scene.twin, 10, 19, value(2));
	umaple_cursor_set(c, 0);
	MISSES(umaple_cursor_prev(c, 0));
	FINDS(umaple_cursor_find(c, MAX), 1, 0, 9);
	twin_store(&scene.twin, 0, MAX, NULL);
	twin_store(&scene.twin, MAX - 9, MAX, value(3));
	umaple_cursor_set(c, MAX - 4);
	MISSES(umaple_cursor_next(c, MAX));
	FINDS(umaple_cursor_find_rev(c, 0), 3, MAX - 9, MAX);
	MISSES(umaple_cursor_next(c, MAX));
	MISSES(umaple_cursor_find(c, MAX));
	MISSES(umaple_cursor_prev(c, 0));
	scene_fini(&scene);
}
END_TEST

/* The moves over map A, each from where the last one stopped. */
START_TEST(cursor_moves_over_map_a)
{
	struct scene scene;
	struct umaple_cursor *c = &scene.cursor;

	scene_init_map_a(&scene, _i);
	umaple_cursor_set(c, 15);
	FINDS(umaple_cursor_find(c, MAX), 1, 10, 19);
	FINDS(umaple_cursor_find(c, MAX), 2, 30, 39);
	MISSES(umaple_cursor_find(c, 49));
	FINDS(umaple_cursor_find(c, 50), 3, 50, 59);
	MISSES(umaple_cursor_find(c, MAX));
	MISSES(umaple_cursor_next(c, MAX));
	FINDS(umaple_cursor_find_rev(c, 0), 2, 30, 39);
	MISSES(umaple_cursor_prev(c, 20));
	FINDS(umaple_cursor_prev(c, 19), 1, 10, 19);
	MISSES(umaple_cursor_prev(c, 0));
	MISSES(umaple_cursor_find_rev(c, 0));
	umaple_cursor_set(c, 15);
	FINDS(umaple_cursor_next(c, MAX), 2, 30, 39);
	umaple_cursor_set(c, 25);
	FINDS(umaple_cursor_next(c, 30), 2, 30, 39);
	umaple_cursor_set(c, 25);
	MISSES(umaple_cursor_next(c, 29));
	FINDS(umaple_cursor_prev(c, 19), 1, 10, 19);
	umaple_cursor_set(c, MAX);
	MISSES(umaple_cursor_find(c, MAX));
	FINDS(umaple_cursor_prev(c, 0), 3, 50, 59);
	umaple_cursor_set(c, 55);
	MISSES(umaple_cursor_find_rev(c, 57));
	FINDS(umaple_cursor_find_rev(c, 55), 3, 50, 59);
	scene_fini(&scene);
}
END_TEST

/* A walk names the range or the whole hole, and later moves start there. */
START_TEST(walk_names_ranges_and_holes)
{
	struct scene scene;
	struct umaple_cursor *c = &scene.cursor;

	scene_init_map_a(&scene, _i);
	umaple_cursor_set(c, 5);
	FINDS(umaple_cursor_walk(c), 0, 0, 9);
	FINDS(umaple_cursor_next(c, MAX), 1, 10, 19);
	umaple_cursor_set(c, 25);
	FINDS(umaple_cursor_walk(c), 0, 20, 29);
	FINDS(umaple_cursor_prev(c, 0), 1, 10, 19);
	umaple_cursor_set(c, 60);
	FINDS(umaple_cursor_walk(c), 0, 60, MAX);
	FINDS(umaple_cursor_find_rev(c, 0), 3, 50, 59);
	umaple_cursor_set(c, 39);
	FINDS(umaple_cursor_walk(c), 2, 30, 39);
	FINDS(umaple_cursor_find(c, MAX), 3, 50, 59);
	/* The cursor's own place counts, not where it last stood. */
	umaple_cursor_set(c, 12);
	FINDS(umaple_cursor_walk(c), 1, 10, 19);
	scene_fini(&scene);
}
END_TEST

/* Paused, the place stays, and what others did meanwhile is seen. */
START_TEST(pause_keeps_the_place)
{
	struct scene scene;
	struct umaple_cursor *c = &scene.cursor;

	scene_init_map_a(&scene, _i);
	umaple_cursor_set(c, 15);
	FINDS(umaple_cursor_find(c, MAX), 1, 10, 19);
	umaple_cursor_pause(c);
	at(&scene, 10, 19);
	twin_erase(&scene.twin, 30);
	twin_store(&scene.twin, 40, 44, value(4));
	FINDS(umaple_cursor_find(c, MAX), 4, 40, 44);
	umaple_cursor_pause(c);
	/* What is at hand grew at both ends; only what is outside is new. */
	twin_store(&scene.twin, 35, 47, value(5));
	FINDS(umaple_cursor_find(c, MAX), 5, 45, 47);
	umaple_cursor_pause(c);
	twin_store(&scene.twin, 35, 47, value(6));
	FINDS(umaple_cursor_prev(c, 0), 6, 35, 44);
	umaple_cursor_pause(c);
	MISSES(umaple_cursor_find_rev(c, 20));
	FINDS(umaple_cursor_find_rev(c, 0), 1, 10, 19);
	scene_fini(&scene);
}
END_TEST

/*
 * Case T43: after an erase or a NULL store, the range at hand is what was
 * written, not the hole that it became part of.
 */
START_TEST(cursor_names_what_it_erased)
{
	struct scene scene;
	struct umaple_cursor *c = &scene.cursor;
	void *entry = NULL;

	scene_init_map_a(&scene, _i);
	twin_lock(&scene.twin);
	umaple_cursor_set(c, 12);
	ck_assert_int_eq(umaple_cursor_erase(c, &entry), 0);
	ck_assert_ptr_eq(entry, value(1));
	at(&scene, 10, 19);
	umaple_cursor_set_range(c, 35, 45);
	ck_assert_int_eq(umaple_cursor_store(c, NULL), 0);
	at(&scene, 35, 45);
	FINDS(umaple_cursor_find_rev(c, 0), 2, 30, 34);
	umaple_cursor_set(c, 0);
	ck_assert_int_eq(umaple_cursor_erase(c, &entry), 0);
	ck_assert_ptr_null(entry);
	at(&scene, 0, 29);
	umaple_cursor_pause(c);
	twin_unlock(&scene.twin);
	scene_fini(&scene);
}
END_TEST

/* The body of a loop may erase and store where it stands. */
START_TEST(loop_may_erase_and_store_through_its_cursor)
{
	struct scene scene;
	struct umaple_cursor *c = &scene.cursor;
	uint64_t visits = 0;
	void *entry;

	scene_init(&scene, _i);
	for (uint64_t i = 0; i < 1000; i++)
		twin_store(&scene.twin, i * 10, i * 10 + 4, value(i + 1));
	twin_lock(&scene.twin);
	umaple_cursor_set(c, 0);
	umaple_cursor_for_each(c, entry, MAX) {
		ck_assert_ptr_eq(entry, value(++visits));
		if (visits % 3 == 0)
			ck_assert_int_eq(umaple_cursor_erase(c, NULL), 0);
		else if (visits % 3 == 1)
			ck_assert_int_eq(umaple_cursor_store(c, c), 0);
	}
	umaple_cursor_pause(c);
	twin_unlock(&scene.twin);
	ck_assert_uint_eq(visits, 1000);
	for (uint64_t i = 0; i < 1000; i++) {
		if (i % 3 == 2)
			model_erase(&scene.twin.model, i * 10);
		else if (i % 3 == 0)
			model_store_range(&scene.twin.model, i * 10, i * 10 + 4,
					  c);
	}
	twin_compare(&scene.twin);
	scene_fini(&scene);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("regress.cursor");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, cursor_goes_on_after_a_limit_was_missed, 0,
			    TWIN_FLAGS);
	tcase_add_loop_test(tc, cursor_finds_nothing_in_an_empty_tree, 0,
			    TWIN_FLAGS);
	tcase_add_loop_test(tc, find_after_a_failed_prev_sees_the_range_at_hand,
			    0, TWIN_FLAGS);
	tcase_add_loop_test(tc, cursor_moves_over_map_a, 0, TWIN_FLAGS);
	tcase_add_loop_test(tc, walk_names_ranges_and_holes, 0, TWIN_FLAGS);
	tcase_add_loop_test(tc, pause_keeps_the_place, 0, TWIN_FLAGS);
	tcase_add_loop_test(tc, cursor_names_what_it_erased, 0, TWIN_FLAGS);
	tcase_add_loop_test(tc, loop_may_erase_and_store_through_its_cursor, 0,
			    TWIN_FLAGS);
	suite_add_tcase(s, tc);
}
