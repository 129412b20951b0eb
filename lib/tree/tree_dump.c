/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/tree_dump.c - a tree as text, for eyes.
 *
 * Locks: the tree's lock is held, or nobody writes.
 */

#include <inttypes.h>

#include <umaple/debug.h>

#include "tree/tree_priv.h"

static void dump_node(FILE *stream, struct node *node, unsigned int depth,
		      uint64_t min, uint64_t max)
{
	uint64_t first, last;
	unsigned int i;

	fprintf(stream, "%*s%s %p [%#" PRIx64 ", %#" PRIx64 "] %u slots%s\n",
		(int)depth * 2, "", node->level ? "node" : "leaf", (void *)node,
		min, max, node->count, node->dead ? " dead" : "");
	for (i = 0; i < node->count; i++) {
		first = node_slot_first(node, i, min);
		last = node_slot_last(node, i, max);
		if (node->level) {
			if (node->gapped)
				fprintf(stream, "%*sgap %" PRIu64 "\n",
					(int)depth * 2 + 1, "",
					node->gap.gap[i]);
			dump_node(stream, node_slots(node)[i], depth + 1, first,
				  last);
		} else {
			fprintf(stream, "%*s[%#" PRIx64 ", %#" PRIx64 "] %p\n",
				(int)depth * 2 + 2, "", first, last,
				node->plain.slot[i]);
		}
	}
}

void umaple_tree_dump(const struct umaple_tree *tree, FILE *stream)
{
	void *root = tree_root(tree);

	fprintf(stream, "tree %p flags %#x height %u\n", (const void *)tree,
		tree->flags_, root_height(root));
	if (root)
		dump_node(stream, root_node(root), 0, 0, UINT64_MAX);
}
