/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * step/shared.h - memory that a forked child and its parent have in common.
 *
 * The program is linked so that the library's own page runs come from here as
 * well: the nodes that a child writes are the nodes that its parent reads.  Only
 * the child goes on using a cache after the fork; the parent reads nodes.
 */

#ifndef STEP_SHARED_H
#define STEP_SHARED_H

#include <stddef.h>

/* Zeroed; never given back. */
void *shared_alloc(size_t bytes);

/*
 * Let this process read all of it.  AddressSanitizer keeps in each process what is
 * poisoned, and does not learn what the other one takes into use.
 */
void shared_reveal(void);

#endif /* STEP_SHARED_H */
