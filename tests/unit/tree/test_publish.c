/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_publish.c - tree/publish.c: what each step makes visible, and that every
 * write takes them in one order: publish, generation, dead, free.
 */

#include <string.h>

#include "harness.h"
#include "shape.h"
#include "spy.h"

const char *const suite_name = "publish";

static struct twin twin;

static void set_up(unsigned int flags, const char *shape)
{
	shape_set_up(&twin, flags, shape);
}

static void tear_down(void)
{
	spy_reset();
	twin_fini(&twin);
}

/* -- one step at a time --------------------------------------------------------- */

START_TEST(root_names_node_and_height)
{
	static struct node node __attribute__((aligned(NODE_BYTES)));
	unsigned long generation;

	twin_init(&twin, twin_flags[_i]);
	generation = twin.tree.generation_;

	umaple_publish_root(&twin.tree, &node, 7);
	ck_assert_ptr_eq(root_node(tree_root(&twin.tree)), &node);
	ck_assert_uint_eq(root_height(tree_root(&twin.tree)), 7);
	umaple_publish_root(&twin.tree, NULL, 0);
	ck_assert_ptr_null(tree_root(&twin.tree));

	ck_assert_uint_eq(twin.tree.generation_, generation);
	tear_down();
}
END_TEST

START_TEST(slot_gets_its_value)
{
	void *slot = &slot;

	umaple_publish_slot(&slot, &twin);
	ck_assert_ptr_eq(slot, &twin);
	umaple_publish_slot(&slot, NULL);
	ck_assert_ptr_null(slot);
}
END_TEST

START_TEST(done_is_a_new_generation)
{
	unsigned long generation;

	set_up(twin_flags[_i], "5");
	generation = twin.tree.generation_;

	umaple_publish_done(&twin.tree);

	ck_assert_uint_eq(twin.tree.generation_, generation + 1);
	tear_down();
}
END_TEST

/* A copy takes the place of the node at each level of "2/5*2/5*10". */
START_TEST(node_takes_the_place_of_the_one_on_the_path)
{
	unsigned int level = (unsigned int)_i;
	struct umaple_path_ path;
	struct node *old, *above, *copy;

	set_up(0, "2/5*2/5*10");
	umaple_path_walk(&twin.tree, tree_root(&twin.tree), &path, 333);
	old = path_node(&path, level);
	above = level < 2 ? path_node(&path, level + 1) : NULL;
	copy = umaple_cache_alloc(twin.cache);
	memcpy(copy, old, sizeof(*copy));

	umaple_publish_node(&twin.tree, &path, level, copy);

	ck_assert_ptr_eq(path_node(&path, level), copy);
	if (above)
		ck_assert_ptr_eq(node_slots(above)[path.at[level + 1].slot],
				 copy);
	else
		ck_assert_ptr_eq(shape_root(&twin.tree), copy);
	ck_assert_uint_eq(root_height(tree_root(&twin.tree)), 3);
	ck_assert_shape(&twin, "2/5*2/5*10");
	umaple_retire_node(&twin.tree, old);
	twin_compare(&twin);
	tear_down();
}
END_TEST

START_TEST(retired_node_is_dead_unless_freed_at_once)
{
	struct node *node;

	set_up(twin_flags[_i], "5");
	node = umaple_cache_alloc(twin.cache);
	node_init(node, 0, false);
	spy_reset();
	umaple_read_lock(&twin.tree);

	umaple_retire_node(&twin.tree, node);

	if (twin_flags[_i] & UMAPLE_TREE_SERIAL) {
		ck_assert_uint_eq(spy.freed, 1);
	} else {
		ck_assert(node_is_dead(node));
		ck_assert_uint_eq(spy.deferred, 1);
	}
	ck_assert_uint_eq(spy_went(), 1);
	umaple_read_unlock(&twin.tree);
	tear_down();
}
END_TEST

/* What was freed, in order. */
static struct node *freed[SHAPE_NODES];
static size_t nr_freed;

static void note_freed(void *node, bool deferred)
{
	freed[nr_freed++] = node;
}

static bool is_freed(const struct node *node)
{
	size_t i, times = 0;

	for (i = 0; i < nr_freed; i++)
		times += freed[i] == node;
	ck_assert_uint_le(times, 1);
	return times;
}

START_TEST(retired_subtree_dies_to_the_last_node)
{
	struct node *nodes[3][SHAPE_NODES], *root;
	size_t nr[3], level, i;

	set_up(twin_flags[_i],
	       _i < TWIN_FLAGS_GAPS ? "2/5*2/5*10" : "2/4*2/5*8");
	for (level = 0; level < 3; level++)
		nr[level] = shape_level(&twin.tree, (unsigned int)level,
					nodes[level]);
	root = shape_root(&twin.tree);
	umaple_publish_root(&twin.tree, NULL, 0);
	umaple_read_lock(&twin.tree);
	nr_freed = 0;
	spy.on_free = note_freed;

	umaple_retire_subtree(&twin.tree, root);

	ck_assert_uint_eq(nr_freed, nr[0] + nr[1] + nr[2]);
	for (level = 0; level < 3; level++)
		for (i = 0; i < nr[level]; i++) {
			ck_assert(is_freed(nodes[level][i]));
			if (!(twin_flags[_i] & UMAPLE_TREE_SERIAL))
				ck_assert(node_is_dead(nodes[level][i]));
		}
	umaple_read_unlock(&twin.tree);
	model_free(&twin.model);
	tear_down();
}
END_TEST

