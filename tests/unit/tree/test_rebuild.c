/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_rebuild.c - tree/rebuild.c: the shape after splits, merges and spans, how
 * a tree grows and shrinks levels, and how many nodes that takes.
 */

#include <inttypes.h>

#include <umaple/debug.h>

#include "harness.h"
#include "mix.h"
#include "quick.h"
#include "shape.h"
#include "spy.h"

const char *const suite_name = "rebuild";

static struct twin twin;

static void set_up(unsigned int flags, const char *shape)
{
	shape_set_up(&twin, flags, shape);
}

static void tear_down(void)
{
	twin_compare(&twin);
	twin_fini(&twin);
}

/* -- shapes ------------------------------------------------------------------ */

struct change {
	const char *before;
	uint64_t first, last;
	bool hole;
	const char *after;
};

/* Leaves of plain trees and of trees with gaps are alike. */
static const struct change leaf_changes[] = {
	/* a root leaf splits: in the middle, at its end, at its start */
	{ "16", 70, 74, false, "2/9 8" },
	{ "16", 72, 74, false, "2/9*2" },
	{ "16", 200, 300, false, "2/13 5" },
	{ "16", 150, 300, false, "2/12 5" },
	{ "16", 3, 5, false, "2/5 13" },
	{ "16", 0, 5, false, "2/5 12" },
	/* the emptier sibling takes some */
	{ "3/5 16 5", 120, 124, false, "3/11*2 5" },
	{ "3/5 16 5", 122, 124, false, "3/12 11 5" },
	{ "3/8 16 5", 150, 154, false, "3/8 11*2" },
	{ "2/16 9", 70, 74, false, "2/13*2" },
	/* ... if enough slots stay free */
	{ "2/16 10", 70, 74, false, "3/9 8 10" },
	{ "2/16*2", 70, 74, false, "3/9 8 16" },
	/* ... and if it is under the same parent */
	{ "2/5*2/5*4 16 5*5", 270, 274, false, "2/5*2/5*3 11*2 5*5" },
	{ "2/5*2/12*4 16 5*5", 550, 554, false, "2/6 5/12*4 9 8 5*5" },
	/* indices that come in order fill the leaf they leave */
	{ "2/10 16", 300, 400, false, "2/16 12" },
	{ "2/14 16", 350, 400, false, "2/16*2" },
	{ "2/15 16", 350, 400, false, "3/15 13 5" },
	{ "2/16 10", 2, 5, false, "2/12 16" },
	{ "2/16 15", 2, 5, false, "3/5 13 15" },
	/* too few: the sibling before joins, else the one after */
	{ "3/5*3", 70, 89, false, "2/9 5" },
	{ "3/5*3", 20, 39, false, "2/9 5" },
	{ "3/16 5*2", 170, 189, false, "3/10*2 5" },
	{ "3/5 16 5", 20, 39, false, "3/10*2 5" },
	{ "3/5*3", 70, 89, true, "2/xxxxxxx.x 5" },
	{ "2/5*2", 70, 89, false, "9" },
	{ "2/5*2", 70, 89, true, "xxxxxxx.x" },
	/* spans of two, three and many leaves */
	{ "3/8*3", 75, 84, false, "3/9 8*2" },
	{ "3/8*3", 70, 89, false, "2/15 8" },
	{ "3/8*3", 75, 164, false, "2/9 8" },
	{ "3/8*3", 70, 169, true, "xxxxxxx.xxxxxxx" },
};

/* Shapes that the layout of inner nodes decides: plain trees. */
static const struct change plain_changes[] = {
	/* a full root: another level */
	{ "16/16*16", 700, 704, false, "2/9 8/16*4 9 8 16*11" },
	{ "16/16*16/16*256", 20080, 20084, false,
	  "2/9 8/16*7 9 8 16*8/16*125 9 8 16*130" },
	/* an inner node takes a sibling's children, or gives some */
	{ "2/5 16/16*21", 1700, 1704, false, "2/11*2/16*10 9 8 16*10" },
	{ "3/5*3/5*15", 270, 289, false, "2/9 5/5*5 9 5*8" },
	/* over subtrees, whole ones too */
	{ "3/5*3/5*15", 100, 600, false, "5/5*2 6 5*2" },
	{ "3/5*3/5*15", 240, 509, false, "9/5*4 9 5*4" },
	{ "2/5*2/5*10", 0, 249, false, "5/6 5*4" },
	{ "2/5*2/5*10", 250, UINT64_MAX, false, "5/5*4 6" },
	{ "2/5*2/5*10", 5, 494, true, "x.x" },
	/* over everything */
	{ "2/5*2/5*10", 0, UINT64_MAX, false, "1" },
	{ "2/5*2/5*10", 0, UINT64_MAX, true, "" },
	{ "2/5*2/5*10", 1, UINT64_MAX, true, "x." },
	{ "2/5*2/5*10", 0, UINT64_MAX - 1, true, ".x" },
};

