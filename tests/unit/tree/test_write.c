/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * test_write.c - tree/write.c: which kind of write is taken, and what it leaves
 * behind.  A is the first entry, B one slot in place, C one leaf, D a rebuild.
 */

#include <errno.h>
#include <string.h>

#include "harness.h"
#include "shape.h"
#include "spy.h"

const char *const suite_name = "write";

static struct twin twin;

/* What a write may change, noted before it. */
static struct node *leaf;
static struct node leaf_was;
static unsigned long generation;

static bool is_serial(void)
{
	return twin.flags & UMAPLE_TREE_SERIAL;
}

static void set_up(unsigned int flags, const char *shape)
{
	shape_set_up(&twin, flags, shape);
}

/* Look at the leaf at a place, before a write that is to change it. */
static void watch(size_t place)
{
	leaf = shape_leaf(&twin.tree, place);
	leaf_was = *leaf;
	generation = twin.tree.generation_;
	spy_reset();
}

static void tear_down(void)
{
	twin_compare(&twin);
	twin_fini(&twin);
}

/* -- A: the first entry ------------------------------------------------------- */

static const struct {
	uint64_t first, last;
	const char *shape;
} firsts[] = {
	{ 0, UINT64_MAX, "1" },	 { 0, 9, "x." },
	{ 5, UINT64_MAX, ".x" }, { 5, 9, ".x." },
	{ 0, 0, "x." },		 { UINT64_MAX, UINT64_MAX, ".x" },
	{ 7, 7, ".x." },
};

START_TEST(first_entry_makes_a_root_leaf)
{
	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		set_up(twin_flags[i], "");

		twin_store(&twin, firsts[_i].first, firsts[_i].last, &twin);

		ck_assert_shape(&twin, firsts[_i].shape);
		ck_assert_uint_eq(spy.allocated, 1);
		ck_assert_uint_eq(spy.prefills, 0);
		tear_down();
	}
}
END_TEST

START_TEST(null_leaves_an_empty_tree_without_nodes)
{
	set_up(twin_flags[_i], "");

	twin_store(&twin, 0, UINT64_MAX, NULL);
	twin_store(&twin, 5, 9, NULL);

	ck_assert_shape(&twin, "");
	ck_assert_uint_eq(spy_came(), 0);
	tear_down();
}
END_TEST

/* -- B: exact fit ----------------------------------------------------------------- */

/* A store in the second leaf of a tree, and the shape afterwards. */
struct one_leaf {
	const char *before;
	uint64_t first, last;
	bool hole;
	const char *after;
};

static const struct one_leaf exacts[] = {
	{ "2/5 8", 50, 59, false, "2/5 8" },
	{ "2/5 8", 80, 89, false, "2/5 8" },
	{ "2/5 8", 120, UINT64_MAX, false, "2/5 8" },
	{ "3/5 8 5", 120, 129, false, "3/5 8 5" },
	/* the last slot of a full leaf has no pivot */
	{ "2/5 16", 200, UINT64_MAX, false, "2/5 16" },
	{ "3/5 16 5", 200, 209, false, "3/5 16 5" },
	/* a hole, where no other is beside it */
	{ "2/5 8", 50, 59, true, "2/5 .xxxxxxx" },
	{ "2/5 8", 80, 89, true, "2/5 xxx.xxxx" },
	{ "2/5 8", 120, UINT64_MAX, true, "2/5 xxxxxxx." },
	{ "3/5 16 5", 200, 209, true, "3/5 xxxxxxxxxxxxxxx. 5" },
	{ "3/5 xxxxxxx. 5", 110, 119, false, "3/5 xxxxxxx. 5" },
	/* a hole that is filled */
	{ "2/5 xxx.xxxx", 80, 89, false, "2/5 8" },
	{ "2/5 .xxx.xxx", 50, 59, false, "2/5 xxxx.xxx" },
	{ "3/5 xxxxxxx. 5", 120, 129, false, "3/5 8 5" },
};

START_TEST(exact_fit_changes_one_slot_in_place)
{
	const struct one_leaf *t = &exacts[_i];

	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		set_up(twin_flags[i], t->before);
		watch(1);

		twin_store(&twin, t->first, t->last, t->hole ? NULL : &twin);

		ck_assert_shape(&twin, t->after);
		ck_assert_ptr_eq(shape_leaf(&twin.tree, 1), leaf);
		ck_assert(!node_is_dead(leaf));
		ck_assert_mem_eq(leaf->plain.pivot, leaf_was.plain.pivot,
				 sizeof(leaf->plain.pivot));
		ck_assert_uint_eq(twin.tree.generation_, generation);
		ck_assert_uint_eq(spy_came() + spy_went() + spy.prefills, 0);
		tear_down();
	}
}
END_TEST

