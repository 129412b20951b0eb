/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/rebuild.c - writes that change the number of nodes, or their ranges:
 * split, rebalance, merge, span, and a tree that grows or shrinks a level.
 *
 * They are one operation.  From the leaves up, each level is laid out flat: the
 * slots of the left path's node before the change, what takes the place of the
 * changed part (at the leaves, the new entry; higher up, the nodes made one
 * level below), the slots of the right path's node after it.  Then
 *
 *   - too few for a node: the neighbour on that level joins in, until there are
 *     enough or the level has no more nodes;
 *   - too many for a node: a sibling with room joins in, so that nodes fill up
 *     before new ones are made;
 *   - what is laid out fits one node, and replaces one node: that is the top of
 *     the change.  One store publishes it, and readers go from old to new;
 *   - else new nodes are made, and the change goes on one level up.
 *
 * A level on which one child (or one hole) is all that is left vanishes: the tree
 * has become lower, or empty.  Several children above the root make it higher.
 *
 * Nodes come from a sheaf that is filled before anything is done, with the most
 * that the loop can use: two a level when the change is within one leaf (at most
 * 18 + 16 slots are laid out), three when it spans (at most 15 + 3 + 15), and a
 * new root.  doc/tree.md has the figures and the arithmetic.
 *
 * Locks: the tree's lock is held.  On -ENOMEM nothing has changed.
 */

#include <errno.h>
#include <string.h>

#include "tree/tree_priv.h"

/* Most slots that are ever laid out: two nodes, what joins, what is new. */
#define FLAT_SLOTS 40

/* Most nodes made on one level. */
#define MADE_MAX 3

/*
 * A sibling takes part in an overflow only if this many slots stay free in the
 * two: with less, the next store would overflow again.  At 4, random order fills
 * nodes better (33.4 bytes per range against 34.7, ranges with a hole
 * after every second) but builds 10 % slower; from 8 on, nothing is won.
 */
#define SHARE_SLACK 6

/*
 * Two nodes become one only if this many slots stay free in it; else they share
 * evenly.  Otherwise one range that comes and goes at a full node splits it and
 * merges it again each time.
 */
#define MERGE_SLACK 3

/* One level, laid out flat. */
struct flat {
	unsigned int nr;
	unsigned int focus; /* first slot that is new */
	unsigned int fresh; /* how many are */
	bool thin;	    /* there were too few, and neighbours have joined */
	uint64_t last[FLAT_SLOTS];
	void *slot[FLAT_SLOTS];
	uint64_t gap[FLAT_SLOTS];
};

/* What one level hands to the next: nodes that take the place of old ones. */
struct made {
	unsigned int nr;
	unsigned int level; /* of the nodes */
	struct node *node[MADE_MAX];
	uint64_t last[MADE_MAX];
	uint64_t gap[MADE_MAX];
};

struct rebuild {
	struct edit *edit;	   /* its paths stay as planned */
	struct umaple_path_ left;  /* these move outwards as neighbours join */
	struct umaple_path_ right; /* ... */
	struct umaple_sheaf *sheaf;
	struct made made;
	struct flat flat;
	unsigned int nr_dead;
	struct node *dead[6 * UMAPLE_MAX_HEIGHT];
};

/* -- laying a level out ---------------------------------------------------- */

static void flat_add(struct flat *flat, uint64_t last, void *slot, uint64_t gap)
{
	UMAPLE_ASSERT(flat->nr < FLAT_SLOTS);
	flat->last[flat->nr] = last;
	flat->slot[flat->nr] = slot;
	flat->gap[flat->nr++] = gap;
}

/* Slots [@from, @until) of the node at one level of a path. */
static void flat_add_slots(struct flat *flat, const struct umaple_level_ *at,
			   unsigned int from, unsigned int until)
{
	struct node *node = at->node;
	unsigned int i;

	for (i = from; i < until; i++)
		flat_add(flat, node_slot_last(node, i, at->max),
			 node_slots(node)[i],
			 node->gapped ? node->gap.gap[i] : 0);
}

