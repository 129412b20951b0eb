/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cursor.c - tree/cursor.c: the rules of umaple/cursor.h, and when a path is
 * followed: how often a search starts again at the root is counted.
 */

#include <errno.h>

#include "harness.h"
#include "shape.h"
#include "spy.h"

const char *const suite_name = "cursor";

#define MAX UINT64_MAX

static struct twin twin;
static struct umaple_cursor cursor;
static char fresh_entry;

static void set_up(unsigned int flags, const char *shape)
{
	shape_set_up(&twin, flags, shape);
	umaple_cursor_init(&cursor, &twin.tree, 0, 0);
}

static void tear_down(void)
{
	spy_reset();
	twin_compare(&twin);
	twin_fini(&twin);
}

static void assert_place(uint64_t first, uint64_t last, bool fresh)
{
	ck_assert_uint_eq(cursor.index, first);
	ck_assert_uint_eq(cursor.last, last);
	ck_assert_int_eq(umaple_cursor_is_fresh(&cursor), fresh);
}

/* -- the searches, by number -------------------------------------------------- */

enum way {
	FIND,
	NEXT,
	FIND_RANGE,
	NEXT_RANGE, /* the ones so far go up */
	FIND_REV,
	PREV,
	FIND_RANGE_REV,
	PREV_RANGE,
	WAYS
};

/* A search without limit, or the nearest limit that is too near. */
static bool move_to(enum way way, uint64_t limit, void **ret_entry)
{
	switch (way) {
	case FIND:
		*ret_entry = umaple_cursor_find(&cursor, limit);
		return *ret_entry;
	case NEXT:
		*ret_entry = umaple_cursor_next(&cursor, limit);
		return *ret_entry;
	case FIND_REV:
		*ret_entry = umaple_cursor_find_rev(&cursor, limit);
		return *ret_entry;
	case PREV:
		*ret_entry = umaple_cursor_prev(&cursor, limit);
		return *ret_entry;
	case FIND_RANGE:
		return umaple_cursor_find_range(&cursor, limit, ret_entry);
	case NEXT_RANGE:
		return umaple_cursor_next_range(&cursor, limit, ret_entry);
	case FIND_RANGE_REV:
		return umaple_cursor_find_range_rev(&cursor, limit, ret_entry);
	default:
		return umaple_cursor_prev_range(&cursor, limit, ret_entry);
	}
}

static bool way_is_up(enum way way)
{
	return way < FIND_REV;
}

static bool move_on(enum way way, void **ret_entry)
{
	return move_to(way, way_is_up(way) ? MAX : 0, ret_entry);
}

/* Move and compare: to the range [first, last], slot @k, or a hole if negative. */
static void assert_move(enum way way, uint64_t first, uint64_t last, int k)
{
	void *wanted = k < 0 ? NULL : shape_entry((uint64_t)k);
	void *entry = &twin;

	ck_assert(move_on(way, &entry));
	ck_assert_ptr_eq(entry, wanted);
	assert_place(first, last, false);
}

static void assert_miss(enum way way, uint64_t limit)
{
	struct umaple_cursor before = cursor;
	void *entry = NULL;

	ck_assert(!move_to(way, limit, &entry));
	ck_assert_ptr_null(entry);
	assert_place(before.index, before.last,
		     umaple_cursor_is_fresh(&before));
}

/* -- the rules ------------------------------------------------------------------- */

/* "x.x.x": from the middle of slot @from, what each search reaches first. */
static const struct {
	uint64_t from;
	int to[WAYS]; /* a slot, or WAYS for none */
} fresh_moves[] = {
	/* find, next, with holes; back again */
	{ 25, { 2, 4, 2, 3, 2, 0, 2, 1 } },
	{ 35, { 4, 4, 3, 4, 2, 2, 3, 2 } },
	{ 5, { 0, 2, 0, 1, 0, WAYS, 0, WAYS } },
	{ 45, { 4, WAYS, 4, WAYS, 4, 2, 4, 3 } },
};

