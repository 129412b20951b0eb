/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_api_kernel_cursor.c - umaple/kernel_cursor.h: what each search returns, where
 * it leaves the cursor, and which status, in a list of known sequences.
 *
 * The sequences are those that are known of Linux's maple tree.  Where the answer
 * differs the line says why:
 *
 *   [status] A tree has no entry in its root: ma_none and ma_root do not occur.
 *   [hole]   An erase leaves the cursor on what was erased, not on the hole that
 *            came of it; the same in an empty tree.
 *   [limit]  The original overlooks the limit, or loses its way, in this case.
 */

#include <string.h>

#include "kernel_test.h"

const char *const suite_name = "api.kernel_cursor";

#define MAX ULONG_MAX

enum call {
	END,
	SET,
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
	RESET,
	ERASE
};

struct step {
	enum call call;
	unsigned long limit; /* for SET, the index */
	int want;	     /* number of the entry; 0 for none */
	unsigned long index;
	unsigned long last;
	enum maple_status status;
};

#define AT(place)                                                              \
	{                                                                      \
		SET, (place), 0, (place), (place), ma_start                    \
	}
#define STEPS 8

/* clang-format off */
static const struct step map_a_steps[][STEPS] = {
	{ AT(5), { WALK, 0, 0, 0, 9, ma_active } },
	{ AT(15), { WALK, 0, 1, 10, 19, ma_active } },
	{ AT(60), { WALK, 0, 0, 60, MAX, ma_active } },
	{ AT(15), { NEXT, MAX, 2, 30, 39, ma_active } },
	{ AT(15), { PREV, 0, 0, 0, 9, ma_underflow } },
	{ AT(25), { NEXT, 29, 0, 20, 29, ma_overflow },
	  { NEXT, 30, 2, 30, 39, ma_active } },
	{ AT(25), { PREV, 20, 0, 20, 29, ma_underflow },
	  { PREV, 19, 1, 10, 19, ma_active }, { PREV, 0, 0, 0, 9, ma_underflow },
	  { PREV, 0, 0, 0, 9, ma_underflow } },
	{ AT(15), { NEXT_RANGE, MAX, 0, 20, 29, ma_active },
	  { NEXT_RANGE, MAX, 2, 30, 39, ma_active },
	  { NEXT_RANGE, 41, 0, 40, 49, ma_active },
	  { NEXT_RANGE, 41, 0, 40, 49, ma_overflow } },
	{ AT(45), { PREV_RANGE, 0, 2, 30, 39, ma_active },
	  { PREV_RANGE, 29, 0, 20, 29, ma_active },
	  { PREV_RANGE, 20, 0, 20, 29, ma_underflow },
	  { PREV_RANGE, 19, 1, 10, 19, ma_active } },
	{ AT(25), { FIND, 29, 0, 20, 29, ma_active },
	  { FIND, 30, 2, 30, 39, ma_active }, { FIND, 39, 0, 30, 39, ma_active },
	  { FIND, MAX, 3, 50, 59, ma_active },
	  { FIND, MAX, 0, 60, MAX, ma_active },
	  { FIND, MAX, 0, 60, MAX, ma_active } },
	{ AT(25), { FIND_REV, 20, 0, 20, 29, ma_underflow },
	  { FIND_REV, 19, 1, 10, 19, ma_active },
	  { FIND_REV, 0, 0, 0, 9, ma_underflow },
	  { FIND_REV, 0, 0, 0, 9, ma_underflow } },
	{ AT(55), { FIND_REV, 57, 0, 55, 55, ma_start } },
	{ AT(55), { FIND, 54, 0, 55, 55, ma_start } },
	{ AT(35), { FIND_REV, 0, 2, 30, 39, ma_active },
	  { FIND, MAX, 3, 50, 59, ma_active } },
	{ AT(25), { FIND_RANGE, MAX, 2, 30, 39, ma_active },
	  { FIND_RANGE, MAX, 0, 40, 49, ma_active },
	  { FIND_RANGE, MAX, 3, 50, 59, ma_active } },
	{ AT(45), { FIND_RANGE_REV, 0, 2, 30, 39, ma_active },
	  { FIND_RANGE_REV, 0, 0, 20, 29, ma_active },
	  { FIND_RANGE_REV, 0, 1, 10, 19, ma_active } },
	{ AT(MAX), { FIND, MAX, 0, 60, MAX, ma_active } },
	{ AT(MAX), { PREV, 0, 3, 50, 59, ma_active } },
	{ AT(MAX), { FIND_REV, 0, 3, 50, 59, ma_active } },
	/* after a pause: find goes on above, find_rev below, next and prev outside */
	{ AT(35), { WALK, 0, 2, 30, 39, ma_active },
	  { PAUSE, 0, 0, 30, 39, ma_pause }, { FIND, MAX, 3, 50, 59, ma_active },
	  { PAUSE, 0, 0, 50, 59, ma_pause },
	  { FIND_REV, 0, 2, 30, 39, ma_active } },
	{ AT(35), { FIND, MAX, 2, 30, 39, ma_active },
	  { PAUSE, 0, 0, 30, 39, ma_pause }, { NEXT, MAX, 3, 50, 59, ma_active },
	  { PAUSE, 0, 0, 50, 59, ma_pause }, { PREV, 0, 2, 30, 39, ma_active },
	  { PAUSE, 0, 0, 30, 39, ma_pause }, { WALK, 0, 2, 30, 39, ma_active } },
	{ AT(35), { FIND, MAX, 2, 30, 39, ma_active },
	  { PAUSE, 0, 0, 30, 39, ma_pause }, { FIND, 39, 0, 30, 39, ma_pause },
	  { FIND_REV, 30, 0, 30, 39, ma_underflow } },
	{ AT(35), { FIND, MAX, 2, 30, 39, ma_active },
	  { PAUSE, 0, 0, 30, 39, ma_pause }, { FIND, 41, 0, 40, 49, ma_active } },
	/* a limit, then on the same way, or back */
	{ AT(55), { NEXT, MAX, 0, 60, MAX, ma_overflow },
	  { PREV, 0, 3, 50, 59, ma_active } },
	{ AT(35), { WALK, 0, 2, 30, 39, ma_active },
	  { NEXT, 39, 0, 30, 39, ma_overflow }, { PREV, 0, 2, 30, 39, ma_active },
	  { PREV, 0, 1, 10, 19, ma_active } },
	{ AT(35), { WALK, 0, 2, 30, 39, ma_active },
	  { PREV, 30, 0, 30, 39, ma_underflow },
	  { NEXT, MAX, 2, 30, 39, ma_active } },
	{ AT(35), { WALK, 0, 2, 30, 39, ma_active },
	  { PREV_RANGE, 30, 0, 30, 39, ma_underflow },
	  { FIND, MAX, 2, 30, 39, ma_active } },
	{ AT(35), { WALK, 0, 2, 30, 39, ma_active },
	  { NEXT, 39, 0, 30, 39, ma_overflow },
	  { FIND_REV, 0, 2, 30, 39, ma_active } },
	{ AT(35), { WALK, 0, 2, 30, 39, ma_active },
	  { NEXT, 39, 0, 30, 39, ma_overflow }, { FIND, MAX, 3, 50, 59, ma_active } },
	/* the cursor has met a limit before it has found anything */
	{ AT(5), { NEXT, 3, 0, 5, 5, ma_overflow },
	  { FIND_REV, 0, 0, 0, 9, ma_underflow } },		/* [limit] */
	{ AT(35), { NEXT, 3, 0, 35, 35, ma_overflow },
	  { FIND_REV, 0, 2, 30, 39, ma_active } },		/* [limit] */
	{ AT(35), { PREV, 40, 0, 35, 35, ma_underflow },
	  { FIND_REV, 0, 2, 30, 39, ma_active } },		/* [limit] */
	{ AT(35), { NEXT, 3, 0, 35, 35, ma_overflow },
	  { NEXT, MAX, 3, 50, 59, ma_active } },		/* [limit] */
	{ AT(35), { PREV, 40, 0, 35, 35, ma_underflow },
	  { PREV, 0, 1, 10, 19, ma_active } },		/* [limit] */
	{ AT(35), { PREV, 40, 0, 35, 35, ma_underflow },
	  { FIND, MAX, 2, 30, 39, ma_active } },
	{ AT(35), { NEXT, 3, 0, 35, 35, ma_overflow },
	  { FIND, MAX, 2, 30, 39, ma_active } },
	/* a reset looks at the place itself again */
	{ AT(35), { FIND, MAX, 2, 30, 39, ma_active },
	  { RESET, 0, 0, 30, 39, ma_start }, { FIND, MAX, 2, 30, 39, ma_active },
	  { FIND, MAX, 3, 50, 59, ma_active } },
	{ AT(35), { FIND, MAX, 2, 30, 39, ma_active },
	  { RESET, 0, 0, 30, 39, ma_start },
	  { PREV, 40, 0, 30, 39, ma_underflow },
	  { FIND_REV, 0, 2, 30, 39, ma_active } },
	/* an erase, and on */
	{ AT(35), { ERASE, 0, 2, 30, 39, ma_active },		/* [hole] */
	  { FIND, MAX, 3, 50, 59, ma_active } },
	{ AT(12), { ERASE, 0, 1, 10, 19, ma_active },		/* [hole] */
	  { PREV, 0, 0, 0, 9, ma_underflow } },
};

