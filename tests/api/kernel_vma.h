/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * kernel_vma.h - a small manager of address spaces, written as code in the kernel
 * is: a caller to be pasted.
 *
 * Ranges with the same flags that touch are one.  Readers need no lock; an area
 * that they may hold is never changed, but replaced, and freed after a grace
 * period.
 */

#ifndef TESTS_API_KERNEL_VMA_H
#define TESTS_API_KERNEL_VMA_H

#include <pthread.h>
#include <stdbool.h>

#include <umaple/kernel.h>

#define VM_LOW	      0x10000ul	 /* where mappings may start */
#define VM_HIGH	      0x410000ul /* and where they end */
#define VM_PAGE	      0x1000ul
#define VM_GROWS_DOWN 0x100ul

struct area {
	unsigned long start;
	unsigned long end; /* one past the last byte */
	unsigned long flags;
};

struct space {
	struct maple_tree mt;
	pthread_mutex_t lock;
	int count;	     /* areas */
	unsigned long total; /* bytes in them */
};

void space_init(struct space *space);
/* Nobody reads it any more. */
void space_exit(struct space *space);
/* All spaces have ended: -EBUSY if an area is left. */
int space_end_all(void);
/* Into an initialised one; on failure that is good for space_exit() only. */
int space_dup(struct space *to, struct space *from);

/* Map @len bytes as high as possible; the address, or a negative errno. */
long space_map(struct space *space, unsigned long len, unsigned long flags);
/* Map there, over whatever is there. */
int space_map_fixed(struct space *space, unsigned long start, unsigned long len,
		    unsigned long flags);
int space_unmap(struct space *space, unsigned long start, unsigned long len);
/* Give what is mapped there other flags; -ENOMEM if there is a hole. */
int space_protect(struct space *space, unsigned long start, unsigned long len,
		  unsigned long flags);
/* Let the area above @addr grow down to it; -EFAULT if none may. */
int space_grow(struct space *space, unsigned long addr);

/* For readers: the area at @addr.  False if there is none. */
bool space_lookup(struct space *space, unsigned long addr, struct area *area);
/* The area at or above @addr, and the start of the one before, or 0. */
bool space_find(struct space *space, unsigned long addr, struct area *area,
		unsigned long *prev_start);

#endif /* TESTS_API_KERNEL_VMA_H */
