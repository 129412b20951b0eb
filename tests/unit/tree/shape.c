/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <umaple/debug.h>

#include "quick.h"
#include "spy.h"

void *shape_entry(uint64_t k)
{
	return (void *)(uintptr_t)(0x10000 + k);
}

/* -- from text to tree ------------------------------------------------------ */

/* One level under construction, and what the level above needs of it. */
struct row {
	size_t nr;
	struct node *node[SHAPE_NODES];
	uint64_t last[SHAPE_NODES];
	uint64_t gap[SHAPE_NODES];
};

struct builder {
	struct twin *twin;
	unsigned int level;
	uint64_t nr_slots;   /* of all leaves */
	uint64_t leaf_slots; /* that exist already */
	size_t used;	     /* nodes of the row below that have a parent */
	struct row *below;
	struct row *row;
};

/* "5*3": how often, and where the word ends. */
static unsigned long word_repeat(const char *word, size_t *ret_length)
{
	size_t length = strcspn(word, " /");
	const char *star = memchr(word, '*', length);

	*ret_length = length;
	return star ? strtoul(star + 1, NULL, 10) : 1;
}

/* Slots of the node that a word describes. */
static unsigned int word_slots(const char *word)
{
	if (*word == 'x' || *word == '.')
		return (unsigned int)strspn(word, "x.");
	return (unsigned int)strtoul(word, NULL, 10);
}

static bool word_is_hole(const char *word, unsigned int i)
{
	return (*word == 'x' || *word == '.') && word[i] == '.';
}

/* Set slot @i, the last one so far: where it ends, what it holds. */
static void node_put(struct node *node, unsigned int i, uint64_t last,
		     void *slot)
{
	if (i + 1 < node_capacity(node->gapped))
		node_pivots(node)[i] = last;
	node_slots(node)[i] = slot;
	node->count = (uint8_t)(i + 1);
}

static uint64_t put_leaf_slot(struct builder *b, struct node *leaf,
			      unsigned int i, bool hole)
{
	uint64_t k = b->leaf_slots++;
	uint64_t first = k * SHAPE_STEP;
	uint64_t last =
		k + 1 < b->nr_slots ? first + SHAPE_STEP - 1 : UINT64_MAX;

	node_put(leaf, i, last, hole ? NULL : shape_entry(k));
	if (!hole)
		model_store_range(&b->twin->model, first, last, shape_entry(k));
	return last;
}

static uint64_t put_child(struct builder *b, struct node *node, unsigned int i)
{
	size_t child = b->used++;

	quick_assert(child < b->below->nr, "a child too few");
	node_put(node, i, b->below->last[child], b->below->node[child]);
	if (node->gapped)
		node->gap.gap[i] = b->below->gap[child];
	return b->below->last[child];
}

static void build_node(struct builder *b, const char *word)
{
	struct umaple_tree *tree = &b->twin->tree;
	struct node *node = umaple_cache_alloc(tree->cache_);
	uint64_t min = b->row->nr ? b->row->last[b->row->nr - 1] + 1 : 0;
	unsigned int count = word_slots(word), i;
	uint64_t last = 0;

	quick_assert(node && b->row->nr < SHAPE_NODES, "no room for a node");
	memset(node, 0, sizeof(*node));
	node_init(node, b->level, tree_level_gapped(tree, b->level));
	quick_assert(count <= node_capacity(node->gapped), "%u slots", count);
	for (i = 0; i < count; i++)
		last = b->level ? put_child(b, node, i)
				: put_leaf_slot(b, node, i,
						word_is_hole(word, i));
	for (i = count - 1; i + 1 < node_capacity(node->gapped); i++)
		node_pivots(node)[i] = UINT64_MAX;
	b->row->node[b->row->nr] = node;
	b->row->last[b->row->nr] = last;
	if (tree_has_gaps(tree))
		b->row->gap[b->row->nr] = umaple_gap_of(node, min, last);
	b->row->nr++;
}

/* Build the level that the text up to the next '/' describes. */
static void build_level(struct builder *b, const char *text)
{
	unsigned long repeat;
	struct row *done;
	size_t length;

	b->row->nr = 0;
	b->used = 0;
	for (;;) {
		for (repeat = word_repeat(text, &length); repeat; repeat--)
			build_node(b, text);
		if (text[length] != ' ')
			break;
		text += length + 1;
	}
	if (b->level)
		ck_assert_uint_eq(b->used, b->below->nr);
	done = b->row;
	b->row = b->below;
	b->below = done;
	b->level++;
}

