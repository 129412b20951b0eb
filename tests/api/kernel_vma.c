/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * kernel_vma.c - a small manager of address spaces, as code in the kernel is
 * written: an external lock, nodes got before the point of no return, gaps from the
 * top, neighbours merged, areas collected in a second tree before they go.
 */

#include "kernel_vma.h"

#include "kernel_test.h"

static struct kmem_cache *area_cache;

static struct area *area_alloc(unsigned long start, unsigned long end,
			       unsigned long flags)
{
	struct area *area =
		(struct area *)kmem_cache_alloc(area_cache, GFP_KERNEL);

	if (area) {
		area->start = start;
		area->end = end;
		area->flags = flags;
	}
	return area;
}

/* Those who wait for grace periods do so before a lock that readers may want. */
static void space_lock(struct space *space)
{
	umaple_cache_throttle(umaple_cache_default());
	pthread_mutex_lock(&space->lock);
}

static void space_unlock(struct space *space)
{
	pthread_mutex_unlock(&space->lock);
}

void space_init(struct space *space)
{
	if (!area_cache)
		area_cache = KMEM_CACHE(area, SLAB_PANIC | SLAB_ACCOUNT);
	mt_init_flags(&space->mt, MT_FLAGS_ALLOC_RANGE | MT_FLAGS_USE_RCU |
					  MT_FLAGS_LOCK_EXTERN);
	pthread_mutex_init(&space->lock, NULL);
	mt_set_external_lock(&space->mt, &space->lock);
	space->count = 0;
	space->total = 0;
}

void space_exit(struct space *space)
{
	MA_STATE(mas, &space->mt, 0, 0);
	struct area *area;
	void *found;

	mas_for_each(&mas, found, ULONG_MAX) {
		if (xa_is_zero(found))
			continue;
		area = (struct area *)found;
		space->total -= area->end - area->start;
		space->count--;
		kmem_cache_free(area_cache, area);
	}
	__mt_destroy(&space->mt);
	pthread_mutex_destroy(&space->lock);
}

int space_end_all(void)
{
	int err = umaple_cache_destroy(umaple_kmem_cache(area_cache));

	area_cache = NULL;
	return err;
}

/* -- one area becomes another --------------------------------------------------- */

/*
 * Put @area into the tree; what it covers has been replaced by it.  On failure it
 * is freed.
 */
static int area_store(struct ma_state *mas, struct area *area)
{
	int err;

	mas_set_range(mas, area->start, area->end - 1);
	err = mas_preallocate(mas, area, GFP_KERNEL);
	if (err) {
		kmem_cache_free(area_cache, area);
		return err;
	}
	mas_store_prealloc(mas, area);
	return 0;
}

/* Cut the area that covers @addr, if one does and it does not start there. */
static int area_split(struct space *space, unsigned long addr)
{
	MA_STATE(mas, &space->mt, addr, addr);
	struct area *old = (struct area *)mas_walk(&mas);
	struct area *low, *high;
	int err;

	if (!old || old->start == addr)
		return 0;
	low = area_alloc(old->start, addr, old->flags);
	high = area_alloc(addr, old->end, old->flags);
	if (!low || !high) {
		kmem_cache_free(area_cache, low);
		kmem_cache_free(area_cache, high);
		return -ENOMEM;
	}
	err = area_store(&mas, high);
	if (err) {
		kmem_cache_free(area_cache, low);
		return err;
	}
	/* All of what is left of the old one: its place is taken over as it is. */
	mas_set_range(&mas, low->start, low->end - 1);
	mas_store(&mas, low);
	kmem_cache_free_rcu(area_cache, old);
	space->count++;
	return 0;
}

static bool areas_join(const struct area *low, const struct area *high)
{
	return low && high && low->end == high->start &&
	       low->flags == high->flags;
}

/* Store [@start, @end) with its neighbours, if they are of the same kind. */
static int area_store_merged(struct space *space, unsigned long start,
			     unsigned long end, unsigned long flags)
{
	struct area *area = area_alloc(start, end, flags);
	MA_STATE(mas, &space->mt, start, end - 1);
	struct area *prev, *next;
	int err;

	if (!area)
		return -ENOMEM;
	prev = (struct area *)mas_prev(&mas, 0);
	mas_set(&mas, end - 1);
	next = (struct area *)mas_next(&mas, ULONG_MAX);
	if (areas_join(prev, area))
		area->start = prev->start;
	else
		prev = NULL;
	if (areas_join(area, next))
		area->end = next->end;
	else
		next = NULL;
	err = area_store(&mas, area);
	if (err)
		return err;
	if (prev)
		kmem_cache_free_rcu(area_cache, prev);
	if (next)
		kmem_cache_free_rcu(area_cache, next);
	space->count += 1 - (prev != NULL) - (next != NULL);
	return 0;
}

/* -- mapping ---------------------------------------------------------------------- */

/* Collect the areas of [@start, @end), which end there. */
static int areas_collect(struct space *space, struct ma_state *mas_detach,
			 unsigned long start, unsigned long end)
{
	MA_STATE(mas, &space->mt, start, start);
	unsigned long count = 0;
	void *area;
	int err;

	mas_for_each(&mas, area, end - 1) {
		mas_set(mas_detach, count++);
		err = mas_store_gfp(mas_detach, area, GFP_KERNEL);
		if (err)
			return err;
	}
	return 0;
}

static void areas_free(struct space *space, struct ma_state *mas_detach)
{
	struct area *area;
	void *found;

	mas_set(mas_detach, 0);
	mas_for_each(mas_detach, found, ULONG_MAX) {
		area = (struct area *)found;
		space->count--;
		space->total -= area->end - area->start;
		kmem_cache_free_rcu(area_cache, area);
	}
}