START_TEST(same_again_touches_nothing)
{
	set_up(twin_flags[_i], "2/5 xxx.xxxx");
	watch(1);
	spy.refuse = 0;

	twin_store(&twin, 60, 69, shape_entry(6));
	twin_store(&twin, 80, 89, NULL);
	twin_store(&twin, 83, 85, NULL);

	ck_assert_ptr_eq(shape_leaf(&twin.tree, 1), leaf);
	ck_assert_uint_eq(twin.tree.generation_, generation);
	ck_assert_int_eq(spy.refuse, 0);
	tear_down();
}
END_TEST

/* -- C: one leaf that stays within its limits --------------------------------------- */

static const struct one_leaf copies[] = {
	/* cut at the start, at the end, in the middle */
	{ "2/5 8", 80, 84, false, "2/5 9" },
	{ "2/5 8", 85, 89, false, "2/5 9" },
	{ "2/5 8", 82, 86, false, "2/5 10" },
	{ "2/5 8", 82, 86, true, "2/5 xxxx.xxxxx" },
	{ "2/5 8", 86, 92, false, "2/5 9" },
	/* the ends of the leaf */
	{ "2/5 8", 50, 54, false, "2/5 9" },
	{ "2/5 8", 125, 130, false, "2/5 10" },
	{ "2/5 8", 125, UINT64_MAX, false, "2/5 9" },
	{ "3/5 8 5", 125, 129, false, "3/5 9 5" },
	/* fewer slots */
	{ "2/5 8", 60, 79, false, "2/5 7" },
	{ "2/5 8", 55, 84, false, "2/5 7" },
	{ "2/5 8", 50, 79, false, "2/5 6" },
	/* holes grow: beside a hole nothing fits exactly */
	{ "2/5 xxx.xxxx", 70, 79, true, "2/5 xx.xxxx" },
	{ "2/5 xxx.xxxx", 90, 99, true, "2/5 xxx.xxx" },
	{ "2/5 xxx.x.xx", 90, 99, true, "2/5 xxx.xx" },
	{ "2/5 xxx.xxxx", 85, 94, true, "2/5 xxx.xxxx" },
	/* the limits: 16 slots, and 5 */
	{ "2/5 14", 82, 86, false, "2/5 16" },
	{ "2/5 15", 80, 84, false, "2/5 16" },
	{ "2/5 15", 195, UINT64_MAX, false, "2/5 16" },
	{ "2/5 16", 80, 99, false, "2/5 15" },
	{ "2/5 16", 190, UINT64_MAX, false, "2/5 15" },
	{ "2/5 6", 60, 79, false, "2/5*2" },
};

/* The leaf that took the place of the one watched, as readers need it. */
static void assert_copied(void)
{
	struct node *now = shape_leaf(&twin.tree, 1);

	ck_assert_ptr_ne(now, leaf);
	ck_assert(node_is_dead(leaf));
	ck_assert_uint_eq(spy.allocated, 1);
	ck_assert_uint_eq(spy.deferred, 1);
	/* Readers may still be in the old one. */
	leaf_was.dead = leaf->dead;
	ck_assert_mem_eq(leaf, &leaf_was, sizeof(leaf_was));
}

START_TEST(one_leaf_is_copied_or_changed_in_place)
{
	const struct one_leaf *t = &copies[_i];

	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		struct node *root;

		set_up(twin_flags[i], t->before);
		umaple_read_lock(&twin.tree);
		watch(1);
		root = shape_root(&twin.tree);

		twin_store(&twin, t->first, t->last, t->hole ? NULL : &twin);

		ck_assert_shape(&twin, t->after);
		ck_assert_ptr_eq(shape_root(&twin.tree), root);
		ck_assert_uint_eq(twin.tree.generation_, generation + 1);
		ck_assert_uint_eq(spy.prefills + spy.freed, 0);
		if (is_serial()) {
			ck_assert_ptr_eq(shape_leaf(&twin.tree, 1), leaf);
			ck_assert_uint_eq(spy_came() + spy_went(), 0);
		} else {
			assert_copied();
		}
		umaple_read_unlock(&twin.tree);
		tear_down();
	}
}
END_TEST

START_TEST(root_leaf_may_have_any_count)
{
	const char *const shapes[] = { "5", "3", "2", "1" };

	set_up(twin_flags[_i], shapes[0]);
	for (unsigned int i = 1; i < ARRAY_SIZE(shapes); i++) {
		uint64_t over = i == 1 ? 29 : i == 2 ? 39 : UINT64_MAX;

		watch(0);
		twin_store(&twin, 0, over, &twin);
		ck_assert_shape(&twin, shapes[i]);
		ck_assert_uint_eq(spy.prefills, 0);
		ck_assert_uint_eq(spy.allocated, !is_serial());
	}
	tear_down();
}
END_TEST

