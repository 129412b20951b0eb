/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/kernel_types.h - what the kernel's names for trees and for caches share:
 * allocation flags, and numbers and errors that travel as entries.
 *
 * Part of umaple/kernel.h.
 */

#ifndef UMAPLE_KERNEL_TYPES_H
#define UMAPLE_KERNEL_TYPES_H

#include <stdbool.h>

#include <umaple/attr.h>
#include <umaple/tree.h>

UMAPLE_BEGIN_DECLS

/*
 * Allocation flags.  One distinction is left of them: whether the call may wait,
 * for grace periods, in which memory comes back; for that a mas_ function may let
 * go of the tree's own lock and take it again.  Without __GFP_DIRECT_RECLAIM it
 * does neither.  No zone, no reserve and no accounting is behind the others.
 */
typedef unsigned int gfp_t;

#define __GFP_DIRECT_RECLAIM 0x01u /* the call may wait */
#define __GFP_KSWAPD_RECLAIM 0x02u
#define __GFP_ZERO	     0x04u /* kmem_cache_ functions clear the object */
#define __GFP_NOWARN	     0x08u
#define __GFP_NORETRY	     0x10u
#define __GFP_ACCOUNT	     0x20u
#define __GFP_RECLAIM	     (__GFP_DIRECT_RECLAIM | __GFP_KSWAPD_RECLAIM)

#define GFP_KERNEL	   __GFP_RECLAIM
#define GFP_KERNEL_ACCOUNT (__GFP_RECLAIM | __GFP_ACCOUNT)
#define GFP_USER	   __GFP_RECLAIM
#define GFP_NOFS	   __GFP_RECLAIM
#define GFP_NOIO	   __GFP_RECLAIM
#define GFP_NOWAIT	   __GFP_KSWAPD_RECLAIM
#define GFP_ATOMIC	   __GFP_KSWAPD_RECLAIM

/** gfpflags_allow_blocking() - May the call wait? */
static inline bool gfpflags_allow_blocking(gfp_t gfp)
{
	return gfp & __GFP_DIRECT_RECLAIM;
}

/**
 * XA_ZERO_ENTRY - An entry that takes a range without giving it a value.
 *
 * %UMAPLE_RESERVED.  Not a constant expression.
 */
#define XA_ZERO_ENTRY umaple_reserved()

/** xa_is_zero() - Is this %XA_ZERO_ENTRY? */
static inline bool xa_is_zero(const void *entry)
{
	return entry == XA_ZERO_ENTRY;
}

/** xa_mk_value() - A number up to LONG_MAX as an entry; a top bit is lost. */
static inline void *xa_mk_value(unsigned long value)
{
	return (void *)(value << 1 | 1);
}

/** xa_to_value() - The number that xa_mk_value() was given. */
static inline unsigned long xa_to_value(const void *entry)
{
	return (unsigned long)entry >> 1;
}

/** xa_is_value() - Is this from xa_mk_value()?  Pointers to objects are even. */
static inline bool xa_is_value(const void *entry)
{
	return (unsigned long)entry & 1;
}

/* A negative errno as a pointer, to an address that no object of a process has. */
static inline void *umaple_kernel_error_(int err)
{
	return (void *)((unsigned long)err << 2 | 2);
}

/** xa_is_err() - Is this the error of a cursor, as in its field node? */
static inline bool xa_is_err(const void *entry)
{
	unsigned long lowest = (unsigned long)umaple_kernel_error_(-4095);

	return ((unsigned long)entry & 3) == 2 &&
	       (unsigned long)entry >= lowest;
}

/** xa_err() - The negative errno in an entry, or 0 if it is not an error. */
static inline int xa_err(const void *entry)
{
	return xa_is_err(entry) ? (int)((long)entry >> 2) : 0;
}

UMAPLE_END_DECLS

#endif /* UMAPLE_KERNEL_TYPES_H */
