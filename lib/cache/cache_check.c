/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_check.c - invariants C1 to C8, and those of the layers below.
 *
 *   C1  A CPU's stack and its sheaf agree: limit and slots are the sheaf's, and no
 *       more is held than fits; without a sheaf both are nothing.
 *   C2  The spare holds no more than fits.
 *   C3  A queue has as many sheaves as its length says, each holding something, in
 *       the order of their grace periods, the first of which is queue_sequence.
 *   C4  Every object in a sheaf is an object of the cache.
 *   C5  No object is in two sheaves, or twice in one.
 *   C6  What is counted as waiting is what the queues hold and slabs defer, and
 *       the deferred are not more than used objects can be.
 *   C7  Objects used in slabs are those refilled and allocated less those flushed
 *       and freed, and not fewer than idle in sheaves.
 *   C8  No guard is held or closed, and as many have left the gate as entered.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <umaple/debug.h>

#include "cache/cache_priv.h"
#include "platform/report.h"

/* Every object found in a sheaf, for C5; grows as they are found. */
struct finds {
	void **objects;
	size_t count;
	size_t room;
	bool overflow; /* no memory to remember them all: C5 is not checked */
};

static void find(struct finds *finds, void *object)
{
	size_t room = finds->room ? 2 * finds->room : 1024;
	void **larger;

	if (finds->count == finds->room) {
		larger = realloc(finds->objects, room * sizeof(*larger));
		if (!larger) {
			finds->overflow = true;
			return;
		}
		finds->objects = larger;
		finds->room = room;
	}
	finds->objects[finds->count++] = object;
}

struct check {
	struct umaple_cache *cache;
	struct report report;
	struct finds finds;
	size_t idle;	/* objects in sheaves */
	size_t waiting; /* those of them in queues */
};

static int check_objects(struct check *check, const char *where,
			 void *const *objects, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!objects[i] ||
		    !umaple_slab_owns(&check->cache->node, objects[i]))
			return umaple_report(&check->report,
					     "C4: %s has %p, not an object of "
					     "cache %s",
					     where, objects[i],
					     check->cache->name);
		find(&check->finds, objects[i]);
	}
	check->idle += count;
	return 0;
}

static int check_stack(struct check *check, const char *where,
		       const struct umaple_guard_stack *stack,
		       const struct umaple_sheaf *sheaf)
{
	size_t held = umaple_guard_nr_held(stack);
	size_t limit = sheaf ? sheaf->capacity : 0;

	if (stack->limit != limit || held > limit ||
	    (sheaf && stack->slots != sheaf->objects))
		return umaple_report(&check->report,
				     "C1: %s stack holds %zu of %zu, its sheaf "
				     "has room for %zu",
				     where, held, (size_t)stack->limit, limit);
	return sheaf ? check_objects(check, where, sheaf->objects, held) : 0;
}

static int check_spare(struct check *check, const struct umaple_sheaf *spare)
{
	if (!spare)
		return 0;
	if (spare->count > spare->capacity)
		return umaple_report(&check->report, "C2: spare holds %u of %u",
				     spare->count, spare->capacity);
	return check_objects(check, "spare", spare->objects, spare->count);
}

static int check_queue(struct check *check, const struct cache_cpu *cpu)
{
	const struct umaple_sheaf *sheaf;
	uint64_t sequence = cpu->queue_sequence;
	unsigned int length = 0;
	int error;

	for (sheaf = cpu->queue; sheaf; sheaf = sheaf->next) {
		if (!sheaf->count || sheaf->count > sheaf->capacity ||
		    sheaf->sequence < sequence || !sequence ||
		    (!length && sheaf->sequence != sequence))
			return umaple_report(
				&check->report,
				"C3: sheaf %u of a queue holds %u of %u and "
				"waits for %" PRIu64 " after %" PRIu64,
				length, sheaf->count, sheaf->capacity,
				sheaf->sequence, sequence);
		sequence = sheaf->sequence;
		length++;
		check->waiting += sheaf->count;
		error = check_objects(check, "queue", sheaf->objects,
				      sheaf->count);
		if (error)
			return error;
	}
	if (length != cpu->queue_length || (!length && sequence))
		return umaple_report(&check->report,
				     "C3: queue has %u sheaves and says %u",
				     length, cpu->queue_length);
	return 0;
}