START_TEST(fresh_cursor_has_not_looked)
{
	enum way way = (enum way)(_i % WAYS);
	uint64_t from = fresh_moves[_i / WAYS].from;
	int k = fresh_moves[_i / WAYS].to[way];

	set_up(UMAPLE_TREE_SERIAL, "x.x.x");
	umaple_cursor_set_range(&cursor, from, from + 2);
	assert_place(from, from + 2, true);

	if (k == WAYS)
		assert_miss(way, way_is_up(way) ? MAX : 0);
	else
		assert_move(way, 10 * (uint64_t)k,
			    k == 4 ? MAX : 10 * (uint64_t)k + 9,
			    k % 2 ? -1 : k);
	tear_down();
}
END_TEST

START_TEST(find_and_next_go_on_alike)
{
	set_up(UMAPLE_TREE_SERIAL, "x.x.x");

	assert_move(FIND, 0, 9, 0);
	assert_move(FIND, 20, 29, 2);
	assert_move(NEXT, 40, MAX, 4);
	assert_miss(FIND, MAX);
	assert_miss(NEXT, MAX);
	assert_move(PREV, 20, 29, 2);
	assert_move(FIND_REV, 0, 9, 0);
	assert_miss(PREV, 0);
	assert_miss(FIND_REV, 0);
	assert_move(NEXT_RANGE, 10, 19, -1);
	assert_move(FIND_RANGE, 20, 29, 2);
	assert_move(PREV_RANGE, 10, 19, -1);
	assert_move(FIND_RANGE_REV, 0, 9, 0);
	tear_down();
}
END_TEST

START_TEST(search_beyond_its_limit_finds_and_moves_nothing)
{
	enum way way = (enum way)_i;
	bool up = way_is_up(way);

	set_up(UMAPLE_TREE_SERIAL, "x.x.x");

	/* Fresh in a hole, then on a range: the limit is behind. */
	umaple_cursor_set(&cursor, 15);
	assert_miss(way, up ? 14 : 16);
	umaple_cursor_set(&cursor, 25);
	ck_assert_ptr_nonnull(umaple_cursor_walk(&cursor));
	assert_miss(way, up ? 24 : 26);
	assert_miss(way, up ? 29 : 20);
	assert_miss(way, up ? 0 : MAX);
	assert_place(20, 29, false);
	tear_down();
}
END_TEST

START_TEST(limit_counts_for_where_a_range_starts)
{
	set_up(UMAPLE_TREE_SERIAL, "x.x.x");
	umaple_cursor_set(&cursor, 10);

	assert_miss(FIND, 19);
	ck_assert_ptr_eq(umaple_cursor_find(&cursor, 20), shape_entry(2));
	umaple_cursor_set(&cursor, 39);
	assert_miss(FIND_REV, 30);
	ck_assert_ptr_eq(umaple_cursor_find_rev(&cursor, 29), shape_entry(2));
	tear_down();
}
END_TEST

