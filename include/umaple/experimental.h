/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/experimental.h - study switches: how a cache works inside, to measure what
 * each mechanism is worth.
 *
 * Not stable: a switch may change or go with any release.  Define
 * UMAPLE_ENABLE_EXPERIMENTAL before including this, to say that you know.
 */

#ifndef UMAPLE_EXPERIMENTAL_H
#define UMAPLE_EXPERIMENTAL_H

#ifndef UMAPLE_ENABLE_EXPERIMENTAL
#error "not stable: define UMAPLE_ENABLE_EXPERIMENTAL to use it"
#endif

#include <umaple/cache.h>

/*
 * For @study of struct umaple_cache_attr; doc/allocator.md tells what is behind
 * them.  None is what a program should want: the default is.
 *
 * A slab that was full and gets a free object is parked when the lock of the list
 * of partial slabs is taken.  Instead:
 */
#define UMAPLE_STUDY_PARK_NEVER	 0x1u /* wait for the lock */
#define UMAPLE_STUDY_PARK_ALWAYS 0x2u /* do not try the lock; not with NEVER */
/* Who frees the last object of a parked slab leaves it to the ticker to unpark. */
#define UMAPLE_STUDY_UNPARK_DEFERRED 0x4u
/* The stack of parked slabs shares a cache line with the lock. */
#define UMAPLE_STUDY_PARK_BESIDE_LOCK 0x8u

/*
 * A borrowed sheaf, or one to be lent, that holds too few is exchanged at the barn
 * before slabs are asked.  Instead, as kernels did before their barns kept a partial
 * sheaf:
 */
#define UMAPLE_STUDY_NO_BARN_REFILL 0x10u /* fill it from slabs at once */

#endif /* UMAPLE_EXPERIMENTAL_H */
