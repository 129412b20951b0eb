/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * A writer that only adds, beside readers that know what must be there.
 *
 * Case T38: a range grows downwards over a hole; what it covered before, it
 * covers always.  Case T39: single entries are appended upwards; a reader that
 * iterates sees the first so many, each once, each exact.  Case numbers are
 * fixed: reports name them.
 */

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include <umaple/cursor.h>

#include "aged.h"
#include "harness.h"
#include "platform/atomic.h"
#include "twin.h"

const char *const suite_name = "torture.growth";

#define READERS	   3
#define AREA	   1000 /* indices that one range grows over */
#define AREAS	   30
#define APPENDS	   TWIN_BIG(20000)
#define PLAYS	   20 /* each from an empty tree */
#define LOOKS	   64 /* ranges that one iteration visits */
#define MIN_ROUNDS 50 /* of each reader */

struct scene {
	struct umaple_tree tree;
	struct aged_field field; /* to tell failures */
	uint64_t done;		 /* what the writer has finished */
	unsigned int writing;
};

/* Progress counts downward steps over all areas. */
static uint64_t top_of(uint64_t area)
{
	return (area + 1) * AREA - 1;
}

static void *area_entry(uint64_t area)
{
	return (void *)(uintptr_t)(area + 1);
}

static void grow_down(struct scene *scene)
{
	for (uint64_t step = 0; step < AREAS * AREA; step++) {
		uint64_t area = step / AREA, last = top_of(area);

		if (umaple_store_range(&scene->tree, last - step % AREA, last,
				       area_entry(area)))
			aged_fail(&scene->field, "no memory");
		store_release(&scene->done, step + 1);
	}
}

static void look_at_growing(struct scene *scene, struct rng *rng)
{
	uint64_t done = load_acquire(&scene->done);
	uint64_t area, covered, index;
	void *entry;

	if (!done)
		return;
	area = (done - 1) / AREA;
	covered = (done - 1) % AREA + 1;
	index = top_of(area) - rng_below(rng, covered);
	entry = umaple_load(&scene->tree, index);
	if (entry != area_entry(area))
		aged_fail(&scene->field, "%" PRIu64 " gave %p in area %" PRIu64,
			  index, entry, area);
}

static void append(struct scene *scene)
{
	for (uint64_t i = 0; i < APPENDS; i++) {
		if (umaple_store(&scene->tree, i, area_entry(i)))
			aged_fail(&scene->field, "no memory");
		store_release(&scene->done, i + 1);
	}
}

/* From anywhere in what is certainly there, up to the end or far enough. */
static void look_at_appended(struct scene *scene, struct rng *rng)
{
	uint64_t done = load_acquire(&scene->done);
	uint64_t next = done ? rng_below(rng, done) : 0;
	struct umaple_cursor cursor;
	uint64_t stop;

	if (rng_below(rng, 2) && done > LOOKS)
		next = done - LOOKS / 2;
	umaple_read_lock(&scene->tree);
	umaple_cursor_init(&cursor, &scene->tree, next, next);
	for (stop = next + LOOKS; next < stop; next++) {
		void *entry = umaple_cursor_find(&cursor, UINT64_MAX);

		if (!entry)
			break;
		if (entry != area_entry(next) || cursor.index != next ||
		    cursor.last != next)
			aged_fail(&scene->field,
				  "[%" PRIu64 ", %" PRIu64 "] %p at %" PRIu64,
				  cursor.index, cursor.last, entry, next);
	}
	umaple_read_unlock(&scene->tree);
	if (next < done && next < stop)
		aged_fail(&scene->field, "ended at %" PRIu64 ", not %" PRIu64,
			  next, done);
}

typedef void write_all(struct scene *scene);
typedef void look_once(struct scene *scene, struct rng *rng);

struct actor {
	struct scene *scene;
	write_all *write;
	look_once *look;
	struct rng rng;
	pthread_t thread;
};

static void *act(void *argument)
{
	struct actor *actor = argument;
	struct scene *scene = actor->scene;
	unsigned long rounds = 0;

	if (actor->write) {
		actor->write(scene);
		store_release(&scene->writing, 0);
		return NULL;
	}
	while ((load_acquire(&scene->writing) || rounds < MIN_ROUNDS) &&
	       !aged_has_failed(&scene->field)) {
		actor->look(scene, &actor->rng);
		rounds++;
	}
	return NULL;
}

static void play(unsigned int flags, write_all *write, look_once *look)
{
	struct scene scene = { .writing = 1 };
	struct actor actors[READERS + 1];

	umaple_tree_init(&scene.tree, flags);
	for (unsigned int i = 0; i <= READERS; i++) {
		actors[i] = (struct actor){
			.scene = &scene,
			.write = i ? NULL : write,
			.look = look,
		};
		rng_seed(&actors[i].rng, test_seed() + i);
		ck_assert_int_eq(pthread_create(&actors[i].thread, NULL, act,
						&actors[i]),
				 0);
	}
	for (unsigned int i = 0; i <= READERS; i++)
		pthread_join(actors[i].thread, NULL);
	ck_assert_msg(!aged_has_failed(&scene.field), "%s", scene.field.text);
	umaple_tree_destroy(&scene.tree);
}

static void play_often(unsigned int flags, write_all *write, look_once *look)
{
	for (unsigned long i = test_scaled(PLAYS); i; i--)
		play(flags, write, look);
}

START_TEST(range_that_grows_downwards_keeps_what_it_has)
{
	play_often(_i ? UMAPLE_TREE_GAPS : 0, grow_down, look_at_growing);
}
END_TEST

START_TEST(reader_sees_the_first_so_many_of_what_is_appended)
{
	play_often(_i ? UMAPLE_TREE_GAPS : 0, append, look_at_appended);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("torture.growth");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, range_that_grows_downwards_keeps_what_it_has, 0,
			    2);
	tcase_add_loop_test(
		tc, reader_sees_the_first_so_many_of_what_is_appended, 0, 2);
	suite_add_tcase(s, tc);
}
