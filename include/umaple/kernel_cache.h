/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/kernel_cache.h - kmem_cache_: caches of equal-sized objects, and sheaves
 * of them promised in advance.
 *
 * Part of umaple/kernel.h.  A struct kmem_cache is a struct umaple_cache under
 * another name, and a struct slab_sheaf a struct umaple_sheaf.
 */

#ifndef UMAPLE_KERNEL_CACHE_H
#define UMAPLE_KERNEL_CACHE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <umaple/attr.h>
#include <umaple/cache.h>
#include <umaple/kernel_types.h>

UMAPLE_BEGIN_DECLS

struct kmem_cache;
struct slab_sheaf;

/* Flags of a cache; others are refused, as what they ask for is not there. */
typedef unsigned int slab_flags_t;

#define SLAB_HWCACHE_ALIGN   0x1u /* no object shares its cache lines */
#define SLAB_PANIC	     0x2u /* abort when the cache cannot be made */
#define SLAB_ACCOUNT	     0x4u /* no meaning */
#define SLAB_RECLAIM_ACCOUNT 0x8u /* no meaning */

/**
 * struct kmem_cache_args - The rarer properties of a cache; zero is the default.
 * @align:          Alignment in bytes, a power of two.
 * @sheaf_capacity: Objects per sheaf.
 * @ctor:           Must be %NULL: objects are not kept constructed.
 */
struct kmem_cache_args {
	unsigned int align;
	unsigned int sheaf_capacity;
	void (*ctor)(void *object);
};

/** umaple_kmem_cache() - The cache, for every function of umaple/cache.h. */
static inline struct umaple_cache *umaple_kmem_cache(struct kmem_cache *cache)
{
	return (struct umaple_cache *)cache;
}

/* Small objects may share a line with others as long as none crosses it. */
static inline size_t umaple_kmem_line_(size_t size)
{
	size_t line = 64;

	while (size <= line / 2)
		line /= 2;
	return line;
}

static inline struct kmem_cache *
umaple_kmem_create_(const char *name, const struct umaple_cache_attr *attr,
		    slab_flags_t flags, bool supported)
{
	struct umaple_cache *cache = NULL;

	if (supported && umaple_cache_create(attr, &cache))
		cache = NULL;
	if (!cache && (flags & SLAB_PANIC)) {
		fprintf(stderr, "kmem_cache_create: %s: no cache\n", name);
		abort();
	}
	return (struct kmem_cache *)cache;
}

/* The form with (args, flags). */
static inline struct kmem_cache *
umaple_kmem_create_args_(const char *name, size_t size,
			 const struct kmem_cache_args *args, slab_flags_t flags)
{
	const slab_flags_t known = SLAB_HWCACHE_ALIGN | SLAB_PANIC |
				   SLAB_ACCOUNT | SLAB_RECLAIM_ACCOUNT;
	struct umaple_cache_attr attr;
	bool supported = !(flags & ~known);

	memset(&attr, 0, sizeof(attr));
	attr.size = size;
	attr.name = name;
	if (args) {
		attr.align = args->align;
		attr.sheaf_capacity = args->sheaf_capacity;
		supported = supported && !args->ctor;
	}
	if ((flags & SLAB_HWCACHE_ALIGN) &&
	    attr.align < umaple_kmem_line_(size))
		attr.align = umaple_kmem_line_(size);
	return umaple_kmem_create_(name, &attr, flags, supported);
}

/* The form with (align, flags, ctor). */
static inline struct kmem_cache *
umaple_kmem_create_align_(const char *name, size_t size, unsigned int align,
			  slab_flags_t flags, void (*ctor)(void *object))
{
	struct kmem_cache_args args;

	args.align = align;
	args.sheaf_capacity = 0;
	args.ctor = ctor;
	return umaple_kmem_create_args_(name, size, &args, flags);
}

#define UMAPLE_KMEM_PICK_(a, b, c, pick, ...) pick

/**
 * kmem_cache_create() - Make a cache.
 *
 * Called as kmem_cache_create(name, size, args, flags), where @args may be %NULL,
 * or as kmem_cache_create(name, size, align, flags, ctor).
 *
 * Return: The cache, or %NULL; for a flag or constructor that is not supported,
 *         too.
 */
#define kmem_cache_create(name, size, ...)                                     \
	UMAPLE_KMEM_PICK_(__VA_ARGS__, umaple_kmem_create_align_,              \
			  umaple_kmem_create_args_, 0)                         \
	((name), (size), __VA_ARGS__)

/** KMEM_CACHE() - Make a cache of objects of struct @type. */
#define KMEM_CACHE(type, flags)                                                \
	umaple_kmem_create_align_(#type, sizeof(struct type),                  \
				  __alignof__(struct type), (flags), NULL)

/**
 * kmem_cache_destroy() - Give a cache's memory back; %NULL is allowed.
 *
 * Objects still in use are reported on standard error, and the cache then stays.
 * Inside a read-side section nothing is done.
 */
static inline void kmem_cache_destroy(struct kmem_cache *cache)
{
	(void)umaple_cache_destroy(umaple_kmem_cache(cache));
}

/** kmem_cache_size() - Bytes per object, with alignment. */
static inline unsigned int kmem_cache_size(struct kmem_cache *cache)
{
	return (unsigned int)umaple_cache_object_size(umaple_kmem_cache(cache));
}

