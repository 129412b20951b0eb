/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab/slab_free.c - giving objects back: the seven transitions of a slab.
 *
 * Role:  Objects that are given back become bits in their slabs' free sets, and a
 *        slab that changes kind thereby is listed, unlisted or given back.
 * Above: the cache layer; slab/slab_defer.c.
 * Below: slab/slab_list.c, slab/slab_park.c, slab/slab_pool.c.
 * Locks: list_lock, where the table says so, once per batch.
 *
 *   case  slab was -> is      listed   partial slabs   what is done
 *   a     partial -> partial  any      any             nothing; no lock
 *   b     partial -> empty    no       any             see below
 *   c     partial -> empty    yes      enough          unlisted, given back
 *   d     partial -> empty    yes      too few         stays
 *   e     full -> empty       no       enough          given back
 *   f     full -> empty       no       too few         listed
 *   g     full -> partial     no       any             listed, or parked
 *
 * "Enough" is min_partial or more.  A free that finds the slab full (no bit was
 * set) owes it a place on the list and pays under list_lock, or by parking the slab
 * when the lock is taken (slab/slab_park.c).  Until it has paid the slab stays its
 * debt, whatever others add: that is case b, and it is why the set is read again
 * under the lock, where e or f may have become of g.  Case b is also that of a
 * parked slab, which is then unparked.
 *
 * Once its last bit is set, a listed slab may be taken, emptied and unmapped by
 * others at any moment.  Whoever may be setting the last bit therefore takes
 * list_lock first, and nobody looks at a slab after he has set other bits of it.
 */

#include "platform/assert.h"
#include "platform/bits.h"
#include "platform/lock.h"
#include "slab/slab_priv.h"

/* Objects per batch; one more would need a larger table in group_objects(). */
#define BATCH 32

/* Slots of the table that finds a slab's group; a power of two over BATCH. */
#define TABLE 64

/* Objects of one batch that lie in one slab. */
struct group {
	struct umaple_slab *slab;
	uint64_t objects;
	enum umaple_free_step step;
};

UMAPLE_COLD static void die_twice(const struct umaple_slab_node *node,
				  const struct umaple_slab *slab,
				  uint64_t objects)
{
	umaple_die("cache \"%s\": object %p is freed twice", node->name,
		   umaple_layout_object(&node->layout, slab,
					bits_first(objects)));
}

void umaple_slab_die_foreign(const struct umaple_slab_node *node,
			     const void *object)
{
	umaple_die("cache \"%s\": %p is not an object of this cache",
		   node->name, object);
}

/* None of @objects may be free, as @free has it, or deferred. */
static void must_be_used(const struct umaple_slab_node *node,
			 const struct umaple_slab *slab, uint64_t free,
			 uint64_t objects)
{
	uint64_t unused = free | load_relaxed(&slab->pending) |
			  load_relaxed(&slab->waiting);

	if (unlikely(unused & objects))
		die_twice(node, slab, unused & objects);
}

enum umaple_free_step umaple_slab_free_begin(struct umaple_slab_node *node,
					     struct umaple_slab *slab,
					     uint64_t objects)
{
	uint64_t old = load_relaxed(&slab->free);

	do {
		must_be_used(node, slab, old, objects);
		if (old && (old | objects) == node->layout.all)
			return FREE_LAST;
		/*
		 * ORDER(slab-free), store side.  All that users did with these
		 * objects comes before anybody takes them again, and all that
		 * earlier frees did before the slab is given back.
		 * Load side: claim_from() in slab/slab.c.
		 */
	} while (!cmpxchg_acq_rel(&slab->free, &old, old | objects));
	/* Case a: partial -> partial, if it was not full. */
	return old ? FREE_DONE : FREE_LIST;
}

/* The set before. */
static uint64_t set_locked(struct umaple_slab_node *node,
			   struct umaple_slab *slab, uint64_t objects)
{
	uint64_t old = fetch_or_acq_rel(&slab->free, objects);

	must_be_used(node, slab, old, objects);
	return old;
}

/* The slab was partial and is empty. */
static void keep_or_discard(struct umaple_slab_node *node,
			    struct umaple_slab *slab, struct list_link *discard)
{
	/* Case b: partial -> empty, off the list. */
	if (!slab->listed) {
		umaple_slab_await(node, slab, discard);
		return;
	}
	/* Case d: partial -> empty, kept. */
	if (node->nr_partial < node->geo.min_partial)
		return;
	/* Case c: partial -> empty. */
	umaple_slab_unlist(node, slab);
	list_push_back(discard, &slab->link);
	node->free_remove_partial++;
}

