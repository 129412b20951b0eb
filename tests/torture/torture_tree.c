/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Four readers beside one or two writers.
 *
 * Writers toggle single cells, overwrite spans over many leaves, let the tree
 * grow by levels and collapse.  Readers load, find, go to the next and the
 * previous range, iterate up and down, and judge everything by age and version:
 * support/aged.h.  All loops are counted, none is timed.
 *
 * It shows that no reader met a freed entry, a range that never existed, or an
 * answer older than a finished write, on this machine; not that none can.
 */

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include <umaple/cursor.h>
#include <umaple/debug.h>

#include "aged.h"
#include "harness.h"
#include "platform/atomic.h"
#include "twin.h"

const char *const suite_name = "torture.tree";

#define READERS	     4
#define MAX_WRITERS  2
#define WRITES	     600000
#define READ_ROUNDS  400 /* at least, of each reader */
#define ROUND_READS  16
#define ROUND_RANGES 64

struct run {
	struct umaple_tree tree;
	struct umaple_cache *cache;
	struct aged_field field;
	struct aged_writer writers[MAX_WRITERS];
	unsigned int nr_writers;
	unsigned int writing; /* how many still do */
};

struct reader {
	struct run *run;
	struct rng rng;
	pthread_t thread;
};

/* An index inside a cell. */
static uint64_t index_in(const struct aged_field *field, uint64_t cell,
			 struct rng *rng)
{
	uint64_t first, last;

	keys_range(&field->keys, cell, cell, &first, &last);
	return first == last ? first : first + rng_next(rng) % (last - first);
}

static void read_loads(struct reader *reader)
{
	struct aged_field *field = &reader->run->field;

	for (int i = 0; i < ROUND_READS; i++) {
		uint64_t cell = rng_below(&reader->rng, field->keys.cells);
		uint64_t index = index_in(field, cell, &reader->rng);
		uint64_t floor = aged_floor(field, cell);
		void *entry = umaple_load(field->tree, index);

		aged_judge(field, cell, floor, entry);
	}
}

/* Find is a load as well: of its own cell, or of the hole before the range. */
static void read_finds(struct reader *reader)
{
	struct aged_field *field = &reader->run->field;

	for (int i = 0; i < ROUND_READS; i++) {
		uint64_t cell = rng_below(&reader->rng, field->keys.cells);
		uint64_t index = index_in(field, cell, &reader->rng);
		uint64_t floor = aged_floor(field, cell);
		struct umaple_range range = { 0, 0, NULL };
		void *entry =
			umaple_find(field->tree, index, UINT64_MAX, &range);
		bool here = entry && range.first <= index;

		aged_judge(field, cell, floor, here ? entry : NULL);
		if (!entry)
			continue;
		aged_judge_range(field, &range, false);
		if (range.last < index)
			aged_fail(field, "found a range before the index");
	}
}

static void read_neighbours(struct reader *reader)
{
	struct aged_field *field = &reader->run->field;

	for (int i = 0; i < ROUND_READS; i++) {
		uint64_t cell = rng_below(&reader->rng, field->keys.cells);
		uint64_t index = index_in(field, cell, &reader->rng);
		struct umaple_range range;

		if (umaple_next(field->tree, index, UINT64_MAX, &range)) {
			aged_judge_range(field, &range, false);
			if (range.first <= index)
				aged_fail(field, "next went back");
		}
		if (umaple_prev(field->tree, index, 0, &range)) {
			aged_judge_range(field, &range, false);
			if (range.last >= index)
				aged_fail(field, "prev went forth");
		}
	}
}