/* As @gfp says: clear an object, if there is one. */
static inline void *umaple_kmem_zero_(struct kmem_cache *cache, void *object,
				      gfp_t gfp)
{
	if (object && (gfp & __GFP_ZERO))
		memset(object, 0, kmem_cache_size(cache));
	return object;
}

/** kmem_cache_alloc() - Take an object; it may wait for frees to take effect. */
static inline void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	void *object = umaple_cache_alloc(umaple_kmem_cache(cache));

	if (!object && gfpflags_allow_blocking(gfp)) {
		umaple_cache_throttle(umaple_kmem_cache(cache));
		object = umaple_cache_alloc(umaple_kmem_cache(cache));
	}
	return umaple_kmem_zero_(cache, object, gfp);
}

/** kmem_cache_zalloc() - Take an object and clear it. */
static inline void *kmem_cache_zalloc(struct kmem_cache *cache, gfp_t gfp)
{
	return kmem_cache_alloc(cache, gfp | __GFP_ZERO);
}

/** kmem_cache_free() - Give an object back at once; %NULL is allowed. */
static inline void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	umaple_cache_free(umaple_kmem_cache(cache), object);
}

/**
 * kmem_cache_free_rcu() - Give an object back after a grace period.
 *
 * Stands in for kfree_rcu(), which finds the cache out for itself.
 */
static inline void kmem_cache_free_rcu(struct kmem_cache *cache, void *object)
{
	umaple_cache_free_rcu(umaple_kmem_cache(cache), object);
}

/** kmem_cache_free_bulk() - Give @count objects back; none is %NULL. */
static inline void kmem_cache_free_bulk(struct kmem_cache *cache, size_t count,
					void **objects)
{
	umaple_cache_free_bulk(umaple_kmem_cache(cache), objects, count);
}

/** kmem_cache_alloc_bulk() - Take @count objects: @count, or 0 and none is taken. */
static inline int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp,
					size_t count, void **objects)
{
	struct umaple_cache *umaple = umaple_kmem_cache(cache);
	int err = umaple_cache_alloc_bulk(umaple, objects, count);
	size_t i;

	if (err && gfpflags_allow_blocking(gfp)) {
		umaple_cache_throttle(umaple);
		err = umaple_cache_alloc_bulk(umaple, objects, count);
	}
	if (err)
		return 0;
	for (i = 0; i < count; i++)
		(void)umaple_kmem_zero_(cache, objects[i], gfp);
	return (int)count;
}

/**
 * kmem_cache_shrink() - Give unused memory back to the system.
 *
 * Return: 0 if no slab is left, else 1.
 */
static inline int kmem_cache_shrink(struct kmem_cache *cache)
{
	size_t after = 0;

	(void)umaple_cache_shrink(umaple_kmem_cache(cache), NULL, &after);
	return after != 0;
}

/** kmem_cache_prefill_sheaf() - Borrow a sheaf of at least @size objects. */
static inline struct slab_sheaf *
kmem_cache_prefill_sheaf(struct kmem_cache *cache, gfp_t gfp, unsigned int size)
{
	struct umaple_sheaf *sheaf;

	if (!size)
		return NULL;
	sheaf = umaple_cache_prefill(umaple_kmem_cache(cache), size);
	if (!sheaf && gfpflags_allow_blocking(gfp)) {
		umaple_cache_throttle(umaple_kmem_cache(cache));
		sheaf = umaple_cache_prefill(umaple_kmem_cache(cache), size);
	}
	return (struct slab_sheaf *)sheaf;
}

/** kmem_cache_refill_sheaf() - Make it hold @size again; it may be exchanged. */
static inline int kmem_cache_refill_sheaf(struct kmem_cache *cache, gfp_t gfp,
					  struct slab_sheaf **sheafp,
					  unsigned int size)
{
	struct umaple_sheaf *sheaf = (struct umaple_sheaf *)*sheafp;
	int err = umaple_cache_refill(umaple_kmem_cache(cache), &sheaf, size);

	if (err == -ENOMEM && gfpflags_allow_blocking(gfp)) {
		umaple_cache_throttle(umaple_kmem_cache(cache));
		err = umaple_cache_refill(umaple_kmem_cache(cache), &sheaf,
					  size);
	}
	*sheafp = (struct slab_sheaf *)sheaf;
	return err;
}

/** kmem_cache_return_sheaf() - Give a sheaf back; %NULL is allowed. */
static inline void kmem_cache_return_sheaf(struct kmem_cache *cache, gfp_t gfp,
					   struct slab_sheaf *sheaf)
{
	(void)gfp;
	umaple_cache_return(umaple_kmem_cache(cache),
			    (struct umaple_sheaf *)sheaf);
}

/** kmem_cache_alloc_from_sheaf() - Take an object out; %NULL if it is empty. */
static inline void *kmem_cache_alloc_from_sheaf(struct kmem_cache *cache,
						gfp_t gfp,
						struct slab_sheaf *sheaf)
{
	void *object = umaple_cache_take(umaple_kmem_cache(cache),
					 (struct umaple_sheaf *)sheaf);

	return umaple_kmem_zero_(cache, object, gfp);
}

/** kmem_cache_sheaf_size() - Objects in a borrowed sheaf. */
static inline unsigned int kmem_cache_sheaf_size(struct slab_sheaf *sheaf)
{
	return (unsigned int)umaple_cache_sheaf_count(
		(struct umaple_sheaf *)sheaf);
}

UMAPLE_END_DECLS

#endif /* UMAPLE_KERNEL_CACHE_H */
