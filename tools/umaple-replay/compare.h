/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * compare.h - is a space what the kernel listed?
 *
 * The kernel keeps some neighbours apart that look alike here, so both sides are
 * compared as unions: neighbours that touch and agree in the key are one.
 */

#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include "space.h"
#include "trace.h"

/* In what neighbours must agree to be one. */
enum compare_key {
	COMPARE_PROTECTION,
	COMPARE_BACKING, /* protection, sharing, file and offset */
};

/**
 * struct run - Neighbours that are one under a key, or the end of all.
 * @first: First byte.
 * @last:  Last byte.
 * @what:  What it stands for, reduced to the key; at the end, not set.
 * @end:   There is no run any more.
 */
struct run {
	uint64_t first;
	uint64_t last;
	struct vma what;
	bool end;
};

/*
 * True when they are the same.  Else @ret_mine and @ret_kernel are the first runs
 * that differ.
 */
bool compare_lists(struct space *sp, const struct listed *listed,
		   size_t nr_listed, enum compare_key key, struct run *ret_mine,
		   struct run *ret_kernel);

/* What a listed range stands for. */
struct vma vma_of_listed(const struct listed *l);

#endif /* REPLAY_COMPARE_H */
