/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cursor_golden.c - what each cursor call returns, and where it leaves the
 * cursor, in a list of known sequences.
 *
 * The sequences are those that are known of Linux's maple tree, over the map
 * {10..19: 1, 30..39: 2, 50..59: 3}.  Where the answer differs the line says why, by
 * a mark that doc/cursor.md argues:
 *
 *   [stay]   A search that finds nothing moves nothing; there, it moves to the hole
 *            or the limit it ran into.
 *   [turn]   So after a search up that failed, prev gives what is before the range
 *            at hand; there, the range at hand.
 *   [fresh]  A cursor that never found anything considers its own place, whatever
 *            was tried before.
 *   [hole]   The hole at the place counts for the first search of the _range forms.
 *   [erase]  After an erase the cursor is at the range erased, or at the hole.
 */

#include <umaple/cursor.h>

#include "harness.h"
#include "twin.h"

const char *const suite_name = "cursor_golden";

static char value[4];

enum call {
	END,
	SET, /* limit: the index */
	WALK,
	NEXT,
	PREV,
	FIND,
	FIND_REV,
	NEXT_RANGE,
	PREV_RANGE,
	FIND_RANGE,
	FIND_RANGE_REV,
	PAUSE,
	ERASE,
	STORE, /* limit: the number of the entry */
};

#define MAX  UINT64_MAX
#define NONE -1 /* found nothing */

struct step {
	enum call call;
	uint64_t limit;
	int want; /* number of the entry, 0 for a hole, or NONE */
	uint64_t index;
	uint64_t last;
};

#define AT(place)                                                              \
	{                                                                      \
		SET, (place), 0, 0, 0                                          \
	}

