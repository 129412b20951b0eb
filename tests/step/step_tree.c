/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * A writer stopped after every instruction.
 *
 * A child does one write to a tree in shared memory, one instruction at a time;
 * after each, its parent looks at the tree in every way a reader can
 * (step/watch.h).  So every state between two instructions is seen, in program
 * order; nothing is shown about CPUs that reorder.
 *
 * Restartable sequences never commit in a child that is stepped, and cost many
 * instructions until they give up: only some of the random writes use them.
 */

#include <inttypes.h>
#include <stdio.h>

#include <umaple/cache.h>
#include <umaple/debug.h>

#include "cache/cache_priv.h"
#include "harness.h"
#include "model.h"
#include "quick.h"
#include "shared.h"
#include "stepper.h"
#include "watch.h"

const char *const suite_name = "step.tree";

#define MAX_RANGES 320
#define DENSE	   (2 * MAX_RANGES + 20) /* no range starts above */
#define RANDOM	   16

/* The linker lets the library call this for its check after each write. */
int __wrap_umaple_tree_check(const struct umaple_tree *tree, char *text,
			     size_t size);
int __real_umaple_tree_check(const struct umaple_tree *tree, char *text,
			     size_t size);

/* Thousands of instructions that only read: not worth stopping at. */
int __wrap_umaple_tree_check(const struct umaple_tree *tree, char *text,
			     size_t size)
{
	if (step_is_acting())
		return 0;
	return __real_umaple_tree_check(tree, text, size);
}

enum kind {
	STORE,
	STORE_NULL,
	ERASE,
	INSERT,
	REPLACE,
	MERGE,
	MOVE,
	BUILD,
	DUP,
	DESTROY,
	PREALLOC
};

#define LAST (2 * MAX_RANGES)
#define ANY  2

/*
 * One write to a tree of ranges [0, 1], [2, 3] and so on, each fourth a hole if
 * @holes.  @height: whether the tree will be higher (1) or lower (-1), if that does
 * not depend on its kind.
 */
struct write {
	const char *name;
	unsigned int ranges;
	unsigned int fill; /* per cent of each node */
	bool holes;
	enum kind kind;
	uint64_t first;
	uint64_t last;
	uint64_t to; /* of MOVE */
	int height;
};