static int check_cpu(struct check *check, const struct cache_cpu *cpu)
{
	int error;

	if (cpu->guard.lock || cpu->guard.closed)
		return umaple_report(&check->report,
				     "C8: a guard is held (%u) or closed (%u)",
				     cpu->guard.lock, cpu->guard.closed);
	error = check_stack(check, "main", &cpu->guard.stacks[GUARD_MAIN],
			    cpu->main);
	if (!error)
		error = check_stack(check, "rcu_free",
				    &cpu->guard.stacks[GUARD_RCU],
				    cpu->rcu_free);
	if (!error)
		error = check_spare(check, cpu->spare);
	if (!error)
		error = check_queue(check, cpu);
	return error;
}

static int check_barn(struct check *check)
{
	const struct umaple_barn *barn = &check->cache->barn;
	int error =
		umaple_barn_check(barn, check->report.text, check->report.size);

	for (const struct umaple_sheaf *sheaf = barn->full; sheaf && !error;
	     sheaf = sheaf->next)
		error = check_objects(check, "barn", sheaf->objects,
				      sheaf->count);
	if (barn->partial && !error)
		error = check_objects(check, "barn", barn->partial->objects,
				      barn->partial->count);
	return error;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t left = (uintptr_t) * (void *const *)a;
	uintptr_t right = (uintptr_t) * (void *const *)b;

	return (left > right) - (left < right);
}

static int check_distinct(struct check *check)
{
	struct finds *finds = &check->finds;

	if (finds->overflow || finds->count < 2)
		return 0;
	qsort(finds->objects, finds->count, sizeof(void *), by_address);
	for (size_t i = 1; i < finds->count; i++) {
		if (finds->objects[i] == finds->objects[i - 1])
			return umaple_report(&check->report,
					     "C5: %p is in two sheaves",
					     finds->objects[i]);
	}
	return 0;
}

static int check_sums(struct check *check)
{
	struct umaple_cache *cache = check->cache;
	struct umaple_slab_stats slabs;
	uint64_t sums[NR_EVENTS], used;

	umaple_cache_sum(cache, sums);
	umaple_slab_stats(&cache->node, &slabs);
	used = sums[EVENT_SHEAF_REFILL] + sums[EVENT_ALLOC_SLOWPATH] -
	       sums[EVENT_SHEAF_FLUSH] - sums[EVENT_FREE_SLOWPATH];
	if (used != slabs.objects || slabs.objects < check->idle)
		return umaple_report(&check->report,
				     "C7: %" PRIu64
				     " objects are used, %" PRIu64
				     " by the counters, %zu idle in sheaves",
				     slabs.objects, used, check->idle);
	if (cache->pending < check->waiting ||
	    cache->pending - check->waiting > slabs.objects - check->idle)
		return umaple_report(&check->report,
				     "C6: %zu objects wait, %zu of them in "
				     "queues, of %" PRIu64 " used",
				     cache->pending, check->waiting,
				     slabs.objects);
	if (sums[EVENT_ENTER] != sums[EVENT_LEAVE])
		return umaple_report(&check->report,
				     "C8: %" PRIu64 " entered, %" PRIu64
				     " left",
				     sums[EVENT_ENTER], sums[EVENT_LEAVE]);
	return 0;
}

static int check_all(struct check *check)
{
	struct umaple_cache *cache = check->cache;
	int error = umaple_slab_check(&cache->node, check->report.text,
				      check->report.size);

	for (unsigned int i = 0; i < cache->table.count && !error; i++)
		error = check_cpu(check, cache_cpu_of(cache, i));
	if (!error)
		error = check_barn(check);
	if (!error)
		error = check_distinct(check);
	if (!error)
		error = check_sums(check);
	return error;
}

int umaple_cache_check(struct umaple_cache *cache, char *text, size_t size)
{
	struct check check = {
		.cache = cache,
		.report = { .text = text, .size = size },
	};
	int error;

	umaple_cache_registry_lock();
	error = check_all(&check);
	umaple_cache_registry_unlock();
	free(check.finds.objects);
	return error;
}