START_TEST(discarded_subtree_is_freed_at_once)
{
	struct node *root;

	set_up(twin_flags[_i],
	       _i < TWIN_FLAGS_GAPS ? "2/5*2/5*10" : "2/4*2/5*8");
	root = shape_root(&twin.tree);
	umaple_publish_root(&twin.tree, NULL, 0);

	umaple_tree_discard(twin.cache, root);

	ck_assert_uint_eq(spy.freed, _i < TWIN_FLAGS_GAPS ? 13 : 11);
	ck_assert_uint_eq(spy.deferred, 0);
	model_free(&twin.model);
	tear_down();
}
END_TEST

/* -- the order within a write ------------------------------------------------------ */

static unsigned long generation_before;

/* When a node is given back, no reader that starts now can come to it. */
static void assert_gone(void *object, bool deferred)
{
	struct node *node = object;
	struct node *nodes[SHAPE_NODES];
	unsigned int level = root_height(tree_root(&twin.tree));
	size_t nr;

	ck_assert_uint_eq(twin.tree.generation_, generation_before + 1);
	ck_assert_int_eq(deferred, !(twin.flags & UMAPLE_TREE_SERIAL));
	ck_assert_int_eq(node_is_dead(node), deferred);
	while (level--)
		for (nr = shape_level(&twin.tree, level, nodes); nr--;)
			ck_assert_ptr_ne(nodes[nr], node);
}

/* All kinds of write that free nodes. */
static const struct {
	const char *before;
	uint64_t first, last;
	bool hole;
} writes[] = {
	{ "1", 0, UINT64_MAX, true },		/* the last entry */
	{ "5", 12, 15, false },			/* one leaf: the root */
	{ "2/5*2", 12, 15, false },		/* ... below a node */
	{ "16", 82, 85, false },		/* split, and a new root */
	{ "2/16*2", 82, 85, true },		/* split */
	{ "2/5*2/16*4 5*6", 82, 85, true },	/* split below a node */
	{ "2/5*2", 20, 39, true },		/* merge to a lower tree */
	{ "3/5*3", 20, 39, true },		/* merge */
	{ "2/5*2/5*10", 120, 383, false },	/* span */
	{ "2/5*2/5*10", 5, 494, true },		/* ... nearly everything */
	{ "2/5*2/5*10", 0, UINT64_MAX, true },	/* ... everything */
	{ "2/5*2/5*10", 0, UINT64_MAX, false }, /* ... */
};

START_TEST(nodes_are_freed_after_all_readers_have_lost_them)
{
	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		set_up(twin_flags[i], writes[_i].before);
		generation_before = twin.tree.generation_;
		spy.on_free = assert_gone;

		twin_store(&twin, writes[_i].first, writes[_i].last,
			   writes[_i].hole ? NULL : &twin);

		/* A serial tree may have changed its nodes in place. */
		if (!(twin_flags[i] & UMAPLE_TREE_SERIAL))
			ck_assert_uint_ge(spy_went(), 1);
		twin_compare(&twin);
		tear_down();
	}
}
END_TEST

START_TEST(destroy_takes_the_same_order)
{
	set_up(twin_flags[_i],
	       _i < TWIN_FLAGS_GAPS ? "2/5*2/5*10" : "2/4*2/5*8");
	generation_before = twin.tree.generation_;
	spy.on_free = assert_gone;

	twin_clear(&twin);

	ck_assert_uint_eq(spy_went(), _i < TWIN_FLAGS_GAPS ? 13 : 11);
	tear_down();
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("publish.steps");

	tcase_add_flags_test(tc, root_names_node_and_height);
	tcase_add_test(tc, slot_gets_its_value);
	tcase_add_flags_test(tc, done_is_a_new_generation);
	tcase_add_loop_test(tc, node_takes_the_place_of_the_one_on_the_path, 0,
			    3);
	tcase_add_flags_test(tc, retired_node_is_dead_unless_freed_at_once);
	tcase_add_flags_test(tc, retired_subtree_dies_to_the_last_node);
	tcase_add_flags_test(tc, discarded_subtree_is_freed_at_once);
	suite_add_tcase(s, tc);

	tc = tcase_create("publish.order");
	tcase_add_loop_test(tc,
			    nodes_are_freed_after_all_readers_have_lost_them, 0,
			    (int)ARRAY_SIZE(writes));
	tcase_add_flags_test(tc, destroy_takes_the_same_order);
	suite_add_tcase(s, tc);
}
