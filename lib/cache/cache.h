/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * cache/cache.h - what the tree needs of a cache beyond its public interface.
 */

#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include <umaple/cache.h>

/*
 * What every struct umaple_cache begins with.  The rest is private:
 * cache/cache_priv.h.
 */
struct umaple_cache_head {
	const struct rcu_flavor_struct *flavor;
};

/* The flavour whose grace periods umaple_cache_free_rcu() waits for. */
static inline const struct rcu_flavor_struct *
umaple_cache_flavor(const struct umaple_cache *cache)
{
	return ((const struct umaple_cache_head *)(const void *)cache)->flavor;
}

#endif /* CACHE_CACHE_H */