static uint64_t count_leaf_slots(const char *text)
{
	uint64_t nr = 0;
	unsigned long repeat;
	size_t length;

	for (;; text += length + 1) {
		repeat = word_repeat(text, &length);
		nr += repeat * word_slots(text);
		if (!text[length])
			return nr;
	}
}

void shape_build(struct twin *twin, const char *shape)
{
	static struct row rows[2];
	const char *start = shape + strlen(shape);
	struct builder b = {
		.twin = twin,
		.below = &rows[0],
		.row = &rows[1],
	};
	char text[128] = "";

	do {
		/* The last level that is not built yet. */
		while (start > shape && start[-1] != '/')
			start--;
		if (!b.level)
			b.nr_slots = count_leaf_slots(start);
		build_level(&b, start);
	} while (start-- > shape);
	ck_assert_uint_eq(b.below->nr, 1);
	umaple_publish_root(&twin->tree, b.below->node[0], b.level);
	umaple_publish_done(&twin->tree);
	ck_assert_msg(!umaple_tree_check(&twin->tree, text, sizeof(text)),
		      "%s: %s", shape, text);
}

void shape_set_up(struct twin *twin, unsigned int flags, const char *shape)
{
	spy_reset();
	twin_init(twin, flags);
	if (*shape)
		shape_build(twin, shape);
	spy_reset();
}

/* -- from tree to text ------------------------------------------------------ */

struct node *shape_root(const struct umaple_tree *tree)
{
	return root_node(tree_root(tree));
}

size_t shape_level(const struct umaple_tree *tree, unsigned int level,
		   struct node *nodes[SHAPE_NODES])
{
	struct node *above[SHAPE_NODES];
	void *root = tree_root(tree);
	size_t nr_above, nr = 0, i;

	if (level >= root_height(root))
		return 0;
	if (level + 1 == root_height(root)) {
		nodes[0] = root_node(root);
		return 1;
	}
	nr_above = shape_level(tree, level + 1, above);
	for (i = 0; i < nr_above; i++) {
		quick_assert(nr + above[i]->count <= SHAPE_NODES,
			     "too many nodes");
		memcpy(nodes + nr, node_slots(above[i]),
		       above[i]->count * sizeof(*nodes));
		nr += above[i]->count;
	}
	return nr;
}

struct node *shape_leaf(const struct umaple_tree *tree, size_t place)
{
	struct node *nodes[SHAPE_NODES];

	ck_assert_uint_lt(place, shape_level(tree, 0, nodes));
	return nodes[place];
}

/* The word for one node. */
static void spell_node(struct node *node, char word[NODE_SLOTS + 1])
{
	bool holes = false;
	unsigned int i;

	for (i = 0; i < node->count; i++) {
		bool hole = !node->level && !node->plain.slot[i];

		word[i] = hole ? '.' : 'x';
		holes |= hole;
	}
	word[i] = '\0';
	if (!holes)
		snprintf(word, NODE_SLOTS + 1, "%u", node->count);
}

static void spell_level(FILE *out, struct node **nodes, size_t nr)
{
	char word[NODE_SLOTS + 1], other[NODE_SLOTS + 1];
	size_t i, same;

	for (i = 0; i < nr; i += same) {
		spell_node(nodes[i], word);
		for (same = 1; i + same < nr; same++) {
			spell_node(nodes[i + same], other);
			if (strcmp(word, other))
				break;
		}
		fprintf(out, i ? " %s" : "%s", word);
		if (same > 1)
			fprintf(out, "*%zu", same);
	}
}

const char *shape_of(const struct umaple_tree *tree)
{
	static char text[4096];
	struct node *nodes[SHAPE_NODES];
	unsigned int level = root_height(tree_root(tree));
	FILE *out = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(out);
	text[0] = '\0';
	while (level--) {
		spell_level(out, nodes, shape_level(tree, level, nodes));
		if (level)
			fputc('/', out);
	}
	fclose(out);
	return text;
}
