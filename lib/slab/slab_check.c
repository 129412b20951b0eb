/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_check.c - invariants L1 to L9 of the slabs of one node.
 *
 *   L1  a chunk is aligned and carries the cookie of its node.
 *   L2  a chunk counts its slabs in use and lists the others; it is on the list
 *       that its count calls for; the node's count is the sum.
 *   L3  the free, pending and waiting sets of a slab hold only objects that
 *       exist, and none is in two of them.
 *   L4  of a slab in no use all objects are free, and it is neither on the partial
 *       list nor parked.
 *   L5  a slab in use that has free objects is either on the partial list or
 *       parked; a full one is neither.
 *   L6  the partial list is a ring of nr_partial slabs, each flagged as listed.
 *   L7  at most min_partial slabs of the partial list are empty.
 *   L8  the slabs with pending objects are those on the deferred list, once
 *       each; objects wait only while a collection is out.
 *   L9  the stack has as many slabs as were parked and not unparked, each flagged
 *       as parked, and none of them empty unless unparking is deferred; no slab
 *       is awaited.
 *
 * Locks: none; no other call is running.
 */

#include "platform/bits.h"
#include "platform/report.h"
#include "slab/slab_priv.h"

/* What a walk over all chunks has seen. */
struct totals {
	size_t in_use;
	size_t with_pending;
	size_t with_waiting;
	size_t awaited;
};

static const char *yes_no(bool yes)
{
	return yes ? "yes" : "no";
}

/* L3. */
static int check_sets(const struct umaple_slab_node *node,
		      const struct umaple_slab *slab,
		      const struct report *report)
{
	uint64_t free = slab->free, pending = slab->pending;
	uint64_t waiting = slab->waiting;

	if (((free | pending | waiting) & ~node->layout.all) ||
	    (free & pending) || (free & waiting) || (pending & waiting))
		return umaple_report(
			report,
			"L3: slab %p: free %#llx, pending %#llx, waiting %#llx of %#llx",
			(const void *)slab, (unsigned long long)free,
			(unsigned long long)pending,
			(unsigned long long)waiting,
			(unsigned long long)node->layout.all);
	return 0;
}

/* L4 and L5. */
static int check_kind(const struct umaple_slab_node *node,
		      const struct umaple_slab *slab,
		      const struct report *report)
{
	unsigned int places = (unsigned int)slab->listed + slab->parked;

	if (!slab->in_use && (slab->free != node->layout.all || places))
		return umaple_report(
			report,
			"L4: slab %p in no use: free %#llx, listed: %s, parked: %s",
			(const void *)slab, (unsigned long long)slab->free,
			yes_no(slab->listed), yes_no(slab->parked));
	if (slab->in_use && places != (slab->free != 0))
		return umaple_report(
			report,
			"L5: slab %p: free %#llx, listed: %s, parked: %s",
			(const void *)slab, (unsigned long long)slab->free,
			yes_no(slab->listed), yes_no(slab->parked));
	return 0;
}

/* L2, the list of slabs in no use: as long as it should be, and of such. */
static int check_unused(const struct umaple_chunk *chunk, size_t nr,
			const struct report *report)
{
	struct list_link *link;
	size_t seen = 0;

	for (link = chunk->unused.next; link != &chunk->unused && seen <= nr;
	     link = link->next, seen++)
		if (umaple_slab_of_link(link)->in_use)
			return umaple_report(
				report,
				"L2: slab %p is in use and listed as unused",
				(void *)umaple_slab_of_link(link));
	if (seen != nr)
		return umaple_report(
			report,
			"L2: chunk %p lists %zu slabs in no use, not %zu",
			(const void *)chunk, seen, nr);
	return 0;
}

static int check_slabs(const struct umaple_slab_node *node,
		       const struct umaple_chunk *chunk, struct totals *totals,
		       const struct report *report)
{
	unsigned int last = umaple_layout_positions(&node->layout) - 1;
	size_t in_use = 0;
	int err;

	for (unsigned int i = node->layout.first; i <= last; i++) {
		const struct umaple_slab *slab = &chunk->slabs[i];

		err = check_sets(node, slab, report);
		if (!err)
			err = check_kind(node, slab, report);
		if (err)
			return err;
		in_use += slab->in_use;
		totals->with_pending += slab->pending != 0;
		totals->with_waiting += slab->waiting != 0;
		totals->awaited += slab->awaited;
	}
	totals->in_use += in_use;
	if (chunk->nr_used != in_use)
		return umaple_report(
			report, "L2: chunk %p counts %zu slabs in use, not %zu",
			(const void *)chunk, chunk->nr_used, in_use);
	return check_unused(chunk, node->geo.slabs_per_chunk - in_use, report);
}

