/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Random moves of cursors, and of their models, over a tree that changes.
 *
 * Three ways to change it between two moves:
 *  - by the cursor itself, with the lock held;
 *  - by a second cursor in the same hold of the lock: the first stands on nodes
 *    that may have been replaced under it;
 *  - by the functions of tree.h: with the lock let go of and the cursor paused,
 *    or, where readers run beside a writer, inside the reader's section and
 *    without a pause.
 * Nothing else runs, so each move has one right answer.
 */

#include <inttypes.h>
#include <stdio.h>

#include <umaple/debug.h>

#include "harness.h"
#include "keys.h"
#include "mix.h"
#include "quick.h"
#include "twin.h"

const char *const suite_name = "model.cursor";

#define STEPS	4000
#define CURSORS 2

static const uint64_t sizes[] = { 24, 1000, 6000 };
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define RUNS  ((int)SIZES * KEYS_SHAPES * TWIN_FLAGS)

/* A cursor and what it must do. */
struct pair {
	struct umaple_cursor real;
	struct model_cursor model;
};

struct play {
	struct twin twin;
	struct keys keys;
	struct rng rng;
	struct mix mix;
	struct pair pairs[CURSORS];
	char what[120]; /* the move */
};

static void compare_pair(struct play *play, const struct pair *pair, void *got,
			 void *wanted)
{
	quick_assert(got == wanted && pair->real.index == pair->model.index &&
			     pair->real.last == pair->model.last,
		     "%s gave %p at [%" PRIx64 ", %" PRIx64
		     "], not %p at [%" PRIx64 ", %" PRIx64
		     "]; step %lu, after %s",
		     play->what, got, pair->real.index, pair->real.last, wanted,
		     pair->model.index, pair->model.last, play->twin.step,
		     play->twin.what);
}

static void tell(struct play *play, const struct pair *pair, const char *name,
		 uint64_t limit)
{
	snprintf(play->what, sizeof(play->what),
		 "%s(%" PRIx64 ") from %s [%" PRIx64 ", %" PRIx64 "]", name,
		 limit, pair->model.fresh ? "fresh" : "on", pair->model.index,
		 pair->model.last);
}

typedef void *real_move(struct umaple_cursor *cursor, uint64_t limit);
typedef void *model_move(const struct model *model, struct model_cursor *cursor,
			 uint64_t limit);

static const struct {
	const char *name;
	real_move *real;
	model_move *model;
} moves[] = {
	{ "find", umaple_cursor_find, model_cursor_find },
	{ "next", umaple_cursor_next, model_cursor_next },
	{ "find_rev", umaple_cursor_find_rev, model_cursor_find_rev },
	{ "prev", umaple_cursor_prev, model_cursor_prev },
};

/* The limit is open, anywhere, or the very edge of what would be found. */
static uint64_t choose_limit(struct play *play, const struct pair *pair,
			     unsigned int move)
{
	struct model_cursor probe = pair->model;
	uint64_t open = move < 2 ? UINT64_MAX : 0;
	uint64_t edge;

	if (rng_below(&play->rng, 2))
		return open;
	if (rng_below(&play->rng, 2))
		return keys_index(&play->keys, &play->rng);
	if (!moves[move].model(&play->twin.model, &probe, open))
		return open;
	edge = move < 2 ? probe.index : probe.last;
	return edge + rng_below(&play->rng, 3) - 1;
}

static void do_move(struct play *play, struct pair *pair)
{
	unsigned int move = (unsigned int)rng_below(&play->rng, 4);
	uint64_t limit = choose_limit(play, pair, move);
	void *got, *wanted;

	tell(play, pair, moves[move].name, limit);
	got = moves[move].real(&pair->real, limit);
	wanted = moves[move].model(&play->twin.model, &pair->model, limit);
	compare_pair(play, pair, got, wanted);
}

static void do_walk(struct play *play, struct pair *pair)
{
	void *got, *wanted;

	tell(play, pair, "walk", 0);
	got = umaple_cursor_walk(&pair->real);
	wanted = model_cursor_walk(&play->twin.model, &pair->model);
	compare_pair(play, pair, got, wanted);
}

static void set_pair(struct pair *pair, uint64_t first, uint64_t last)
{
	pair->model = (struct model_cursor){ first, last, true };
}