static const struct write writes[] = {
	{ "first_entry", 0, 0, false, STORE, 7, 9, 0, 1 },
	{ "exact_fit", 60, 100, false, STORE, 50, 51, 0, 0 },
	{ "exact_fit_high_tree", 300, 100, true, STORE, 304, 305, 0, 0 },
	{ "exact_fit_to_hole", 60, 100, false, STORE_NULL, 50, 51, 0, 0 },
	{ "hole_filled", 300, 70, true, INSERT, 302, 303, 0, 0 },
	{ "holes_meet", 60, 70, true, ERASE, 60, 60, 0, 0 },
	{ "one_leaf", 60, 70, false, STORE, 50, 50, 0, 0 },
	{ "one_leaf_shrinks", 60, 100, false, STORE, 40, 45, 0, 0 },
	{ "root_leaf", 4, 100, true, STORE, 3, 4, 0, 0 },
	{ "root_growth", 15, 100, false, STORE, 10, 10, 0, 1 },
	{ "root_growth_high", 255, 100, false, STORE, 200, 200, 0, ANY },
	{ "root_growth_gaps", 159, 100, false, STORE, 200, 200, 0, ANY },
	{ "sibling_takes_a_share", 60, 75, false, PREALLOC, 61, 62, 0, 0 },
	{ "split", 60, 100, false, STORE, 60, 60, 0, 0 },
	{ "split_high_tree", 300, 80, true, STORE, 301, 301, 0, 0 },
	{ "split_of_a_split", 300, 100, true, STORE, 301, 301, 0, 0 },
	{ "split_at_first_slot", 63, 100, false, STORE, 32, 32, 0, 0 },
	{ "split_at_last_slot", 63, 100, false, STORE, 31, 31, 0, 0 },
	{ "append", 300, 100, false, STORE, 600, 601, 0, 0 },
	{ "append_at_the_end", 60, 100, true, STORE, 200, UINT64_MAX, 0, 0 },
	{ "prepend", 60, 100, false, STORE, 0, 0, 0, 0 },
	{ "rebalance", 60, 60, false, STORE, 40, 49, 0, 0 },
	{ "merge_of_leaves", 60, 50, true, STORE, 40, 50, 0, ANY },
	{ "two_leaves", 300, 70, false, STORE, 275, 300, 0, 0 },
	{ "leaves_from_first_slot", 63, 100, false, STORE, 32, 80, 0, ANY },
	{ "leaves_to_last_slot", 63, 100, false, STORE_NULL, 9, 63, 0, ANY },
	{ "many_leaves", 300, 70, true, STORE, 101, 260, 0, 0 },
	{ "subtrees", 300, 70, true, STORE, 21, 560, 0, ANY },
	{ "subtrees_to_hole", 300, 100, true, STORE_NULL, 21, 560, 0, ANY },
	{ "everything_by_one", 300, 100, false, STORE, 0, UINT64_MAX, 0, -1 },
	{ "everything_by_none", 300, 100, false, STORE_NULL, 0, UINT64_MAX, 0,
	  -1 },
	{ "last_entry", 1, 100, false, ERASE, 0, 0, 0, -1 },
	{ "replace", 60, 80, false, REPLACE, 33, 33, 0, 0 },
	{ "merge", 60, 80, false, MERGE, 30, 33, 0, 0 },
	{ "merge_over_leaves", 300, 80, true, MERGE, 30, 333, 0, ANY },
	{ "move_to_hole", 300, 90, true, MOVE, 100, 119, 630, 0 },
	{ "move_over_entries", 300, 90, true, MOVE, 101, 131, 402, 0 },
	{ "move_up_a_little", 60, 90, true, MOVE, 20, 44, 25, 0 },
	{ "move_down_a_little", 60, 90, true, MOVE, 20, 44, 13, 0 },
	{ "move_nowhere", 60, 90, true, MOVE, 20, 22, 20, 0 },
	{ "build", 100, 80, true, BUILD, 0, LAST, 0, 1 },
	{ "dup", 100, 80, true, DUP, 0, LAST, 0, 1 },
	{ "destroy", 100, 80, true, DESTROY, 0, LAST, 0, -1 },
};
#define WRITES ((int)(sizeof(writes) / sizeof(writes[0])))

static const unsigned int flag_sets[] = { 0, UMAPLE_TREE_GAPS,
					  UMAPLE_TREE_EXTERNAL_LOCK };

struct scene {
	struct write write;
	struct umaple_tree *tree;   /* what is watched */
	struct umaple_tree *source; /* of DUP */
	struct umaple_cache *cache;
	struct umaple_cursor cursor; /* of PREALLOC */
	struct model before;
	struct model after;
	struct model full; /* what BUILD and DUP make */
	struct watch watch;
};

static void *entry_of(uint64_t i)
{
	return (void *)(uintptr_t)(0x10000 + 16 * i);
}

#define NEW_ENTRY ((void *)(uintptr_t)0xabc0)

static void fill_model(struct model *model, const struct write *write)
{
	for (uint64_t i = 0; i < write->ranges; i++)
		if (!write->holes || i % 4 != 3)
			model_store_range(model, 2 * i, 2 * i + 1, entry_of(i));
}

/* What MERGE stores: the same as its lower neighbour, mostly. */
static void *merge_entry(const struct scene *scene)
{
	void *entry = model_load(&scene->before, scene->write.first - 1);

	return entry ? entry : NEW_ENTRY;
}

/* -- the write, twice: to the tree in the child, to the model in the parent ------ */

