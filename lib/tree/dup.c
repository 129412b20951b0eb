/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/dup.c - copy a tree, node by node.
 *
 * The copy is made out of sight and published whole, so a failure half way only
 * has to free what was made.
 *
 * Locks: both trees' locks are held while copying.
 */

#include <errno.h>
#include <string.h>

#include "tree/tree_priv.h"

/* A copy of @node and all below it, or NULL: then nothing is left of it. */
static struct node *copy_subtree(struct umaple_cache *cache,
				 const struct node *node)
{
	struct node *copy = umaple_cache_alloc(cache);
	struct node *child;
	unsigned int i;

	if (!copy)
		return NULL;
	memcpy(copy, node, sizeof(*copy));
	for (i = 0; node->level && i < node->count; i++) {
		child = copy_subtree(cache, node_slots(copy)[i]);
		if (!child) {
			copy->count = (uint8_t)i;
			umaple_tree_discard(cache, copy);
			return NULL;
		}
		node_slots(copy)[i] = child;
	}
	return copy;
}

static bool trees_match(const struct umaple_tree *dst,
			const struct umaple_tree *src)
{
	return dst != src && dst->flags_ == src->flags_;
}

int umaple_tree_dup_locked(struct umaple_tree *dst, struct umaple_tree *src)
{
	void *root = tree_root(src);
	struct node *copy;
	int err;

	if (!trees_match(dst, src) || tree_root(dst))
		return -EINVAL;
	if (!root)
		return 0;
	err = umaple_tree_bind_cache(dst);
	if (err)
		return err;
	copy = copy_subtree(tree_cache(dst), root_node(root));
	if (!copy)
		return -ENOMEM;
	umaple_publish_root(dst, copy, root_height(root));
	umaple_publish_done(dst);
	return 0;
}

int umaple_tree_dup(struct umaple_tree *dst, struct umaple_tree *src)
{
	int err;

	if (!trees_match(dst, src))
		return -EINVAL;
	umaple_tree_enter_both(dst, src);
	err = umaple_tree_dup_locked(dst, src);
	umaple_tree_leave(dst);
	umaple_tree_leave(src);
	return err;
}
