/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_priv.h - what the files of the slab layer share.
 */

#ifndef SLAB_SLAB_PRIV_H
#define SLAB_SLAB_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/list.h"
#include "slab/chunk.h"
#include "slab/slab.h"

static inline struct umaple_slab *umaple_slab_of_link(struct list_link *link)
{
	return container_of(link, struct umaple_slab, link);
}

static inline struct umaple_chunk *umaple_chunk_of_link(struct list_link *link)
{
	return container_of(link, struct umaple_chunk, link);
}

/* Positions of a chunk, those before the first slab included. */
static inline unsigned int
umaple_layout_positions(const struct umaple_slab_layout *layout)
{
	return (unsigned int)(UMAPLE_CHUNK_BYTES >> layout->slab_shift);
}

/* slab/slab_list.c: the partial list; the caller holds list_lock. */
void umaple_slab_list_front(struct umaple_slab_node *node,
			    struct umaple_slab *slab);
void umaple_slab_list_back(struct umaple_slab_node *node,
			   struct umaple_slab *slab);
void umaple_slab_unlist(struct umaple_slab_node *node,
			struct umaple_slab *slab);
/* A slab off the list with free objects, whom nobody else sees to. */
void umaple_slab_list_or_discard(struct umaple_slab_node *node,
				 struct umaple_slab *slab,
				 struct list_link *discard);
/* Objects that are free in partial slabs. */
size_t umaple_slab_count_free(const struct umaple_slab_node *node);

/* slab/slab_park.c */

/* May a slab that a free found full be parked?  Not if nobody would unpark it. */
static inline bool umaple_slab_may_park(const struct umaple_slab_node *node,
					const struct umaple_slab *slab)
{
	return node->parking.deferred ||
	       load_relaxed(&slab->free) != node->layout.all;
}

/* Slabs of one batch, to be parked by one push; begins as zero. */
struct umaple_slab_chain {
	struct umaple_slab *first;
	struct umaple_slab *last;
	unsigned int length;
};

void umaple_slab_chain_add(struct umaple_slab_chain *chain,
			   struct umaple_slab *slab);

/* Without a lock; nobody may look at a slab of @chain after the push. */
void umaple_slab_park(struct umaple_slab_node *node,
		      const struct umaple_slab_chain *chain);

/* The caller holds list_lock, and hands @discard on as below. */
void umaple_slab_unpark_locked(struct umaple_slab_node *node,
			       struct list_link *discard);
/* The same, @slab being empty and off the list: somebody else will settle it. */
void umaple_slab_await(struct umaple_slab_node *node, struct umaple_slab *slab,
		       struct list_link *discard);

/* slab/slab_pool.c: slabs out of chunks; takes pool_lock. */
struct umaple_slab *umaple_pool_alloc_slab(struct umaple_slab_node *node);
/* Every slab of @slabs, linked by link, none of whose objects is used. */
void umaple_pool_free_slabs(struct umaple_slab_node *node,
			    struct list_link *slabs);
/* Unmap the idle chunk that is kept, if there is one. */
void umaple_pool_trim(struct umaple_slab_node *node);

/* slab/slab_free.c */

/* What is left to do under list_lock for objects that were freed. */
enum umaple_free_step {
	FREE_DONE, /* nothing */
	FREE_LIST, /* they are free; the slab was full and must be listed */
	FREE_LAST  /* they are not free yet: they may be the slab's last */
};

/* The part without a lock. */
enum umaple_free_step umaple_slab_free_begin(struct umaple_slab_node *node,
					     struct umaple_slab *slab,
					     uint64_t objects);

/*
 * The rest, unless FREE_DONE.  The caller holds list_lock, and afterwards hands
 * @discard, a list of slabs, to umaple_pool_free_slabs().
 */
void umaple_slab_free_finish(struct umaple_slab_node *node,
			     struct umaple_slab *slab, uint64_t objects,
			     enum umaple_free_step step,
			     struct list_link *discard);

/* All of it, for objects of one slab. */
void umaple_slab_free_objects(struct umaple_slab_node *node,
			      struct umaple_slab *slab, uint64_t objects);

UMAPLE_COLD void umaple_slab_die_foreign(const struct umaple_slab_node *node,
					 const void *object)
	__attribute__((noreturn));

/* The slab of @object; aborts unless it is one of @node. */
static inline struct umaple_slab *
umaple_slab_must_own(const struct umaple_slab_node *node, const void *object)
{
	if (unlikely(!umaple_slab_owns(node, object)))
		umaple_slab_die_foreign(node, object);
	return umaple_layout_slab(&node->layout, object);
}

#endif /* SLAB_SLAB_PRIV_H */