static int write_tree(void *arg)
{
	struct scene *scene = arg;
	const struct write *write = &scene->write;
	struct umaple_tree *tree = scene->tree;
	uint64_t first = write->first, last = write->last;

	switch (write->kind) {
	case STORE:
		return umaple_store_range(tree, first, last, NEW_ENTRY);
	case STORE_NULL:
		return umaple_store_range(tree, first, last, NULL);
	case ERASE:
		return umaple_erase(tree, first, NULL);
	case INSERT:
		return umaple_insert_range(tree, first, last, NEW_ENTRY);
	case REPLACE:
		return umaple_replace(tree, first, umaple_load(tree, first),
				      NEW_ENTRY);
	case MERGE:
		return umaple_store_merge(tree, first, last, merge_entry(scene),
					  NULL, NULL);
	case MOVE:
		return umaple_move_range(tree, first, last, write->to);
	case BUILD:
		return umaple_tree_build(tree, scene->full.ranges,
					 scene->full.count, write->fill);
	case DUP:
		return umaple_tree_dup(tree, scene->source);
	case DESTROY:
		umaple_tree_destroy(tree);
		return 0;
	default: /* PREALLOC; what was got in advance came through the fork */
		umaple_lock(tree);
		int error =
			umaple_cursor_store_prealloc(&scene->cursor, NEW_ENTRY);
		umaple_unlock(tree);
		return error;
	}
}

/* The cache's thread, and a sheaf for what is freed, are there when it begins. */
static int warm_up(void *arg)
{
	struct umaple_cache *cache = ((struct scene *)arg)->cache;
	void *node = umaple_cache_alloc(cache);

	umaple_cache_free_rcu(cache, node);
	return !node;
}

static void write_model(struct scene *scene)
{
	const struct write *write = &scene->write;
	struct model *model = &scene->after;
	uint64_t first = write->first, last = write->last;
	struct umaple_range at;

	model_copy(model, &scene->before);
	switch (write->kind) {
	case STORE_NULL:
	case DESTROY:
		model_store_range(model, first, last, NULL);
		break;
	case ERASE:
		model_erase(model, first);
		break;
	case REPLACE:
		at = model_at(model, first);
		model_store_range(model, at.first, at.last, NEW_ENTRY);
		break;
	case MERGE:
		model_store_merge(model, first, last, merge_entry(scene));
		break;
	case MOVE:
		model_move_range(model, first, last, write->to);
		break;
	case BUILD:
	case DUP:
		model_copy(model, &scene->full);
		break;
	default:
		model_store_range(model, first, last, NEW_ENTRY);
		break;
	}
}

/* -- the scene ---------------------------------------------------------------- */

static struct umaple_tree *new_tree(struct scene *scene, unsigned int flags,
				    const struct model *model)
{
	struct umaple_tree *tree = shared_alloc(sizeof(*tree));

	ck_assert_int_eq(umaple_tree_init_cache(tree, flags, scene->cache), 0);
	ck_assert_int_eq(umaple_tree_build(tree, model->ranges, model->count,
					   scene->write.fill),
			 0);
	return tree;
}

static void scene_init(struct scene *scene, const struct write *write,
		       unsigned int flags, bool rseq)
{
	struct umaple_cache_attr attr = {
		.size = 256,
		.align = 256,
		.name = "step",
	};

	*scene = (struct scene){ .write = *write };
	ck_assert_int_eq(umaple_cache_create_form(&attr, rseq, &scene->cache),
			 0);
	/* Memory that both processes have has to be there before the fork. */
	umaple_cache_free(scene->cache, umaple_cache_alloc(scene->cache));
	fill_model(&scene->full, write);
	if (write->kind == DUP)
		scene->source = new_tree(scene, flags, &scene->full);
	else if (write->kind != BUILD)
		model_copy(&scene->before, &scene->full);
	scene->tree = new_tree(scene, flags, &scene->before);
	if (write->kind == PREALLOC) {
		umaple_cursor_init(&scene->cursor, scene->tree, write->first,
				   write->last);
		ck_assert_int_eq(
			umaple_cursor_prealloc(&scene->cursor, NEW_ENTRY), 0);
	}
	write_model(scene);
}