static void flat_prepend_node(struct flat *flat, const struct umaple_level_ *at)
{
	struct node *node = at->node;
	unsigned int nr = flat->nr, by = node->count;

	UMAPLE_ASSERT(nr + by <= FLAT_SLOTS);
	memmove(flat->last + by, flat->last, nr * sizeof(flat->last[0]));
	memmove(flat->slot + by, flat->slot, nr * sizeof(flat->slot[0]));
	memmove(flat->gap + by, flat->gap, nr * sizeof(flat->gap[0]));
	flat->nr = 0;
	flat_add_slots(flat, at, 0, by);
	flat->nr = nr + by;
	flat->focus += by;
}

static void lay_out_leaves(struct rebuild *rb)
{
	const struct edit *edit = rb->edit;
	struct flat *flat = &rb->flat;
	struct umaple_level_ *left = &rb->left.at[0];
	struct umaple_level_ *right = &rb->right.at[0];

	flat_add_slots(flat, left, 0, left->slot);
	if (edit->keep_left)
		flat_add(flat, edit->first - 1, path_entry(&rb->left), 0);
	flat->focus = flat->nr;
	flat->fresh = 1;
	flat_add(flat, edit->last, edit->entry, 0);
	if (edit->keep_right)
		flat_add(flat, path_slot_last(&rb->right, 0),
			 path_entry(&rb->right), 0);
	flat_add_slots(flat, right, right->slot + 1,
		       path_node(&rb->right, 0)->count);
}

static void lay_out_inner(struct rebuild *rb, unsigned int level)
{
	struct flat *flat = &rb->flat;
	struct umaple_level_ *left = &rb->left.at[level];
	struct umaple_level_ *right = &rb->right.at[level];
	unsigned int i;

	flat_add_slots(flat, left, 0, left->slot);
	flat->focus = flat->nr;
	flat->fresh = rb->made.nr;
	for (i = 0; i < rb->made.nr; i++)
		flat_add(flat, rb->made.last[i], rb->made.node[i],
			 rb->made.gap[i]);
	flat_add_slots(flat, right, right->slot + 1,
		       path_node(&rb->right, level)->count);
}

/* -- neighbours that join --------------------------------------------------- */

static void add_dead(struct rebuild *rb, struct node *node)
{
	unsigned int i;

	/* The paths meet, and part again: each node once. */
	for (i = rb->nr_dead; i && rb->dead[i - 1]->level == node->level; i--)
		if (rb->dead[i - 1] == node)
			return;
	UMAPLE_ASSERT(rb->nr_dead < ARRAY_SIZE(rb->dead));
	rb->dead[rb->nr_dead++] = node;
}

static void join_prev(struct rebuild *rb, unsigned int level)
{
	umaple_path_prev(&rb->left, level);
	flat_prepend_node(&rb->flat, &rb->left.at[level]);
	add_dead(rb, path_node(&rb->left, level));
}

static void join_next(struct rebuild *rb, unsigned int level)
{
	struct umaple_level_ *at = &rb->right.at[level];

	umaple_path_next(&rb->right, level);
	flat_add_slots(&rb->flat, at, 0, path_node(&rb->right, level)->count);
	add_dead(rb, path_node(&rb->right, level));
}

/* The sibling before the left node under the same parent, or NULL. */
static struct node *sibling_prev(const struct rebuild *rb, unsigned int level)
{
	const struct umaple_level_ *above = &rb->left.at[level + 1];

	if (level + 1 == rb->left.height || !above->slot)
		return NULL;
	return node_slots(above->node)[above->slot - 1];
}

/* The sibling after the right node under the same parent, or NULL. */
static struct node *sibling_next(const struct rebuild *rb, unsigned int level)
{
	const struct umaple_level_ *above = &rb->right.at[level + 1];
	struct node *parent = above->node;