/* {0: 1} */
static const struct step zero_steps[][STEPS] = {
	{ AT(0), { PREV, 0, 0, 0, 0, ma_underflow } },
	{ AT(10), { PREV, 0, 1, 0, 0, ma_active } },		/* [status] */
	{ AT(0), { NEXT, MAX, 0, 1, MAX, ma_overflow } },		/* [status] */
	{ AT(10), { NEXT, MAX, 0, 1, MAX, ma_overflow } },		/* [status] */
	{ AT(0), { FIND, MAX, 1, 0, 0, ma_active },			/* [status] */
	  { FIND, MAX, 0, 1, MAX, ma_active },
	  { FIND, MAX, 0, 1, MAX, ma_active } },
	{ AT(10), { FIND, MAX, 0, 1, MAX, ma_active } },		/* [status] */
	{ AT(10), { FIND_REV, 0, 1, 0, 0, ma_active } },		/* [status] */
	{ AT(0), { FIND_REV, 0, 1, 0, 0, ma_active },		/* [status] */
	  { FIND_REV, 0, 0, 0, 0, ma_underflow } },
	{ AT(0), { WALK, 0, 1, 0, 0, ma_active } },			/* [status] */
	{ AT(10), { WALK, 0, 0, 1, MAX, ma_active } },		/* [status] */
	{ AT(0), { NEXT, 0, 0, 0, 0, ma_overflow } },
	{ AT(0), { ERASE, 0, 1, 0, 0, ma_active },			/* [status] */
	  { WALK, 0, 0, 0, MAX, ma_active } },
	{ AT(10), { PREV, 9, 0, 1, MAX, ma_underflow } },		/* [limit] */
	{ AT(10), { PREV_RANGE, 5, 0, 1, MAX, ma_underflow } },	/* [limit] */
	{ AT(10), { FIND_REV, 1, 0, 1, MAX, ma_underflow } },	/* [limit] */
	{ AT(10), { FIND_REV, 10, 0, 1, MAX, ma_underflow } },	/* [limit] */
	{ AT(10), { FIND_RANGE_REV, 5, 0, 1, MAX, ma_underflow } },	/* [limit] */
};

