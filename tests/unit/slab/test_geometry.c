/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_geometry.c - slab/geometry.c: the published figures, and rules that hold
 * for every size.
 */

#include <errno.h>
#include <string.h>

#include "harness.h"
#include "platform/bits.h"
#include "platform/pages.h"
#include "slab/slab.h"

const char *const suite_name = "geometry";

static struct umaple_slab_geometry make(size_t size, size_t align,
					unsigned int ncpu)
{
	struct umaple_slab_geometry geo;

	ck_assert_int_eq(umaple_slab_geometry(&geo, size, align, ncpu), 0);
	return geo;
}

START_TEST(nodes_lie_64_to_a_16_kib_slab)
{
	struct umaple_slab_geometry geo = make(256, 256, 0);

	ck_assert_uint_eq(geo.object_size, 256);
	ck_assert_uint_eq(geo.slot_size, 256);
	ck_assert_uint_eq(geo.order, 2);
	ck_assert_uint_eq(geo.slab_bytes, 16384);
	ck_assert_uint_eq(geo.objs_per_slab, 64);
	ck_assert_uint_eq(geo.min_partial, 5);
	/* One of the 128 positions goes to header and metadata. */
	ck_assert_uint_eq(geo.slabs_per_chunk, 127);
	ck_assert(geo.huge_pages);
}
END_TEST

START_TEST(order_follows_the_number_of_cpus)
{
	ck_assert_uint_eq(make(256, 256, 2).order, 0);
	ck_assert_uint_eq(make(256, 256, 16).order, 1);
	ck_assert_uint_eq(make(256, 256, 192).order, 2);
	ck_assert_uint_eq(make(1024, 0, 192).order, 3);
}
END_TEST

static const struct {
	size_t size, align, object_size, slot_size;
} sizes[] = { { 1, 0, 1, 8 },	       { 3, 0, 4, 8 },
	      { 5, 0, 8, 8 },	       { 12, 0, 16, 16 },
	      { 17, 0, 32, 32 },       { 24, 8, 24, 24 },
	      { 100, 64, 128, 128 },   { 20, 4, 20, 24 },
	      { 1, 4096, 4096, 4096 }, { 3000, 0, 3008, 3008 } };

START_TEST(sizes_are_rounded_to_alignment_and_slots_to_words)
{
	struct umaple_slab_geometry geo =
		make(sizes[_i].size, sizes[_i].align, 0);

	ck_assert_uint_eq(geo.object_size, sizes[_i].object_size);
	ck_assert_uint_eq(geo.slot_size, sizes[_i].slot_size);
}
END_TEST

START_TEST(min_partial_grows_with_size_within_bounds)
{
	ck_assert_uint_eq(make(8, 0, 0).min_partial, 5);
	ck_assert_uint_eq(make(4096, 0, 0).min_partial, 6);
	ck_assert_uint_eq(make(65536, 0, 0).min_partial, 8);
	ck_assert_uint_eq(make(1048576, 0, 0).min_partial, 10);
}
END_TEST

static void assert_fits(size_t size, unsigned int ncpu)
{
	struct umaple_slab_geometry geo = make(size, 0, ncpu);
	size_t used = geo.objs_per_slab * geo.slot_size;
	size_t metadata = sizeof(struct umaple_chunk) +
			  UMAPLE_CHUNK_BYTES / geo.slab_bytes *
				  sizeof(struct umaple_slab);

	ck_assert_uint_ge(geo.object_size, size);
	ck_assert_uint_ge(geo.slot_size, geo.object_size);
	ck_assert_uint_eq(geo.slot_size % geo.align, 0);
	ck_assert_uint_ge(geo.objs_per_slab, 1);
	ck_assert_uint_le(geo.objs_per_slab, 64);
	ck_assert_uint_le(used, geo.slab_bytes);
	ck_assert_uint_ge(geo.slabs_per_chunk, 1);
	ck_assert_uint_le(geo.slabs_per_chunk * geo.slab_bytes + metadata,
			  UMAPLE_CHUNK_BYTES);
	/* No slab is twice as large as it would have to be. */
	if (geo.objs_per_slab < 64)
		ck_assert_uint_gt(2 * used, geo.slab_bytes);
}

START_TEST(every_size_fits)
{
	struct rng rng;

	rng_seed(&rng, test_seed());
	for (size_t size = 1; size <= 20000; size++)
		assert_fits(size, 0);
	for (unsigned long i = 0; i < test_scaled(20000); i++)
		assert_fits(1 + rng_below(&rng, UMAPLE_SLAB_MAX_OBJECT),
			    (unsigned int)rng_below(&rng, 4096));
	assert_fits(UMAPLE_SLAB_MAX_OBJECT, 0);
}
END_TEST

START_TEST(bad_arguments_are_refused_and_set_nothing)
{
	struct umaple_slab_geometry geo, before;

	memset(&geo, 0x5a, sizeof(geo));
	before = geo;
	ck_assert_int_eq(umaple_slab_geometry(&geo, 0, 0, 0), -EINVAL);
	ck_assert_int_eq(umaple_slab_geometry(&geo, UMAPLE_SLAB_MAX_OBJECT + 1,
					      0, 0),
			 -EINVAL);
	ck_assert_int_eq(umaple_slab_geometry(&geo, SIZE_MAX, 0, 0), -EINVAL);
	ck_assert_int_eq(umaple_slab_geometry(&geo, 8, 3, 0), -EINVAL);
	ck_assert_int_eq(umaple_slab_geometry(&geo, 8, 2 * umaple_page_size(),
					      0),
			 -EINVAL);
	ck_assert_mem_eq(&geo, &before, sizeof(geo));
}
END_TEST

START_TEST(unsound_geometry_makes_no_node)
{
	static struct umaple_slab_node node;
	struct umaple_slab_geometry geo = { 0 };

	ck_assert_int_eq(umaple_slab_node_init(&node, &geo, "test"), -EINVAL);
	geo = make(256, 256, 0);
	geo.objs_per_slab = 65;
	ck_assert_int_eq(umaple_slab_node_init(&node, &geo, "test"), -EINVAL);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("geometry");

	/* Loops are scaled: Meson's timeout is scaled with them. */
	tcase_set_timeout(tc, 0);
	tcase_add_test(tc, nodes_lie_64_to_a_16_kib_slab);
	tcase_add_test(tc, order_follows_the_number_of_cpus);
	tcase_add_loop_test(tc,
			    sizes_are_rounded_to_alignment_and_slots_to_words,
			    0, ARRAY_SIZE(sizes));
	tcase_add_test(tc, min_partial_grows_with_size_within_bounds);
	tcase_add_test(tc, every_size_fits);
	tcase_add_test(tc, bad_arguments_are_refused_and_set_nothing);
	tcase_add_test(tc, unsound_geometry_makes_no_node);
	suite_add_tcase(s, tc);
}
