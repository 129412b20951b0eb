/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/* tree/flat.c - slots out of nodes, and into nodes. */

#include "tree/flat.h"

#include <string.h>

static void copy_node(struct flat *flat, struct node *node)
{
	unsigned int nr = flat->nr;

	UMAPLE_ASSERT(nr <= FLAT_SLOTS);
	memcpy(flat->last + nr, node->plain.pivot, sizeof(node->plain.pivot));
	if (node->gapped) {
		memcpy(flat->slot + nr, node->gap.slot, sizeof(node->gap.slot));
		memcpy(flat->gap + nr, node->gap.gap, sizeof(node->gap.gap));
	} else {
		memcpy(flat->slot + nr, node->plain.slot,
		       sizeof(node->plain.slot));
	}
}

void umaple_flat_add_head(struct flat *flat, struct node *node, unsigned int nr)
{
	copy_node(flat, node);
	flat->nr += nr;
}

void umaple_flat_add_node(struct flat *flat, const struct umaple_path_ *path,
			  unsigned int level)
{
	struct node *node = path_node(path, level);

	copy_node(flat, node);
	flat->nr += node->count;
	flat->last[flat->nr - 1] = path_max(path, level);
}

void umaple_flat_add_tail(struct flat *flat, const struct umaple_path_ *path,
			  unsigned int level, unsigned int from)
{
	struct node *node = path_node(path, level);
	const uint64_t *pivot = node_pivots(node);
	void **slot = node_slots(node);
	unsigned int last = node->count - 1u, nr = flat->nr, i;

	if (from > last)
		return;
	for (i = from; i < last; i++, nr++) {
		flat->last[nr] = pivot[i];
		flat->slot[nr] = slot[i];
	}
	flat->last[nr] = path_max(path, level);
	flat->slot[nr] = slot[last];
	if (node->gapped)
		for (i = from; i <= last; i++)
			flat->gap[flat->nr + i - from] = node->gap.gap[i];
	flat->nr = nr + 1;
}

static void fill_plain(const struct flat *flat, unsigned int at,
		       unsigned int nr, struct node *node)
{
	unsigned int i;

	memcpy(node->plain.pivot, flat->last + at, sizeof(node->plain.pivot));
	memcpy(node->plain.slot, flat->slot + at, sizeof(node->plain.slot));
	for (i = nr; i < NODE_SLOTS; i++) {
		node->plain.pivot[i - 1] = UINT64_MAX;
		node->plain.slot[i] = NULL;
	}
}

static void fill_gapped(const struct flat *flat, unsigned int at,
			unsigned int nr, struct node *node)
{
	unsigned int i;

	memcpy(node->gap.pivot, flat->last + at, sizeof(node->gap.pivot));
	memcpy(node->gap.slot, flat->slot + at, sizeof(node->gap.slot));
	memcpy(node->gap.gap, flat->gap + at, sizeof(node->gap.gap));
	for (i = nr; i < NODE_GAP_SLOTS; i++) {
		node->gap.pivot[i - 1] = UINT64_MAX;
		node->gap.slot[i] = NULL;
		node->gap.gap[i] = 0;
	}
}

void umaple_flat_fill(const struct flat *flat, unsigned int at, unsigned int nr,
		      struct node *node)
{
	if (node->gapped)
		fill_gapped(flat, at, nr, node);
	else
		fill_plain(flat, at, nr, node);
	node->count = (uint8_t)nr;
}
