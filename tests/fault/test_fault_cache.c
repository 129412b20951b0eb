/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_fault_cache.c - each operation with its n-th allocation failing, for every
 * n: it fails cleanly or succeeds, and all invariants hold.
 */

#include <errno.h>

#include "caches.h"
#include "platform/fault.h"

const char *const suite_name = "fault_cache";

#define CAP  4
#define MANY (40 * CAP)

static struct umaple_cache *cache;
static void *objects[MANY];
static size_t nr_objects;
static struct umaple_sheaf *sheaf;

static const struct umaple_cache_attr attr = { .size = 256,
					       .align = 256,
					       .name = "fault",
					       .sheaf_capacity = CAP };

/* Few fit what is mapped at a time. */
static const struct umaple_cache_attr large = { .size = 65536,
						.name = "fault",
						.sheaf_capacity = CAP };

static unsigned int study;

/* Each returns 0, or -ENOMEM with nothing changed that the caller can see. */

static int create_one(void)
{
	struct umaple_cache *fresh = NULL;
	int error = umaple_cache_create(&attr, &fresh);

	if (error) {
		ck_assert_ptr_null(fresh);
		return error;
	}
	return umaple_cache_destroy(fresh);
}

static int alloc_one(void)
{
	void *object = umaple_cache_alloc(cache);

	if (!object)
		return -ENOMEM;
	objects[nr_objects++] = object;
	return 0;
}

static int alloc_some(void)
{
	int error = umaple_cache_alloc_bulk(cache, objects + nr_objects,
					    MANY - nr_objects);

	if (!error)
		nr_objects = MANY;
	return error;
}

static int alloc_until_a_fresh_slab(void)
{
	uint64_t slabs = cache_stats(cache).slabs;

	while (cache_stats(cache).slabs == slabs) {
		if (alloc_one())
			return -ENOMEM;
	}
	return 0;
}

static int prefill_and_return(size_t count)
{
	struct umaple_sheaf *borrowed = umaple_cache_prefill(cache, count);

	if (!borrowed)
		return -ENOMEM;
	ck_assert_uint_ge(umaple_cache_sheaf_count(borrowed), count);
	umaple_cache_return(cache, borrowed);
	return 0;
}

static int prefill_one(void)
{
	return prefill_and_return(1);
}

static int prefill_all(void)
{
	return prefill_and_return(CAP);
}

static int prefill_oversize(void)
{
	return prefill_and_return(MANY);
}

static int refill_to(size_t count)
{
	size_t before = umaple_cache_sheaf_count(sheaf);
	int error = umaple_cache_refill(cache, &sheaf, count);

	if (error)
		ck_assert_uint_ge(umaple_cache_sheaf_count(sheaf), before);
	else
		ck_assert_uint_ge(umaple_cache_sheaf_count(sheaf), count);
	return error;
}

static int refill_regular(void)
{
	while (umaple_cache_sheaf_count(sheaf))
		objects[nr_objects++] = umaple_cache_take(cache, sheaf);
	return refill_to(CAP);
}

static int refill_short(void)
{
	while (umaple_cache_sheaf_count(sheaf) > 2)
		objects[nr_objects++] = umaple_cache_take(cache, sheaf);
	return refill_to(CAP);
}

static int prefill_short(void)
{
	while (umaple_cache_sheaf_count(sheaf) > 2)
		objects[nr_objects++] = umaple_cache_take(cache, sheaf);
	umaple_cache_return(cache, sheaf);
	sheaf = NULL;
	return prefill_all();
}

static int refill_exchanging(void)
{
	return refill_to(MANY / 2);
}

/* These cannot fail. */

static int free_everything_at_once(void)
{
	umaple_cache_free_bulk(cache, objects, nr_objects);
	nr_objects = 0;
	return 0;
}

static int free_everything(void)
{
	while (nr_objects)
		umaple_cache_free(cache, objects[--nr_objects]);
	return 0;
}

static int free_rcu_everything(void)
{
	while (nr_objects)
		umaple_cache_free_rcu(cache, objects[--nr_objects]);
	return umaple_cache_barrier(cache);
}

static int shrink(void)
{
	return umaple_cache_shrink(cache, NULL, NULL);
}

