/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_chunk.c - slab/chunk.h: from an address to its object and back.
 */

#include <string.h>

#include "slab/chunk.h"
#include "slab/slab_priv.h"
#include "slab_fixture.h"

const char *const suite_name = "chunk";

static const size_t sizes[] = { 1,     8,      24,     48,     100,
				256,   264,    1000,   1104,   3280,
				4096,  9856,   20000,  29536,  70000,
				88576, 265728, 524288, 1048576 };

/* Every object of the first slab, each taken on its own. */
START_TEST(object_slab_and_place_lead_to_each_other)
{
	const struct umaple_slab_layout *layout = &node.layout;
	struct umaple_slab *slab;

	node_set_up_for(sizes[_i]);
	take_objects(node.geo.objs_per_slab);
	slab = umaple_slab_of(&node, objects[0]);
	ck_assert_ptr_nonnull(slab);
	for (unsigned int place = 0; place < nr_objects; place++) {
		char *object = objects[place];

		ck_assert_uint_eq((uintptr_t)object % node.geo.align, 0);
		ck_assert_ptr_eq(umaple_layout_object(layout, slab, place),
				 object);
		ck_assert_ptr_eq(umaple_slab_of(&node, object), slab);
		ck_assert_uint_eq(umaple_layout_place(layout, object), place);
		ck_assert_uint_eq(
			umaple_layout_place(layout,
					    object + layout->slot_size - 1),
			place);
	}
	node_tear_down();
}
END_TEST

/* Exactly the addresses of objects are owned, over a whole chunk. */
START_TEST(only_addresses_of_objects_are_owned)
{
	const struct umaple_slab_layout *layout = &node.layout;
	char *chunk;
	size_t owned = 0;

	node_set_up_for(sizes[_i]);
	take_objects(1);
	chunk = (char *)umaple_chunk_of(objects[0]);
	for (size_t offset = 0; offset < UMAPLE_CHUNK_BYTES; offset++)
		owned += umaple_slab_owns(&node, chunk + offset);

	ck_assert_uint_eq(owned, (size_t)node.geo.slabs_per_chunk *
					 layout->nr_objects);
	ck_assert(umaple_slab_owns(&node, objects[0]));
	ck_assert(!umaple_slab_owns(&node, NULL));
	ck_assert_ptr_null(umaple_slab_of(&node, chunk));
	node_tear_down();
}
END_TEST

START_TEST(objects_of_another_node_are_not_owned)
{
	static struct umaple_slab_node other;
	struct umaple_slab_geometry geo;
	void *object;

	node_set_up();
	ck_assert_int_eq(umaple_slab_geometry(&geo, NODE_SIZE, 0, 0), 0);
	ck_assert_int_eq(umaple_slab_node_init(&other, &geo, "other"), 0);
	take_objects(1);
	ck_assert_uint_eq(umaple_slab_take(&other, &object, 1), 1);

	ck_assert(umaple_slab_owns(&other, object));
	ck_assert(!umaple_slab_owns(&node, object));
	ck_assert(!umaple_slab_owns(&other, objects[0]));

	umaple_slab_give(&other, &object, 1);
	ck_assert_uint_eq(umaple_slab_node_fini(&other), 0);
	node_tear_down();
}
END_TEST

/* Division by multiplication, at the offsets where it would go wrong first. */
START_TEST(place_is_exact_for_every_slot_size)
{
	struct umaple_slab_geometry geo;
	struct umaple_slab_layout *layout = &node.layout;

	for (size_t size = 8; size <= UMAPLE_SLAB_MAX_OBJECT;
	     size += size / 64 < 8 ? 8 : size / 64 & ~(size_t)7) {
		ck_assert_int_eq(umaple_slab_geometry(&geo, size, 8, 0), 0);
		ck_assert_int_eq(umaple_slab_node_init(&node, &geo, "t"), 0);
		for (size_t n = 1; n <= geo.slab_bytes / geo.slot_size; n++) {
			uintptr_t start = n * geo.slot_size;

			ck_assert_uint_eq(umaple_layout_place(
						  layout, (void *)(start - 1)),
					  n - 1);
			if (start < geo.slab_bytes)
				ck_assert_uint_eq(
					umaple_layout_place(layout,
							    (void *)start),
					n);
		}
	}
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("chunk");

	tcase_add_loop_test(tc, object_slab_and_place_lead_to_each_other, 0,
			    ARRAY_SIZE(sizes));
	tcase_add_loop_test(tc, only_addresses_of_objects_are_owned, 0,
			    ARRAY_SIZE(sizes));
	tcase_add_test(tc, objects_of_another_node_are_not_owned);
	tcase_add_test(tc, place_is_exact_for_every_slot_size);
	suite_add_tcase(s, tc);
}