static void do_set(struct play *play, struct pair *pair)
{
	uint64_t a = keys_index(&play->keys, &play->rng);
	uint64_t b = keys_index(&play->keys, &play->rng);

	switch (rng_below(&play->rng, 3)) {
	case 0:
		umaple_cursor_set_range(&pair->real, a < b ? a : b,
					a < b ? b : a);
		set_pair(pair, a < b ? a : b, a < b ? b : a);
		break;
	case 1:
		umaple_cursor_init(&pair->real, &play->twin.tree, a, a);
		set_pair(pair, a, a);
		break;
	default:
		umaple_cursor_set(&pair->real, a);
		set_pair(pair, a, a);
		break;
	}
	snprintf(play->what, sizeof(play->what), "set");
	compare_pair(play, pair, NULL, NULL);
}

/* Any step that only reads. */
static void step_read(struct play *play, struct pair *pair)
{
	switch (rng_below(&play->rng, 12)) {
	case 0:
		do_set(play, pair);
		break;
	case 1:
		do_walk(play, pair);
		break;
	case 2:
		umaple_cursor_pause(&pair->real);
		snprintf(play->what, sizeof(play->what), "pause");
		compare_pair(play, pair, NULL, NULL);
		break;
	default:
		do_move(play, pair);
		break;
	}
}

static void do_store(struct play *play, struct pair *pair)
{
	void *entry = rng_below(&play->rng, 3) ? keys_entry(&play->rng) : NULL;
	int error;

	tell(play, pair, "store", 0);
	play->twin.step++;
	error = umaple_cursor_store(&pair->real, entry);
	model_store_range(&play->twin.model, pair->model.index,
			  pair->model.last, entry);
	pair->model.fresh = false;
	quick_assert(error == 0, "%s returned %d", play->what, error);
	compare_pair(play, pair, NULL, NULL);
}

static void do_erase(struct play *play, struct pair *pair)
{
	struct umaple_range wanted;
	void *got = pair;
	int error;

	tell(play, pair, "erase", 0);
	play->twin.step++;
	error = umaple_cursor_erase(&pair->real, &got);
	wanted = model_erase(&play->twin.model, pair->model.index);
	pair->model = (struct model_cursor){ wanted.first, wanted.last, false };
	quick_assert(error == 0, "%s returned %d", play->what, error);
	compare_pair(play, pair, got, wanted.entry);
}

static void do_gap(struct play *play, struct pair *pair)
{
	bool from_top = rng_below(&play->rng, 2);
	uint64_t size = 1 + rng_below(&play->rng, 40);
	uint64_t align = 1u << rng_below(&play->rng, 4);
	uint64_t first = 0;
	int error, wanted;

	tell(play, pair, from_top ? "gap_last" : "gap_first", size);
	error = from_top ? umaple_cursor_gap_last(&pair->real, size, align, 0,
						  UINT64_MAX)
			 : umaple_cursor_gap_first(&pair->real, size, align, 0,
						   UINT64_MAX);
	wanted = from_top ? model_gap_last(&play->twin.model, size, align, 0,
					   UINT64_MAX, &first)
			  : model_gap_first(&play->twin.model, size, align, 0,
					    UINT64_MAX, &first);
	quick_assert(error == wanted, "%s returned %d, not %d", play->what,
		     error, wanted);
	if (!error)
		set_pair(pair, first, first + size - 1);
	compare_pair(play, pair, NULL, NULL);
}

/* Any step with the lock held. */
static void step_locked(struct play *play, struct pair *pair)
{
	uint64_t what = rng_below(&play->rng, 8);

	/* Where a range at hand is most of everything, storing empties it. */
	if (what == 0 && pair->model.last - pair->model.index <
				 (UINT64_MAX / play->keys.cells) * 8)
		do_store(play, pair);
	else if (what == 1)
		do_erase(play, pair);
	else if (what == 2 && (play->twin.flags & UMAPLE_TREE_GAPS))
		do_gap(play, pair);
	else
		step_read(play, pair);
}

static void play_init(struct play *play, int number)
{
	unsigned int i = (unsigned int)number;

	play->keys.shape = (enum keys_shape)(i % KEYS_SHAPES);
	play->keys.cells = sizes[i / KEYS_SHAPES % SIZES];
	rng_seed(&play->rng, test_seed() + i);
	twin_init(&play->twin, twin_flags[i / KEYS_SHAPES / SIZES]);
	mix_init(&play->mix, play->keys, 16 + play->keys.cells / 4, &play->rng);
	for (i = 0; i < CURSORS; i++) {
		umaple_cursor_init(&play->pairs[i].real, &play->twin.tree, 0,
				   0);
		set_pair(&play->pairs[i], 0, 0);
	}
}