static const struct step empty_steps[][STEPS] = {
	{ AT(10), { WALK, 0, 0, 0, MAX, ma_active } },		/* [status] */
	{ AT(10), { NEXT, MAX, 0, 0, MAX, ma_overflow } },		/* [status] */
	{ AT(10), { PREV, 0, 0, 0, MAX, ma_underflow } },		/* [status] */
	{ AT(10), { FIND, MAX, 0, 0, MAX, ma_active } },		/* [status] */
	{ AT(10), { FIND_REV, 0, 0, 0, MAX, ma_underflow } },	/* [status] */
	{ AT(0), { PREV, 0, 0, 0, 0, ma_underflow } },
	{ AT(MAX), { NEXT, MAX, 0, MAX, MAX, ma_overflow } },
	{ AT(10), { ERASE, 0, 0, 0, MAX, ma_active } },		/* [hole] */
};

/* {0..9: 1, 10..19: 2}, and a range that ends the tree. */
static const struct step low_steps[][STEPS] = {
	{ AT(0), { PREV, 0, 0, 0, 0, ma_underflow },
	  { FIND, MAX, 1, 0, 9, ma_active }, { FIND, MAX, 2, 10, 19, ma_active } },
	{ AT(0), { PREV, 0, 0, 0, 0, ma_underflow },
	  { NEXT, MAX, 1, 0, 9, ma_active } },
};
static const struct step high_steps[][STEPS] = {
	{ AT(MAX), { NEXT, MAX, 0, MAX, MAX, ma_overflow },
	  { PREV, 0, 1, MAX - 9, MAX, ma_active } },
	{ AT(MAX), { NEXT_RANGE, MAX, 0, MAX, MAX, ma_overflow },
	  { FIND_REV, 0, 1, MAX - 9, MAX, ma_active },
	  { FIND_REV, 0, 0, 0, MAX - 10, ma_underflow } },
	{ AT(MAX - 3), { FIND, MAX, 1, MAX - 9, MAX, ma_active },
	  { FIND, MAX, 0, MAX - 9, MAX, ma_active } },
};
/* clang-format on */