/* -- D: what does not stay within them ------------------------------------------------ */

static const struct one_leaf rebuilds[] = {
	{ "16", 80, 84, false, "2/9 8" },
	{ "15", 82, 84, false, "2/9 8" },
	{ "2/16 16", 162, 164, false, "3/16 5 13" },
	{ "3/5 16 5", 195, 204, false, "3/16 6 5" },
	{ "2/8 5", 90, 109, false, "12" },
	{ "2/8 xxx.x", 100, 109, true, "xxxxxxxxxx.x" },
};

START_TEST(other_counts_are_rebuilt)
{
	const struct one_leaf *t = &rebuilds[_i];

	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		set_up(twin_flags[i], t->before);
		watch(0);

		twin_store(&twin, t->first, t->last, t->hole ? NULL : &twin);

		ck_assert_shape(&twin, t->after);
		ck_assert_uint_eq(spy.prefills, 1);
		ck_assert_uint_eq(spy.returns, 1);
		ck_assert_uint_eq(spy.allocated, 0);
		ck_assert_uint_eq(twin.tree.generation_, generation + 1);
		tear_down();
	}
}
END_TEST

START_TEST(last_entry_takes_the_last_node_along)
{
	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		set_up(twin_flags[i], "");
		twin_store(&twin, firsts[_i].first, firsts[_i].last, &twin);
		watch(0);

		twin_store(&twin, firsts[_i].first, firsts[_i].last, NULL);

		ck_assert_shape(&twin, "");
		ck_assert_uint_eq(twin.tree.generation_, generation + 1);
		ck_assert_uint_eq(spy_came(), 0);
		ck_assert_uint_eq(is_serial() ? spy.freed : spy.deferred, 1);
		ck_assert_uint_eq(spy_went(), 1);
		tear_down();
	}
}
END_TEST

/* -- all of them -------------------------------------------------------------------------- */

/*
 * From slot @a to slot @b, each cut or not, in the leaf of @count slots that
 * starts at slot @base.
 */
static void store_slots(const char *shape, unsigned int base, unsigned int a,
			unsigned int b, unsigned int kind)
{
	uint64_t first = (base + a) * SHAPE_STEP + (kind & 1 ? 3 : 0);
	uint64_t last = (base + b) * SHAPE_STEP + (kind & 2 ? 6 : 9);

	twin_clear(&twin);
	shape_build(&twin, shape);
	twin_store(&twin, first, last, kind & 4 ? NULL : &twin);
	twin_compare(&twin);
}

static void store_everywhere(const char *shape, unsigned int base,
			     unsigned int count)
{
	unsigned int a, b, kind;

	for (a = 0; a < count; a++)
		for (b = a; b < count; b++)
			for (kind = 0; kind < 8; kind++)
				store_slots(shape, base, a, b, kind);
}

/* Leaves of each size, with every other slot a hole, or none. */
static void spell_leaf(char text[64], const char *before, unsigned int count,
		       bool holes, const char *after)
{
	char *end = stpcpy(text, before);
	unsigned int i;

	for (i = 0; i < count; i++)
		*end++ = holes && i % 2 ? '.' : 'x';
	stpcpy(end, after);
}

START_TEST(root_leaf_is_right_whatever_is_stored)
{
	char shape[64];

	twin_init(&twin, twin_flags[_i]);
	for (unsigned int count = 1; count <= NODE_SLOTS; count += 3)
		for (int holes = 0; holes < 2; holes++) {
			spell_leaf(shape, "", count, holes, "");
			store_everywhere(shape, 0, count);
		}
	twin_fini(&twin);
}
END_TEST

START_TEST(leaf_between_others_is_right_whatever_is_stored)
{
	char shape[64];

	twin_init(&twin, twin_flags[_i]);
	for (unsigned int count = 5; count <= NODE_SLOTS; count++) {
		spell_leaf(shape, "3/5 ", count, count % 2, " xxxxx");
		store_everywhere(shape, 5, count);
	}
	twin_fini(&twin);
}
END_TEST

/* -- from the caller's path ------------------------------------------------------------ */

