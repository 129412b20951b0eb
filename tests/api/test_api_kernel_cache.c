/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_api_kernel_cache.c - umaple/kernel_cache.h: caches, objects and sheaves under
 * the kernel's names.
 */

#include <signal.h>
#include <string.h>

#include "kernel_test.h"

const char *const suite_name = "api.kernel_cache";

struct thing {
	long long number;
	char name[40];
};

static struct kmem_cache *cache;

/* -- creation --------------------------------------------------------------------- */

START_TEST(each_form_of_create_makes_a_cache)
{
	slab_flags_t account = SLAB_ACCOUNT;
	struct umaple_cache_stats stats;
	struct kmem_cache_args args;

	memset(&args, 0, sizeof(args));
	args.align = 128;
	args.sheaf_capacity = 12;
	cache = kmem_cache_create("args", 100, &args, account);
	ck_assert_ptr_nonnull(cache);
	ck_assert_uint_eq(kmem_cache_size(cache), 128);
	umaple_cache_stats_get(umaple_kmem_cache(cache), &stats);
	ck_assert_uint_eq(stats.sheaf_capacity, 12);
	kmem_cache_destroy(cache);
	cache = kmem_cache_create("no args", 100, NULL, 0);
	ck_assert_ptr_nonnull(cache);
	kmem_cache_destroy(cache);
	cache = kmem_cache_create("align", 100, 256, SLAB_RECLAIM_ACCOUNT,
				  NULL);
	ck_assert_ptr_nonnull(cache);
	ck_assert_uint_eq(kmem_cache_size(cache), 256);
	kmem_cache_destroy(cache);
	cache = KMEM_CACHE(thing, SLAB_PANIC);
	ck_assert_ptr_nonnull(cache);
	ck_assert_uint_ge(kmem_cache_size(cache), sizeof(struct thing));
	kmem_cache_destroy(cache);
	kmem_cache_destroy(NULL);
}
END_TEST

START_TEST(objects_of_a_line_start_at_a_line)
{
	static const struct {
		unsigned int size, rounded, align;
	} sizes[] = { { 100, 128, 64 },
		      { 33, 64, 64 },
		      { 32, 32, 32 },
		      { 20, 32, 32 } };

	for (int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kmem_cache *lines = kmem_cache_create(
			"line", sizes[i].size, NULL, SLAB_HWCACHE_ALIGN);
		void *object = kmem_cache_alloc(lines, GFP_KERNEL);

		ck_assert_ptr_nonnull(object);
		ck_assert_uint_eq((uintptr_t)object % sizes[i].align, 0);
		ck_assert_uint_eq(kmem_cache_size(lines), sizes[i].rounded);
		kmem_cache_free(lines, object);
		kmem_cache_destroy(lines);
	}
}
END_TEST

static void construct(void *object)
{
	(void)object;
}

START_TEST(what_is_not_there_is_refused)
{
	struct kmem_cache_args args;

	ck_assert_ptr_null(kmem_cache_create("none", 0, NULL, 0));
	ck_assert_ptr_null(kmem_cache_create("align", 16, 24, 0, NULL));
	ck_assert_ptr_null(kmem_cache_create("ctor", 16, 0, 0, construct));
	ck_assert_ptr_null(kmem_cache_create("flag", 16, NULL, 0x80000000u));
	memset(&args, 0, sizeof(args));
	args.ctor = construct;
	ck_assert_ptr_null(kmem_cache_create("ctor", 16, &args, 0));
}
END_TEST

START_TEST(cache_that_must_be_made_aborts)
{
	(void)kmem_cache_create("none", 0, NULL, SLAB_PANIC);
}
END_TEST

/* -- objects ------------------------------------------------------------------------ */

static void set_up(void)
{
	cache = KMEM_CACHE(thing, 0);
	ck_assert_ptr_nonnull(cache);
}

/* Everything has come back. */
static void tear_down(void)
{
	ck_assert_int_eq(umaple_cache_destroy(umaple_kmem_cache(cache)), 0);
}