/* L1, L2 to L5: a chunk that should have @min to @max slabs in use. */
static int check_chunk(const struct umaple_slab_node *node,
		       const struct umaple_chunk *chunk, size_t min, size_t max,
		       struct totals *totals, const struct report *report)
{
	if (umaple_chunk_of(chunk) != chunk ||
	    chunk->cookie != umaple_chunk_cookie(chunk, node->layout.id))
		return umaple_report(report, "L1: chunk %p: bad cookie %#lx",
				     (const void *)chunk,
				     (unsigned long)chunk->cookie);
	if (chunk->nr_used < min || chunk->nr_used > max)
		return umaple_report(
			report,
			"L2: chunk %p has %zu slabs in use, its list %zu to %zu",
			(const void *)chunk, chunk->nr_used, min, max);
	return check_slabs(node, chunk, totals, report);
}

static int check_chunk_list(const struct umaple_slab_node *node,
			    const struct list_link *chunks, size_t min,
			    size_t max, struct totals *totals,
			    const struct report *report)
{
	struct list_link *link;
	int err;

	for (link = chunks->next; link != chunks; link = link->next) {
		if (link->next->prev != link)
			return umaple_report(
				report, "L2: chunk %p: broken list",
				(void *)umaple_chunk_of_link(link));
		err = check_chunk(node, umaple_chunk_of_link(link), min, max,
				  totals, report);
		if (err)
			return err;
	}
	return 0;
}

static int check_chunks(const struct umaple_slab_node *node,
			struct totals *totals, const struct report *report)
{
	size_t all = node->geo.slabs_per_chunk;
	int err;

	err = check_chunk_list(node, &node->chunks_avail, 1, all - 1, totals,
			       report);
	if (!err)
		err = check_chunk_list(node, &node->chunks_full, all, all,
				       totals, report);
	if (!err && node->idle)
		err = check_chunk(node, node->idle, 0, 0, totals, report);
	if (!err && totals->in_use != node->nr_slabs)
		err = umaple_report(report,
				    "L2: %zu slabs are in use, nr_slabs is %zu",
				    totals->in_use, node->nr_slabs);
	return err;
}

/* L6 and L7. */
static int check_partial(const struct umaple_slab_node *node,
			 const struct report *report)
{
	size_t seen = 0, empty = 0;
	struct list_link *link;

	for (link = node->partial.next;
	     link != &node->partial && seen <= node->nr_partial;
	     link = link->next, seen++) {
		const struct umaple_slab *slab = umaple_slab_of_link(link);

		if (!slab->listed || link->next->prev != link)
			return umaple_report(
				report,
				"L6: slab %p: listed: %s, ring closed: %s",
				(const void *)slab, yes_no(slab->listed),
				yes_no(link->next->prev == link));
		empty += slab->free == node->layout.all;
	}
	if (seen != node->nr_partial)
		return umaple_report(report,
				     "L6: nr_partial is %u, the list has %s%zu",
				     node->nr_partial,
				     seen > node->nr_partial ? "at least " : "",
				     seen);
	if (empty > node->geo.min_partial)
		return umaple_report(
			report, "L7: %zu partial slabs are empty, allowed: %u",
			empty, node->geo.min_partial);
	return 0;
}

/* L8. */
static int check_deferred(const struct umaple_slab_node *node,
			  const struct totals *totals,
			  const struct report *report)
{
	const struct umaple_slab *slab;
	size_t seen = 0;

	for (slab = node->deferred; slab && seen <= totals->with_pending;
	     slab = slab->next_pending, seen++)
		if (!slab->pending)
			return umaple_report(
				report, "L8: deferred slab %p has none pending",
				(const void *)slab);
	if (seen != totals->with_pending)
		return umaple_report(
			report, "L8: %zu slabs have pending objects, not %zu",
			totals->with_pending, seen);
	if (totals->with_waiting && !node->collecting)
		return umaple_report(
			report, "L8: %zu slabs wait, and no collection is out",
			totals->with_waiting);
	return 0;
}

/* L9. */
static int check_parked(const struct umaple_slab_node *node,
			const struct totals *totals,
			const struct report *report)
{
	const struct umaple_slab_stack *stack = node->parked;
	uint64_t parked = stack->park_slab - node->unpark_slab, seen = 0;
	const struct umaple_slab *slab;

	for (slab = stack->head; slab && seen <= parked;
	     slab = slab->next_parked, seen++)
		if (!slab->parked ||
		    (!node->parking.deferred && slab->free == node->layout.all))
			return umaple_report(
				report, "L9: slab %p: free %#llx, parked: %s",
				(const void *)slab,
				(unsigned long long)slab->free,
				yes_no(slab->parked));
	if (seen != parked)
		return umaple_report(
			report,
			"L9: %llu slabs are parked, the stack has %s%llu",
			(unsigned long long)parked,
			seen > parked ? "at least " : "",
			(unsigned long long)seen);
	if (stack->nr_awaited || totals->awaited)
		return umaple_report(report,
				     "L9: %zu slabs are awaited, counted: %u",
				     totals->awaited, stack->nr_awaited);
	return 0;
}

int umaple_slab_check(struct umaple_slab_node *node, char *text, size_t size)
{
	const struct report report = { text, size };
	struct totals totals = { 0 };
	int err;

	err = check_chunks(node, &totals, &report);
	if (!err)
		err = check_partial(node, &report);
	if (!err)
		err = check_deferred(node, &totals, &report);
	if (!err)
		err = check_parked(node, &totals, &report);
	return err;
}
