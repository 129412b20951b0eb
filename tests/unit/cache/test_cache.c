/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_cache.c - cache/cache.c: what can be created, and when destroy refuses.
 */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "caches.h"
#include "platform/pages.h"
#include "platform/rcu.h"

const char *const suite_name = "cache";

static const struct bad_attr {
	struct umaple_cache_attr attr;
} bad_attrs[] = {
	{ { .size = 0 } },
	{ { .size = 1048577 } },
	{ { .size = SIZE_MAX } },
	{ { .size = 64, .align = 3 } },
	{ { .size = 64, .align = 8192 } },
	{ { .size = 64, .align = SIZE_MAX } },
	{ { .size = 64, .sheaf_capacity = 1025 } },
	{ { .size = 64, .study = 0x80000000 } },
	{ { .size = 64,
	    .study = UMAPLE_STUDY_PARK_NEVER | UMAPLE_STUDY_PARK_ALWAYS } },
	{ { .size = 64, .reserved2_ = { 0, 0, 0, 1 } } },
};

START_TEST(attribute_out_of_range_is_refused)
{
	struct umaple_cache *untouched = (void *)&untouched, *cache = untouched;

	if (bad_attrs[_i].attr.align == 8192 && umaple_page_size() >= 8192)
		return;
	ck_assert_int_eq(umaple_cache_create(&bad_attrs[_i].attr, &cache),
			 -EINVAL);
	ck_assert_ptr_eq(cache, untouched);
}
END_TEST

static const struct shape {
	size_t size, align, object_size;
	unsigned int capacity, expected_capacity;
} shapes[] = {
	{ 1, 0, 1, 0, 60 },	      { 1, 1, 1, 0, 60 },
	{ 24, 0, 32, 0, 60 },	      { 200, 1, 200, 0, 60 },
	{ 256, 256, 256, 0, 28 },     { 256, 256, 256, 32, 32 },
	{ 1000, 8, 1000, 0, 28 },     { 1024, 0, 1024, 0, 12 },
	{ 4096, 4096, 4096, 0, 4 },   { 1048576, 0, 1048576, 0, 4 },
	{ 100, 64, 128, 1024, 1024 }, { 64, 0, 64, 1, 1 },
};

START_TEST(object_is_as_large_and_aligned_as_asked)
{
	const struct shape *shape = &shapes[_i];
	struct umaple_cache_attr attr = { .size = shape->size,
					  .align = shape->align,
					  .sheaf_capacity = shape->capacity };
	size_t align = shape->align ? shape->align : shape->size < 16 ? 1 : 16;
	struct umaple_cache *cache = cache_make_attr(&attr, 1);
	struct umaple_cache_stats stats;
	void *objects[5];

	ck_assert_uint_eq(umaple_cache_object_size(cache), shape->object_size);
	alloc_many(cache, objects, 5);
	for (int i = 0; i < 5; i++)
		ck_assert_uint_eq((uintptr_t)objects[i] % align, 0);
	stats = cache_stats(cache);
	ck_assert_uint_eq(stats.sheaf_capacity, shape->expected_capacity);
	ck_assert_uint_eq(stats.object_size, shape->object_size);
	ck_assert_uint_ge(stats.slab_size, shape->object_size);
	ck_assert_uint_eq(stats.total_objects,
			  stats.slabs * stats.objs_per_slab);

	free_many(cache, objects, 5);
	cache_end(cache);
}
END_TEST

START_TEST(nodes_lie_as_in_the_published_tables)
{
	struct umaple_cache_stats stats = cache_stats(umaple_cache_default());

	ck_assert_uint_eq(stats.object_size, 256);
	ck_assert_uint_eq(stats.slab_size, 256);
	ck_assert_uint_eq(stats.objs_per_slab, 64);
	ck_assert_uint_eq(stats.order, 2);
	ck_assert_uint_eq(stats.min_partial, 5);
	ck_assert_uint_eq(stats.sheaf_capacity, 32);
}
END_TEST

START_TEST(name_is_copied)
{
	char name[] = "mine";
	struct umaple_cache_attr attr = { .size = 64, .name = name };
	struct umaple_cache *cache = cache_make_attr(&attr, 1);

	name[0] = 'X';
	ck_assert_str_eq(cache->name, "mine");
	cache_end(cache);
}
END_TEST

START_TEST(destroying_nothing_is_allowed)
{
	ck_assert_int_eq(umaple_cache_destroy(NULL), 0);
}
END_TEST

/* Standard error to a file, so that the report does not look like a failure. */
static int destroy_quietly(struct umaple_cache *cache, char *text, size_t size)
{
	int kept = dup(STDERR_FILENO);
	int pipes[2], error;
	ssize_t length;

	ck_assert_int_eq(pipe2(pipes, O_NONBLOCK), 0);
	dup2(pipes[1], STDERR_FILENO);
	error = umaple_cache_destroy(cache);
	dup2(kept, STDERR_FILENO);
	length = read(pipes[0], text, size - 1);
	text[length > 0 ? length : 0] = '\0';
	close(kept);
	close(pipes[0]);
	close(pipes[1]);
	return error;
}