/* clang-format off */
static const struct step map_a[][12] = {
	{ AT(5), { WALK, 0, 0, 0, 9 } },
	{ AT(15), { WALK, 0, 1, 10, 19 } },
	{ AT(60), { WALK, 0, 0, 60, MAX } },
	{ AT(15), { NEXT, MAX, 2, 30, 39 } },
	{ AT(15), { PREV, 0, NONE, 15, 15 } },			/* [stay] */
	{ AT(25), { NEXT, 29, NONE, 25, 25 },			/* [stay] */
	  { NEXT, 30, 2, 30, 39 } },
	{ AT(25), { PREV, 20, NONE, 25, 25 },			/* [stay] */
	  { PREV, 19, 1, 10, 19 }, { PREV, 0, NONE, 10, 19 },	/* [stay] */
	  { PREV, 0, NONE, 10, 19 } },
	{ AT(15), { NEXT_RANGE, MAX, 0, 20, 29 }, { NEXT_RANGE, MAX, 2, 30, 39 },
	  { NEXT_RANGE, 41, 0, 40, 49 }, { NEXT_RANGE, 41, NONE, 40, 49 } },
	{ AT(25), { FIND, 29, NONE, 25, 25 },			/* [stay] */
	  { FIND, 30, 2, 30, 39 }, { FIND, 39, NONE, 30, 39 },
	  { FIND, MAX, 3, 50, 59 }, { FIND, MAX, NONE, 50, 59 },	/* [stay] */
	  { FIND, MAX, NONE, 50, 59 } },
	{ AT(25), { FIND_REV, 20, NONE, 25, 25 },		/* [stay] */
	  { FIND_REV, 19, 1, 10, 19 }, { FIND_REV, 0, NONE, 10, 19 },	/* [stay] */
	  { FIND_REV, 0, NONE, 10, 19 } },
	{ AT(55), { FIND_REV, 57, NONE, 55, 55 } },
	{ AT(35), { FIND_REV, 0, 2, 30, 39 }, { FIND, MAX, 3, 50, 59 } },
	{ AT(25), { FIND_RANGE, MAX, 0, 20, 29 },		/* [hole] */
	  { FIND_RANGE, MAX, 2, 30, 39 }, { FIND_RANGE, MAX, 0, 40, 49 },
	  { FIND_RANGE, MAX, 3, 50, 59 } },
	{ AT(45), { FIND_RANGE_REV, 0, 0, 40, 49 },		/* [hole] */
	  { FIND_RANGE_REV, 0, 2, 30, 39 }, { FIND_RANGE_REV, 0, 0, 20, 29 },
	  { FIND_RANGE_REV, 0, 1, 10, 19 } },
	{ AT(MAX), { FIND, MAX, NONE, MAX, MAX },		/* [stay] */
	  { PREV, 0, 3, 50, 59 } },
	{ AT(MAX), { FIND, MAX, NONE, MAX, MAX }, { FIND_REV, 0, 3, 50, 59 } },

	/* how a search goes on after one that met its limit */
	{ AT(55), { WALK, 0, 3, 50, 59 }, { NEXT, MAX, NONE, 50, 59 },	/* [stay] */
	  { PREV, 0, 2, 30, 39 } },				/* [turn] */
	{ AT(15), { WALK, 0, 1, 10, 19 }, { PREV, 0, NONE, 10, 19 },	/* [stay] */
	  { NEXT, MAX, 2, 30, 39 } },				/* [turn] */
	{ AT(15), { WALK, 0, 1, 10, 19 }, { PREV, 0, NONE, 10, 19 },	/* [stay] */
	  { FIND, MAX, 2, 30, 39 } },				/* [turn] */
	{ AT(45), { PREV, 40, NONE, 45, 45 }, { PREV, 39, 2, 30, 39 } },	/* [stay] */

	/* T17: a limit miss with a cursor that has no node yet */
	{ AT(5), { NEXT, 3, NONE, 5, 5 }, { FIND_REV, 0, NONE, 5, 5 } },
	{ AT(35), { NEXT, 3, NONE, 35, 35 }, { FIND_REV, 0, 2, 30, 39 } },
	{ AT(35), { PREV, 40, NONE, 35, 35 }, { FIND_REV, 0, 2, 30, 39 } },
	{ AT(35), { NEXT, 3, NONE, 35, 35 }, { NEXT, MAX, 3, 50, 59 } },
	{ AT(35), { PREV, 40, NONE, 35, 35 }, { PREV, 0, 1, 10, 19 } },
	{ AT(35), { PREV, 40, NONE, 35, 35 }, { FIND, MAX, 2, 30, 39 } },

	/* a pause changes nothing of where the cursor goes on */
	{ AT(35), { FIND, MAX, 2, 30, 39 }, { PAUSE, 0, 0, 30, 39 },
	  { FIND, MAX, 3, 50, 59 }, { PAUSE, 0, 0, 50, 59 },
	  { FIND_REV, 0, 2, 30, 39 }, { PAUSE, 0, 0, 30, 39 },
	  { NEXT, MAX, 3, 50, 59 }, { PAUSE, 0, 0, 50, 59 },
	  { PREV, 0, 2, 30, 39 } },
	{ AT(35), { FIND, MAX, 2, 30, 39 }, { PAUSE, 0, 0, 30, 39 },
	  { FIND, 39, NONE, 30, 39 }, { PAUSE, 0, 0, 30, 39 },
	  { FIND_REV, 30, NONE, 30, 39 }, { WALK, 0, 2, 30, 39 } },
	{ AT(39), { PAUSE, 0, 0, 39, 39 }, { FIND, MAX, 2, 30, 39 } },	/* [fresh] */
	{ AT(30), { PAUSE, 0, 0, 30, 30 }, { FIND_REV, 0, 2, 30, 39 } },	/* [fresh] */

	/* T43: writes, and how a search goes on after one */
	{ AT(35), { ERASE, 0, 2, 30, 39 },			/* [erase] */
	  { FIND, MAX, 3, 50, 59 } },
	{ AT(25), { ERASE, 0, 0, 20, 29 },			/* [erase] */
	  { FIND_REV, 0, 1, 10, 19 } },
	{ AT(35), { STORE, 1, 0, 35, 35 }, { FIND, MAX, 2, 36, 39 },
	  { FIND_REV, 0, 1, 35, 35 }, { PREV, 0, 2, 30, 34 } },
	{ AT(25), { STORE, 3, 0, 25, 25 }, { NEXT_RANGE, MAX, 0, 26, 29 } },
	{ AT(35), { STORE, 0, 0, 35, 35 }, { PREV_RANGE, 0, 2, 30, 34 } },
};

/* {0: 1} */
static const struct step only_zero[][12] = {
	{ AT(0), { PREV, 0, NONE, 0, 0 } },
	{ AT(10), { PREV, 0, 1, 0, 0 } },
	{ AT(10), { PAUSE, 0, 0, 10, 10 }, { PREV, 0, 1, 0, 0 } },
	{ AT(0), { NEXT, MAX, NONE, 0, 0 } },			/* [stay] */
	{ AT(10), { NEXT, MAX, NONE, 10, 10 } },		/* [stay] */
	{ AT(0), { FIND, MAX, 1, 0, 0 }, { FIND, MAX, NONE, 0, 0 },	/* [stay] */
	  { FIND, MAX, NONE, 0, 0 } },
	{ AT(10), { FIND, MAX, NONE, 10, 10 } },		/* [stay] */
	{ AT(10), { FIND_REV, 0, 1, 0, 0 } },
	{ AT(0), { FIND_REV, 0, 1, 0, 0 }, { FIND_REV, 0, NONE, 0, 0 },
	  { FIND_REV, 0, NONE, 0, 0 } },
	{ AT(0), { WALK, 0, 1, 0, 0 } },
	{ AT(10), { WALK, 0, 0, 1, MAX } },
	{ AT(0), { NEXT, 0, NONE, 0, 0 } },
	{ AT(0), { ERASE, 0, 1, 0, 0 }, { WALK, 0, 0, 0, MAX } },
	/* T16: limits hold here too */
	{ AT(10), { PREV, 1, NONE, 10, 10 }, { PREV, 9, NONE, 10, 10 } },
	{ AT(10), { PREV_RANGE, 5, NONE, 10, 10 } },
	{ AT(10), { FIND_REV, 1, NONE, 10, 10 }, { FIND_REV, 10, NONE, 10, 10 } },
	{ AT(10), { FIND_RANGE_REV, 5, 0, 1, MAX } },		/* [hole] */
};

