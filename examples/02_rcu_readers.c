/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Three threads look up while the main thread replaces ranges.  Readers take no
 * lock.  What they find stays valid while they are inside umaple_read_lock(),
 * because the writer frees what it replaced after a grace period.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <umaple/umaple.h>

#define REGIONS 64
#define SIZE	100 /* indices per region */

struct region {
	uint64_t first;
	unsigned long version;
};

static struct umaple_tree tree = UMAPLE_TREE_INIT;
static struct umaple_cache *regions; /* entries have a cache of their own */
static int stop;

static struct region *region_new(uint64_t first, unsigned long version)
{
	struct region *region = umaple_cache_alloc(regions);

	if (!region)
		abort();
	region->first = first;
	region->version = version;
	return region;
}

static void *reader(void *arg)
{
	uint64_t index = (uint64_t)(uintptr_t)arg;
	unsigned long wrong = 0;
	struct region *region;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		index = (index * 31 + 17) % (REGIONS * SIZE);
		umaple_read_lock(&tree);
		region = umaple_load(&tree, index);
		wrong += !region || region->first != index / SIZE * SIZE;
		umaple_read_unlock(&tree);
	}
	return (void *)(uintptr_t)wrong;
}

/* Put a new version of a region in place; the old one may still be read. */
static void replace(uint64_t first, unsigned long version)
{
	struct region *old = umaple_load(&tree, first);

	if (umaple_store_range(&tree, first, first + SIZE - 1,
			       region_new(first, version)))
		abort();
	umaple_cache_free_rcu(regions, old);
}

int main(void)
{
	struct umaple_cache_attr attr = { .size = sizeof(struct region),
					  .name = "regions" };
	pthread_t thread[3];
	void *wrong, *all_wrong = NULL;
	unsigned long version;
	uint64_t first;
	int i;

	if (umaple_cache_create(&attr, &regions))
		return 1;
	for (first = 0; first < REGIONS * SIZE; first += SIZE)
		replace(first, 0);
	for (i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, reader,
				   (void *)(uintptr_t)i))
			return 1;
	for (version = 1; version < 1000; version++)
		for (first = 0; first < REGIONS * SIZE; first += SIZE)
			replace(first, version);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], &wrong);
		if (wrong)
			all_wrong = wrong;
	}
	for (first = 0; first < REGIONS * SIZE; first += SIZE)
		umaple_cache_free(regions, umaple_load(&tree, first));
	umaple_tree_destroy(&tree);
	/* Waits for the grace periods, and would report what was forgotten. */
	if (umaple_cache_destroy(regions))
		return 1;
	printf("%s\n", all_wrong ? "a reader saw a wrong region" : "all right");
	return all_wrong ? 1 : 0;
}
