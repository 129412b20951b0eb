/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "slab_fixture.h"

#include <errno.h>
#include <string.h>

struct umaple_slab_node node;
void *objects[MAX_OBJECTS];
size_t nr_objects;

void node_set_up_for(size_t size)
{
	struct umaple_slab_geometry geo;

	ck_assert_int_eq(umaple_slab_geometry(&geo, size, 0, 0), 0);
	ck_assert_int_eq(umaple_slab_node_init(&node, &geo, "test"), 0);
	nr_objects = 0;
}

void node_set_up(void)
{
	node_set_up_for(NODE_SIZE);
	ck_assert_uint_eq(node.geo.objs_per_slab, NODE_PER_SLAB);
	ck_assert_uint_eq(node.geo.min_partial, MIN_PARTIAL);
}

void node_tear_down(void)
{
	assert_sound();
	give_objects(0, nr_objects);
	assert_sound();
	ck_assert_uint_eq(umaple_slab_node_fini(&node), 0);
}

void take_objects(size_t count)
{
	ck_assert_uint_le(nr_objects + count, MAX_OBJECTS);
	ck_assert_uint_eq(umaple_slab_take(&node, objects + nr_objects, count),
			  count);
	nr_objects += count;
}

void give_objects(size_t first, size_t count)
{
	ck_assert_uint_le(first + count, nr_objects);
	umaple_slab_give(&node, objects + first, count);
	nr_objects -= count;
	memmove(objects + first, objects + first + count,
		(nr_objects - first) * sizeof(objects[0]));
}

void assert_sound(void)
{
	char text[200] = "";

	ck_assert_msg(!umaple_slab_check(&node, text, sizeof(text)), "%s",
		      text);
}

void assert_violates(const char *number)
{
	char text[200] = "";

	ck_assert_int_eq(umaple_slab_check(&node, text, sizeof(text)),
			 -EUCLEAN);
	ck_assert_msg(!strncmp(text, number, strlen(number)),
		      "expected %s found %s", number, text);
	ck_assert_int_eq(umaple_slab_check(&node, NULL, 0), -EUCLEAN);
}

void assert_levels(size_t slabs, size_t partial, size_t used)
{
	struct umaple_slab_stats stats;

	assert_sound();
	umaple_slab_stats(&node, &stats);
	ck_assert_uint_eq(stats.slabs, slabs);
	ck_assert_uint_eq(stats.partial, partial);
	ck_assert_uint_eq(stats.objects, used);
}

void assert_counters(size_t added, size_t removed, size_t slabs_freed)
{
	struct umaple_slab_stats stats;

	umaple_slab_stats(&node, &stats);
	ck_assert_uint_eq(stats.free_add_partial, added);
	ck_assert_uint_eq(stats.free_remove_partial, removed);
	ck_assert_uint_eq(stats.free_slab, slabs_freed);
}
