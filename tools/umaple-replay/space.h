/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * space.h - an address space: ranges with protection and backing, kept in a
 * umaple tree and nowhere else.
 *
 * Ranges of bytes are closed, [first, last], as the tree has them.  Two ranges
 * that touch and are equal are always one.  Each range has a struct vma of its
 * own, which the space frees.
 */

#ifndef REPLAY_SPACE_H
#define REPLAY_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <umaple/tree.h>

/**
 * struct vma - What a range stands for: the tree's entry.
 * @shift:  Offset in the file less address, modulo 2^64: the same for every part
 *          of a range, so cutting one changes no offset.  0 without a file.
 * @next:   Links those that a write is about to displace.
 * @file:   The file's number; 0: none.
 * @prot:   Read 1, write 2, execute 4.
 * @shared: Shared, not private.
 * @stack:  The main stack, which never joins what is not.
 */
struct vma {
	uint64_t shift;
	struct vma *next;
	uint32_t file;
	uint8_t prot;
	bool shared;
	bool stack;
};

/**
 * struct space - An address space.
 * @tree: The ranges; reads go to it directly.
 * @live: Ranges in it.
 */
struct space {
	struct umaple_tree tree;
	size_t live;
};

/* @flags are of the tree, which keeps gaps in any case. */
void space_init(struct space *sp, unsigned int flags);
void space_destroy(struct space *sp);

/* Would two ranges that touch and stand for these be one? */
bool vma_equal(const struct vma *a, const struct vma *b);

/*
 * The writes return 0 or -ENOMEM; then the space may hold part of the change.
 */

/* Let [@first, @last] stand for @what, over whatever is there. */
int space_store(struct space *sp, uint64_t first, uint64_t last,
		const struct vma *what);

int space_erase(struct space *sp, uint64_t first, uint64_t last);

/* Give each range part inside the protection, up to the first hole. */
int space_protect(struct space *sp, uint64_t first, uint64_t last,
		  uint8_t prot);

/*
 * Store what is in [@first, @last] again at @target, parts and holes as they
 * are; a part that reaches @last is extended up to @target_last.
 */
int space_copy_parts(struct space *sp, uint64_t first, uint64_t last,
		     uint64_t target, uint64_t target_last);

/* Has [@first, @last] no hole? */
bool space_is_covered(const struct space *sp, uint64_t first, uint64_t last);

/* Has [@first, @last] no range? */
bool space_is_free(const struct space *sp, uint64_t first, uint64_t last);

#endif /* REPLAY_SPACE_H */