static int map_locked(struct space *space, unsigned long start,
		      unsigned long end, unsigned long flags)
{
	int err = area_store_merged(space, start, end, flags);

	if (!err)
		space->total += end - start;
	return err;
}

static int clear_locked(struct space *space, unsigned long start,
			unsigned long end)
{
	MA_STATE(mas, &space->mt, start, end - 1);

	return mas_store_gfp(&mas, NULL, GFP_KERNEL);
}

/* One area, or with no @flags a hole, in the place of all that is there. */
static int replace_locked(struct space *space, unsigned long start,
			  unsigned long end, unsigned long flags)
{
	struct maple_tree mt_detach =
		MTREE_INIT_EXT(mt_detach, MT_FLAGS_LOCK_EXTERN, space->lock);
	MA_STATE(mas_detach, &mt_detach, 0, 0);
	int err = area_split(space, start);

	if (!err)
		err = area_split(space, end);
	if (!err)
		err = areas_collect(space, &mas_detach, start, end);
	if (!err)
		err = flags ? map_locked(space, start, end, flags)
			    : clear_locked(space, start, end);
	if (!err)
		areas_free(space, &mas_detach);
	__mt_destroy(&mt_detach);
	return err;
}

int space_unmap(struct space *space, unsigned long start, unsigned long len)
{
	int err;

	space_lock(space);
	err = replace_locked(space, start, start + len, 0);
	space_unlock(space);
	return err;
}

int space_map_fixed(struct space *space, unsigned long start, unsigned long len,
		    unsigned long flags)
{
	int err;

	space_lock(space);
	err = replace_locked(space, start, start + len, flags);
	space_unlock(space);
	return err;
}

long space_map(struct space *space, unsigned long len, unsigned long flags)
{
	MA_STATE(mas, &space->mt, 0, 0);
	int err;

	space_lock(space);
	err = mas_empty_area_rev(&mas, VM_LOW, VM_HIGH - 1, len);
	if (!err)
		err = map_locked(space, mas.index, mas.last + 1, flags);
	space_unlock(space);
	return err ? err : (long)mas.index;
}

/* Is all of [@start, @end) mapped? */
static bool is_mapped(struct space *space, unsigned long start,
		      unsigned long end)
{
	MA_STATE(mas, &space->mt, start, start);

	while (mas_find(&mas, end - 1)) {
		if (mas.index > start)
			return false;
		if (mas.last >= end - 1)
			return true;
		start = mas.last + 1;
	}
	return false;
}

int space_protect(struct space *space, unsigned long start, unsigned long len,
		  unsigned long flags)
{
	int err = -ENOMEM;

	space_lock(space);
	if (is_mapped(space, start, start + len))
		err = replace_locked(space, start, start + len, flags);
	space_unlock(space);
	return err;
}

static int grow_locked(struct space *space, unsigned long addr)
{
	MA_STATE(mas, &space->mt, addr, addr);
	const struct area *above =
		(const struct area *)mas_find(&mas, ULONG_MAX);

	if (!above)
		return -EFAULT;
	if (addr >= above->start)
		return 0;
	if (!(above->flags & VM_GROWS_DOWN))
		return -EFAULT;
	return map_locked(space, addr, above->start, above->flags);
}

int space_grow(struct space *space, unsigned long addr)
{
	int err;

	space_lock(space);
	err = grow_locked(space, addr);
	space_unlock(space);
	return err;
}

/* -- fork ---------------------------------------------------------------------------- */

/*
 * The copied tree has the areas of the other: replace each by its own copy.  After
 * the first that cannot be copied, mark the rest as nobody's.
 */
static int areas_clone(struct space *space)
{
	MA_STATE(mas, &space->mt, 0, 0);
	const struct area *area;
	void *found, *copy;
	int err = 0;

	mas_for_each(&mas, found, ULONG_MAX) {
		area = (const struct area *)found;
		copy = err ? NULL
			   : area_alloc(area->start, area->end, area->flags);
		if (!copy) {
			err = -ENOMEM;
			mas_store(&mas, XA_ZERO_ENTRY);
			continue;
		}
		space->total += area->end - area->start;
		space->count++;
		mas_store(&mas, copy);
	}
	return err;
}

int space_dup(struct space *to, struct space *from)
{
	int err;

	space_lock(from);
	space_lock(to);
	err = __mt_dup(&from->mt, &to->mt, GFP_KERNEL);
	if (!err)
		err = areas_clone(to);
	space_unlock(to);
	space_unlock(from);
	return err;
}

/* -- readers --------------------------------------------------------------------------- */

bool space_lookup(struct space *space, unsigned long addr, struct area *area)
{
	MA_STATE(mas, &space->mt, addr, addr);
	const struct area *found;

	rcu_read_lock();
	found = (const struct area *)mas_walk(&mas);
	if (found)
		*area = *found;
	rcu_read_unlock();
	return found != NULL;
}

bool space_find(struct space *space, unsigned long addr, struct area *area,
		unsigned long *prev_start)
{
	MA_STATE(mas, &space->mt, addr, addr);
	const struct area *found, *prev;

	rcu_read_lock();
	found = (const struct area *)mas_walk(&mas);
	prev = (const struct area *)mas_prev(&mas, 0);
	*prev_start = prev ? prev->start : 0;
	if (!found) {
		mas_set(&mas, addr);
		found = (const struct area *)mas_next(&mas, ULONG_MAX);
	}
	if (found)
		*area = *found;
	rcu_read_unlock();
	return found != NULL;
}