void umaple_slab_free_finish(struct umaple_slab_node *node,
			     struct umaple_slab *slab, uint64_t objects,
			     enum umaple_free_step step,
			     struct list_link *discard)
{
	uint64_t old = 0;

	if (step == FREE_LAST)
		old = set_locked(node, slab, objects);
	if (!old)
		umaple_slab_list_or_discard(node, slab, discard);
	else if (load_relaxed(&slab->free) == node->layout.all)
		keep_or_discard(node, slab, discard);
}

/* Add @object to its slab's group; returns the number of groups. */
static unsigned int group_add(const struct umaple_slab_node *node,
			      struct group *groups, unsigned int nr,
			      uint8_t *table, void *object)
{
	struct umaple_slab *slab = umaple_slab_must_own(node, object);
	uint64_t bit = bits_one(umaple_layout_place(&node->layout, object));
	size_t h = ((uintptr_t)slab / sizeof(*slab)) ^
		   ((uintptr_t)slab >> UMAPLE_CHUNK_SHIFT);

	for (h %= TABLE; table[h]; h = (h + 1) % TABLE) {
		struct group *group = &groups[table[h] - 1];

		if (group->slab != slab)
			continue;
		if (unlikely(group->objects & bit))
			die_twice(node, slab, bit);
		group->objects |= bit;
		return nr;
	}
	__builtin_prefetch(slab, 1);
	groups[nr].slab = slab;
	groups[nr].objects = bit;
	table[h] = (uint8_t)++nr;
	return nr;
}

static unsigned int group_objects(const struct umaple_slab_node *node,
				  void *const *objects, size_t count,
				  struct group *groups)
{
	uint8_t table[TABLE] = { 0 }; /* index of the group, plus one */
	unsigned int nr = 0;

	for (size_t i = 0; i < count; i++)
		nr = group_add(node, groups, nr, table, objects[i]);
	return nr;
}

/* Free without a lock what can be; the rest moves to the front of @groups. */
static unsigned int begin_groups(struct umaple_slab_node *node,
				 struct group *groups, unsigned int nr)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct group group = groups[i];

		group.step =
			umaple_slab_free_begin(node, group.slab, group.objects);
		if (group.step != FREE_DONE)
			groups[left++] = group;
	}
	return left;
}

/* Park what may be; the rest moves to the front of @groups. */
static unsigned int park_groups(struct umaple_slab_node *node,
				struct group *groups, unsigned int nr)
{
	struct umaple_slab_chain chain = { 0 };
	unsigned int left = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct group group = groups[i];

		if (group.step == FREE_LIST &&
		    umaple_slab_may_park(node, group.slab))
			umaple_slab_chain_add(&chain, group.slab);
		else
			groups[left++] = group;
	}
	if (chain.length)
		umaple_slab_park(node, &chain);
	return left;
}

/* Take list_lock for what cannot be parked.  Return: how many that is. */
static unsigned int lock_or_park(struct umaple_slab_node *node,
				 struct group *groups, unsigned int nr)
{
	enum umaple_park_when when = node->parking.when;

	if (when == PARK_CONTENDED && umaple_lock_try(&node->list_lock))
		return nr;
	if (when != PARK_NEVER)
		nr = park_groups(node, groups, nr);
	if (nr)
		umaple_lock_take(&node->list_lock);
	return nr;
}

static void finish_groups(struct umaple_slab_node *node, struct group *groups,
			  unsigned int nr)
{
	struct list_link discard;

	if (nr)
		nr = lock_or_park(node, groups, nr);
	if (!nr)
		return;
	list_init(&discard);
	for (unsigned int i = 0; i < nr; i++)
		umaple_slab_free_finish(node, groups[i].slab, groups[i].objects,
					groups[i].step, &discard);
	umaple_lock_drop(&node->list_lock);
	umaple_pool_free_slabs(node, &discard);
}

void umaple_slab_give(struct umaple_slab_node *node, void *const *objects,
		      size_t count)
{
	struct group groups[BATCH];
	unsigned int nr;
	size_t n;

	for (; count; objects += n, count -= n) {
		n = count < BATCH ? count : BATCH;
		nr = group_objects(node, objects, n, groups);
		nr = begin_groups(node, groups, nr);
		finish_groups(node, groups, nr);
	}
}

void umaple_slab_free_objects(struct umaple_slab_node *node,
			      struct umaple_slab *slab, uint64_t objects)
{
	struct group group = { .slab = slab, .objects = objects };

	finish_groups(node, &group, begin_groups(node, &group, 1));
}