	if (level + 1 == rb->right.height || above->slot + 1u >= parent->count)
		return NULL;
	return node_slots(parent)[above->slot + 1];
}

/* Is all of this level laid out? */
static bool level_is_whole(const struct rebuild *rb, unsigned int level)
{
	return !umaple_path_turn_prev(&rb->left, level) &&
	       !umaple_path_turn_next(&rb->right, level);
}

/* Too few slots: a neighbour joins, a sibling if there is one. */
static void join_any(struct rebuild *rb, unsigned int level)
{
	if (sibling_prev(rb, level))
		join_prev(rb, level);
	else if (sibling_next(rb, level))
		join_next(rb, level);
	else if (umaple_path_turn_prev(&rb->left, level))
		join_prev(rb, level);
	else
		join_next(rb, level);
}

/* Do new slots stand at the end (start) of what is laid out? */
static bool flat_is_append(const struct flat *flat)
{
	return flat->focus + flat->fresh + 1 >= flat->nr;
}

static bool flat_is_prepend(const struct flat *flat)
{
	return flat->focus <= 1;
}

/*
 * Too many slots for one node: the emptier sibling joins if it has room.  Where
 * indices come in order nothing will be stored into the sibling any more, and it
 * is filled to the last slot.
 */
static void join_for_room(struct rebuild *rb, unsigned int level,
			  unsigned int capacity)
{
	struct node *prev = sibling_prev(rb, level);
	struct node *next = sibling_next(rb, level);
	unsigned int need = rb->flat.nr;

	if (prev && flat_is_append(&rb->flat))
		next = NULL;
	else if (next && flat_is_prepend(&rb->flat))
		prev = NULL;
	else
		need += SHARE_SLACK;
	if (prev && (!next || prev->count <= next->count)) {
		if (prev->count + need <= 2 * capacity)
			join_prev(rb, level);
	} else if (next && next->count + need <= 2 * capacity) {
		join_next(rb, level);
	}
}

/* -- making nodes ------------------------------------------------------------ */

/* Fill a node with @nr slots of the flat level, from @at on. */
static void node_fill(struct node *node, const struct flat *flat,
		      unsigned int at, unsigned int nr)
{
	unsigned int capacity = node_capacity(node->gapped);
	uint64_t *pivot = node_pivots(node);
	void **slot = node_slots(node);
	unsigned int i;

	memcpy(pivot, flat->last + at, (nr - 1) * sizeof(*pivot));
	memcpy(slot, flat->slot + at, nr * sizeof(*slot));
	for (i = nr - 1; i < capacity - 1; i++)
		pivot[i] = UINT64_MAX;
	for (i = nr; i < capacity; i++)
		slot[i] = NULL;
	if (node->gapped) {
		memcpy(node->gap.gap, flat->gap + at,
		       nr * sizeof(flat->gap[0]));
		memset(node->gap.gap + nr, 0,
		       (capacity - nr) * sizeof(flat->gap[0]));
	}
	node->count = (uint8_t)nr;
}

static struct node *make_node(struct rebuild *rb, unsigned int level,
			      unsigned int at, unsigned int nr)
{
	struct node *node =
		umaple_cache_take(tree_cache(rb->edit->tree), rb->sheaf);

	node_init(node, level, tree_level_gapped(rb->edit->tree, level));
	node->draft = rb->edit->tree->draft_ != NULL;
	node_fill(node, &rb->flat, at, nr);
	return node;
}

/*
 * How many slots each new node gets.  Evenly, unless what is new stands at one
 * end: indices that come in order are to leave full nodes behind them.
 */
