/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * sheaf/barn.c - exchanges at the barn, one lock hold each.
 *
 * Two or three holds per exchange would cost more than half the throughput, so
 * whatever is put and got together has a function of its own.
 */

#include "sheaf/barn.h"

#include "platform/assert.h"
#include "platform/lock.h"

/* The numbers are written under the lock and read without it. */
static void list_put(struct umaple_sheaf **list, uint32_t *nr,
		     struct umaple_sheaf *sheaf)
{
	sheaf->next = *list;
	*list = sheaf;
	count_relaxed(nr, 1);
}

static struct umaple_sheaf *list_get(struct umaple_sheaf **list, uint32_t *nr)
{
	struct umaple_sheaf *sheaf = *list;

	if (!sheaf)
		return NULL;
	*list = sheaf->next;
	sheaf->next = NULL;
	count_relaxed(nr, -1u);
	return sheaf;
}

static void full_put(struct umaple_barn *barn, struct umaple_sheaf *sheaf)
{
	UMAPLE_ASSERT(sheaf->count);
	list_put(&barn->full, &barn->nr_full, sheaf);
}

static struct umaple_sheaf *full_get(struct umaple_barn *barn)
{
	return list_get(&barn->full, &barn->nr_full);
}

static void empty_put(struct umaple_barn *barn, struct umaple_sheaf *sheaf)
{
	UMAPLE_ASSERT(!sheaf->count);
	list_put(&barn->empty, &barn->nr_empty, sheaf);
}

static struct umaple_sheaf *empty_get(struct umaple_barn *barn)
{
	return list_get(&barn->empty, &barn->nr_empty);
}

void umaple_barn_init(struct umaple_barn *barn)
{
	*barn = (struct umaple_barn){ .lock = 0 };
}

void umaple_barn_fini(struct umaple_barn *barn)
{
	UMAPLE_ASSERT(!barn->full && !barn->empty && !barn->partial);
	UMAPLE_ASSERT(!umaple_lock_is_held(&barn->lock));
}

bool umaple_barn_put_full(struct umaple_barn *barn, struct umaple_sheaf *sheaf,
			  bool force)
{
	bool room;

	umaple_lock_take(&barn->lock);
	room = force || barn->nr_full < BARN_MAX_FULL;
	if (room)
		full_put(barn, sheaf);
	umaple_lock_drop(&barn->lock);
	return room;
}

bool umaple_barn_put_empty(struct umaple_barn *barn, struct umaple_sheaf *sheaf)
{
	bool room;

	umaple_lock_take(&barn->lock);
	room = barn->nr_empty < BARN_MAX_EMPTY;
	if (room)
		empty_put(barn, sheaf);
	umaple_lock_drop(&barn->lock);
	return room;
}

struct umaple_sheaf *umaple_barn_get_full(struct umaple_barn *barn)
{
	struct umaple_sheaf *sheaf;

	umaple_lock_take(&barn->lock);
	sheaf = full_get(barn);
	umaple_lock_drop(&barn->lock);
	return sheaf;
}

struct umaple_sheaf *umaple_barn_get_empty(struct umaple_barn *barn)
{
	struct umaple_sheaf *sheaf;

	umaple_lock_take(&barn->lock);
	sheaf = empty_get(barn);
	umaple_lock_drop(&barn->lock);
	return sheaf;
}

struct umaple_sheaf *umaple_barn_empty_for_full(struct umaple_barn *barn,
						struct umaple_sheaf *empty)
{
	struct umaple_sheaf *full;

	umaple_lock_take(&barn->lock);
	full = full_get(barn);
	if (full)
		empty_put(barn, empty);
	umaple_lock_drop(&barn->lock);
	return full;
}

struct umaple_sheaf *umaple_barn_full_for_empty(struct umaple_barn *barn,
						struct umaple_sheaf *full,
						enum umaple_barn_why *ret_why)
{
	struct umaple_sheaf *empty = NULL;

	umaple_lock_take(&barn->lock);
	if (barn->nr_full >= BARN_MAX_FULL) {
		*ret_why = BARN_FULL;
	} else if (!barn->empty) {
		*ret_why = BARN_NO_EMPTY;
	} else {
		empty = empty_get(barn);
		full_put(barn, full);
	}
	umaple_lock_drop(&barn->lock);
	return empty;
}

/* What is left of a sheaf that gave to another; the lock is held. */
static void keep_rest(struct umaple_barn *barn, struct umaple_sheaf *rest)
{
	if (rest->count)
		store_relaxed(&barn->partial, rest);
	else
		empty_put(barn, rest);
}

/* As many objects of @from as fit into @to. */
static void pour(struct umaple_sheaf *to, struct umaple_sheaf *from)
{
	size_t room = umaple_sheaf_room(to);

	umaple_sheaf_move(to, from, room < from->count ? room : from->count);
}

/* 1: @sheaf and the partial sheaf fill one together. */
static struct umaple_sheaf *refill_by_partial(struct umaple_barn *barn,
					      struct umaple_sheaf *sheaf)
{
	struct umaple_sheaf *other = barn->partial;
	struct umaple_sheaf *fuller =
		sheaf->count < other->count ? other : sheaf;
	struct umaple_sheaf *rest = fuller == sheaf ? other : sheaf;

	store_relaxed(&barn->partial, NULL);
	pour(fuller, rest);
	keep_rest(barn, rest);
	return fuller;
}

/* 2: there is a full sheaf. */
static struct umaple_sheaf *refill_by_full(struct umaple_barn *barn,
					   struct umaple_sheaf *sheaf)
{
	struct umaple_sheaf *full = full_get(barn);

	pour(full, sheaf);
	if (barn->partial) {
		pour(barn->partial, sheaf);
		empty_put(barn, sheaf);
	} else {
		keep_rest(barn, sheaf);
	}
	return full;
}

struct umaple_sheaf *umaple_barn_refill(struct umaple_barn *barn,
					struct umaple_sheaf *sheaf)
{
	struct umaple_sheaf *refilled = NULL;

	UMAPLE_ASSERT(!umaple_sheaf_is_full(sheaf));
	umaple_lock_take(&barn->lock);
	if (barn->partial &&
	    barn->partial->count + sheaf->count >= sheaf->capacity)
		refilled = refill_by_partial(barn, sheaf);
	else if (barn->full)
		refilled = refill_by_full(barn, sheaf);
	umaple_lock_drop(&barn->lock);
	return refilled;
}

/* Link @list after all of **@end.  Return: where the next goes. */
static struct umaple_sheaf **link_after(struct umaple_sheaf **end,
					struct umaple_sheaf *list)
{
	*end = list;
	while (*end)
		end = &(*end)->next;
	return end;
}

struct umaple_sheaf *umaple_barn_take_all(struct umaple_barn *barn)
{
	struct umaple_sheaf *all;
	struct umaple_sheaf **end = &all;

	umaple_lock_take(&barn->lock);
	end = link_after(end, barn->full);
	end = link_after(end, barn->partial);
	link_after(end, barn->empty);
	barn->full = NULL;
	barn->empty = NULL;
	store_relaxed(&barn->partial, NULL);
	store_relaxed(&barn->nr_full, 0);
	store_relaxed(&barn->nr_empty, 0);
	umaple_lock_drop(&barn->lock);
	return all;
}