static struct maple_tree mt;

static void *take(struct ma_state *mas, const struct step *step)
{
	switch (step->call) {
	case WALK:
		return mas_walk(mas);
	case NEXT:
		return mas_next(mas, step->limit);
	case PREV:
		return mas_prev(mas, step->limit);
	case FIND:
		return mas_find(mas, step->limit);
	case FIND_REV:
		return mas_find_rev(mas, step->limit);
	case NEXT_RANGE:
		return mas_next_range(mas, step->limit);
	case PREV_RANGE:
		return mas_prev_range(mas, step->limit);
	case FIND_RANGE:
		return mas_find_range(mas, step->limit);
	case FIND_RANGE_REV:
		return mas_find_range_rev(mas, step->limit);
	case ERASE:
		return mas_erase(mas);
	case PAUSE:
		mas_pause(mas);
		return NULL;
	case RESET:
		mas_reset(mas);
		return NULL;
	default:
		mas_set(mas, step->limit);
		return NULL;
	}
}

/* Messages name a step by its sequence and its number in it. */
static void follow(const struct step steps[STEPS], int sequence)
{
	MA_STATE(mas, &mt, 0, 0);

	mas_lock(&mas);
	for (int i = 0; i < STEPS && steps[i].call != END; i++) {
		void *got = take(&mas, &steps[i]);

		ck_assert_msg(got == entry(steps[i].want), "step %d.%d: entry",
			      sequence, i);
		ck_assert_msg(mas.index == steps[i].index &&
				      mas.last == steps[i].last,
			      "step %d.%d: at %lu..%lu", sequence, i, mas.index,
			      mas.last);
		ck_assert_msg(mas.status == steps[i].status,
			      "step %d.%d: status %d", sequence, i,
			      (int)mas.status);
		ck_assert_int_eq(mas_is_active(&mas), mas.status == ma_active);
		ck_assert(!mas_is_err(&mas));
	}
	mas_unlock(&mas);
	mtree_destroy(&mt);
}

/* Of a plain tree, and of one with gaps. */
static unsigned int flags_of(int kind)
{
	return kind ? MT_FLAGS_ALLOC_RANGE : 0;
}

static void store(unsigned long first, unsigned long last, int number)
{
	ck_assert_int_eq(mtree_store_range(&mt, first, last, entry(number),
					   GFP_KERNEL),
			 0);
}