static const struct step empty[][12] = {
	{ AT(7), { WALK, 0, 0, 0, MAX } },
	{ AT(7), { NEXT, MAX, NONE, 7, 7 }, { PREV, 0, NONE, 7, 7 } },	/* [stay] */
	/* T18: and no status, such as "root", is left behind */
	{ AT(7), { FIND, MAX, NONE, 7, 7 }, { FIND_REV, 0, NONE, 7, 7 },	/* [stay] */
	  { FIND, MAX, NONE, 7, 7 } },
	{ AT(0), { PREV, 0, NONE, 0, 0 } },
	{ AT(MAX), { NEXT, MAX, NONE, MAX, MAX } },
	{ AT(7), { FIND_RANGE, MAX, 0, 0, MAX }, { FIND_RANGE, MAX, NONE, 0, MAX } },
	{ AT(7), { FIND_RANGE_REV, 0, 0, 0, MAX }, { PREV_RANGE, 0, NONE, 0, MAX } },
	{ AT(7), { NEXT_RANGE, MAX, NONE, 7, 7 }, { PREV_RANGE, 0, NONE, 7, 7 } },
	{ AT(10), { ERASE, 0, 0, 0, MAX } },			/* [erase] */
};

/* T40b: {0..9: 1, 10..19: 2}; a search down that failed skips nothing on the way up. */
static const struct step touching[][12] = {
	{ AT(0), { PREV, 0, NONE, 0, 0 }, { FIND, MAX, 1, 0, 9 },
	  { FIND, MAX, 2, 10, 19 } },
	{ AT(4), { PREV_RANGE, 0, NONE, 4, 4 }, { FIND_RANGE, MAX, 1, 0, 9 } },
	{ AT(0), { FIND, MAX, 1, 0, 9 }, { PREV, 0, NONE, 0, 9 },
	  { FIND_REV, 0, NONE, 0, 9 }, { FIND, MAX, 2, 10, 19 } },
};
/* clang-format on */

static int number(const void *entry)
{
	return entry ? (int)((const char *)entry - value) : 0;
}

/* Number of the entry; NULL is nothing, as these calls do not show holes. */
static int found(const void *entry)
{
	return entry ? number(entry) : NONE;
}

/* Where the list is followed: the kind of tree, its height, and the end of it. */
struct stage {
	struct twin twin;
	uint64_t top; /* below what makes the tree high */
};

/* An index of the list, where it is in this tree. */
static uint64_t place(const struct stage *stage, uint64_t index)
{
	if (index == MAX)
		index = stage->top;
	return stage->twin.mirrored ? MAX - index : index;
}

/* The same call, seen from the other end of the key space. */
static enum call turned(enum call call)
{
	static const enum call other[] = {
		[NEXT] = PREV,
		[PREV] = NEXT,
		[FIND] = FIND_REV,
		[FIND_REV] = FIND,
		[NEXT_RANGE] = PREV_RANGE,
		[PREV_RANGE] = NEXT_RANGE,
		[FIND_RANGE] = FIND_RANGE_REV,
		[FIND_RANGE_REV] = FIND_RANGE,
	};
	bool turns = call >= NEXT && call <= FIND_RANGE_REV;

	return turns ? other[call] : call;
}

typedef bool range_fn(struct umaple_cursor *cursor, uint64_t limit,
		      void **ret_entry);

static int found_range(struct umaple_cursor *c, range_fn *search,
		       uint64_t limit)
{
	void *entry = NULL;

	return search(c, limit, &entry) ? number(entry) : NONE;
}

static int search(struct umaple_cursor *c, enum call call, uint64_t limit)
{
	switch (call) {
	case NEXT:
		return found(umaple_cursor_next(c, limit));
	case PREV:
		return found(umaple_cursor_prev(c, limit));
	case FIND:
		return found(umaple_cursor_find(c, limit));
	case FIND_REV:
		return found(umaple_cursor_find_rev(c, limit));
	case NEXT_RANGE:
		return found_range(c, umaple_cursor_next_range, limit);
	case PREV_RANGE:
		return found_range(c, umaple_cursor_prev_range, limit);
	case FIND_RANGE:
		return found_range(c, umaple_cursor_find_range, limit);
	case FIND_RANGE_REV:
		return found_range(c, umaple_cursor_find_range_rev, limit);
	default:
		return NONE;
	}
}