START_TEST(walk_goes_to_the_range_or_the_hole)
{
	set_up(twin_flags[_i], "3/x.x.x x.x.x 5");
	twin_lock(&twin);

	umaple_cursor_set(&cursor, 75);
	ck_assert_ptr_eq(umaple_cursor_walk(&cursor), shape_entry(7));
	assert_place(70, 79, false);
	umaple_cursor_set_range(&cursor, 85, 200);
	ck_assert_ptr_null(umaple_cursor_walk(&cursor));
	assert_place(80, 89, false);
	umaple_cursor_set(&cursor, MAX);
	ck_assert_ptr_eq(umaple_cursor_walk(&cursor), shape_entry(14));
	assert_place(140, MAX, false);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

START_TEST(empty_tree_is_one_hole)
{
	set_up(twin_flags[_i], "");
	twin_lock(&twin);

	umaple_cursor_set(&cursor, 5);
	for (enum way way = FIND; way < WAYS; way++)
		if (way != FIND_RANGE && way != FIND_RANGE_REV)
			assert_miss(way, way_is_up(way) ? MAX : 0);
	ck_assert_ptr_null(umaple_cursor_walk(&cursor));
	assert_place(0, MAX, false);
	for (enum way way = FIND; way < WAYS; way++)
		assert_miss(way, way_is_up(way) ? MAX : 0);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

START_TEST(reset_makes_fresh_and_keeps_the_range)
{
	set_up(UMAPLE_TREE_SERIAL, "x.x.x");
	assert_move(FIND, 0, 9, 0);

	umaple_cursor_reset(&cursor);

	assert_place(0, 9, true);
	assert_move(FIND, 0, 9, 0);
	tear_down();
}
END_TEST

/* Any four searches from any slot, with and without a pause before each. */
START_TEST(pause_changes_nothing)
{
	struct umaple_cursor other;
	unsigned int code, n;

	set_up(0, "3/x.x.x xxx.x 5");
	umaple_read_lock(&twin.tree);
	for (code = 0; code < WAYS * WAYS * WAYS * WAYS; code++) {
		unsigned int rest = code;

		umaple_cursor_set(&cursor, (uint64_t)_i * SHAPE_STEP);
		other = cursor;
		for (n = 0; n < 4; n++, rest /= WAYS) {
			struct umaple_cursor mine = cursor;
			void *got = NULL, *wanted = NULL;
			bool found, right;

			right = move_on((enum way)(rest % WAYS), &wanted);
			mine = cursor;
			cursor = other;
			umaple_cursor_pause(&cursor);
			found = move_on((enum way)(rest % WAYS), &got);
			other = cursor;
			cursor = mine;
			if (found != right || got != wanted ||
			    other.index != cursor.index ||
			    other.last != cursor.last)
				ck_abort_msg("sequence %#o, step %u", code, n);
		}
	}
	umaple_read_unlock(&twin.tree);
	tear_down();
}
END_TEST

/* -- ranges that grew meanwhile ------------------------------------------------- */

/* In "3/5*3", the cursor on @on; then [first, last] is stored by another. */
static const struct {
	uint64_t on;
	uint64_t first, last;
	uint64_t up_first, up_last;	/* what find reaches */
	uint64_t down_first, down_last; /* what find_rev reaches instead */
} grown[] = {
	{ 60, 65, 84, 70, 84, 50, 59 },
	{ 60, 45, 64, 70, 79, 45, 59 },
	{ 60, 45, 84, 70, 84, 45, 59 },
	{ 60, 5, 144, 70, 144, 5, 59 },
	/* to the ends of everything */
	{ 60, 0, MAX, 70, MAX, 0, 59 },
	{ 10, 0, 25, 20, 25, 0, 9 },
	{ 130, 125, MAX, 140, MAX, 125, 129 },
};

/* The cursor knows whether more belongs to the range than what is at hand. */
static void assert_cut(void)
{
	struct umaple_range whole = model_at(&twin.model, cursor.index);

	ck_assert_int_eq(umaple_cursor_is_cut(&cursor),
			 cursor.index > whole.first ||
				 cursor.last < whole.last);
}

/* Paused or not makes no difference. */
static void go_on_grown(int i, enum way way, bool pause)
{
	bool up = way_is_up(way);
	uint64_t on = grown[i].on;
	void *entry = NULL;

	set_up(0, "3/5*3");
	umaple_read_lock(&twin.tree);
	umaple_cursor_set(&cursor, on);
	ck_assert_ptr_eq(umaple_cursor_walk(&cursor), shape_entry(on / 10));
	if (pause)
		umaple_cursor_pause(&cursor);
	twin_store(&twin, grown[i].first, grown[i].last, &twin);

	/* The part outside, and from there back again: the part inside. */
	ck_assert(move_on(way, &entry));
	if (up)
		assert_place(grown[i].up_first, grown[i].up_last, false);
	else
		assert_place(grown[i].down_first, grown[i].down_last, false);
	assert_cut();
	ck_assert(move_on(up ? FIND_REV : FIND, &entry));
	assert_cut();
	if (up)
		ck_assert_uint_eq(cursor.last, on + 9);
	else
		ck_assert_uint_eq(cursor.index, on);
	umaple_read_unlock(&twin.tree);
	tear_down();
}

START_TEST(part_outside_the_range_at_hand_is_reported)
{
	for (enum way way = FIND; way < WAYS; way++) {
		go_on_grown(_i, way, false);
		go_on_grown(_i, way, true);
	}
}
END_TEST

/* -- paths: trusted or not -------------------------------------------------------- */

START_TEST(search_follows_its_path)
{
	set_up(twin_flags[_i], "2/5*2/5*10");
	twin_lock(&twin);

	for (int k = 0; k < 50; k++)
		assert_move(FIND, 10 * (uint64_t)k,
			    k == 49 ? MAX : 10 * (uint64_t)k + 9, k);
	for (int k = 48; k >= 0; k--)
		assert_move(PREV, 10 * (uint64_t)k, 10 * (uint64_t)k + 9, k);
	ck_assert_uint_eq(spy.walks, 1);

	umaple_cursor_pause(&cursor);
	assert_move(NEXT, 10, 19, 1);
	assert_move(NEXT, 20, 29, 2);
	ck_assert_uint_eq(spy.walks, 2);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

/* A write by others while the cursor of "2/5*2/5*10" is on slot 12, leaf 2. */
static const struct {
	uint64_t first, last;
	bool walks_shared; /* in a tree whose nodes stay while the cursor looks */
	bool walks_other; /* ... that is serial, or has an external lock */
} others[] = {
	{ 130, 139, false, false }, /* B in this leaf: nothing goes stale */
	{ 123, 126, true, true },   /* C in this leaf: it is dead */
	{ 133, 136, true, true },   /* ... */
	{ 153, 156, false, true },  /* C in the next leaf */
	{ 303, 306, false, true },  /* far away */
	{ 0, 39, false, true },	    /* D below the same parent */
};

START_TEST(path_is_left_when_its_leaf_may_be_gone)
{
	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		bool shared = !(twin_flags[i] & (UMAPLE_TREE_SERIAL |
						 UMAPLE_TREE_EXTERNAL_LOCK));

		set_up(twin_flags[i], "2/5*2/5*10");
		if (shared)
			umaple_read_lock(&twin.tree);
		umaple_cursor_set(&cursor, 125);
		ck_assert_ptr_eq(umaple_cursor_find(&cursor, MAX),
				 shape_entry(12));
		twin_store(&twin, others[_i].first, others[_i].last,
			   &fresh_entry);
		spy_reset();

		ck_assert_ptr_eq(umaple_cursor_find(&cursor, MAX),
				 model_load(&twin.model, 130));

		ck_assert_uint_eq(spy.walks, shared ? others[_i].walks_shared
						    : others[_i].walks_other);
		if (shared)
			umaple_read_unlock(&twin.tree);
		tear_down();
	}
}
END_TEST

/*
 * The leaf at hand lives on, but its parent was replaced; after that the leaf
 * beside it was.  The old parent still names the old one.
 */
START_TEST(dead_ancestor_is_not_followed_to_the_next_leaf)
{
	struct node *leaf, *parent;
	bool up = _i % 2;

	set_up(_i / 2 ? UMAPLE_TREE_GAPS : 0, "2/6 5/16 5*10");
	umaple_read_lock(&twin.tree);
	leaf = shape_leaf(&twin.tree, up ? 3 : 5);
	umaple_cursor_set(&cursor, up ? 305 : 365);
	ck_assert_ptr_eq(umaple_cursor_walk(&cursor),
			 shape_entry(up ? 30 : 36));
	parent = path_node(&cursor.path_, 1);
	twin_store(&twin, 83, 84, &fresh_entry); /* D: the first leaf is full */
	twin_store(&twin, 313, 316, &fresh_entry);
	twin_store(&twin, 354, 357, &fresh_entry);
	ck_assert(node_is_dead(parent));
	ck_assert(!node_is_dead(leaf));
	spy_reset();

	if (up) {
		assert_move(FIND, 310, 312, 31);
	} else {
		assert_move(FIND_REV, 358, 359, 35);
		ck_assert_ptr_eq(umaple_cursor_find_rev(&cursor, 0),
				 &fresh_entry);
	}

	ck_assert_uint_eq(spy.walks, 1);
	umaple_read_unlock(&twin.tree);
	tear_down();
}
END_TEST

START_TEST(tree_emptied_meanwhile_has_nothing_to_offer)
{
	bool shared = !(twin_flags[_i] &
			(UMAPLE_TREE_SERIAL | UMAPLE_TREE_EXTERNAL_LOCK));

	set_up(twin_flags[_i], "3/5*3");
	if (shared)
		umaple_read_lock(&twin.tree);
	umaple_cursor_set(&cursor, 75);
	ck_assert_ptr_eq(umaple_cursor_find(&cursor, MAX), shape_entry(7));

	twin_clear(&twin);
	assert_miss(FIND, MAX);
	assert_miss(PREV, 0);
	twin_store(&twin, 75, 84, &fresh_entry);
	twin_store(&twin, 60, 69, shape_entry(6));
	ck_assert_ptr_eq(umaple_cursor_find(&cursor, MAX), &fresh_entry);
	assert_place(80, 84, false);
	ck_assert_ptr_eq(umaple_cursor_find_rev(&cursor, 0), &fresh_entry);
	assert_place(75, 79, false);
	assert_move(FIND_REV, 60, 69, 6);
	if (shared)
		umaple_read_unlock(&twin.tree);
	tear_down();
}
END_TEST

/* -- writes ------------------------------------------------------------------------ */

/* Do what the cursor is to do to the model too. */
static void cursor_store(void *entry)
{
	uint64_t first = cursor.index, last = cursor.last;

	ck_assert_int_eq(umaple_cursor_store(&cursor, entry), 0);
	assert_place(first, last, false);
	model_store_range(&twin.model, first, last, entry);
}

START_TEST(store_starts_from_the_path)
{
	set_up(twin_flags[_i], "3/8*3");
	twin_lock(&twin);
	assert_move(FIND, 0, 9, 0);
	assert_move(FIND, 10, 19, 1);

	/* Exact: no node changes, so the path serves on. */
	cursor_store(&fresh_entry);
	assert_move(FIND, 20, 29, 2);
	cursor_store(NULL);
	assert_move(FIND, 30, 39, 3);
	ck_assert_uint_eq(spy.walks, 1);
	/* The leaf changes: the path served once more, and is stale now. */
	cursor_store(NULL);
	ck_assert_uint_eq(spy.walks, 1);
	assert_move(FIND, 40, 49, 4);
	ck_assert_uint_eq(spy.walks, 2);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

START_TEST(store_does_not_start_from_a_stale_path)
{
	struct umaple_cursor other;
	uint64_t walks;

	set_up(twin_flags[_i], "3/8*3");
	twin_lock(&twin);
	umaple_cursor_set(&cursor, 100);
	assert_move(FIND, 100, 109, 10);
	umaple_cursor_init(&other, &twin.tree, 113, 116);
	ck_assert_int_eq(umaple_cursor_store(&other, &fresh_entry), 0);
	model_store_range(&twin.model, 113, 116, &fresh_entry);

	walks = spy.walks;
	cursor_store(&twin);
	ck_assert_uint_eq(spy.walks, walks + 1);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

/* After a clipped hit the range at hand is less than the slot of the path. */
START_TEST(store_over_a_part_of_a_range_cuts_it)
{
	set_up(twin_flags[_i] & ~UMAPLE_TREE_SERIAL, "3/8*3");
	umaple_cursor_set(&cursor, 25);
	umaple_read_lock(&twin.tree);
	assert_move(FIND, 20, 29, 2);
	twin_store(&twin, 15, 44, &twin);
	ck_assert_ptr_eq(umaple_cursor_find(&cursor, MAX), &twin);
	assert_place(30, 44, false);
	ck_assert(umaple_cursor_is_cut(&cursor));
	umaple_read_unlock(&twin.tree);

	twin_lock(&twin);
	cursor_store(&fresh_entry);
	ck_assert(!umaple_cursor_is_cut(&cursor));
	ck_assert_ptr_eq(umaple_cursor_find_rev(&cursor, 0), &twin);
	assert_place(15, 29, false);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

START_TEST(store_names_what_it_was_given_not_what_it_widened_to)
{
	set_up(twin_flags[_i], "3/8 x.x.x. 8");
	twin_lock(&twin);
	umaple_cursor_set_range(&cursor, 102, 107);

	cursor_store(NULL);

	assert_place(102, 107, false);
	assert_move(FIND, 108, 109, 10);
	assert_move(FIND_REV, 100, 101, 10);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

START_TEST(erase_names_what_was_there)
{
	void *entry = &twin;

	set_up(twin_flags[_i], "3/8 x.x.x 8");
	twin_lock(&twin);

	/* Fresh, in the middle of a range. */
	umaple_cursor_set_range(&cursor, 103, 300);
	ck_assert_int_eq(umaple_cursor_erase(&cursor, &entry), 0);
	model_erase(&twin.model, 103);
	ck_assert_ptr_eq(entry, shape_entry(10));
	assert_place(100, 109, false);
	/* The hole that came of it, without asking what was there. */
	ck_assert_int_eq(umaple_cursor_erase(&cursor, NULL), 0);
	assert_place(90, 119, false);
	ck_assert_int_eq(umaple_cursor_erase(&cursor, &entry), 0);
	ck_assert_ptr_null(entry);
	assert_move(FIND, 120, 129, 12);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

START_TEST(erase_in_an_empty_tree_names_everything)
{
	void *entry = &twin;

	set_up(twin_flags[_i], "");
	twin_lock(&twin);
	umaple_cursor_set(&cursor, 9);

	ck_assert_int_eq(umaple_cursor_erase(&cursor, &entry), 0);

	ck_assert_ptr_null(entry);
	assert_place(0, MAX, false);
	ck_assert_uint_eq(spy_came() + spy_went(), 0);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

START_TEST(loop_may_store_and_erase)
{
	void *entry;
	uint64_t k = 0;

	set_up(twin_flags[_i], "2/5*2/5*10");
	twin_lock(&twin);

	umaple_cursor_for_each(&cursor, entry, 394) {
		ck_assert_ptr_eq(entry, shape_entry(k));
		switch (k++ % 3) {
		case 0:
			cursor_store(NULL);
			break;
		case 1:
			cursor_store(&fresh_entry);
			break;
		default:
			model_erase(&twin.model, cursor.index);
			ck_assert_int_eq(umaple_cursor_erase(&cursor, NULL), 0);
			break;
		}
	}
	ck_assert_uint_eq(k, 40);
	umaple_cursor_set(&cursor, MAX);
	k = 50;
	umaple_cursor_for_each_rev(&cursor, entry, 400)
	{
		ck_assert_ptr_eq(entry, shape_entry(--k));
		model_erase(&twin.model, cursor.index);
		ck_assert_int_eq(umaple_cursor_erase(&cursor, NULL), 0);
	}
	ck_assert_uint_eq(k, 40);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

/* -- out of memory --------------------------------------------------------------------- */

/* A store, or an erase, that needs nodes and gets none. */
static int refused_write(bool erase)
{
	void *entry = &twin;
	int err;

	spy.refuse = 0;
	if (erase) {
		err = umaple_cursor_erase(&cursor, &entry);
		ck_assert_ptr_eq(entry, &twin);
	} else {
		err = umaple_cursor_store(&cursor, &twin);
	}
	spy_reset();
	return err;
}

START_TEST(refused_write_leaves_a_fresh_cursor)
{
	bool erase = _i % 2;

	set_up(twin_flags[_i / 2], "2/xx.xx 5");
	twin_lock(&twin);
	umaple_cursor_set_range(&cursor, 35, 95);

	ck_assert_int_eq(refused_write(erase), -ENOMEM);

	assert_place(35, 95, true);
	assert_move(FIND, 30, 39, 3);
	twin_unlock(&twin);
	ck_assert_shape(&twin, "2/xx.xx 5");
	tear_down();
}
END_TEST

START_TEST(refused_write_leaves_a_cursor_on_its_range)
{
	struct umaple_cursor other;

	set_up(0, "2/xx.xx 5");
	twin_lock(&twin);
	umaple_cursor_set(&cursor, 35);
	assert_move(FIND, 30, 39, 3);

	ck_assert_int_eq(refused_write(true), -ENOMEM);
	assert_place(30, 39, false);
	/* It still goes on by index, though it was cut meanwhile. */
	umaple_cursor_init(&other, &twin.tree, 35, 64);
	ck_assert_int_eq(umaple_cursor_store(&other, &fresh_entry), 0);
	model_store_range(&twin.model, 35, 64, &fresh_entry);
	ck_assert_ptr_eq(umaple_cursor_find(&cursor, MAX), &fresh_entry);
	assert_place(40, 64, false);
	twin_unlock(&twin);
	tear_down();
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("cursor.rules");

	tcase_add_loop_test(tc, fresh_cursor_has_not_looked, 0,
			    (int)ARRAY_SIZE(fresh_moves) * WAYS);
	tcase_add_test(tc, find_and_next_go_on_alike);
	tcase_add_loop_test(tc, search_beyond_its_limit_finds_and_moves_nothing,
			    0, WAYS);
	tcase_add_test(tc, limit_counts_for_where_a_range_starts);
	tcase_add_flags_test(tc, walk_goes_to_the_range_or_the_hole);
	tcase_add_flags_test(tc, empty_tree_is_one_hole);
	tcase_add_test(tc, reset_makes_fresh_and_keeps_the_range);
	tcase_add_loop_test(tc, pause_changes_nothing, 0, 15);
	suite_add_tcase(s, tc);

	tc = tcase_create("cursor.path");
	tcase_add_loop_test(tc, part_outside_the_range_at_hand_is_reported, 0,
			    (int)ARRAY_SIZE(grown));
	tcase_add_flags_test(tc, search_follows_its_path);
	tcase_add_loop_test(tc, path_is_left_when_its_leaf_may_be_gone, 0,
			    (int)ARRAY_SIZE(others));
	tcase_add_loop_test(tc, dead_ancestor_is_not_followed_to_the_next_leaf,
			    0, 4);
	tcase_add_flags_test(tc, tree_emptied_meanwhile_has_nothing_to_offer);
	suite_add_tcase(s, tc);

	tc = tcase_create("cursor.write");
	tcase_add_flags_test(tc, store_starts_from_the_path);
	tcase_add_flags_test(tc, store_does_not_start_from_a_stale_path);
	tcase_add_flags_test(tc, store_over_a_part_of_a_range_cuts_it);
	tcase_add_flags_test(
		tc, store_names_what_it_was_given_not_what_it_widened_to);
	tcase_add_flags_test(tc, erase_names_what_was_there);
	tcase_add_flags_test(tc, erase_in_an_empty_tree_names_everything);
	tcase_add_flags_test(tc, loop_may_store_and_erase);
	tcase_add_loop_test(tc, refused_write_leaves_a_fresh_cursor, 0, 4);
	tcase_add_test(tc, refused_write_leaves_a_cursor_on_its_range);
	suite_add_tcase(s, tc);
}