/* Up by find, or down by find_rev: never back, no index twice. */
static void read_by_cursor(struct reader *reader, bool up)
{
	struct aged_field *field = &reader->run->field;
	uint64_t cell = rng_below(&reader->rng, field->keys.cells);
	uint64_t edge = index_in(field, cell, &reader->rng);
	struct umaple_range range = { 0, 0, NULL };
	struct umaple_cursor cursor;

	umaple_cursor_init(&cursor, field->tree, edge, edge);
	for (int i = 0; i < ROUND_RANGES; i++) {
		range.entry = up ? umaple_cursor_find(&cursor, UINT64_MAX)
				 : umaple_cursor_find_rev(&cursor, 0);
		if (!range.entry)
			break;
		range.first = cursor.index;
		range.last = cursor.last;
		aged_judge_range(field, &range, true);
		/* The first may lie around the place where it began. */
		if (i > 0 && (up ? range.first <= edge : range.last >= edge))
			aged_fail(field,
				  "from %" PRIx64 " to [%" PRIx64 ", %" PRIx64
				  "], %s",
				  edge, range.first, range.last,
				  up ? "up" : "down");
		edge = up ? range.last : range.first;
	}
}

static void read_by_for_each(struct reader *reader)
{
	struct aged_field *field = &reader->run->field;
	uint64_t cell = rng_below(&reader->rng, field->keys.cells);
	uint64_t from = index_in(field, cell, &reader->rng);
	uint64_t edge = from;
	struct umaple_range range;
	int count = 0;

	umaple_for_each(field->tree, range, from, UINT64_MAX)
	{
		aged_judge_range(field, &range, false);
		if (range.last < edge || (count && range.last == edge))
			aged_fail(field, "for_each went back");
		edge = range.last;
		if (++count == ROUND_RANGES)
			break;
	}
}

static void read_round(struct reader *reader)
{
	struct umaple_tree *tree = reader->run->field.tree;

	umaple_read_lock(tree);
	switch (rng_below(&reader->rng, 8)) {
	case 0:
		read_finds(reader);
		break;
	case 1:
		read_neighbours(reader);
		break;
	case 2:
		read_by_cursor(reader, true);
		break;
	case 3:
		read_by_cursor(reader, false);
		break;
	case 4:
		read_by_for_each(reader);
		break;
	default:
		read_loads(reader);
		break;
	}
	umaple_read_unlock(tree);
	if (rng_below(&reader->rng, 16) == 0)
		sched_yield();
}

static void *read_all_along(void *argument)
{
	struct reader *reader = argument;
	struct run *run = reader->run;
	unsigned long rounds = 0;

	while ((load_acquire(&run->writing) ||
		rounds < test_scaled(READ_ROUNDS)) &&
	       !aged_has_failed(&run->field)) {
		read_round(reader);
		rounds++;
	}
	return NULL;
}

/* One write; the mix changes every @cells writes. */
static void write_once(struct aged_writer *writer, uint64_t n)
{
	struct rng *rng = &writer->rng;
	uint64_t from = rng_below(rng, writer->cells);
	uint64_t length = 1, limit;

	switch (n / writer->cells % 4) {
	case 0: /* toggle single cells */
		break;
	case 1: /* spans over many leaves, among single cells */
		if (rng_below(rng, 4) == 0)
			length = 1 + rng_below(rng, 200);
		break;
	case 2: /* upwards, entry after entry: to full height */
		from = n % writer->cells;
		break;
	default: /* downwards, and now and then everything goes */
		from = writer->cells - 1 - n % writer->cells;
		if (rng_below(rng, 512) == 0)
			length = writer->cells;
		break;
	}
	limit = writer->cells - from;
	if (length > limit) {
		from = length < writer->cells ? writer->cells - length : 0;
		length = writer->cells - from < length ? writer->cells - from
						       : length;
	}
	aged_write(writer, from, from + length - 1,
		   n / writer->cells % 4 != 2 && rng_below(rng, 3) == 0);
}

struct writer_thread {
	struct run *run;
	struct aged_writer *writer;
	pthread_t thread;
};

static void *write_all_along(void *argument)
{
	struct writer_thread *thread = argument;
	unsigned long writes = test_scaled(WRITES) / thread->run->nr_writers;

	for (unsigned long n = 0;
	     n < writes && !aged_has_failed(&thread->run->field); n++)
		write_once(thread->writer, n);
	fetch_sub_relaxed(&thread->run->writing, 1);
	return NULL;
}