static unsigned int split_sizes(const struct flat *flat, unsigned int capacity,
				unsigned int minimum, unsigned int *size)
{
	unsigned int room = flat->nr + (flat->thin ? MERGE_SLACK : 0);
	unsigned int nr = (room + capacity - 1) / capacity;
	unsigned int left = flat->nr, i, most;
	bool append = flat_is_append(flat);
	bool prepend = !append && flat_is_prepend(flat);

	for (i = 0; i < nr; i++) {
		most = left - minimum * (nr - 1 - i);
		if (append || prepend)
			size[i] = most < capacity ? most : capacity;
		else
			size[i] = (left + nr - 1 - i) / (nr - i);
		left -= size[i];
	}
	if (prepend && nr > 1) {
		most = size[0];
		size[0] = size[nr - 1];
		size[nr - 1] = most;
	}
	return nr;
}

/* Cut the flat level into nodes, for the level above to take over. */
static void make_nodes(struct rebuild *rb, unsigned int level)
{
	bool gapped = tree_level_gapped(rb->edit->tree, level);
	unsigned int size[MADE_MAX + 1], i, at = 0;
	uint64_t min = rb->left.at[level].min;
	struct made *made = &rb->made;

	made->nr = split_sizes(&rb->flat, node_capacity(gapped),
			       node_minimum(gapped), size);
	made->level = level;
	UMAPLE_ASSERT(made->nr <= MADE_MAX);
	for (i = 0; i < made->nr; i++) {
		made->node[i] = make_node(rb, level, at, size[i]);
		at += size[i];
		made->last[i] = rb->flat.last[at - 1];
		made->gap[i] = tree_has_gaps(rb->edit->tree)
				       ? umaple_gap_of(made->node[i], min,
						       made->last[i])
				       : 0;
		min = made->last[i] + 1;
	}
}

/* -- one level, and the loop over them --------------------------------------- */

/* All nodes of this level that the change touches are replaced. */
static void level_dies(struct rebuild *rb, unsigned int level)
{
	add_dead(rb, path_node(&rb->left, level));
	add_dead(rb, path_node(&rb->right, level));
	add_dead(rb, path_node(rb->edit->left, level));
	add_dead(rb, path_node(&rb->edit->right, level));
}

/*
 * The top of the change: one node for one node of the same range.  A serial
 * tree's node is overwritten, unless it still names subtrees that are dropped.
 */
static void rebuild_top(struct rebuild *rb, unsigned int level)
{
	struct umaple_tree *tree = rb->edit->tree;

	if (node_is_ours(tree, path_node(&rb->left, level)) &&
	    edit_is_one_leaf(rb->edit)) {
		node_fill(path_node(&rb->left, level), &rb->flat, 0,
			  rb->flat.nr);
	} else {
		level_dies(rb, level);
		umaple_publish_node(tree, &rb->left, level,
				    make_node(rb, level, 0, rb->flat.nr));
	}
	if (tree_has_gaps(tree))
		umaple_gap_update(&rb->left, level);
}

/* Lay out a level and let join who must.  Sets whether all is in it. */
static bool rebuild_lay_out(struct rebuild *rb, unsigned int level)
{
	bool gapped = tree_level_gapped(rb->edit->tree, level);
	bool whole = level_is_whole(rb, level);

	rb->flat.nr = 0;
	rb->flat.thin = false;
	if (level)
		lay_out_inner(rb, level);
	else
		lay_out_leaves(rb);
	while (rb->flat.nr < node_minimum(gapped) && !whole) {
		rb->flat.thin = true;
		join_any(rb, level);
		whole = level_is_whole(rb, level);
	}
	if (rb->flat.nr > node_capacity(gapped) &&
	    path_node(&rb->left, level) == path_node(&rb->right, level))
		join_for_room(rb, level, node_capacity(gapped));
	return whole;
}

/* True when the change ends at this level. */
static bool rebuild_level(struct rebuild *rb, unsigned int level)
{
	bool whole = rebuild_lay_out(rb, level);
	bool gapped = tree_level_gapped(rb->edit->tree, level);
	bool vanishes =
		whole && rb->flat.nr <= 1 && (level || !rb->flat.slot[0]);

	if (!vanishes && rb->flat.nr <= node_capacity(gapped) &&
	    path_node(&rb->left, level) == path_node(&rb->right, level)) {
		rebuild_top(rb, level);
		return true;
	}
	level_dies(rb, level);
	if (!vanishes)
		make_nodes(rb, level);
	return false;
}