/* The tree's nodes stay: the child has used them. */
static void scene_fini(struct scene *scene)
{
	umaple_cursor_finish(&scene->cursor);
	model_free(&scene->before);
	model_free(&scene->after);
	model_free(&scene->full);
}

static void look(void *arg, bool finished)
{
	watch_look(&((struct scene *)arg)->watch, finished);
}

static int height_of(const struct umaple_tree *tree)
{
	struct umaple_tree_info info;

	umaple_tree_measure(tree, &info);
	return (int)info.height;
}

/* Returns how much higher the tree has become. */
static int play(struct scene *scene)
{
	const struct write *write = &scene->write;
	int height = height_of(scene->tree);
	struct step_result result;
	char text[256] = "";

	/* Also holds up grace periods in the child, which inherits the section. */
	umaple_read_lock(scene->tree);
	watch_start(&scene->watch, scene->tree, &scene->before, &scene->after,
		    DENSE, write->first,
		    write->kind == MOVE ? write->to : write->last);
	result = step_through(warm_up, write_tree, look, scene);
	watch_stop(&scene->watch);
	umaple_read_unlock(scene->tree);

	fprintf(stderr, "%s: %lu instructions\n", write->name,
		result.instructions);
	ck_assert_int_eq(result.returned, 0);
	ck_assert_msg(!umaple_tree_check(scene->tree, text, sizeof(text)), "%s",
		      text);
	return height_of(scene->tree) - height;
}

START_TEST(every_instruction_leaves_old_or_new)
{
	const struct write *write = &writes[_i % WRITES];
	struct scene scene;
	int grown;

	scene_init(&scene, write, flag_sets[_i / WRITES], false);
	grown = play(&scene);
	ck_assert_msg(write->height == ANY ||
			      (grown > 0) - (grown < 0) == write->height,
		      "%s: the tree grew by %d", write->name, grown);
	scene_fini(&scene);
}
END_TEST

/* -- at random ------------------------------------------------------------------ */

static struct write random_write(struct rng *rng)
{
	static const enum kind kinds[] = { STORE, STORE, STORE, STORE_NULL,
					   ERASE, MERGE, MOVE,	PREALLOC };
	struct write write = {
		.name = "random",
		.ranges = 1 + (unsigned int)rng_below(rng, MAX_RANGES - 1),
		.fill = 50 + (unsigned int)rng_below(rng, 51),
		.holes = rng_below(rng, 2),
		.kind = kinds[rng_below(rng, 8)],
	};
	uint64_t end = 2 * write.ranges + 4;
	uint64_t most = rng_below(rng, 2) ? 8 : write.kind == MOVE ? 60 : end;
	uint64_t length = 1 + rng_below(rng, most < end ? most : end);

	write.first = rng_below(rng, end - length + 1);
	write.last = write.first + length - 1;
	write.to = rng_below(rng, DENSE - length);
	if (write.kind == MERGE && !write.first)
		write.kind = STORE;
	return write;
}

START_TEST(any_write_leaves_old_or_new)
{
	unsigned int flags = flag_sets[_i % 3];
	struct scene scene;
	struct write write;
	struct rng rng;

	rng_seed(&rng, test_seed() + (uint64_t)_i);
	write = random_write(&rng);
	if (flags & UMAPLE_TREE_EXTERNAL_LOCK && write.kind == PREALLOC)
		write.kind = STORE;
	fprintf(stderr,
		"kind %d, %u ranges, fill %u, holes %d: [%" PRIu64 ", %" PRIu64
		"] to %" PRIu64 "\n",
		(int)write.kind, write.ranges, write.fill, write.holes,
		write.first, write.last, write.to);
	scene_init(&scene, &write, flags, _i % 8 == 0);
	play(&scene);
	scene_fini(&scene);
}
END_TEST

void register_cases(Suite *s)
{
	TCase *tc = tcase_create("step.tree");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, every_instruction_leaves_old_or_new, 0,
			    2 * WRITES);
	tcase_add_loop_test(tc, any_write_leaves_old_or_new, 0,
			    (int)test_scaled(RANDOM));
	suite_add_tcase(s, tc);
}
