/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache.c - the public interface over the C library's allocator: the
 * simplest route that keeps every promise.  Slabs and sheaves replace it.
 */

#include "cache/cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <umaple/debug.h>

#include "platform/assert.h"
#include "platform/fault.h"
#include "platform/rcu.h"

struct umaple_sheaf {
	size_t count;
	void *objects[];
};

struct umaple_cache {
	struct umaple_cache_head head;
	pthread_mutex_t lock;
	size_t size, align, limit, used;
	struct umaple_sheaf *pending;
	size_t room;
	struct umaple_cache_stats stats;
};

int umaple_cache_create(const struct umaple_cache_attr *attr,
			struct umaple_cache **ret_cache)
{
	size_t align = attr->align ? attr->align : 16;
	struct umaple_cache *cache;

	if (!attr->size || attr->size > 1048576 || align & (align - 1) ||
	    align > 4096 || attr->sheaf_capacity > 1024 || attr->reserved_)
		return -EINVAL;
	cache = calloc(1, sizeof(*cache));
	if (!cache)
		return -ENOMEM;
	if (align < sizeof(void *))
		align = sizeof(void *);
	pthread_mutex_init(&cache->lock, NULL);
	cache->head.flavor = attr->flavor ? attr->flavor : umaple_rcu_default();
	cache->align = align;
	cache->size = (attr->size + align - 1) & ~(align - 1);
	cache->limit = attr->pending_limit ? attr->pending_limit : 65536;
	*ret_cache = cache;
	return 0;
}

int umaple_cache_destroy(struct umaple_cache *cache)
{
	if (!cache)
		return 0;
	if (umaple_cache_barrier(cache))
		return -EDEADLK;
	if (cache->used)
		return -EBUSY;
	free(cache->pending);
	free(cache);
	return 0;
}

struct umaple_cache *umaple_cache_default(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct umaple_cache *cache;
	struct umaple_cache_attr attr = { .size = 256, .align = 256 };

	pthread_mutex_lock(&lock);
	if (!cache && umaple_cache_create(&attr, &cache))
		cache = NULL;
	pthread_mutex_unlock(&lock);
	return cache;
}

size_t umaple_cache_object_size(const struct umaple_cache *cache)
{
	return cache->size;
}

static void *object_new(struct umaple_cache *cache)
{
	void *object;

	if (posix_memalign(&object, cache->align, cache->size))
		return NULL;
	fetch_add_relaxed(&cache->used, 1);
	return object;
}

void *umaple_cache_alloc(struct umaple_cache *cache)
{
	return umaple_fault() ? NULL : object_new(cache);
}

void umaple_cache_free(struct umaple_cache *cache, void *object)
{
	if (object)
		fetch_sub_relaxed(&cache->used, 1);
	free(object);
}

void umaple_cache_free_rcu(struct umaple_cache *cache, void *object)
{
	struct umaple_sheaf *pending;

	if (!object)
		return;
	pthread_mutex_lock(&cache->lock);
	pending = cache->pending;
	if (!pending || pending->count == cache->room) {
		size_t room = cache->room ? 2 * cache->room : 1024;

		pending = realloc(pending,
				  sizeof(*pending) + room * sizeof(void *));
		if (!pending)
			umaple_die("out of memory");
		if (!cache->room)
			pending->count = 0;
		cache->pending = pending;
		cache->room = room;
	}
	pending->objects[pending->count++] = object;
	pthread_mutex_unlock(&cache->lock);
}

struct umaple_sheaf *umaple_cache_prefill(struct umaple_cache *cache,
					  size_t count)
{
	struct umaple_sheaf *sheaf;

	if (umaple_fault())
		return NULL;
	sheaf = calloc(1, sizeof(*sheaf) + count * sizeof(void *));
	if (sheaf && umaple_cache_refill(cache, &sheaf, count)) {
		umaple_cache_return(cache, sheaf);
		sheaf = NULL;
	}
	return sheaf;
}

void *umaple_cache_take(struct umaple_cache *cache, struct umaple_sheaf *sheaf)
{
	(void)cache;
	return sheaf->count ? sheaf->objects[--sheaf->count] : NULL;
}

int umaple_cache_refill(struct umaple_cache *cache, struct umaple_sheaf **sheaf,
			size_t count)
{
	struct umaple_sheaf *grown;

	if (!*sheaf)
		return -EINVAL;
	if ((*sheaf)->count >= count)
		return 0;
	grown = realloc(*sheaf, sizeof(*grown) + count * sizeof(void *));
	if (!grown)
		return -ENOMEM;
	*sheaf = grown;
	while (grown->count < count) {
		void *object = object_new(cache);

		if (!object)
			return -ENOMEM;
		grown->objects[grown->count++] = object;
	}
	return 0;
}

void umaple_cache_return(struct umaple_cache *cache, struct umaple_sheaf *sheaf)
{
	while (sheaf && sheaf->count)
		umaple_cache_free(cache, sheaf->objects[--sheaf->count]);
	free(sheaf);
}

size_t umaple_cache_sheaf_count(const struct umaple_sheaf *sheaf)
{
	return sheaf->count;
}

int umaple_cache_barrier(struct umaple_cache *cache)
{
	struct umaple_sheaf *pending;

	if (umaple_rcu_read_ongoing(cache->head.flavor))
		return -EDEADLK;
	pthread_mutex_lock(&cache->lock);
	pending = cache->pending;
	cache->pending = NULL;
	cache->room = 0;
	pthread_mutex_unlock(&cache->lock);
	umaple_rcu_synchronize(cache->head.flavor);
	umaple_cache_return(cache, pending);
	return 0;
}

void umaple_cache_throttle(struct umaple_cache *cache)
{
	if (load_relaxed(&cache->room) > cache->limit &&
	    !umaple_rcu_read_ongoing(cache->head.flavor))
		(void)umaple_cache_barrier(cache);
}

int umaple_cache_shrink(struct umaple_cache *cache, size_t *ret_before,
			size_t *ret_after)
{
	(void)cache;
	if (ret_before)
		*ret_before = 0;
	if (ret_after)
		*ret_after = 0;
	return 0;
}

void umaple_cache_stats_get(struct umaple_cache *cache,
			    struct umaple_cache_stats *stats)
{
	*stats = cache->stats;
	stats->objects = load_relaxed(&cache->used);
	stats->object_size = cache->size;
	stats->slab_size = cache->size;
}

void umaple_cache_stats_reset(struct umaple_cache *cache)
{
	memset(&cache->stats, 0, sizeof(cache->stats));
}

const struct umaple_cache_stat_name *umaple_cache_stat_names(size_t *ret_count)
{
	static const struct umaple_cache_stat_name names[] = {
		{ "objects", offsetof(struct umaple_cache_stats, objects) },
	};

	*ret_count = ARRAY_SIZE(names);
	return names;
}

int umaple_cache_check(struct umaple_cache *cache, char *text, size_t size)
{
	(void)cache;
	(void)text;
	(void)size;
	return 0;
}