START_TEST(path_of_the_caller_gives_the_same_tree)
{
	static struct twin other;
	struct umaple_path_ path;

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(copies); i++) {
		const struct one_leaf *t =
			i % 2 ? &copies[i / 2]
			      : &exacts[i / 2 % ARRAY_SIZE(exacts)];
		void *entry = t->hole ? NULL : &twin;

		set_up(twin_flags[_i], t->before);
		twin_init(&other, twin_flags[_i]);
		shape_build(&other, t->before);

		umaple_path_walk(&twin.tree, tree_root(&twin.tree), &path,
				 t->first);
		ck_assert_int_eq(umaple_tree_write(&twin.tree, &path, t->first,
						   t->last, entry),
				 0);
		model_store_range(&twin.model, t->first, t->last, entry);
		ck_assert_int_eq(umaple_tree_write(&other.tree, NULL, t->first,
						   t->last, entry),
				 0);

		ck_assert_shape(&twin, t->after);
		ck_assert_shape(&other, t->after);
		tear_down();
		twin_fini(&other);
	}
}
END_TEST

/* -- out of memory ------------------------------------------------------------------------- */

static const struct one_leaf refusals[] = {
	{ "2/5 8", 82, 86, false, "2/5 8" },	/* C */
	{ "2/5 8", 82, 86, true, "2/5 8" },	/* ... */
	{ "2/16 16", 82, 86, false, "2/16*2" }, /* D, overflow */
	{ "2/5 8", 10, 19, true, "2/5 8" },	/* B needs nothing */
	{ "2/5 5", 10, 39, false, "2/5*2" },	/* D, underflow */
	{ "3/5*3", 22, 111, true, "3/5*3" },	/* D, span */
	{ "3/5*3", 0, UINT64_MAX, false, "3/5*3" },
};

START_TEST(refusal_leaves_the_tree_as_it_was)
{
	const struct one_leaf *t = &refusals[_i];

	for (unsigned int i = 0; i < TWIN_FLAGS; i++) {
		void *root;
		int err;

		set_up(twin_flags[i], t->before);
		watch(0);
		root = tree_root(&twin.tree);
		spy.refuse = 0;

		err = umaple_store_range(&twin.tree, t->first, t->last,
					 t->hole ? NULL : &twin);

		if (!err) {
			/* Nothing was asked for, so nothing was refused. */
			ck_assert_int_eq(spy.refuse, 0);
			model_store_range(&twin.model, t->first, t->last,
					  t->hole ? NULL : &twin);
			tear_down();
			continue;
		}
		ck_assert_int_eq(err, -ENOMEM);
		ck_assert_shape(&twin, t->after);
		ck_assert_ptr_eq(tree_root(&twin.tree), root);
		ck_assert_ptr_eq(shape_leaf(&twin.tree, 0), leaf);
		ck_assert_mem_eq(leaf, &leaf_was, sizeof(leaf_was));
		ck_assert_uint_eq(twin.tree.generation_, generation);
		ck_assert_uint_eq(spy_came() + spy_went(), 0);
		tear_down();
	}
}
END_TEST

START_TEST(refused_first_entry_leaves_the_tree_empty)
{
	set_up(twin_flags[_i], "");
	spy.refuse = 0;

	ck_assert_int_eq(umaple_store(&twin.tree, 5, &twin), -ENOMEM);

	ck_assert_shape(&twin, "");
	tear_down();
}
END_TEST

static void add_kind(Suite *s, const char *name, const TTest *test, int count)
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test, 0, count);
	suite_add_tcase(s, tc);
}

void register_cases(Suite *s)
{
	add_kind(s, "write.first", first_entry_makes_a_root_leaf,
		 (int)ARRAY_SIZE(firsts));
	add_kind(s, "write.first", null_leaves_an_empty_tree_without_nodes,
		 TWIN_FLAGS);
	add_kind(s, "write.exact", exact_fit_changes_one_slot_in_place,
		 (int)ARRAY_SIZE(exacts));
	add_kind(s, "write.exact", same_again_touches_nothing, TWIN_FLAGS);
	add_kind(s, "write.leaf", one_leaf_is_copied_or_changed_in_place,
		 (int)ARRAY_SIZE(copies));
	add_kind(s, "write.leaf", root_leaf_may_have_any_count, TWIN_FLAGS);
	add_kind(s, "write.rebuild", other_counts_are_rebuilt,
		 (int)ARRAY_SIZE(rebuilds));
	add_kind(s, "write.last", last_entry_takes_the_last_node_along,
		 (int)ARRAY_SIZE(firsts));
	add_kind(s, "write.all", root_leaf_is_right_whatever_is_stored,
		 TWIN_FLAGS);
	add_kind(s, "write.all",
		 leaf_between_others_is_right_whatever_is_stored, TWIN_FLAGS);
	add_kind(s, "write.path", path_of_the_caller_gives_the_same_tree,
		 TWIN_FLAGS);
	add_kind(s, "write.refused", refusal_leaves_the_tree_as_it_was,
		 (int)ARRAY_SIZE(refusals));
	add_kind(s, "write.refused", refused_first_entry_leaves_the_tree_empty,
		 TWIN_FLAGS);
}