/* What is left above the highest level: the root, or what goes below a new one. */
static void rebuild_root(struct rebuild *rb)
{
	struct umaple_tree *tree = rb->edit->tree;
	struct made *made = &rb->made;
	unsigned int i;

	if (made->nr == 0) {
		umaple_publish_root(tree, NULL, 0);
	} else if (made->nr == 1) {
		umaple_publish_root(tree, made->node[0], made->level + 1);
	} else {
		rb->flat.nr = 0;
		for (i = 0; i < made->nr; i++)
			flat_add(&rb->flat, made->last[i], made->node[i],
				 made->gap[i]);
		umaple_publish_root(tree,
				    make_node(rb, made->level + 1, 0, made->nr),
				    made->level + 2);
	}
}

/* Subtrees between the two paths, below node @at: all that the range covers. */
static void retire_between(struct rebuild *rb, const struct umaple_level_ *at,
			   unsigned int from, unsigned int until)
{
	unsigned int i;

	for (i = from; i < until; i++)
		umaple_retire_subtree(rb->edit->tree, node_slots(at->node)[i]);
}

/* Old nodes go, from below @levels: subtrees first, as the nodes name them. */
static void rebuild_retire(struct rebuild *rb, unsigned int levels)
{
	const struct edit *edit = rb->edit;
	unsigned int level, i;

	for (level = 1; level < levels; level++) {
		const struct umaple_level_ *left = &edit->left->at[level];
		const struct umaple_level_ *right = &edit->right.at[level];
		unsigned int count = path_node(edit->left, level)->count;

		if (edit_is_one_leaf(edit))
			break;
		if (left->node == right->node) {
			retire_between(rb, left, left->slot + 1, right->slot);
			continue;
		}
		retire_between(rb, left, left->slot + 1, count);
		retire_between(rb, right, 0, right->slot);
	}
	for (i = 0; i < rb->nr_dead; i++)
		umaple_retire_node(edit->tree, rb->dead[i]);
}

static void rebuild_run(struct rebuild *rb)
{
	unsigned int height = rb->left.height, level = 0;

	while (level < height && !rebuild_level(rb, level))
		level++;
	if (level == height)
		rebuild_root(rb);
	umaple_publish_done(rb->edit->tree);
	if (rb->edit->tree->displaced_ && !edit_is_one_leaf(rb->edit))
		umaple_displaced_report_span(rb->edit);
	rebuild_retire(rb, level == height ? height : level + 1);
}

unsigned int umaple_write_most_nodes(const struct umaple_tree *tree)
{
	return MADE_MAX * root_height(tree_root(tree)) + 1;
}

int umaple_tree_rebuild(struct edit *edit)
{
	struct umaple_cache *cache = tree_cache(edit->tree);
	unsigned int a_level = edit_is_one_leaf(edit) ? MADE_MAX - 1 : MADE_MAX;
	unsigned int most = a_level * edit->left->height + 1;
	struct rebuild rb;

	if (edit->promised && umaple_cache_sheaf_count(edit->promised) < most)
		return -ESTALE;
	rb.sheaf = edit->promised ? edit->promised
				  : umaple_cache_prefill(cache, most);
	if (!rb.sheaf)
		return -ENOMEM;
	rb.edit = edit;
	umaple_edit_complete(edit);
	umaple_path_copy(&rb.left, edit->left);
	umaple_path_copy(&rb.right, &edit->right);
	rb.made.nr = 0;
	rb.nr_dead = 0;
	rebuild_run(&rb);
	if (!edit->promised)
		umaple_cache_return(cache, rb.sheaf);
	return 0;
}
