/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache_sheaf.c - sheaves in the hands of a thread: between the barn, the
 * slabs and malloc().
 *
 * Called inside the gate and without a guard.  Every sheaf passed in is the
 * caller's alone.
 */

#include "cache/cache_priv.h"

struct umaple_sheaf *umaple_cache_sheaf_empty(struct umaple_cache *cache)
{
	struct umaple_sheaf *sheaf = NULL;

	if (umaple_barn_nr_empty(&cache->barn))
		sheaf = umaple_barn_get_empty(&cache->barn);
	if (sheaf)
		return sheaf;
	sheaf = umaple_sheaf_new(cache->capacity);
	if (sheaf)
		cache_count(cache, EVENT_SHEAF_ALLOC, 1);
	return sheaf;
}

bool umaple_cache_sheaf_fill(struct umaple_cache *cache,
			     struct umaple_sheaf *sheaf, size_t count)
{
	size_t n;

	if (sheaf->count >= count)
		return true;
	n = umaple_slab_take(&cache->node, sheaf->objects + sheaf->count,
			     count - sheaf->count);
	sheaf->count += (uint32_t)n;
	cache_count(cache, EVENT_SHEAF_REFILL, n);
	return sheaf->count >= count;
}

/*
 * With deferred unparking the ticker comes by in a while: it looks after part-filled
 * sheaves in the same way.  Without a ticker it is done here.
 */
static UMAPLE_COLD void unpark_later(struct umaple_cache *cache)
{
	umaple_ticker_age(cache->ticker);
	if (!load_relaxed(&cache->ticker->running))
		umaple_slab_unpark(&cache->node);
}

void umaple_cache_slabs_give(struct umaple_cache *cache, void *const *objects,
			     size_t count)
{
	umaple_slab_give(&cache->node, objects, count);
	if (unlikely(umaple_slab_wants_unpark(&cache->node)))
		unpark_later(cache);
}

/* @sheaf for one with more, if the barn can. */
static struct umaple_sheaf *barn_refill(struct umaple_cache *cache,
					struct umaple_sheaf *sheaf)
{
	struct umaple_sheaf *refilled = NULL;

	if (umaple_barn_nr_full(&cache->barn) ||
	    umaple_barn_has_partial(&cache->barn))
		refilled = umaple_barn_refill(&cache->barn, sheaf);
	cache_count(cache, refilled ? EVENT_BARN_GET : EVENT_BARN_GET_FAIL, 1);
	return refilled ? refilled : sheaf;
}

struct umaple_sheaf *umaple_cache_sheaf_refill(struct umaple_cache *cache,
					       struct umaple_sheaf *sheaf,
					       size_t count)
{
	if (cache->barn_refill)
		sheaf = barn_refill(cache, sheaf);
	if (sheaf->count < count)
		umaple_cache_sheaf_fill(cache, sheaf, sheaf->capacity);
	return sheaf;
}

void umaple_cache_sheaf_flush(struct umaple_cache *cache,
			      struct umaple_sheaf *sheaf)
{
	if (!sheaf->count)
		return;
	umaple_cache_slabs_give(cache, sheaf->objects, sheaf->count);
	cache_count(cache, EVENT_SHEAF_FLUSH, sheaf->count);
	sheaf->count = 0;
}

void umaple_cache_sheaf_delete(struct umaple_cache *cache,
			       struct umaple_sheaf *sheaf)
{
	umaple_sheaf_delete(sheaf);
	cache_count(cache, EVENT_SHEAF_FREE, 1);
}

void umaple_cache_sheaf_drop(struct umaple_cache *cache,
			     struct umaple_sheaf *sheaf)
{
	if (!sheaf)
		return;
	if (sheaf->count)
		umaple_cache_sheaf_settle(cache, sheaf);
	else if (!umaple_barn_put_empty(&cache->barn, sheaf))
		umaple_cache_sheaf_delete(cache, sheaf);
}

struct umaple_sheaf *umaple_cache_sheaf_trade(struct umaple_cache *cache,
					      struct umaple_sheaf *full)
{
	enum umaple_barn_why why = BARN_FULL;
	struct umaple_sheaf *empty = NULL;

	if (umaple_barn_nr_full(&cache->barn) < BARN_MAX_FULL)
		empty = umaple_barn_full_for_empty(&cache->barn, full, &why);
	if (!empty && why == BARN_NO_EMPTY) {
		empty = umaple_cache_sheaf_empty(cache);
		if (empty)
			umaple_barn_put_full(&cache->barn, full, true);
	}
	if (empty) {
		cache_count(cache, EVENT_BARN_PUT, 1);
		return empty;
	}
	cache_count(cache, EVENT_BARN_PUT_FAIL, 1);
	umaple_cache_sheaf_flush(cache, full);
	return full;
}

void umaple_cache_sheaf_settle(struct umaple_cache *cache,
			       struct umaple_sheaf *sheaf)
{
	bool full = umaple_sheaf_is_full(sheaf);

	if (full && umaple_barn_put_full(&cache->barn, sheaf, false)) {
		cache_count(cache, EVENT_BARN_PUT, 1);
		return;
	}
	if (full)
		cache_count(cache, EVENT_BARN_PUT_FAIL, 1);
	umaple_cache_sheaf_flush(cache, sheaf);
	umaple_cache_sheaf_drop(cache, sheaf);
}

void *umaple_cache_slab_alloc(struct umaple_cache *cache)
{
	void *object;

	if (umaple_slab_take(&cache->node, &object, 1) != 1)
		return NULL;
	cache_count(cache, EVENT_ALLOC_SLOWPATH, 1);
	cache_mark_used(cache, object);
	return object;
}

void umaple_cache_slab_free(struct umaple_cache *cache, void *object)
{
	umaple_cache_slabs_give(cache, &object, 1);
	cache_count(cache, EVENT_FREE_SLOWPATH, 1);
}

void umaple_cache_mark_free(struct umaple_cache *cache, void *object)
{
	umaple_mark_free(object, cache->node.geo.object_size);
}

void umaple_cache_mark_used(struct umaple_cache *cache, void *object)
{
	umaple_mark_used(object, cache->node.geo.object_size);
}
