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
 *   - too few for a node: the neighbour on that level joins in, if there is one;
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
 * that the loop can use: two a level when the change is within one leaf (a sibling
 * joins if two nodes can hold it all), three when it spans (at most 15 + 3 + 15),
 * and a new root.  doc/tree.md has the figures and the arithmetic.
 *
 * Locks: the tree's lock is held.  On -ENOMEM nothing has changed.
 */

#include <errno.h>

#include "tree/flat.h"
#include "tree/tree_priv.h"

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
	bool thin; /* there were too few slots, and a neighbour has joined */
	unsigned int nr_dead;
	struct node *dead[6 * UMAPLE_MAX_HEIGHT];
	struct flat flat;
};

/* What is on a level between the parts of old nodes that stay. */
struct middle {
	unsigned int head;  /* slots that stay in the left node */
	unsigned int tail;  /* the first that stays in the right node */
	unsigned int fresh; /* new ones */
	unsigned int nr;    /* slots in all */
};

/* -- neighbours that join --------------------------------------------------- */

static void middle_make(struct middle *middle, const struct rebuild *rb,
			unsigned int level)
{
	const struct edit *edit = rb->edit;

	middle->head = rb->left.at[level].slot;
	middle->tail = rb->right.at[level].slot + 1;
	middle->fresh = rb->made.nr;
	if (!level) {
		middle->head += edit->keep_left;
		middle->tail -= edit->keep_right;
		middle->fresh = 1;
	}
	middle->nr = middle->head + middle->fresh +
		     path_node(&rb->right, level)->count - middle->tail;
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

/* Is all of this level between the two paths? */
static bool level_is_whole(const struct rebuild *rb, unsigned int level)
{
	return !umaple_path_turn_prev(&rb->left, level) &&
	       !umaple_path_turn_next(&rb->right, level);
}

enum join {
	JOIN_NONE,
	JOIN_PREV,
	JOIN_NEXT
};

/*
 * Too few slots: a neighbour joins, a sibling if there is one.  One will do, since
 * it has enough by itself.
 */
static enum join join_any(const struct rebuild *rb, unsigned int level)
{
	if (sibling_prev(rb, level))
		return JOIN_PREV;
	if (sibling_next(rb, level))
		return JOIN_NEXT;
	return umaple_path_turn_prev(&rb->left, level) ? JOIN_PREV : JOIN_NEXT;
}

/*
 * Too many slots for one node: the emptier sibling joins if it has room.  Where
 * indices come in order nothing will be stored into the sibling any more, and it
 * is filled to the last slot.
 */
static enum join join_for_room(const struct rebuild *rb, unsigned int level,
			       const struct middle *middle,
			       unsigned int capacity)
{
	struct node *prev = sibling_prev(rb, level);
	struct node *next = sibling_next(rb, level);
	unsigned int need = middle->nr;

	if (prev && flat_is_append(middle->head, middle->fresh, middle->nr))
		next = NULL;
	else if (next && flat_is_prepend(middle->head))
		prev = NULL;
	else
		need += SHARE_SLACK;
	if (prev && (!next || prev->count <= next->count))
		return prev->count + need <= 2 * capacity ? JOIN_PREV
							  : JOIN_NONE;
	return next && next->count + need <= 2 * capacity ? JOIN_NEXT
							  : JOIN_NONE;
}

/* Which neighbour joins on this level, if any? */
static enum join choose_join(struct rebuild *rb, unsigned int level,
			     const struct middle *middle)
{
	bool gapped = tree_level_gapped(rb->edit->tree, level);

	rb->thin =
		middle->nr < node_minimum(gapped) && !level_is_whole(rb, level);
	if (rb->thin)
		return join_any(rb, level);
	if (middle->nr > node_capacity(gapped) &&
	    path_node(&rb->left, level) == path_node(&rb->right, level))
		return join_for_room(rb, level, middle, node_capacity(gapped));
	return JOIN_NONE;
}

/* -- laying a level out ---------------------------------------------------- */

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

static void add_prev(struct rebuild *rb, unsigned int level)
{
	umaple_path_prev(&rb->left, level);
	umaple_flat_add_node(&rb->flat, &rb->left, level);
	add_dead(rb, path_node(&rb->left, level));
}

static void add_next(struct rebuild *rb, unsigned int level)
{
	umaple_path_next(&rb->right, level);
	umaple_flat_add_node(&rb->flat, &rb->right, level);
	add_dead(rb, path_node(&rb->right, level));
}

/* What is new: the entry, or the nodes made one level below. */
static void add_fresh(struct rebuild *rb, unsigned int level)
{
	const struct edit *edit = rb->edit;
	const struct made *made = &rb->made;
	struct flat *flat = &rb->flat;
	unsigned int i;

	if (!level) {
		if (edit->keep_left)
			flat->last[flat->nr - 1] = edit->first - 1;
		flat_add(flat, edit->last, edit->entry, 0);
		return;
	}
	for (i = 0; i < made->nr; i++)
		flat_add(flat, made->last[i], made->node[i], made->gap[i]);
}

static void lay_out(struct rebuild *rb, unsigned int level)
{
	struct node *left = path_node(&rb->left, level);
	struct middle middle;
	enum join join;

	middle_make(&middle, rb, level);
	join = choose_join(rb, level, &middle);
	rb->flat.nr = 0;
	if (join == JOIN_PREV)
		add_prev(rb, level);
	umaple_flat_add_head(&rb->flat, left, middle.head);
	rb->flat.focus = rb->flat.nr;
	rb->flat.fresh = middle.fresh;
	add_fresh(rb, level);
	umaple_flat_add_tail(&rb->flat, &rb->right, level, middle.tail);
	if (join == JOIN_NEXT)
		add_next(rb, level);
}

/* -- making nodes ------------------------------------------------------------ */

static struct node *make_node(struct rebuild *rb, unsigned int level,
			      unsigned int at, unsigned int nr)
{
	struct node *node =
		umaple_cache_take(tree_cache(rb->edit->tree), rb->sheaf);

	node_init(node, level, tree_level_gapped(rb->edit->tree, level));
	node->draft = rb->edit->tree->draft_ != NULL;
	umaple_flat_fill(&rb->flat, at, nr, node);
	return node;
}

/* The first of @nr parts of @slots; a division is dear, and @nr is 3 at most. */
static unsigned int even_share(unsigned int slots, unsigned int nr)
{
	UMAPLE_ASSERT(nr <= 3);
	return nr == 1 ? slots : nr == 2 ? (slots + 1) / 2 : (slots + 2) / 3;
}

/*
 * How many slots each new node gets.  Evenly, unless what is new stands at one
 * end: indices that come in order are to leave full nodes behind them.
 */
static unsigned int split_sizes(const struct rebuild *rb, unsigned int capacity,
				unsigned int minimum, unsigned int *size)
{
	const struct flat *flat = &rb->flat;
	unsigned int room = flat->nr + (rb->thin ? MERGE_SLACK : 0);
	unsigned int nr = 1, left = flat->nr, i, most;
	bool append = flat_is_append(flat->focus, flat->fresh, flat->nr);
	bool prepend = !append && flat_is_prepend(flat->focus);

	while (nr * capacity < room)
		nr++;
	for (i = 0; i < nr; i++) {
		most = left - minimum * (nr - 1 - i);
		if (append || prepend)
			size[i] = most < capacity ? most : capacity;
		else
			size[i] = even_share(left, nr - i);
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
	uint64_t min = path_min(&rb->left, level);
	struct made *made = &rb->made;

	made->nr = split_sizes(rb, node_capacity(gapped), node_minimum(gapped),
			       size);
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
		umaple_flat_fill(&rb->flat, 0, rb->flat.nr,
				 path_node(&rb->left, level));
	} else {
		level_dies(rb, level);
		umaple_publish_node(tree, &rb->left, level,
				    make_node(rb, level, 0, rb->flat.nr));
	}
	if (tree_has_gaps(tree))
		umaple_gap_update(&rb->left, level);
}

/* True when the change ends at this level. */
static bool rebuild_level(struct rebuild *rb, unsigned int level)
{
	bool gapped = tree_level_gapped(rb->edit->tree, level);
	bool vanishes;

	lay_out(rb, level);
	vanishes = rb->flat.nr <= 1 && level_is_whole(rb, level) &&
		   (level || !rb->flat.slot[0]);
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