static bool is_zero(const void *object, size_t size)
{
	const char *bytes = (const char *)object;
	size_t i;

	for (i = 0; i < size && !bytes[i]; i++)
		;
	return i == size;
}

START_TEST(objects_are_cleared_if_asked_for)
{
	void *object;

	for (int i = 0; i < 3; i++) {
		object = kmem_cache_alloc(cache, GFP_KERNEL);
		ck_assert_ptr_nonnull(object);
		memset(object, 0x5a, sizeof(struct thing));
		kmem_cache_free(cache, object);
		object = i ? kmem_cache_zalloc(cache, GFP_NOWAIT)
			   : kmem_cache_alloc(cache, GFP_KERNEL | __GFP_ZERO);
		ck_assert(is_zero(object, sizeof(struct thing)));
		kmem_cache_free(cache, object);
	}
	kmem_cache_free(cache, NULL);
}
END_TEST

START_TEST(bulk_is_all_of_them)
{
	void *objects[100];

	ck_assert_int_eq(kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_ZERO,
					       100, objects),
			 100);
	for (int i = 0; i < 100; i++) {
		ck_assert(is_zero(objects[i], sizeof(struct thing)));
		memset(objects[i], i + 1, sizeof(struct thing));
	}
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(((char *)objects[i])[3], (char)(i + 1));
	kmem_cache_free_bulk(cache, 100, objects);
}
END_TEST

START_TEST(object_stays_until_readers_have_left)
{
	struct thing *thing =
		(struct thing *)kmem_cache_alloc(cache, GFP_KERNEL);

	ck_assert_ptr_nonnull(thing);
	thing->number = 77;
	rcu_read_lock();
	kmem_cache_free_rcu(cache, thing);
	ck_assert_int_eq(thing->number, 77);
	/* Nor can the cache go: nothing is done inside a section. */
	kmem_cache_destroy(cache);
	ck_assert_int_eq(thing->number, 77);
	rcu_read_unlock();
}
END_TEST

START_TEST(shrink_tells_whether_anything_is_left)
{
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);

	ck_assert_int_eq(kmem_cache_shrink(cache), 1);
	kmem_cache_free(cache, object);
	ck_assert_int_eq(kmem_cache_shrink(cache), 0);
}
END_TEST

/* -- sheaves ------------------------------------------------------------------------ */

START_TEST(sheaf_holds_what_it_promised)
{
	struct slab_sheaf *sheaf;
	void *objects[150];
	unsigned int count = _i ? 150 : 5;

	ck_assert_ptr_null(kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 0));
	sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, count);
	ck_assert_ptr_nonnull(sheaf);
	ck_assert_uint_ge(kmem_cache_sheaf_size(sheaf), count);
	for (unsigned int i = 0; i < count; i++) {
		objects[i] = kmem_cache_alloc_from_sheaf(
			cache, GFP_NOWAIT | __GFP_ZERO, sheaf);
		ck_assert(is_zero(objects[i], sizeof(struct thing)));
		memset(objects[i], 0x5a, sizeof(struct thing));
	}
	while (kmem_cache_sheaf_size(sheaf))
		kmem_cache_free(cache, kmem_cache_alloc_from_sheaf(
					       cache, GFP_NOWAIT, sheaf));
	ck_assert_ptr_null(
		kmem_cache_alloc_from_sheaf(cache, GFP_NOWAIT, sheaf));
	kmem_cache_free_bulk(cache, count, objects);
	kmem_cache_return_sheaf(cache, GFP_NOWAIT, sheaf);
	kmem_cache_return_sheaf(cache, GFP_NOWAIT, NULL);
}
END_TEST