/* ... of trees with gaps. */
static const struct change gap_changes[] = {
	{ "10/16*10", 700, 704, false, "2/6 5/16*4 9 8 16*5" },
	{ "10/10*10/16*100", 8840, 8844, false,
	  "2/6 5/10*5 6 5 10*4/16*55 9 8 16*44" },
	{ "10/10*10/10*100/16*1000", 89240, 89244, false,
	  "2/6 5/10*5 6 5 10*4/10*55 6 5 10*44/16*557 9 8 16*442" },
	{ "10/10*10/16*100", 16000, 16100, false, "2/7 4/10*9 7 4/16*99 13 5" },
	{ "10/10*10/16*100", 3, 5, false, "2/4 7/4 7 10*9/5 13 16*99" },
	{ "3/4*3/5*12", 220, 239, false, "2/7 4/5*4 9 5*6" },
	{ "3/4*3/5*12", 100, 500, false, "4/5*2 6 5" },
	{ "2/4*2/5*8", 0, 199, false, "4/6 5*3" },
	{ "2/4*2/5*8", 200, UINT64_MAX, false, "4/5*3 6" },
	{ "2/4*2/5*8", 5, 394, true, "x.x" },
	{ "2/4*2/5*8", 0, UINT64_MAX, false, "1" },
	{ "2/4*2/5*8", 0, UINT64_MAX, true, "" },
};

static void assert_change(unsigned int flags, const struct change *t)
{
	set_up(flags, t->before);

	twin_store(&twin, t->first, t->last, t->hole ? NULL : &twin);

	ck_assert_shape(&twin, t->after);
	ck_assert_uint_eq(spy.prefills, 1);
	ck_assert_uint_le(spy.taken, spy.promised);
	tear_down();
}

START_TEST(leaves_split_and_merge)
{
	for (unsigned int i = 0; i < TWIN_FLAGS; i++)
		assert_change(twin_flags[i], &leaf_changes[_i]);
}
END_TEST

START_TEST(plain_nodes_split_and_merge)
{
	for (unsigned int i = 0; i < TWIN_FLAGS_GAPS; i++)
		assert_change(twin_flags[i], &plain_changes[_i]);
}
END_TEST

START_TEST(gap_nodes_split_and_merge)
{
	for (unsigned int i = TWIN_FLAGS_GAPS; i < TWIN_FLAGS; i++)
		assert_change(twin_flags[i], &gap_changes[_i]);
}
END_TEST

/* -- what readers of the old tree see ----------------------------------------- */

/* All nodes of a tree, and what was in them. */
static struct {
	size_t nr;
	struct node *node[SHAPE_NODES];
	struct node copy[SHAPE_NODES];
} old;

static void remember_nodes(void)
{
	unsigned int level = root_height(tree_root(&twin.tree));
	size_t i;

	old.nr = 0;
	while (level--)
		old.nr += shape_level(&twin.tree, level, old.node + old.nr);
	for (i = 0; i < old.nr; i++)
		old.copy[i] = *old.node[i];
}

static bool is_in_tree(const struct node *node)
{
	struct node *nodes[SHAPE_NODES];
	size_t nr = shape_level(&twin.tree, node->level, nodes);

	while (nr--)
		if (nodes[nr] == node)
			return true;
	return false;
}

/* Slots that differ; everything else but gaps must not. */
static unsigned int slots_changed(struct node *node, struct node *copy)
{
	unsigned int nr = 0, i;

	quick_assert(node->count == copy->count, "%u slots, then %u",
		     copy->count, node->count);
	for (i = 0; i + 1 < node->count; i++)
		quick_assert(node_pivots(node)[i] == node_pivots(copy)[i],
			     "pivot %u of a node that readers see changed", i);
	for (i = 0; i < node->count; i++)
		nr += node_slots(node)[i] != node_slots(copy)[i];
	return nr;
}

/* Every node that went is dead and whole, every other alive: one store did it. */
static void assert_old_tree_is_whole(void *old_root)
{
	unsigned int stores = tree_root(&twin.tree) != old_root;
	unsigned long dead = 0, changed;
	size_t i;

	for (i = 0; i < old.nr; i++) {
		struct node *node = old.node[i];

		changed = slots_changed(node, &old.copy[i]);
		quick_assert(node_is_dead(node) == !is_in_tree(node),
			     "%s node, dead %d", node->level ? "inner" : "leaf",
			     node_is_dead(node));
		if (node_is_dead(node)) {
			ck_assert_uint_eq(changed, 0);
			dead++;
		}
		stores += changed;
	}
	ck_assert_uint_eq(stores, 1);
	ck_assert_uint_eq(spy.deferred, dead);
	ck_assert_uint_eq(spy.freed, 0);
}