START_TEST(object_in_use_keeps_the_cache_and_is_reported)
{
	struct umaple_cache *cache = cache_make(_i, 64, 8);
	void *objects[3];
	char text[256];

	alloc_many(cache, objects, 3);
	ck_assert_int_eq(destroy_quietly(cache, text, sizeof(text)), -EBUSY);
	ck_assert_ptr_nonnull(strstr(text, "test"));
	ck_assert_ptr_nonnull(strstr(text, "3 objects"));

	cache_verify(cache);
	free_many(cache, objects, 3);
	ck_assert_int_eq(destroy_quietly(cache, text, sizeof(text)), 0);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(borrowed_sheaf_keeps_the_cache_even_if_empty)
{
	struct umaple_cache *cache = cache_make(_i, 64, 2);
	size_t counts[] = { 2, 3 };
	void *objects[3];
	char text[256];

	for (int n = 0; n < 2; n++) {
		struct umaple_sheaf *sheaf =
			umaple_cache_prefill(cache, counts[n]);

		ck_assert_ptr_nonnull(sheaf);
		for (size_t i = 0; i < counts[n]; i++)
			objects[i] = umaple_cache_take(cache, sheaf);
		free_many(cache, objects, counts[n]);
		umaple_cache_stats_reset(cache);
		ck_assert_int_eq(destroy_quietly(cache, text, sizeof(text)),
				 -EBUSY);
		ck_assert_ptr_nonnull(strstr(text, "1 borrowed"));
		umaple_cache_return(cache, sheaf);
	}
	cache_end(cache);
}
END_TEST

START_TEST(destroy_inside_a_section_is_refused)
{
	const struct rcu_flavor_struct *bp = umaple_rcu_default();
	struct umaple_cache *cache = cache_make(_i, 64, 8);

	umaple_rcu_read_lock(bp);
	ck_assert_int_eq(umaple_cache_destroy(cache), -EDEADLK);
	ck_assert_int_eq(umaple_cache_barrier(cache), -EDEADLK);
	umaple_rcu_read_unlock(bp);
	cache_end(cache);
}
END_TEST

START_TEST(destroy_waits_for_queued_frees)
{
	struct umaple_cache *cache = cache_make(_i, 64, 4);
	void *objects[11];

	alloc_many(cache, objects, 11);
	free_rcu_many(cache, objects, 11);
	cache_end(cache);
}
END_TEST

static void *get_default(void *argument)
{
	(void)argument;
	return umaple_cache_default();
}

START_TEST(default_cache_is_one_for_all_and_stays)
{
	pthread_t threads[4];
	void *cache, *found;

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, get_default,
						NULL),
				 0);
	cache = umaple_cache_default();
	ck_assert_ptr_nonnull(cache);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &found);
		ck_assert_ptr_eq(found, cache);
	}
	ck_assert_int_eq(umaple_cache_destroy(cache), -EBUSY);
	ck_assert_ptr_eq(umaple_cache_default(), cache);
}
END_TEST

START_TEST(many_caches_come_and_go)
{
	struct umaple_cache *caches[20];
	void *object;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 20; i++)
			caches[i] = cache_make(i % 2, 16 + 100 * i, 0);
		for (int i = 0; i < 20; i++) {
			object = must_alloc(caches[i]);
			umaple_cache_free_rcu(caches[i], object);
		}
		for (int i = 20; i-- > 0;)
			cache_end(caches[i]);
	}
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("create");

	tcase_add_loop_test(tc, attribute_out_of_range_is_refused, 0,
			    ARRAY_SIZE(bad_attrs));
	tcase_add_loop_test(tc, object_is_as_large_and_aligned_as_asked, 0,
			    ARRAY_SIZE(shapes));
	tcase_add_test(tc, nodes_lie_as_in_the_published_tables);
	tcase_add_test(tc, name_is_copied);
	tcase_add_test(tc, default_cache_is_one_for_all_and_stays);
	suite_add_tcase(s, tc);

	tc = tcase_create("destroy");
	tcase_add_test(tc, destroying_nothing_is_allowed);
	tcase_add_loop_test(tc, object_in_use_keeps_the_cache_and_is_reported,
			    0, NR_FORMS);
	tcase_add_loop_test(tc, borrowed_sheaf_keeps_the_cache_even_if_empty, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, destroy_inside_a_section_is_refused, 0,
			    NR_FORMS);
	tcase_add_loop_test(tc, destroy_waits_for_queued_frees, 0, NR_FORMS);
	tcase_add_test(tc, many_caches_come_and_go);
	suite_add_tcase(s, tc);
}