static const struct {
	int (*act)(void);
	size_t held; /* objects at the start */
	enum {
		CANNOT_FAIL,
		MAY_FAIL,
		MAY_FAIL_SHORT /* slabs are used up, and the barn has little */
	} how;
} operations[] = {
	{ create_one, 0, MAY_FAIL },
	{ alloc_one, 0, MAY_FAIL },
	{ alloc_one, CAP, MAY_FAIL },
	{ alloc_until_a_fresh_slab, 3, MAY_FAIL },
	{ alloc_some, 0, MAY_FAIL },
	{ alloc_some, 3 * CAP, MAY_FAIL },
	{ alloc_some, 1, MAY_FAIL_SHORT },
	{ prefill_one, 0, MAY_FAIL },
	{ prefill_all, 1, MAY_FAIL },
	{ prefill_oversize, 1, MAY_FAIL },
	{ refill_regular, 1, MAY_FAIL },
	{ refill_short, 1, MAY_FAIL_SHORT },
	{ prefill_short, 1, MAY_FAIL_SHORT },
	{ refill_exchanging, 1, MAY_FAIL },
	{ free_everything, MANY, CANNOT_FAIL },
	{ free_everything_at_once, MANY, CANNOT_FAIL },
	{ free_rcu_everything, MANY, CANNOT_FAIL },
	{ shrink, 7, CANNOT_FAIL },
};

/* The next object from a slab needs memory from the system. */
static void exhaust_slabs(void)
{
	void *object;

	umaple_fault_set(0, true);
	while ((object = umaple_cache_slab_alloc(cache))) {
		ck_assert_uint_lt(nr_objects, MANY - CAP);
		objects[nr_objects++] = object;
	}
	umaple_fault_set(-1, false);
}

/* The barn has sheaves that hold too few, for who is short. */
static void fill_barn(void)
{
	cache->barn.partial = cache_sheaf_of(cache, 1);
	ck_assert(umaple_barn_put_full(&cache->barn, cache_sheaf_of(cache, 1),
				       false));
}

static void start(unsigned int op)
{
	bool is_short = operations[op].how == MAY_FAIL_SHORT;
	struct umaple_cache_attr mine = is_short ? large : attr;
	size_t held = operations[op].held;

	mine.study = study;
	cache = cache_make_attr(&mine, 1);
	nr_objects = held;
	alloc_many(cache, objects, held);
	sheaf = umaple_cache_prefill(cache, 2);
	ck_assert_ptr_nonnull(sheaf);
	if (is_short) {
		fill_barn();
		exhaust_slabs();
	}
}

static void finish(void)
{
	umaple_fault_set(-1, false);
	cache_verify(cache);
	umaple_cache_return(cache, sheaf);
	free_many(cache, objects, nr_objects);
	umaple_cache_barrier(cache);
	umaple_cache_shrink(cache, NULL, NULL);
	ck_assert_uint_eq(cache_stats(cache).objects, 0);
	cache_end(cache);
}

/*
 * With @forever, all from the n-th on fail.  Frees and shrinking need none of
 * them.
 */
static void fail_each(unsigned int round, bool forever)
{
	unsigned int op = round % ARRAY_SIZE(operations);
	bool fired = true;
	int error;

	study = round == op ? 0 : UMAPLE_STUDY_NO_BARN_REFILL;
	for (long n = 0; fired; n++) {
		start(op);
		umaple_fault_set(n, forever);
		error = operations[op].act();
		fired = umaple_fault_fired();
		umaple_fault_set(-1, false);
		ck_assert(error == 0 || (error == -ENOMEM && fired &&
					 operations[op].how != CANNOT_FAIL));
		finish();
	}
}

START_TEST(each_allocation_may_fail_once)
{
	fail_each((unsigned int)_i, false);
}
END_TEST

START_TEST(all_allocations_may_fail_from_any_on)
{
	fail_each((unsigned int)_i, true);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("fault");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, each_allocation_may_fail_once, 0,
			    2 * ARRAY_SIZE(operations));
	tcase_add_loop_test(tc, all_allocations_may_fail_from_any_on, 0,
			    2 * ARRAY_SIZE(operations));
	suite_add_tcase(s, tc);
}