static void assert_one_store(unsigned int flags, const struct change *t)
{
	void *root;

	set_up(flags, t->before);
	umaple_read_lock(&twin.tree);
	remember_nodes();
	root = tree_root(&twin.tree);

	twin_store(&twin, t->first, t->last, t->hole ? NULL : &twin);

	assert_old_tree_is_whole(root);
	umaple_read_unlock(&twin.tree);
	tear_down();
}

START_TEST(one_store_publishes_a_change_of_leaves)
{
	assert_one_store(0, &leaf_changes[_i]);
	assert_one_store(UMAPLE_TREE_GAPS, &leaf_changes[_i]);
}
END_TEST

START_TEST(one_store_publishes_a_change_of_plain_nodes)
{
	assert_one_store(0, &plain_changes[_i]);
}
END_TEST

START_TEST(one_store_publishes_a_change_of_gap_nodes)
{
	assert_one_store(UMAPLE_TREE_GAPS, &gap_changes[_i]);
}
END_TEST

/* -- how many nodes ------------------------------------------------------------- */

/* Full at each level; the store is as bad as any. */
static const struct {
	unsigned int flags;
	const char *shape;
	uint64_t first, last;
	size_t promised;
	unsigned long taken;
} worst[] = {
	/* one leaf: two nodes a level, and a new root */
	{ 0, "16/16*16/16*256", 20080, 20084, 7, 7 },
	{ UMAPLE_TREE_GAPS, "10/10*10/16*100", 8840, 8844, 7, 7 },
	{ UMAPLE_TREE_GAPS, "10/10*10/10*100/16*1000", 89240, 89244, 9, 9 },
	/* from the last slot below one node to the first below the next */
	{ 0, "16/16*16/16*256", 20475, 20485, 10, 9 },
	{ UMAPLE_TREE_GAPS, "10/10*10/16*100", 7995, 8005, 10, 9 },
};

START_TEST(worst_case_stays_within_the_promise)
{
	set_up(worst[_i].flags, worst[_i].shape);

	twin_store(&twin, worst[_i].first, worst[_i].last, &twin);

	ck_assert_uint_eq(spy.promised, worst[_i].promised);
	ck_assert_uint_eq(spy.taken, worst[_i].taken);
	tear_down();
}
END_TEST

/* One random write, with the books kept. */
static void assert_accounts(struct mix *mix)
{
	struct umaple_tree_info before, after;
	size_t one_leaf, span;

	umaple_tree_measure(&twin.tree, &before);
	one_leaf = 2 * before.height + 1;
	span = 3 * before.height + 1;
	spy_reset();
	mix_step(mix, &twin);
	umaple_tree_measure(&twin.tree, &after);

	quick_assert(after.nodes == before.nodes + spy_came() - spy_went(),
		     "%" PRIu64 " nodes and %lu came, %lu went: %" PRIu64,
		     before.nodes, spy_came(), spy_went(), after.nodes);
	quick_assert(spy.returns == spy.prefills &&
			     spy.prefills + spy.allocated <= 1,
		     "%lu prefills, %lu returns, %lu allocated", spy.prefills,
		     spy.returns, spy.allocated);
	quick_assert(!spy.prefills || spy.promised == one_leaf ||
			     spy.promised == span,
		     "%zu promised", spy.promised);
	quick_assert(spy.taken <= spy.promised, "%lu of %zu taken", spy.taken,
		     spy.promised);
	quick_assert(twin.flags & UMAPLE_TREE_SERIAL ? !spy.deferred
						     : !spy.freed,
		     "%lu freed, %lu deferred", spy.freed, spy.deferred);
}

START_TEST(random_writes_take_and_free_what_they_say)
{
	unsigned int cells[] = { 60, 600, 6000 };
	struct keys keys = { KEYS_SPREAD, cells[_i / TWIN_FLAGS] };
	struct mix mix;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uint64_t)_i);
	twin_init(&twin, twin_flags[_i % TWIN_FLAGS]);
	mix_init(&mix, keys, keys.cells / 2, &rng);
	for (unsigned long n = test_scaled(TWIN_BIG(6000)); n; n--)
		assert_accounts(&mix);
	spy_reset();
	tear_down();
}
END_TEST

/* -- growing and shrinking -------------------------------------------------------- */

/* Where the library checks the tree after each write, it must be small. */
#define HEIGHT (UMAPLE_ASSERT_LEVEL >= 3 ? 3 : 4)

