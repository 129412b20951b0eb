/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "spy.h"

#include <umaple/cache.h>

#include "tree/tree_priv.h"

_Thread_local struct spy spy = { .refuse = -1 };

/* Calls that the cache makes of itself are its own business. */
static _Thread_local unsigned int depth;

#define SPY_WRAP(type, name, ...)                                              \
	type __real_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__)

void spy_reset(void)
{
	spy = (struct spy){ .refuse = -1 };
}

unsigned long spy_came(void)
{
	return spy.allocated + spy.taken;
}

unsigned long spy_went(void)
{
	return spy.freed + spy.deferred;
}

static bool refused(void)
{
	if (depth || spy.refuse < 0)
		return false;
	return spy.refuse-- == 0;
}

SPY_WRAP(void *, umaple_cache_alloc, struct umaple_cache *cache)
{
	void *object;

	if (refused())
		return NULL;
	depth++;
	object = __real_umaple_cache_alloc(cache);
	depth--;
	spy.allocated += !depth && object;
	return object;
}

SPY_WRAP(struct umaple_sheaf *, umaple_cache_prefill,
	 struct umaple_cache *cache, size_t count)
{
	struct umaple_sheaf *sheaf;

	if (refused())
		return NULL;
	depth++;
	sheaf = __real_umaple_cache_prefill(cache, count);
	depth--;
	if (!depth && sheaf) {
		spy.prefills++;
		spy.promised = count;
	}
	return sheaf;
}

SPY_WRAP(void *, umaple_cache_take, struct umaple_cache *cache,
	 struct umaple_sheaf *sheaf)
{
	spy.taken += !depth;
	return __real_umaple_cache_take(cache, sheaf);
}

SPY_WRAP(void, umaple_cache_return, struct umaple_cache *cache,
	 struct umaple_sheaf *sheaf)
{
	spy.returns += !depth;
	depth++;
	__real_umaple_cache_return(cache, sheaf);
	depth--;
}

static void see_free(void *object, bool deferred)
{
	if (depth)
		return;
	if (deferred)
		spy.deferred++;
	else
		spy.freed++;
	if (spy.on_free)
		spy.on_free(object, deferred);
}

SPY_WRAP(void, umaple_cache_free, struct umaple_cache *cache, void *object)
{
	see_free(object, false);
	depth++;
	__real_umaple_cache_free(cache, object);
	depth--;
}

SPY_WRAP(void, umaple_cache_free_rcu, struct umaple_cache *cache, void *object)
{
	see_free(object, true);
	depth++;
	__real_umaple_cache_free_rcu(cache, object);
	depth--;
}

SPY_WRAP(void, umaple_cache_throttle, struct umaple_cache *cache)
{
	spy.throttles += !depth;
	if (!depth && spy.on_throttle)
		spy.on_throttle();
	depth++;
	__real_umaple_cache_throttle(cache);
	depth--;
}

SPY_WRAP(void *, umaple_cursor_find, struct umaple_cursor *cursor, uint64_t max)
{
	void *entry = __real_umaple_cursor_find(cursor, max);

	if (spy.on_find)
		spy.on_find();
	return entry;
}

SPY_WRAP(void, umaple_path_walk, const struct umaple_tree *tree, void *root,
	 struct umaple_path_ *path, uint64_t index)
{
	spy.walks++;
	__real_umaple_path_walk(tree, root, path, index);
}