START_TEST(sheaf_is_filled_again)
{
	struct slab_sheaf *sheaf = NULL;

	ck_assert_int_eq(kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 3),
			 -EINVAL);
	sheaf = kmem_cache_prefill_sheaf(cache, GFP_NOWAIT, 3);
	ck_assert_ptr_nonnull(sheaf);
	kmem_cache_free(cache,
			kmem_cache_alloc_from_sheaf(cache, GFP_NOWAIT, sheaf));
	ck_assert_int_eq(kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 3),
			 0);
	ck_assert_uint_ge(kmem_cache_sheaf_size(sheaf), 3);
	/* More than the capacity: another sheaf. */
	ck_assert_int_eq(
		kmem_cache_refill_sheaf(cache, GFP_NOWAIT, &sheaf, 200), 0);
	ck_assert_uint_ge(kmem_cache_sheaf_size(sheaf), 200);
	kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
}
END_TEST

/* -- waiting -------------------------------------------------------------------------- */

/* The first call that may wait: it gets what it asks for. */
static void get_one_way(struct kmem_cache *small, struct slab_sheaf **sheaf,
			int way)
{
	struct slab_sheaf *other;
	void *object;

	switch (way) {
	case 0:
		object = kmem_cache_alloc(small, GFP_KERNEL);
		ck_assert_ptr_nonnull(object);
		kmem_cache_free(small, object);
		break;
	case 1:
		other = kmem_cache_prefill_sheaf(small, GFP_KERNEL, 500);
		ck_assert_ptr_nonnull(other);
		kmem_cache_return_sheaf(small, GFP_KERNEL, other);
		break;
	default:
		ck_assert_int_eq(kmem_cache_refill_sheaf(small, GFP_KERNEL,
							 sheaf, 500),
				 0);
	}
}

/*
 * So many objects wait for a reader that there are no more.  Whoever must not wait
 * is told; whoever may gets them when the reader has left.
 */
START_TEST(allocations_that_may_wait_do)
{
	struct umaple_cache_attr attr;
	struct slab_sheaf *sheaf;
	struct kmem_cache *small;
	struct stayer reader;
	void *object;
	int count = 0;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(struct thing);
	attr.pending_limit = 64;
	ck_assert_int_eq(
		umaple_cache_create(&attr, (struct umaple_cache **)&small), 0);
	sheaf = kmem_cache_prefill_sheaf(small, GFP_NOWAIT, 1);
	ck_assert_ptr_nonnull(sheaf);
	stayer_start(&reader);
	while ((object = kmem_cache_alloc(small, GFP_NOWAIT)) && count++ < 9999)
		kmem_cache_free_rcu(small, object);
	ck_assert_ptr_null(object);
	ck_assert_ptr_null(kmem_cache_prefill_sheaf(small, GFP_NOWAIT, 5));
	ck_assert_int_eq(kmem_cache_alloc_bulk(small, GFP_NOWAIT, 1, &object),
			 0);
	ck_assert_int_eq(kmem_cache_refill_sheaf(small, GFP_NOWAIT, &sheaf,
						 500),
			 -ENOMEM);
	ck_assert_ptr_nonnull(sheaf);
	stayer_stop(&reader);
	get_one_way(small, &sheaf, _i);
	stayer_join(&reader);
	kmem_cache_return_sheaf(small, GFP_KERNEL, sheaf);
	ck_assert_int_eq(umaple_cache_destroy(umaple_kmem_cache(small)), 0);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("kernel_cache.create");

	tcase_add_test(tc, each_form_of_create_makes_a_cache);
	tcase_add_test(tc, objects_of_a_line_start_at_a_line);
	tcase_add_test(tc, what_is_not_there_is_refused);
	tcase_add_loop_test(tc, allocations_that_may_wait_do, 0, 3);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_cache.panic");
	tcase_set_tags(tc, "death");
	tcase_add_test_raise_signal(tc, cache_that_must_be_made_aborts,
				    SIGABRT);
	suite_add_tcase(s, tc);

	tc = tcase_create("kernel_cache.object");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, objects_are_cleared_if_asked_for);
	tcase_add_test(tc, bulk_is_all_of_them);
	tcase_add_test(tc, object_stays_until_readers_have_left);
	tcase_add_test(tc, shrink_tells_whether_anything_is_left);
	tcase_add_loop_test(tc, sheaf_holds_what_it_promised, 0, 2);
	tcase_add_test(tc, sheaf_is_filled_again);
	suite_add_tcase(s, tc);
}
