/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * Every kind of write, with its first, second, third ... allocation failing,
 * once or for good: it says -ENOMEM, tree, cursor and outputs are as before, no
 * owner is told of anything, and no node is lost; without faults it then succeeds.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <umaple/debug.h>

#include "harness.h"
#include "platform/fault.h"
#include "quick.h"
#include "twin.h"

const char *const suite_name = "fault.tree";

#define MAX UINT64_MAX

static void *value(uint64_t number)
{
	return (void *)(uintptr_t)(number + 1);
}

/* A tree to work on: @count ranges of @width, one every 10. */
struct shape {
	uint64_t count;
	uint64_t width;
};

static const struct shape shapes[] = {
	{ 0, 5 },  { 1, 5 },   { 7, 5 },   { 15, 10 },	{ 16, 5 },
	{ 40, 5 }, { 41, 10 }, { 300, 5 }, { 300, 10 }, { 2500, 5 },
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct stage {
	struct twin twin;
	struct shape shape;
	uint64_t middle; /* an index where a range in the middle starts */
	uint64_t end;	 /* one after the last range's ten */
	bool told;	 /* of something displaced */
};

/*
 * A write: returns what the library does, and on success has done the same to
 * the model.  It fails the test itself if an output changed on failure.
 */
typedef int operation(struct stage *stage);

static int both_store(struct stage *stage, uint64_t first, uint64_t last,
		      void *entry)
{
	int error = umaple_store_range(&stage->twin.tree, first, last, entry);

	if (!error)
		model_store_range(&stage->twin.model, first, last, entry);
	return error;
}

static int store_over_part(struct stage *stage)
{
	return both_store(stage, stage->middle + 1, stage->middle + 2,
			  value(5000));
}

static int store_exactly(struct stage *stage)
{
	return both_store(stage, stage->middle,
			  stage->middle + stage->shape.width - 1, value(5000));
}

static int store_across_a_border(struct stage *stage)
{
	return both_store(stage, stage->middle + 3, stage->middle + 12,
			  value(5000));
}

static int store_null_over_part(struct stage *stage)
{
	return both_store(stage, stage->middle + 1, stage->middle + 2, NULL);
}

static int store_span(struct stage *stage)
{
	return both_store(stage, stage->middle / 2 + 3, stage->middle + 77,
			  value(5000));
}

static int store_null_over_most(struct stage *stage)
{
	return both_store(stage, 13, stage->end + 23, NULL);
}

static int store_over_everything(struct stage *stage)
{
	return both_store(stage, 0, MAX, value(5000));
}

static int store_null_over_everything(struct stage *stage)
{
	return both_store(stage, 0, MAX, NULL);
}

static int store_after_the_end(struct stage *stage)
{
	return both_store(stage, stage->end, stage->end + 4, value(5000));
}

static int store_the_highest(struct stage *stage)
{
	return both_store(stage, MAX, MAX, value(5000));
}

/* Several at once, so that a leaf splits for certain; one may be half done. */
static int insert_in_a_row(struct stage *stage)
{
	for (uint64_t i = 0; i < 12; i++) {
		uint64_t at = stage->end + 1000 + 2 * i;
		int error = umaple_insert(&stage->twin.tree, at, value(i));

		if (error == -EEXIST)
			continue;
		if (error)
			return error;
		model_store_range(&stage->twin.model, at, at, value(i));
	}
	return 0;
}

static int insert_where_it_is_taken(struct stage *stage)
{
	int error, wanted = stage->shape.count ? -EEXIST : 0;

	error = umaple_insert_range(&stage->twin.tree, 0, stage->end,
				    value(5000));
	if (error == -ENOMEM)
		return error;
	quick_assert(error == wanted, "%d, not %d", error, wanted);
	if (!error)
		model_store_range(&stage->twin.model, 0, stage->end,
				  value(5000));
	return 0;
}

static int erase_one(struct stage *stage)
{
	struct umaple_range got = { 12, 34, stage }, wanted;
	int error = umaple_erase(&stage->twin.tree, stage->middle, &got);

	if (error) {
		quick_assert(got.first == 12 && got.last == 34 &&
				     got.entry == stage,
			     "output set by a failed erase");
		return error;
	}
	wanted = model_erase(&stage->twin.model, stage->middle);
	quick_assert(got.entry == wanted.entry, "another entry");
	return 0;
}

/* Until nothing is left: nodes are merged and levels go. */
static int erase_all(struct stage *stage)
{
	struct umaple_range lowest;

	while (model_find(&stage->twin.model, 0, MAX, &lowest)) {
		int error = umaple_erase(&stage->twin.tree, lowest.last, NULL);

		if (error)
			return error;
		model_erase(&stage->twin.model, lowest.last);
	}
	return 0;
}

static void cursor_is_at(const struct umaple_cursor *cursor, uint64_t first,
			 uint64_t last)
{
	quick_assert(cursor->index == first && cursor->last == last,
		     "cursor moved to [%" PRIx64 ", %" PRIx64 "]",
		     cursor->index, cursor->last);
}

static int store_by_cursor(struct stage *stage)
{
	uint64_t first = stage->middle + 2, last = stage->middle + 25;
	struct umaple_cursor cursor;
	int error;

	twin_lock(&stage->twin);
	umaple_cursor_init(&cursor, &stage->twin.tree, first, last);
	umaple_cursor_walk(&cursor);
	umaple_cursor_set_range(&cursor, first, last);
	error = umaple_cursor_store(&cursor, value(5000));
	cursor_is_at(&cursor, first, last);
	twin_unlock(&stage->twin);
	if (!error)
		model_store_range(&stage->twin.model, first, last, value(5000));
	return error;
}

/* After a failure the cursor goes on as if nothing had been asked of it. */
static int erase_by_cursor(struct stage *stage)
{
	struct umaple_range at = model_at(&stage->twin.model, stage->middle);
	struct umaple_cursor cursor;
	struct umaple_range up = { 0, 0, NULL };
	void *entry = stage;
	int error;

	twin_lock(&stage->twin);
	umaple_cursor_init(&cursor, &stage->twin.tree, at.first, at.first);
	umaple_cursor_walk(&cursor);
	error = umaple_cursor_erase(&cursor, &entry);
	cursor_is_at(&cursor, at.first, at.last);
	quick_assert(entry == (error ? (void *)stage : at.entry),
		     "%p was erased", entry);
	model_next(&stage->twin.model, at.first, MAX, &up);
	quick_assert(umaple_cursor_next(&cursor, MAX) == up.entry,
		     "cursor goes on wrongly");
	twin_unlock(&stage->twin);
	if (!error)
		model_erase(&stage->twin.model, at.first);
	return error;
}

static int allocate_range(struct stage *stage)
{
	uint64_t first = 4321, wanted = 0;
	int error = umaple_alloc_range(&stage->twin.tree, value(5000), 3, 1, 11,
				       MAX, &first);

	if (error) {
		quick_assert(first == 4321, "output set by a failure");
		return error;
	}
	model_gap_first(&stage->twin.model, 3, 1, 11, MAX, &wanted);
	quick_assert(first == wanted, "%" PRIu64, first);
	model_store_range(&stage->twin.model, first, first + 2, value(5000));
	return 0;
}

static int allocate_cyclic(struct stage *stage)
{
	struct umaple_cyclic cyclic = { .next = stage->middle };
	uint64_t index = 4321;
	int error = umaple_alloc_cyclic(&stage->twin.tree, value(5000), 1, MAX,
					&cyclic, &index);

	if (error) {
		quick_assert(index == 4321 && cyclic.next == stage->middle,
			     "output set by a failure");
		return error;
	}
	model_store_range(&stage->twin.model, index, index, value(5000));
	return 0;
}

static int replace_one(struct stage *stage)
{
	struct umaple_range at = model_at(&stage->twin.model, stage->middle);
	int error;

	if (!at.entry)
		return 0;
	error = umaple_replace(&stage->twin.tree, at.last, at.entry,
			       value(5000));
	quick_assert(error == 0, "replace allocates");
	model_store_range(&stage->twin.model, at.first, at.last, value(5000));
	return 0;
}

static int both_move(struct stage *stage, uint64_t first, uint64_t last,
		     uint64_t to)
{
	int error = umaple_move_range(&stage->twin.tree, first, last, to);

	if (!error)
		model_move_range(&stage->twin.model, first, last, to);
	return error;
}

static int move_away(struct stage *stage)
{
	return both_move(stage, stage->middle / 2 + 3, stage->middle + 77,
			 stage->end + 1000);
}

static int move_over_itself(struct stage *stage)
{
	return both_move(stage, stage->middle / 2, stage->middle + 33,
			 stage->middle / 2 + 4);
}

/* With what is left on both sides. */
static int store_and_merge(struct stage *stage)
{
	uint64_t first = stage->middle + 1, last = stage->middle + 3;
	void *entry = value(stage->middle / 10);
	int error = umaple_store_merge(&stage->twin.tree, first, last, entry,
				       NULL, NULL);

	if (!error)
		model_store_merge(&stage->twin.model, first, last, entry);
	return error;
}

/* What was got in advance is given back when the next of it cannot be had. */
static int prealloc_and_store(struct stage *stage)
{
	uint64_t first = stage->middle + 2, last = stage->middle + 25;
	struct umaple_cursor cursor;
	int error;

	umaple_cursor_init(&cursor, &stage->twin.tree, first, last);
	error = umaple_cursor_prealloc(&cursor, value(5000));
	if (!error)
		error = umaple_cursor_prealloc(&cursor, value(5000));
	cursor_is_at(&cursor, first, last);
	if (error) {
		umaple_cursor_finish(&cursor);
		return error;
	}
	twin_lock(&stage->twin);
	error = umaple_cursor_store_prealloc(&cursor, value(5000));
	twin_unlock(&stage->twin);
	quick_assert(error == 0, "store_prealloc gave %d", error);
	model_store_range(&stage->twin.model, first, last, value(5000));
	return 0;
}

/* Only where nothing is; elsewhere it is refused before anything is allocated. */
static int build_anew(struct stage *stage)
{
	struct umaple_range ranges[300];
	int error, wanted = stage->shape.count ? -EINVAL : 0;
	uint64_t i;

	for (i = 0; i < 300; i++)
		ranges[i] = (struct umaple_range){ 9 * i, 9 * i + 4, value(i) };
	error = umaple_tree_build(&stage->twin.tree, ranges, 300, 0);
	if (error == -ENOMEM)
		return error;
	quick_assert(error == wanted, "build gave %d", error);
	for (i = 0; !error && i < 300; i++)
		model_store_range(&stage->twin.model, ranges[i].first,
				  ranges[i].last, ranges[i].entry);
	return 0;
}

static const struct {
	const char *name;
	operation *run;
	bool gaps;  /* only for trees that keep gaps */
	bool needs; /* takes nodes, with holes between and readers about */
} operations[] = {
	{ "store over a part", store_over_part, false, true },
	{ "store exactly", store_exactly, false, false },
	{ "store across a border", store_across_a_border, false, true },
	{ "NULL over a part", store_null_over_part, false, true },
	{ "span", store_span, false, true },
	{ "NULL over most", store_null_over_most, false, true },
	{ "store over everything", store_over_everything, false, true },
	{ "NULL over everything", store_null_over_everything, false, false },
	{ "append", store_after_the_end, false, true },
	{ "store the highest", store_the_highest, false, true },
	{ "insert in a row", insert_in_a_row, false, true },
	{ "insert where taken", insert_where_it_is_taken, false, false },
	{ "erase one", erase_one, false, true },
	{ "erase all", erase_all, false, false },
	{ "store by cursor", store_by_cursor, false, true },
	{ "erase by cursor", erase_by_cursor, false, true },
	{ "allocate a range", allocate_range, true, true },
	{ "allocate cyclic", allocate_cyclic, true, true },
	{ "replace", replace_one, false, false },
	{ "move away", move_away, false, true },
	{ "move over itself", move_over_itself, false, true },
	{ "store and merge", store_and_merge, false, false },
	{ "prealloc and store", prealloc_and_store, false, true },
	{ "build", build_anew, false, false },
};
#define OPERATIONS ((int)(sizeof(operations) / sizeof(operations[0])))

static void note_displaced(const struct umaple_displaced *what, void *told)
{
	*(bool *)told = true;
}

static void stage_init(struct stage *stage, struct shape shape,
		       unsigned int flags)
{
	stage->shape = shape;
	stage->middle = shape.count / 2 * 10;
	stage->end = shape.count * 10;
	twin_init(&stage->twin, flags);
	for (uint64_t i = 0; i < shape.count; i++)
		twin_store(&stage->twin, 10 * i, 10 * i + shape.width - 1,
			   value(i));
	stage->told = false;
	umaple_tree_set_displaced(&stage->twin.tree, note_displaced,
				  &stage->told);
}

static uint64_t nodes(const struct stage *stage)
{
	struct umaple_tree_info info;

	umaple_tree_measure(&stage->twin.tree, &info);
	return info.nodes;
}

/* Run it with the @n-th allocation failing; true if nothing failed. */
static bool run_with_fault(struct stage *stage, int number, long n,
			   bool forever)
{
	size_t before_count = stage->twin.model.count;
	uint64_t before = nodes(stage);
	bool fired;
	int error;

	snprintf(stage->twin.what, sizeof(stage->twin.what),
		 "%s with %" PRIu64 " ranges, allocation %ld failing%s",
		 operations[number].name, stage->shape.count, n,
		 forever ? " for good" : "");
	umaple_fault_set(n, forever);
	error = operations[number].run(stage);
	fired = umaple_fault_fired();
	umaple_fault_set(-1, false);
	quick_assert(error == 0 || (error == -ENOMEM && fired),
		     "%s: returned %d", stage->twin.what, error);
	if (error && stage->twin.model.count == before_count) {
		quick_assert(nodes(stage) == before, "%s: nodes changed",
			     stage->twin.what);
		quick_assert(!stage->told, "%s: something was displaced",
			     stage->twin.what);
	}
	if (stage->twin.model.count < 400 || n % 16 == 0)
		twin_compare(&stage->twin);
	return !fired;
}

/*
 * Case T31 among them: a store that kept asking when an allocation failed for
 * good never returned.
 */
static void fail_each_allocation(int number, struct shape shape,
				 unsigned int flags, bool forever)
{
	bool done = false;
	long n = 0;

	for (; !done; n++) {
		struct stage stage;

		/* A fresh tree: one that survived a fault may have changed. */
		stage_init(&stage, shape, flags);
		done = run_with_fault(&stage, number, n, forever);
		twin_fini(&stage.twin);
	}
	quick_assert(n > 1 || !operations[number].needs || shape.count < 7 ||
			     shape.width == 10 || (flags & UMAPLE_TREE_SERIAL),
		     "%s with %" PRIu64 " ranges allocated nothing",
		     operations[number].name, shape.count);
}

static bool is_many(operation *run)
{
	return run == erase_all || run == move_away || run == move_over_itself;
}

START_TEST(failed_write_changes_nothing)
{
	unsigned int flags = twin_flags[_i % TWIN_FLAGS];
	int number = _i / TWIN_FLAGS;

	if (operations[number].gaps && !(flags & UMAPLE_TREE_GAPS))
		return;
	for (unsigned int i = 0; i < SHAPES; i++) {
		/* Many writes in one fail as many times: small trees only. */
		if (is_many(operations[number].run) && shapes[i].count > 41)
			continue;
		fail_each_allocation(number, shapes[i], flags, false);
		fail_each_allocation(number, shapes[i], flags, true);
	}
}
END_TEST

/* Case T30: erase said that it had erased, but had no memory to do it. */
START_TEST(erase_without_memory_keeps_the_entry)
{
	static const uint64_t counts[] = { 7, 40, 300, 2500 };
	struct umaple_range ret = { 1, 2, NULL };
	struct stage stage;

	/* one leaf, and trees of two to four levels */
	stage_init(&stage, (struct shape){ counts[_i % 4], 5 },
		   _i / 4 ? UMAPLE_TREE_GAPS : 0);
	umaple_fault_set(0, true);
	ck_assert_int_eq(umaple_erase(&stage.twin.tree, 33, &ret), -ENOMEM);
	ck_assert(umaple_fault_fired());
	umaple_fault_set(-1, false);
	ck_assert_uint_eq(ret.first, 1);
	ck_assert_ptr_eq(umaple_load(&stage.twin.tree, 33), value(3));
	twin_compare(&stage.twin);
	twin_erase(&stage.twin, 33);
	twin_compare(&stage.twin);
	twin_fini(&stage.twin);
}
END_TEST

/* Case T32: each allocation of a copy fails. */
START_TEST(failed_copy_leaves_nothing)
{
	struct stage stage;
	long n = 0;

	stage_init(&stage, (struct shape){ 1500, 5 }, twin_flags[_i]);
	for (;; n++) {
		struct twin copy;
		int error;

		twin_init(&copy, twin_flags[_i]);
		umaple_fault_set(n, n % 2);
		error = umaple_tree_dup(&copy.tree, &stage.twin.tree);
		umaple_fault_set(-1, false);
		ck_assert(error == 0 || error == -ENOMEM);
		if (!error)
			model_copy(&copy.model, &stage.twin.model);
		twin_compare(&copy);
		twin_fini(&copy);
		if (!error)
			break;
	}
	ck_assert_int_gt(n, 0);
	twin_compare(&stage.twin);
	twin_fini(&stage.twin);
}
END_TEST

/* Reading allocates nothing, and destroying cannot fail. */
START_TEST(reads_and_destruction_work_without_memory)
{
	struct stage stage;
	struct twin *twin = &stage.twin;

	stage_init(&stage, (struct shape){ 300, 5 }, twin_flags[_i]);
	umaple_fault_set(0, true);
	twin_load(twin, 103);
	twin_find(twin, 107, MAX);
	twin_next(twin, 107, MAX);
	twin_prev(twin, 107, 0);
	twin_check(twin);
	ck_assert(!umaple_fault_fired());
	/* What it asks for, to queue nodes, it can do without. */
	twin_clear(twin);
	umaple_fault_set(-1, false);
	twin_compare(twin);
	twin_fini(twin);
}
END_TEST

/* The cache that trees use by themselves is made by the first store. */
START_TEST(first_store_of_a_process_may_fail)
{
	struct umaple_tree tree;
	int error;

	umaple_tree_init(&tree, 0);
	for (long n = 0;; n++) {
		umaple_fault_set(n, false);
		error = umaple_store(&tree, 5, value(1));
		umaple_fault_set(-1, false);
		if (!error)
			break;
		ck_assert_int_eq(error, -ENOMEM);
		ck_assert(umaple_tree_is_empty(&tree));
		ck_assert_int_lt(n, 1000);
	}
	ck_assert_ptr_eq(umaple_load(&tree, 5), value(1));
	umaple_tree_destroy(&tree);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("fault.tree");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, failed_write_changes_nothing, 0,
			    OPERATIONS * TWIN_FLAGS);
	tcase_add_loop_test(tc, erase_without_memory_keeps_the_entry, 0, 8);
	tcase_add_loop_test(tc, failed_copy_leaves_nothing, 0, TWIN_FLAGS);
	tcase_add_loop_test(tc, reads_and_destruction_work_without_memory, 0,
			    TWIN_FLAGS);
	tcase_add_test(tc, first_store_of_a_process_may_fail);
	suite_add_tcase(s, tc);
}
