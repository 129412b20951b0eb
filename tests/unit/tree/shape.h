/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * shape.h - trees of a given shape, and the shape of a given tree, as text.
 *
 * A shape lists the nodes level by level from the root, levels set apart by '/',
 * the nodes of a level by blanks.  A node is its number of slots; a leaf with
 * holes is spelled out, 'x' for an entry, '.' for a hole.  "5*2" is "5 5".  So
 * "3/5*2 xxx.x" is a root over three leaves of five slots, the last with a hole.
 * The empty string is an empty tree.
 */

#ifndef TESTS_UNIT_TREE_SHAPE_H
#define TESTS_UNIT_TREE_SHAPE_H

#include <stdint.h>

#include "tree/tree_priv.h"
#include "twin.h"

/*
 * Slot k of a built tree, counted over all leaves, covers SHAPE_STEP indices
 * from k * SHAPE_STEP on; the last one goes on to UINT64_MAX.
 */
#define SHAPE_STEP 10

/* What slot k maps to. */
void *shape_entry(uint64_t k);

/* Make the twin's empty tree one of this shape; fails if that is not a tree. */
void shape_build(struct twin *twin, const char *shape);

/* Make a twin of this shape; the spy has seen nothing yet. */
void shape_set_up(struct twin *twin, unsigned int flags, const char *shape);

/* The shape of a tree; valid until the next call. */
const char *shape_of(const struct umaple_tree *tree);

#define ck_assert_shape(twin, shape)                                           \
	ck_assert_str_eq(shape_of(&(twin)->tree), (shape))

/* All nodes of one level (0: the leaves), in order; 0 if there is no such level. */
#define SHAPE_NODES 4096
size_t shape_level(const struct umaple_tree *tree, unsigned int level,
		   struct node *nodes[SHAPE_NODES]);

/* The leaf at a place, counted from the left. */
struct node *shape_leaf(const struct umaple_tree *tree, size_t place);

/* The root node; the tree is not empty. */
struct node *shape_root(const struct umaple_tree *tree);

/* A case for each kind of tree: twin_flags[_i]. */
#define tcase_add_flags_test(tc, test)                                         \
	tcase_add_loop_test((tc), (test), 0, TWIN_FLAGS)

#endif /* TESTS_UNIT_TREE_SHAPE_H */
