/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/debug.h - look inside: check invariants, measure, print.
 */

#ifndef UMAPLE_DEBUG_H
#define UMAPLE_DEBUG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <umaple/attr.h>

UMAPLE_BEGIN_DECLS

struct umaple_cache;
struct umaple_tree;

/**
 * umaple_tree_check() - Check every invariant of a tree.
 * @tree: Tree to check.
 * @text: Receives the first violation as one line: its number in
 *        doc/invariants.md, the values, the node and its depth.  May be %NULL.
 * @size: Bytes at @text.
 *
 * Context: The write lock is held, or nobody writes.
 * Cost:    O(nodes).
 * Return:  0; -EUCLEAN if an invariant does not hold.
 * Since:   0.1
 */
UMAPLE_EXPORT int umaple_tree_check(const struct umaple_tree *tree, char *text,
				    size_t size);

/**
 * struct umaple_tree_info - Size and shape of a tree.
 * @ranges: Ranges with an entry.
 * @holes:  Maximal ranges without one.
 * @nodes:  Nodes, leaves included.
 * @leaves: Leaves.
 * @height: Levels of nodes; 0 for an empty tree.
 * @bytes:  Memory of all nodes.
 */
struct umaple_tree_info {
	uint64_t ranges;
	uint64_t holes;
	uint64_t nodes;
	uint64_t leaves;
	uint64_t height;
	uint64_t bytes;
};

/**
 * umaple_tree_measure() - Count what a tree is made of.
 * @tree: Tree to measure.
 * @info: Filled in.
 *
 * Context: The write lock is held, or nobody writes.
 * Cost:    O(nodes).
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_tree_measure(const struct umaple_tree *tree,
				       struct umaple_tree_info *info);

/**
 * enum umaple_dump_format - What umaple_tree_dump() prints.
 * @UMAPLE_DUMP_TEXT: For eyes: a line for each node and each slot, children
 *                    indented below their slot.
 * @UMAPLE_DUMP_DOT:  For graphviz ("dot -Tsvg"): a table for each node, an edge
 *                    for each child; holes are grey.
 * @UMAPLE_DUMP_JSON: For programs: one object with the tree, and each child
 *                    inside its slot.  doc/debugging.md lists the members.
 */
enum umaple_dump_format {
	UMAPLE_DUMP_TEXT,
	UMAPLE_DUMP_DOT,
	UMAPLE_DUMP_JSON
};

/**
 * umaple_tree_dump() - Print a tree.
 * @tree:   Tree to print.
 * @format: How; others abort.
 * @stream: Where to.  Errors of it are for the caller to ask: ferror(3).
 *
 * A damaged tree, one that umaple_tree_check() reports, is printed as far as it
 * goes: what cannot be a child is shown as such and not followed.
 *
 * Context: The write lock is held, or nobody writes.
 * Cost:    O(nodes).
 * Since:   0.1
 */
UMAPLE_EXPORT void umaple_tree_dump(const struct umaple_tree *tree,
				    enum umaple_dump_format format,
				    FILE *stream);

/**
 * umaple_cache_check() - Check the invariants of a cache's slabs, sheaves, barn.
 * @cache: Cache to check.
 * @text:  Receives the first violation as one line; may be %NULL.
 * @size:  Bytes at @text.
 *
 * Context: No other call on @cache is running.
 * Cost:    O(slabs + objects in sheaves).
 * Return:  0; -EUCLEAN if an invariant does not hold.
 * Since:   0.1
 */
UMAPLE_EXPORT int umaple_cache_check(struct umaple_cache *cache, char *text,
				     size_t size);

UMAPLE_END_DECLS

#endif /* UMAPLE_DEBUG_H */