START_TEST(searches_of_map_a)
{
	for (int i = 0; i < ARRAY_SIZE(map_a_steps); i++) {
		map_a(&mt, flags_of(_i));
		follow(map_a_steps[i], i);
	}
}
END_TEST

START_TEST(searches_of_a_tree_with_index_zero)
{
	for (int i = 0; i < ARRAY_SIZE(zero_steps); i++) {
		mt_init_flags(&mt, flags_of(_i));
		store(0, 0, 1);
		follow(zero_steps[i], i);
	}
}
END_TEST

START_TEST(searches_of_an_empty_tree)
{
	for (int i = 0; i < ARRAY_SIZE(empty_steps); i++) {
		mt_init_flags(&mt, flags_of(_i));
		follow(empty_steps[i], i);
	}
}
END_TEST

START_TEST(searches_at_the_ends)
{
	for (int i = 0; i < ARRAY_SIZE(low_steps); i++) {
		mt_init_flags(&mt, flags_of(_i));
		store(0, 9, 1);
		store(10, 19, 2);
		follow(low_steps[i], i);
	}
	for (int i = 0; i < ARRAY_SIZE(high_steps); i++) {
		mt_init_flags(&mt, flags_of(_i));
		store(MAX - 9, MAX, 1);
		follow(high_steps[i], i);
	}
}
END_TEST

/* -- loops ---------------------------------------------------------------------- */

START_TEST(loops_visit_each_range_once)
{
	MA_STATE(mas, &mt, 0, 0);
	void *found;
	int seen = 0;

	map_a(&mt, flags_of(_i));
	rcu_read_lock();
	mas_for_each(&mas, found, 50)
		seen = seen * 10 + (int)((char *)found - (char *)entry(1)) + 1;
	ck_assert_int_eq(seen, 123);
	mas_set(&mas, MAX);
	mas_for_each_rev(&mas, found, 19)
		seen = seen * 10 + (int)((char *)found - (char *)entry(1)) + 1;
	ck_assert_int_eq(seen, 123321);
	rcu_read_unlock();
	mtree_destroy(&mt);
}
END_TEST