/* Ways to fill a tree; @i counts entries. */
static void grow(unsigned int way, uint64_t i)
{
	uint64_t at = way == 0	 ? i
		      : way == 1 ? UINT64_MAX / 2 - i
				 : i * 0x9e3779b97f4a7c15u;

	/* Every other index, so that each entry is a range with a hole. */
	twin_store(&twin, at | 1, at | 1, shape_entry(i));
}

static void erase_low(void)
{
	struct umaple_range range;

	umaple_find(&twin.tree, 0, UINT64_MAX, &range);
	twin_erase(&twin, range.first);
}

static void erase_high(void)
{
	struct umaple_range range;

	range.last = UINT64_MAX;
	if (!umaple_load(&twin.tree, UINT64_MAX))
		umaple_prev(&twin.tree, UINT64_MAX, 0, &range);
	twin_erase(&twin, range.last);
}

static void erase_middle(void)
{
	size_t i = twin.model.count / 2;

	twin_erase(&twin, twin.model.ranges[i].first);
}

static void empty_upper_half(void)
{
	size_t i = twin.model.count / 2;

	twin_store(&twin, twin.model.ranges[i].first, UINT64_MAX, NULL);
}

static void empty_lower_half(void)
{
	size_t i = twin.model.count / 2;

	twin_store(&twin, 0, twin.model.ranges[i].last, NULL);
}

static void fill_the_middle(void)
{
	size_t count = twin.model.count;

	if (count < 4)
		twin_erase(&twin, twin.model.ranges[0].first);
	else
		twin_store(&twin, twin.model.ranges[count / 4].first,
			   twin.model.ranges[3 * count / 4].last, &twin);
}

static void empty_everything(void)
{
	twin_store(&twin, 0, UINT64_MAX, NULL);
}

static void (*const shrinks[])(void) = {
	erase_low,	  erase_high,	   erase_middle,     empty_upper_half,
	empty_lower_half, fill_the_middle, empty_everything,
};
#define SHRINKS 7

static unsigned int height_now(void)
{
	return root_height(tree_root(&twin.tree));
}

/* Check where something may have gone wrong that lasts, and now and then. */
static void check_shrunk(unsigned int height)
{
	quick_assert(height_now() <= height, "grew to %u levels", height_now());
	if (height_now() < height || twin.step % 16 == 0)
		twin_check(&twin);
}

START_TEST(tree_grows_by_levels_and_shrinks_to_none)
{
	unsigned int flags = twin_flags[_i % TWIN_FLAGS];
	unsigned int way = (unsigned int)_i / TWIN_FLAGS % 3;
	void (*shrink)(void) = shrinks[_i / TWIN_FLAGS / 3];
	unsigned int height = 0;
	uint64_t i = 0;

	twin_init(&twin, flags);
	while (height_now() < HEIGHT) {
		height = height_now();
		grow(way, i++);
		quick_assert(height_now() <= height + 1, "skipped a level");
	}
	twin_compare(&twin);
	while (!umaple_tree_is_empty(&twin.tree)) {
		height = height_now();
		shrink();
		check_shrunk(height);
	}
	tear_down();
}
END_TEST

static void add_loop(TCase *tc, const TTest *test, size_t count)
{
	tcase_add_loop_test(tc, test, 0, (int)count);
}

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("rebuild.shape");

	add_loop(tc, leaves_split_and_merge, ARRAY_SIZE(leaf_changes));
	add_loop(tc, plain_nodes_split_and_merge, ARRAY_SIZE(plain_changes));
	add_loop(tc, gap_nodes_split_and_merge, ARRAY_SIZE(gap_changes));
	suite_add_tcase(s, tc);

	tc = tcase_create("rebuild.readers");
	add_loop(tc, one_store_publishes_a_change_of_leaves,
		 ARRAY_SIZE(leaf_changes));
	add_loop(tc, one_store_publishes_a_change_of_plain_nodes,
		 ARRAY_SIZE(plain_changes));
	add_loop(tc, one_store_publishes_a_change_of_gap_nodes,
		 ARRAY_SIZE(gap_changes));
	suite_add_tcase(s, tc);

	tc = tcase_create("rebuild.nodes");
	tcase_set_timeout(tc, 60);
	add_loop(tc, worst_case_stays_within_the_promise, ARRAY_SIZE(worst));
	add_loop(tc, random_writes_take_and_free_what_they_say, 3 * TWIN_FLAGS);
	suite_add_tcase(s, tc);

	tc = tcase_create("rebuild.height");
	tcase_set_timeout(tc, 60);
	add_loop(tc, tree_grows_by_levels_and_shrinks_to_none,
		 3 * SHRINKS * TWIN_FLAGS);
	suite_add_tcase(s, tc);
}