static int take(const struct stage *stage, struct umaple_cursor *c,
		const struct step *step)
{
	void *entry = NULL;

	switch (step->call) {
	case SET:
		umaple_cursor_set(c, place(stage, step->limit));
		return 0;
	case WALK:
		return number(umaple_cursor_walk(c));
	case PAUSE:
		umaple_cursor_pause(c);
		return 0;
	case ERASE:
		ck_assert_int_eq(umaple_cursor_erase(c, &entry), 0);
		return number(entry);
	case STORE:
		entry = step->limit ? &value[step->limit] : NULL;
		ck_assert_int_eq(umaple_cursor_store(c, entry), 0);
		return 0;
	default:
		return search(c,
			      stage->twin.mirrored ? turned(step->call)
						   : step->call,
			      place(stage, step->limit));
	}
}

static void follow(struct stage *stage, const struct step *step, int row)
{
	struct umaple_cursor cursor;
	uint64_t index, last;
	int i, got;

	umaple_cursor_init(&cursor, &stage->twin.tree, 0, 0);
	for (i = 0; i < 12 && step[i].call != END; i++) {
		got = take(stage, &cursor, &step[i]);
		if (step[i].call == SET)
			continue;
		index = place(stage, stage->twin.mirrored ? step[i].last
							  : step[i].index);
		last = place(stage, stage->twin.mirrored ? step[i].index
							 : step[i].last);
		ck_assert_msg(got == step[i].want && cursor.index == index &&
				      cursor.last == last,
			      "row %d, step %d: got %d, [%llu, %llu]", row, i,
			      got, (unsigned long long)cursor.index,
			      (unsigned long long)cursor.last);
	}
}

/* Every list in trees of each kind, of each height, and at both ends. */
#define HEIGHTS 6
#define STAGES	(2 * HEIGHTS * TWIN_FLAGS)

static void stage_init(struct stage *stage, int i)
{
	twin_init(&stage->twin, twin_flags[i % TWIN_FLAGS]);
	stage->twin.mirrored = i / TWIN_FLAGS % 2;
	stage->top = twin_crowd(&stage->twin, (uint64_t)(i / TWIN_FLAGS / 2));
}

/* Afterwards there is only what makes the tree high. */
static void run(struct stage *stage, const struct step *step, int row)
{
	twin_lock(&stage->twin);
	follow(stage, step, row);
	twin_unlock(&stage->twin);
	twin_store(&stage->twin, 0, stage->top, NULL);
	twin_check(&stage->twin);
}

START_TEST(three_ranges)
{
	struct stage stage;
	size_t row;
	uint64_t i;

	stage_init(&stage, _i);
	for (row = 0; row < sizeof(map_a) / sizeof(map_a[0]); row++) {
		for (i = 1; i <= 3; i++)
			twin_store(&stage.twin, 20 * i - 10, 20 * i - 1,
				   &value[i]);
		run(&stage, map_a[row], (int)row);
	}
	twin_fini(&stage.twin);
}
END_TEST

START_TEST(two_that_touch)
{
	struct stage stage;
	size_t row;

	stage_init(&stage, _i);
	for (row = 0; row < sizeof(touching) / sizeof(touching[0]); row++) {
		twin_store(&stage.twin, 0, 9, &value[1]);
		twin_store(&stage.twin, 10, 19, &value[2]);
		run(&stage, touching[row], (int)row);
	}
	twin_fini(&stage.twin);
}
END_TEST

START_TEST(one_entry_at_zero)
{
	struct stage stage;
	size_t row;

	stage_init(&stage, _i);
	for (row = 0; row < sizeof(only_zero) / sizeof(only_zero[0]); row++) {
		twin_store(&stage.twin, 0, 0, &value[1]);
		run(&stage, only_zero[row], (int)row);
	}
	twin_fini(&stage.twin);
}
END_TEST

START_TEST(nothing_at_all)
{
	struct stage stage;
	size_t row;

	stage_init(&stage, _i);
	for (row = 0; row < sizeof(empty) / sizeof(empty[0]); row++)
		run(&stage, empty[row], (int)row);
	twin_fini(&stage.twin);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("cursor_golden");

	tcase_add_loop_test(tc, three_ranges, 0, STAGES);
	tcase_add_loop_test(tc, two_that_touch, 0, STAGES);
	tcase_add_loop_test(tc, one_entry_at_zero, 0, STAGES);
	tcase_add_loop_test(tc, nothing_at_all, 0, STAGES);
	suite_add_tcase(s, tc);
}
