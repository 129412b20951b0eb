/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Four readers beside one or two writers.
 *
 * Writers toggle single cells, erase, merge and move, overwrite spans over many
 * leaves, let the tree grow by levels and collapse, destroy it and build it anew.
 * Readers do all there is to be done (torture/readers.h), and judge everything by
 * age and version (support/aged.h).  In a build with fault injection the library
 * loses time at random where order matters.  All loops are counted, none is timed.
 *
 * It shows that no reader met a freed entry, a range that never existed, or an
 * answer older than a finished write, on this machine; not that none can.
 */

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include <umaple/debug.h>

#include "aged.h"
#include "harness.h"
#include "platform/atomic.h"
#include "platform/delay.h"
#include "readers.h"

const char *const suite_name = "torture.tree";

#define READERS	    4
#define MAX_WRITERS 2
#define WRITES	    600000
#define READ_ROUNDS 400 /* at least, of each reader */

struct run {
	struct umaple_tree tree;
	struct umaple_cache *cache;
	struct aged_field field;
	struct aged_writer writers[MAX_WRITERS];
	unsigned int nr_writers;
	unsigned int writing; /* how many still do */
};

struct reader_thread {
	struct run *run;
	struct reader reader;
	pthread_t thread;
};

static void *read_all_along(void *argument)
{
	struct reader_thread *thread = argument;
	struct run *run = thread->run;
	unsigned long rounds = 0;

	while ((load_acquire(&run->writing) ||
		rounds < test_scaled(READ_ROUNDS)) &&
	       !aged_has_failed(&run->field)) {
		read_round(&thread->reader);
		rounds++;
	}
	return NULL;
}

/* Of @length cells from @from on, as many as there are. */
static uint64_t clip(const struct aged_writer *writer, uint64_t from,
		     uint64_t length)
{
	uint64_t limit = writer->cells - from;

	return from + (length < limit ? length : limit) - 1;
}

/* Something short, in one of many ways. */
static void write_here(struct aged_writer *writer, uint64_t from)
{
	struct rng *rng = &writer->rng;
	uint64_t to = clip(writer, from, 1 + rng_below(rng, 3));

	switch (rng_below(rng, 8)) {
	case 0:
		aged_merge(writer, from, to);
		break;
	case 1:
		aged_erase(writer, from);
		break;
	default:
		aged_write(writer, from, from, rng_below(rng, 3) == 0);
		break;
	}
}

/* Spans over many leaves, and moves, among single cells. */
static void write_wide(struct aged_writer *writer, uint64_t from)
{
	struct rng *rng = &writer->rng;
	uint64_t to = clip(writer, from, 1 + rng_below(rng, 200));
	uint64_t length = to - from + 1;

	switch (rng_below(rng, 12)) {
	case 0:
		aged_move(writer, from, clip(writer, from, length / 4 + 1),
			  rng_below(rng, writer->cells - length + 1));
		break;
	case 1:
	case 2:
		aged_write(writer, from, to, rng_below(rng, 3) == 0);
		break;
	default:
		write_here(writer, from);
		break;
	}
}

/* Now and then everything goes: a tree of many levels becomes one of none. */
static void write_all(struct aged_writer *writer)
{
	if (writer->cells == writer->field->keys.cells &&
	    rng_below(&writer->rng, 2))
		aged_refill(writer);
	else
		aged_write(writer, 0, writer->cells - 1,
			   rng_below(&writer->rng, 2));
}

/* One write; the mix changes every @cells writes. */
static void write_once(struct aged_writer *writer, uint64_t n)
{
	struct rng *rng = &writer->rng;
	uint64_t from = rng_below(rng, writer->cells);

	switch (n / writer->cells % 4) {
	case 0: /* toggle single cells */
		write_here(writer, from);
		break;
	case 1:
		write_wide(writer, from);
		break;
	case 2: /* upwards, entry after entry: to full height */
		from = n % writer->cells;
		aged_write(writer, from, from, false);
		break;
	default: /* downwards */
		from = writer->cells - 1 - n % writer->cells;
		if (rng_below(rng, 512) == 0)
			write_all(writer);
		else
			aged_write(writer, from, from, rng_below(rng, 3) == 0);
		break;
	}
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
		     unsigned int nr_writers, bool from_cache)
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
				 keys.cells / nr_writers, test_seed() + i,
				 from_cache);
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
	umaple_tree_destroy(&run->tree);
	for (unsigned int i = 0; i < run->nr_writers; i++)
		aged_writer_fini(&run->writers[i]);
	aged_field_fini(&run->field);
	ck_assert_int_eq(umaple_cache_destroy(run->cache), 0);
}

static void run_threads(struct run *run)
{
	struct reader_thread readers[READERS];
	struct writer_thread writers[MAX_WRITERS];

	for (unsigned int i = 0; i < READERS; i++) {
		readers[i].run = run;
		readers[i].reader.field = &run->field;
		readers[i].reader.cache = run->cache;
		rng_seed(&readers[i].reader.rng, test_seed() + 1000 + i);
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
	bool from_cache;
} runs[] = {
	{ 0, { KEYS_LOW, 1000 }, 1, true },
	{ 0, { KEYS_SPREAD, 64 }, 1, false },
	{ 0, { KEYS_HIGH, 4000 }, 2, false },
	{ UMAPLE_TREE_GAPS, { KEYS_SPREAD, 1024 }, 1, true },
	{ UMAPLE_TREE_GAPS, { KEYS_LOW, 4000 }, 2, true },
};
#define RUNS ((int)(sizeof(runs) / sizeof(runs[0])))

/* Cases T40 and T41, and more. */
START_TEST(readers_see_old_or_new_and_nothing_dead)
{
	struct run run;

	umaple_delay_set((uint32_t)test_seed() | 1);
	run_init(&run, runs[_i].flags, runs[_i].keys, runs[_i].nr_writers,
		 runs[_i].from_cache);
	run_threads(&run);
	ck_assert_msg(!aged_has_failed(&run.field), "%s", run.field.text);
	run_compare(&run);
	run_fini(&run);
	umaple_delay_set(0);
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