static void run_init(struct run *run, unsigned int flags, struct keys keys,
		     unsigned int nr_writers)
{
	struct umaple_cache_attr attr = {
		.size = 256,
		.align = 256,
		.name = "torture",
	};

	ck_assert_int_eq(umaple_cache_create(&attr, &run->cache), 0);
	ck_assert_int_eq(umaple_tree_init_cache(&run->tree, flags, run->cache),
			 0);
	aged_field_init(&run->field, &run->tree, keys);
	run->nr_writers = nr_writers;
	run->writing = nr_writers;
	for (unsigned int i = 0; i < nr_writers; i++)
		aged_writer_init(&run->writers[i], &run->field,
				 keys.cells / nr_writers * i,
				 keys.cells / nr_writers, test_seed() + i);
}

/* At rest the tree is what its writers believe. */
static void run_compare(struct run *run)
{
	char text[256] = "";
	uint64_t ranges = 0;
	struct umaple_tree_info info;

	ck_assert_msg(umaple_tree_check(&run->tree, text, sizeof(text)) == 0,
		      "%s", text);
	for (unsigned int i = 0; i < run->nr_writers; i++) {
		const struct model *model = &run->writers[i].model;

		for (size_t n = 0; n < model->count; n++) {
			struct umaple_range got = { 0, 0, NULL };
			const struct umaple_range *wanted = &model->ranges[n];

			umaple_find(&run->tree, wanted->first, wanted->last,
				    &got);
			if (got.first != wanted->first ||
			    got.last != wanted->last ||
			    got.entry != wanted->entry)
				ck_abort_msg("[%" PRIx64 ", %" PRIx64
					     "] is wrong in the end",
					     wanted->first, wanted->last);
		}
		ranges += model->count;
	}
	umaple_tree_measure(&run->tree, &info);
	ck_assert_uint_eq(info.ranges, ranges);
}

static void run_fini(struct run *run)
{
	for (unsigned int i = 0; i < run->nr_writers; i++)
		aged_writer_fini(&run->writers[i]);
	aged_field_fini(&run->field);
	umaple_tree_destroy(&run->tree);
	ck_assert_int_eq(umaple_cache_destroy(run->cache), 0);
}

static void run_threads(struct run *run)
{
	struct reader readers[READERS];
	struct writer_thread writers[MAX_WRITERS];

	for (unsigned int i = 0; i < READERS; i++) {
		readers[i].run = run;
		rng_seed(&readers[i].rng, test_seed() + 1000 + i);
		ck_assert_int_eq(pthread_create(&readers[i].thread, NULL,
						read_all_along, &readers[i]),
				 0);
	}
	for (unsigned int i = 0; i < run->nr_writers; i++) {
		writers[i].run = run;
		writers[i].writer = &run->writers[i];
		ck_assert_int_eq(pthread_create(&writers[i].thread, NULL,
						write_all_along, &writers[i]),
				 0);
	}
	for (unsigned int i = 0; i < run->nr_writers; i++)
		pthread_join(writers[i].thread, NULL);
	for (unsigned int i = 0; i < READERS; i++)
		pthread_join(readers[i].thread, NULL);
}

static const struct {
	unsigned int flags;
	struct keys keys;
	unsigned int nr_writers;
} runs[] = {
	{ 0, { KEYS_LOW, 1000 }, 1 },
	{ 0, { KEYS_SPREAD, 64 }, 1 },
	{ 0, { KEYS_HIGH, 4000 }, 2 },
	{ UMAPLE_TREE_GAPS, { KEYS_SPREAD, 1000 }, 1 },
	{ UMAPLE_TREE_GAPS, { KEYS_LOW, 4000 }, 2 },
};
#define RUNS ((int)(sizeof(runs) / sizeof(runs[0])))

/* Case T40 and more. */
START_TEST(readers_see_old_or_new_and_nothing_dead)
{
	struct run run;

	run_init(&run, runs[_i].flags, runs[_i].keys, runs[_i].nr_writers);
	run_threads(&run);
	ck_assert_msg(!aged_has_failed(&run.field), "%s", run.field.text);
	run_compare(&run);
	run_fini(&run);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("torture.tree");

	tcase_set_timeout(tc, 600);
	tcase_add_loop_test(tc, readers_see_old_or_new_and_nothing_dead, 0,
			    RUNS);
	suite_add_tcase(s, tc);
}