/* The section is let go of in the middle; others change what was passed. */
START_TEST(loop_goes_on_after_a_pause)
{
	MA_STATE(mas, &mt, 0, 0);
	unsigned long count = 0;
	void *found;

	mt_init_flags(&mt, flags_of(_i));
	for (unsigned long i = 0; i < 500; i++)
		store(10 * i, 10 * i + 4, (int)(i % 60) + 1);
	rcu_read_lock();
	mas_for_each(&mas, found, MAX) {
		ck_assert_uint_eq(mas.index, 10 * count);
		count++;
		if (count % 7)
			continue;
		mas_pause(&mas);
		rcu_read_unlock();
		store(10 * (count - 5), 10 * count - 1, 0);
		rcu_read_lock();
	}
	rcu_read_unlock();
	ck_assert_uint_eq(count, 500);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(reserved_range_is_shown)
{
	MA_STATE(mas, &mt, 0, 0);

	mt_init(&mt);
	ck_assert_int_eq(
		mtree_store_range(&mt, 3, 5, XA_ZERO_ENTRY, GFP_KERNEL), 0);
	mas_lock(&mas);
	ck_assert(xa_is_zero(mas_find(&mas, MAX)));
	ck_assert(xa_is_zero(mas_walk(&mas)));
	mas_set(&mas, 9);
	ck_assert(xa_is_zero(mas_prev(&mas, 0)));
	ck_assert(xa_is_zero(mas_erase(&mas)));
	mas_unlock(&mas);
	ck_assert(mtree_empty(&mt));
}
END_TEST

/* -- ways to set a cursor up ------------------------------------------------------ */

/* Memory of any contents, or of zeros with the tree filled in. */
START_TEST(cursor_is_bound_at_its_first_use)
{
	struct ma_state mas;

	map_a(&mt, 0);
	memset(&mas, 0xff, sizeof(mas));
	mas_init(&mas, &mt, 12);
	mas_destroy(&mas);
	mas_lock(&mas);
	ck_assert_ptr_eq(mas_find(&mas, MAX), entry(1));
	memset(&mas, 0, sizeof(mas));
	mas.tree = &mt;
	mas.index = mas.last = 35;
	ck_assert_ptr_eq(mas_find(&mas, MAX), entry(2));
	ck_assert_ptr_null(mas.node);
	mas_unlock(&mas);
	mtree_destroy(&mt);
}
END_TEST

/* By hand: a walk goes there, the others go on outside what is there. */
START_TEST(place_assigned_by_hand_is_where_the_cursor_is)
{
	MA_STATE(mas, &mt, 22, 22);

	mt_init(&mt);
	for (unsigned long i = 0; i < 200; i++)
		store(10 * i, 10 * i + 4, (int)(i % 60) + 1);
	mas_lock(&mas);
	ck_assert_ptr_eq(mas_walk(&mas), entry(3));
	mas.index = 1502;
	ck_assert_ptr_eq(mas_walk(&mas), entry(31));
	ck_assert_uint_eq(mas.index, 1500);
	ck_assert_uint_eq(mas.last, 1504);
	mas.index = mas.last = 12;
	ck_assert_ptr_eq(mas_next(&mas, MAX), entry(3));
	mas.index = mas.last = 12;
	ck_assert_ptr_eq(mas_prev(&mas, 0), entry(1));
	mas.index = mas.last = 12;
	ck_assert_ptr_eq(mas_find(&mas, MAX), entry(3));
	/* One end alone. */
	mas_set(&mas, 12);
	ck_assert_ptr_eq(mas_walk(&mas), entry(2));
	mas.last = 25;
	ck_assert_ptr_null(mas_next(&mas, 25));
	ck_assert_int_eq(mas.status, ma_overflow);
	ck_assert_uint_eq(mas.last, 25);
	__mas_set_range(&mas, 21, 22);
	mas.status = ma_active;
	ck_assert(mas_is_active(&mas));
	ck_assert_ptr_eq(mas_find(&mas, MAX), entry(4));
	mas_set(&mas, 12);
	ck_assert_ptr_eq(mas_find(&mas, MAX), entry(2));
	mas_set_range(&mas, 32, 47);
	ck_assert_ptr_eq(mas_find(&mas, MAX), entry(4));
	mas_unlock(&mas);
	mtree_destroy(&mt);
}
END_TEST

START_TEST(cursor_moves_to_another_tree)
{
	struct maple_tree other;
	MA_STATE(mas, &mt, 12, 12);

	map_a(&mt, 0);
	mt_init(&other);
	ck_assert_int_eq(mtree_store(&other, 12, entry(9), GFP_KERNEL), 0);
	rcu_read_lock();
	ck_assert_ptr_eq(mas_walk(&mas), entry(1));
	mas.tree = &other;
	mas_set(&mas, 12);
	ck_assert_ptr_eq(mas_walk(&mas), entry(9));
	rcu_read_unlock();
	mtree_destroy(&other);
	mtree_destroy(&mt);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("kernel_cursor.known");

	tcase_add_loop_test(tc, searches_of_map_a, 0, 2);
	tcase_add_loop_test(tc, searches_of_a_tree_with_index_zero, 0, 2);
	tcase_add_loop_test(tc, searches_of_an_empty_tree, 0, 2);
	tcase_add_loop_test(tc, searches_at_the_ends, 0, 2);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_cursor.loop");
	tcase_add_loop_test(tc, loops_visit_each_range_once, 0, 2);
	tcase_add_loop_test(tc, loop_goes_on_after_a_pause, 0, 2);
	tcase_add_test(tc, reserved_range_is_shown);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_cursor.place");
	tcase_add_test(tc, cursor_is_bound_at_its_first_use);
	tcase_add_test(tc, place_assigned_by_hand_is_where_the_cursor_is);
	tcase_add_test(tc, cursor_moves_to_another_tree);
	suite_add_tcase(s, tc);
}
