/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/draft.c - several writes that readers see as one.
 *
 * A draft shares the nodes of the original until it changes them.  Before a write
 * goes down a path, the nodes above the leaf are copied, so that all that a write
 * stores into is the draft's own: readers of the original notice nothing.  Nodes
 * of the draft's own are freed at once when they are replaced; for those of the
 * original a record is kept, because they go only if the draft is published.
 *
 * A subtree of the original holds nothing of the draft's, so one record stands for
 * all of it.
 *
 * Locks: the original's lock is held from begin to publish or drop.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fault.h"
#include "tree/tree_priv.h"

struct draft_record {
	struct node *node;
	bool subtree;
};

void umaple_draft_begin(struct draft *draft, struct umaple_tree *original)
{
	memset(draft, 0, sizeof(*draft));
	draft->original = original;
	draft->tree.root_ = tree_root(original);
	draft->tree.cache_ = tree_cache(original);
	draft->tree.flags_ = original->flags_;
	draft->tree.draft_ = draft;
}

/* A copy of a node, with the same children. */
static struct node *own_node(struct draft *draft, const struct node *node)
{
	struct node *copy = umaple_cache_alloc(draft->tree.cache_);

	if (!copy)
		return NULL;
	memcpy(copy, node, sizeof(*copy));
	copy->draft = 1;
	return copy;
}

int umaple_draft_own(struct draft *draft, struct umaple_path_ *path)
{
	unsigned int level;
	struct node *node, *copy;

	for (level = path->height - 1; level; level--) {
		node = path_node(path, level);
		if (node->draft)
			continue;
		copy = own_node(draft, node);
		if (!copy)
			return -ENOMEM;
		umaple_publish_node(&draft->tree, path, level, copy);
		umaple_draft_retire_node(draft, node);
	}
	return 0;
}

/* -- what goes ----------------------------------------------------------------- */

static bool records_grow(struct draft *draft)
{
	size_t room = draft->room ? 2 * draft->room : 64;
	struct draft_record *record;

	if (umaple_fault())
		return false;
	record = realloc(draft->record, room * sizeof(*record));
	if (!record)
		return false;
	draft->record = record;
	draft->room = room;
	return true;
}

static void add_record(struct draft *draft, struct node *node, bool subtree)
{
	if (draft->nr_records == draft->room && !records_grow(draft)) {
		draft->failed = true;
		return;
	}
	draft->record[draft->nr_records++] =
		(struct draft_record){ node, subtree };
}

void umaple_draft_retire_node(struct draft *draft, struct node *node)
{
	if (node->draft)
		umaple_cache_free(draft->tree.cache_, node);
	else
		add_record(draft, node, false);
}

void umaple_draft_retire_subtree(struct draft *draft, struct node *node)
{
	unsigned int i;

	if (!node->draft) {
		add_record(draft, node, true);
		return;
	}
	if (node->level)
		for (i = 0; i < node->count; i++)
			umaple_draft_retire_subtree(draft, node_slots(node)[i]);
	umaple_cache_free(draft->tree.cache_, node);
}

/* -- the end -------------------------------------------------------------------- */

/* Visit the draft's own nodes below @node: free them, or make them ordinary. */
static void settle(struct draft *draft, struct node *node, bool keep)
{
	unsigned int i;

	if (!node || !node->draft)
		return;
	if (node->level)
		for (i = 0; i < node->count; i++)
			settle(draft, node_slots(node)[i], keep);
	if (keep)
		node->draft = 0;
	else
		umaple_cache_free(draft->tree.cache_, node);
}

int umaple_draft_publish(struct draft *draft)
{
	void *root = tree_root(&draft->tree);

	if (draft->failed) {
		umaple_draft_drop(draft);
		return -ENOMEM;
	}
	settle(draft, root_node(root), true);
	umaple_publish_root(draft->original, root_node(root),
			    root_height(root));
	umaple_publish_done(draft->original);
	return 0;
}

void umaple_draft_retire_all(struct draft *draft)
{
	size_t i;

	for (i = 0; i < draft->nr_records; i++) {
		if (draft->record[i].subtree)
			umaple_retire_subtree(draft->original,
					      draft->record[i].node);
		else
			umaple_retire_node(draft->original,
					   draft->record[i].node);
	}
	free(draft->record);
}

void umaple_draft_drop(struct draft *draft)
{
	settle(draft, root_node(tree_root(&draft->tree)), false);
	free(draft->record);
}
