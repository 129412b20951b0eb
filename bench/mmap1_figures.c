/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/mmap1_figures.c - the cache's statistics after a run: as they are, per
 * iteration beside the published figures, and the equations between them.
 */

#include <math.h>
#include <string.h>

#include "machine.h"
#include "mmap1.h"

/*
 * Published for 192 processes over 60 s: counters of the kernel's node cache
 * divided by iterations, with prefill that goes to the slabs (before) and with
 * prefill that goes to the barn (after).
 */
static const struct {
	const char *name;
	double before;
	double after;
} published[] = {
	{ "prefills", 2.00, 2.00 },    { "returns", 2.00, 2.00 },
	{ "nodes_taken", 5.00, 5.00 }, { "nodes_freed", 5.00, 5.00 },
	{ "refilled", 5.01, 2.25 },
};

static double prefills(const struct umaple_cache_stats *stats)
{
	return (double)(stats->sheaf_prefill_fast + stats->sheaf_prefill_slow +
			stats->sheaf_prefill_oversize);
}

static double returns(const struct umaple_cache_stats *stats)
{
	return (double)(stats->sheaf_return_fast + stats->sheaf_return_slow);
}

static double freed(const struct umaple_cache_stats *stats)
{
	return (double)(stats->free_rcu_sheaf + stats->free_rcu_sheaf_fail);
}

static void report_statistics(const struct umaple_cache_stats *stats,
			      struct report *report)
{
	struct report_table *table = report_add_table(report, "statistics");
	size_t count;
	const struct umaple_cache_stat_name *names =
		umaple_cache_stat_names(&count);

	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		memcpy(&value, (const char *)stats + names[i].offset,
		       sizeof(value));
		report_add_metric(table, names[i].name, NAN, (double)value);
	}
}

static void report_per_iteration(const struct mmap1_run_facts *facts,
				 struct report *report)
{
	const struct umaple_cache_stats *stats = &facts->stats;
	double n = facts->iterations ? (double)facts->iterations : NAN;
	double measured[] = {
		prefills(stats),
		returns(stats),
		(double)(stats->sheaf_take + stats->alloc_fastpath +
			 stats->alloc_slowpath),
		freed(stats),
		(double)stats->sheaf_refill,
	};
	struct report_table *table = report_add_table(report, "published");

	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
		report_add_metric(table, published[i].name, published[i].before,
				  published[i].after);
	table = report_add_table(report, "per_iteration");
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
		report_add_metric(table, published[i].name, NAN,
				  round(measured[i] / n * 1000) / 1000);
}

/* True at rest, to the object. */
static void add_exact(const struct mmap1_run_facts *facts,
		      struct report *report)
{
	const struct umaple_cache_stats *s = &facts->stats;

	report_add_identity(report, "prefills = returns", prefills(s),
			    returns(s), 0);
	report_add_identity(report, "total_objects = slabs * objs_per_slab",
			    (double)s->total_objects,
			    (double)(s->slabs * s->objs_per_slab), 0);
	report_add_identity(report, "objects used = before + refill - flush",
			    (double)s->objects,
			    (double)(facts->objects_before + s->sheaf_refill +
				     s->alloc_slowpath - s->sheaf_flush -
				     s->free_slowpath),
			    0);
	report_add_identity(report, "pending = 0", (double)s->pending, 0, 0);
	report_add_identity(report, "park_slab = unpark_slab",
			    (double)s->park_slab, (double)s->unpark_slab, 0);
}

/*
 * Objects by which sheaves that are part-filled may spoil an equation: those
 * that age sends off, about ten a second and CPU; those that slow returns fill
 * for the barn or flush; and what is left, when it is flushed, of sheaves that
 * topped others up, for which a hundredth of the traffic is allowed.
 */
static double part_filled(const struct mmap1_run_facts *facts)
{
	const struct umaple_cache_stats *s = &facts->stats;
	struct machine machine;

	machine_describe(&machine);
	return (double)s->sheaf_capacity *
		       ((double)machine.cpus * (2 + 20 * facts->seconds) +
			(double)s->sheaf_return_slow) +
	       (double)s->free_rcu_sheaf / 100;
}

/* True of traffic that frees after grace periods only, up to part-filled. */
static void add_of_rcu_traffic(const struct mmap1_run_facts *facts,
			       struct report *report)
{
	const struct umaple_cache_stats *s = &facts->stats;
	double capacity = (double)s->sheaf_capacity;

	report_add_identity(report, "free_rcu_sheaf = capacity * sheaves",
			    (double)s->free_rcu_sheaf,
			    capacity * (double)(s->barn_put + s->barn_put_fail +
						s->rcu_reuse),
			    part_filled(facts));
	report_add_identity(report, "sheaf_flush = capacity * barn_put_fail",
			    (double)s->sheaf_flush,
			    capacity * (double)s->barn_put_fail,
			    part_filled(facts));
}

/* True where the traffic is the arithmetic itself. */
static void add_of_cache_level(const struct mmap1_run_facts *facts,
			       struct report *report)
{
	const struct umaple_cache_stats *s = &facts->stats;
	double n = (double)facts->iterations;

	report_add_identity(report, "prefills = 2 * iterations", prefills(s),
			    MMAP1_PREFILLS * n, 0);
	report_add_identity(report, "sheaf_take = 5 * iterations",
			    (double)s->sheaf_take, MMAP1_NODES * n, 0);
	report_add_identity(report, "nodes freed = 5 * iterations", freed(s),
			    MMAP1_NODES * n, 0);
}

void mmap1_report_figures(const struct mmap1_run_facts *facts,
			  struct report *report)
{
	report_per_iteration(facts, report);
	report_statistics(&facts->stats, report);
	add_exact(facts, report);
	add_of_rcu_traffic(facts, report);
	if (facts->level == &mmap1_cache_level)
		add_of_cache_level(facts, report);
}
