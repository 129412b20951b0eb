/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/kernel.h - the names of Linux's maple tree and of its object caches,
 * for code that was written against them.
 *
 * Not part of umaple.h: include it where such code is.  All of it is inline over
 * the public functions, so nothing is exported, and a tree or a cache can be used
 * under both names: &mt.tree is a struct umaple_tree, umaple_kmem_cache() gives
 * the struct umaple_cache.
 *
 * Each name behaves as its namesake unless its comment here says otherwise;
 * doc/kernel-differences.md lists every difference with the reason.
 *
 * Indices are unsigned long: where that has 32 bits, a tree ends there, and what
 * is above is not seen.
 *
 * rcu_read_lock() and rcu_read_unlock() are liburcu's own, of the flavour of the
 * trees: <urcu-bp.h> for the default.
 *
 *   kernel_types.h   gfp flags, values as entries, errors as entries
 *   kernel_tree.h    mtree_ and mt_: functions that lock by themselves
 *   kernel_cursor.h  mas_: a position, and searches from it
 *   kernel_store.h   mas_: writes at a position, gaps
 *   kernel_cache.h   kmem_cache_: objects and sheaves
 *
 * All is there since 0.1.
 */

#ifndef UMAPLE_KERNEL_H
#define UMAPLE_KERNEL_H

#include <umaple/kernel_cache.h>
#include <umaple/kernel_cursor.h>
#include <umaple/kernel_store.h>
#include <umaple/kernel_tree.h>
#include <umaple/kernel_types.h>

#endif /* UMAPLE_KERNEL_H */