static void play_fini(struct play *play)
{
	twin_compare(&play->twin);
	twin_fini(&play->twin);
}

/* Other writers, while nobody holds the lock. */
static void change(struct play *play)
{
	uint64_t writes = rng_below(&play->rng, 6);

	while (writes--)
		mix_step(&play->mix, &play->twin);
}

static void prefill(struct play *play)
{
	for (uint64_t i = play->keys.cells / 3; i; i--)
		mix_step(&play->mix, &play->twin);
}

static void pause_all(struct play *play)
{
	for (unsigned int i = 0; i < CURSORS; i++)
		umaple_cursor_pause(&play->pairs[i].real);
}

static struct pair *any_pair(struct play *play)
{
	return &play->pairs[rng_below(&play->rng, CURSORS)];
}

START_TEST(cursor_moves_as_its_model_under_the_lock)
{
	struct play play;

	play_init(&play, _i);
	prefill(&play);
	for (unsigned long i = test_scaled(STEPS); i; i--) {
		twin_lock(&play.twin);
		for (uint64_t n = 1 + rng_below(&play.rng, 16); n; n--)
			step_locked(&play, any_pair(&play));
		twin_check(&play.twin);
		pause_all(&play);
		twin_unlock(&play.twin);
		change(&play);
	}
	play_fini(&play);
}
END_TEST

START_TEST(cursor_moves_as_its_model_in_a_section)
{
	struct play play;

	play_init(&play, _i);
	prefill(&play);
	for (unsigned long i = test_scaled(STEPS); i; i--) {
		umaple_read_lock(&play.twin.tree);
		for (uint64_t n = 1 + rng_below(&play.rng, 4); n; n--) {
			for (uint64_t m = 1 + rng_below(&play.rng, 8); m; m--)
				step_read(&play, any_pair(&play));
			/* Replaced nodes stay: the section is still open. */
			if (!(play.twin.flags & UMAPLE_TREE_SERIAL))
				change(&play);
		}
		pause_all(&play);
		umaple_read_unlock(&play.twin.tree);
		change(&play);
	}
	play_fini(&play);
}
END_TEST

/* The next step of a loop is the next step of the model's cursor. */
static void compare_step(struct play *play, struct model_cursor *model,
			 uint64_t to, const struct umaple_range *got)
{
	void *wanted = model_cursor_find(&play->twin.model, model, to);

	quick_assert(got->entry == wanted &&
			     (!wanted || (got->first == model->index &&
					  got->last == model->last)),
		     "loop to %" PRIx64 " gave %p at [%" PRIx64 ", %" PRIx64
		     "], not %p at [%" PRIx64 ", %" PRIx64 "]",
		     to, got->entry, got->first, got->last, wanted,
		     model->index, model->last);
}

static void loop_by_find(struct play *play, uint64_t from, uint64_t to)
{
	struct model_cursor model = { from, from, true };
	struct umaple_range range;

	umaple_for_each(&play->twin.tree, range, from, to)
		compare_step(play, &model, to, &range);
	compare_step(play, &model, to, &range);
}

static void loop_by_cursor(struct play *play, uint64_t from, uint64_t to)
{
	struct model_cursor model = { from, from, true };
	struct umaple_range range = { 0, 0, NULL };
	struct umaple_cursor cursor;

	umaple_read_lock(&play->twin.tree);
	umaple_cursor_init(&cursor, &play->twin.tree, from, from);
	umaple_cursor_for_each(&cursor, range.entry, to) {
		range.first = cursor.index;
		range.last = cursor.last;
		compare_step(play, &model, to, &range);
	}
	compare_step(play, &model, to, &range);
	umaple_read_unlock(&play->twin.tree);
}

START_TEST(for_each_visits_what_the_model_holds)
{
	struct play play;

	play_init(&play, _i);
	prefill(&play);
	for (unsigned long n = test_scaled(20); n; n--) {
		uint64_t from = keys_index(&play.keys, &play.rng);
		uint64_t to = keys_index(&play.keys, &play.rng);

		change(&play);
		loop_by_find(&play, from, to);
		loop_by_cursor(&play, from, to);
	}
	play_fini(&play);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("model.cursor");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, cursor_moves_as_its_model_under_the_lock, 0,
			    RUNS);
	tcase_add_loop_test(tc, cursor_moves_as_its_model_in_a_section, 0,
			    RUNS);
	tcase_add_loop_test(tc, for_each_visits_what_the_model_holds, 0, RUNS);
	suite_add_tcase(s, tc);
}
