/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/mmap1.c - run the tasks, watch memory, stop them, add up.
 */

#include "mmap1.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"
#include "stats.h"

#define DEFAULT_SECONDS 10.0
#define DEFAULT_THREADS 2
#define SAMPLES		10 /* of memory, one each tenth of the time */
#define BURST		64 /* iterations between two looks at the clock */

struct run {
	const struct mmap1_level *level;
	struct umaple_cache *cache;
	struct mmap1_task *tasks;
	unsigned int threads;
	double seconds;
	bool stop;
	bool failed; /* a task ran out of memory */
	uint64_t resident[SAMPLES + 1];
};

struct seat {
	struct run *run;
	struct mmap1_task *task;
};

static void *work(void *argument)
{
	struct seat *seat = argument;
	struct run *run = seat->run;
	struct mmap1_task *task = seat->task;

	while (!__atomic_load_n(&run->stop, __ATOMIC_RELAXED)) {
		for (int i = 0; i < BURST; i++) {
			if (run->level->iterate(task)) {
				__atomic_store_n(&run->failed, true,
						 __ATOMIC_RELAXED);
				return NULL;
			}
		}
		task->iterations += BURST;
	}
	return NULL;
}

static void sleep_until(double when)
{
	double left = when - stats_now();
	struct timespec time;

	if (left <= 0)
		return;
	time.tv_sec = (time_t)left;
	time.tv_nsec = (long)((left - floor(left)) * 1e9);
	nanosleep(&time, NULL);
}

static void watch_memory(struct run *run, double start)
{
	run->resident[0] = machine_resident_bytes();
	for (int i = 1; i <= SAMPLES; i++) {
		sleep_until(start + run->seconds * i / SAMPLES);
		run->resident[i] = machine_resident_bytes();
	}
}

/* The time that the tasks had. */
static double run_tasks(struct run *run)
{
	struct seat *seats = calloc(run->threads, sizeof(*seats));
	double start = stats_now(), seconds;

	if (!seats)
		options_die("no memory");
	for (unsigned int i = 0; i < run->threads; i++) {
		seats[i] = (struct seat){ run, &run->tasks[i] };
		if (pthread_create(&run->tasks[i].thread, NULL, work,
				   &seats[i]))
			options_die("cannot start thread %u", i + 1);
	}
	watch_memory(run, start);
	__atomic_store_n(&run->stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < run->threads; i++)
		pthread_join(run->tasks[i].thread, NULL);
	seconds = stats_now() - start;
	free(seats);
	return seconds;
}

static void run_init(struct run *run, const struct options *options)
{
	struct umaple_cache_attr attr = {
		.size = 256,
		.align = 256,
		.name = "node",
		.sheaf_capacity = 32,
		.study = options->study,
	};

	memset(run, 0, sizeof(*run));
	run->level = options->level == LEVEL_TREE ? &mmap1_tree_level
						  : &mmap1_cache_level;
	run->threads = options->threads ? options->threads : DEFAULT_THREADS;
	run->seconds =
		options->seconds > 0 ? options->seconds : DEFAULT_SECONDS;
	run->tasks = calloc(run->threads, sizeof(*run->tasks));
	if (!run->tasks || umaple_cache_create(&attr, &run->cache))
		options_die("no memory");
	for (unsigned int i = 0; i < run->threads; i++) {
		run->tasks[i].cache = run->cache;
		run->tasks[i].number = i;
		if (run->level->start(&run->tasks[i]))
			options_die("no memory");
	}
}

static uint64_t sum_iterations(const struct run *run)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < run->threads; i++)
		sum += run->tasks[i].iterations;
	return sum;
}

/* Everything back; the cache must then be without a single used object. */
static void run_fini(struct run *run, struct report *report)
{
	uint64_t wrong = 0;

	for (unsigned int i = 0; i < run->threads; i++) {
		run->level->end(&run->tasks[i]);
		wrong += run->tasks[i].wrong;
	}
	report_add_identity(report, "wrong answers = 0", (double)wrong, 0, 0);
	report_add_identity(report, "tasks out of memory = 0", run->failed, 0,
			    0);
	report_add_identity(report, "cache destroyed = 0",
			    umaple_cache_destroy(run->cache), 0, 0);
	free(run->tasks);
}

static void report_memory(const struct run *run, struct report *report)
{
	struct report_table *table = report_add_table(report, "resident_bytes");
	char name[REPORT_NAME];

	for (int i = 0; i <= SAMPLES; i++) {
		snprintf(name, sizeof(name), "at %d %%", i * 100 / SAMPLES);
		report_add_metric(table, name, NAN, (double)run->resident[i]);
	}
}

static uint64_t most_memory(const struct run *run)
{
	uint64_t most = 0;

	for (int i = 0; i <= SAMPLES; i++)
		most = run->resident[i] > most ? run->resident[i] : most;
	return most;
}

static void report_speed(const struct run *run,
			 const struct mmap1_run_facts *facts,
			 struct report *report)
{
	struct report_row *row = report_add_row(report, "mmap1", "umaple");
	double done = (double)facts->iterations;

	row->n = run->level->ranges;
	row->threads = run->threads;
	row->peak_bytes = most_memory(run);
	if (done > 0) {
		row->ops_per_s = done / facts->seconds;
		row->ns_per_op = facts->seconds * 1e9 / done;
	}
}

void mmap1_run(const struct options *options, struct report *report)
{
	struct mmap1_run_facts facts = { .level = NULL };
	struct run run;

	run_init(&run, options);
	umaple_cache_barrier(run.cache);
	umaple_cache_stats_reset(run.cache);
	umaple_cache_stats_get(run.cache, &facts.stats);
	facts.objects_before = facts.stats.objects;
	facts.level = run.level;
	facts.threads = run.threads;
	facts.seconds = run_tasks(&run);
	facts.iterations = sum_iterations(&run);
	umaple_cache_barrier(run.cache);
	umaple_cache_stats_get(run.cache, &facts.stats);
	report_speed(&run, &facts, report);
	mmap1_report_figures(&facts, report);
	report_memory(&run, report);
	run_fini(&run, report);
}
