/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/tree.c - make and end a tree, its lock, and the simple API over cursors
 * and writes.
 *
 * Locks: each function takes the tree's lock, or enters a read-side section,
 * unless the tree's flags say that the caller has done so.
 */

#include <errno.h>

#include "tree/tree_priv.h"

_Static_assert(sizeof(void *) != 8 || sizeof(struct umaple_tree) == 80,
	       "the size of a tree is part of the ABI");
_Static_assert(offsetof(struct umaple_tree, generation_) >=
		       UMAPLE_CACHELINE / 2,
	       "what writers change is not beside the root");

#define TREE_FLAGS                                                             \
	(UMAPLE_TREE_GAPS | UMAPLE_TREE_SERIAL | UMAPLE_TREE_EXTERNAL_LOCK |   \
	 UMAPLE_TREE_MERGE)

void umaple_tree_init(struct umaple_tree *tree, unsigned int flags)
{
	if (flags & ~TREE_FLAGS)
		umaple_die("umaple_tree_init: unknown flags %#x", flags);
	*tree = (struct umaple_tree)UMAPLE_TREE_INIT_FLAGS(flags);
}

int umaple_tree_init_cache(struct umaple_tree *tree, unsigned int flags,
			   struct umaple_cache *cache)
{
	if (umaple_cache_object_size(cache) != NODE_BYTES)
		return -EINVAL;
	umaple_tree_init(tree, flags);
	tree->cache_ = cache;
	return 0;
}

void umaple_tree_set_serial(struct umaple_tree *tree, bool serial)
{
	if (serial)
		tree->flags_ |= UMAPLE_TREE_SERIAL;
	else
		tree->flags_ &= ~UMAPLE_TREE_SERIAL;
}

int umaple_tree_bind_cache(struct umaple_tree *tree)
{
	struct umaple_cache *cache;

	if (likely(tree_cache(tree)))
		return 0;
	if (tree->flags_ & ~TREE_FLAGS)
		umaple_die("tree with unknown flags %#x", tree->flags_);
	cache = umaple_cache_default();
	if (!cache)
		return -ENOMEM;
	/*
	 * ORDER(tree-cache), store side.  Whoever sees the pointer sees a cache
	 * that is ready.  Others may store the same one meanwhile.
	 * Load side: tree_cache() in tree/tree_priv.h.
	 */
	store_release(&tree->cache_, cache);
	return 0;
}

/* -- locks ------------------------------------------------------------------ */

static void tree_throttle(struct umaple_tree *tree)
{
	struct umaple_cache *cache = tree_cache(tree);

	if (cache && tree_locks_itself(tree))
		umaple_cache_throttle(cache);
}

static void tree_take(struct umaple_tree *tree)
{
	if (tree_locks_itself(tree))
		umaple_lock_take(&tree->lock_);
}

void umaple_tree_enter(struct umaple_tree *tree)
{
	tree_throttle(tree);
	tree_take(tree);
}

void umaple_tree_enter_both(struct umaple_tree *a, struct umaple_tree *b)
{
	tree_throttle(a);
	tree_throttle(b);
	tree_take(a < b ? a : b);
	tree_take(a < b ? b : a);
}

void umaple_tree_leave(struct umaple_tree *tree)
{
	if (tree_locks_itself(tree))
		umaple_lock_drop(&tree->lock_);
}

const struct rcu_flavor_struct *
umaple_tree_flavor(const struct umaple_tree *tree)
{
	const struct umaple_cache *cache = tree_cache(tree);

	return cache ? umaple_cache_flavor(cache) : umaple_rcu_default();
}

void umaple_lock(struct umaple_tree *tree)
{
	struct umaple_cache *cache = tree_cache(tree);

	if (tree->flags_ & UMAPLE_TREE_EXTERNAL_LOCK)
		umaple_die("umaple_lock: the tree's lock is external");
	if (cache)
		umaple_cache_throttle(cache);
	umaple_lock_take(&tree->lock_);
	if (!tree_is_serial(tree))
		umaple_rcu_read_lock(umaple_tree_flavor(tree));
}

void umaple_unlock(struct umaple_tree *tree)
{
	if (!umaple_lock_is_held(&tree->lock_))
		umaple_die("umaple_unlock: the tree is not locked");
	if (!tree_is_serial(tree))
		umaple_rcu_read_unlock(umaple_tree_flavor(tree));
	umaple_lock_drop(&tree->lock_);
}

void umaple_read_lock(const struct umaple_tree *tree)
{
	umaple_rcu_read_lock(umaple_tree_flavor(tree));
}

void umaple_read_unlock(const struct umaple_tree *tree)
{
	umaple_rcu_read_unlock(umaple_tree_flavor(tree));
}

/* -- whole trees ------------------------------------------------------------- */

bool umaple_tree_is_empty(const struct umaple_tree *tree)
{
	return !tree_root(tree);
}

void umaple_tree_destroy_locked(struct umaple_tree *tree)
{
	void *root = tree_root(tree);

	if (!root)
		return;
	umaple_publish_root(tree, NULL, 0);
	umaple_publish_done(tree);
	if (tree->displaced_)
		umaple_displaced_report_all(tree, root);
	umaple_retire_subtree(tree, root_node(root));
}

void umaple_tree_destroy(struct umaple_tree *tree)
{
	umaple_tree_enter(tree);
	umaple_tree_destroy_locked(tree);
	umaple_tree_leave(tree);
}

/* -- writes ------------------------------------------------------------------- */

int umaple_store_range(struct umaple_tree *tree, uint64_t first, uint64_t last,
		       void *entry)
{
	int err;

	if (first > last)
		return -EINVAL;
	umaple_tree_enter(tree);
	err = umaple_tree_bind_cache(tree);
	if (!err)
		err = umaple_tree_write(tree, NULL, first, last, entry);
	umaple_tree_leave(tree);
	return err;
}

int umaple_store(struct umaple_tree *tree, uint64_t index, void *entry)
{
	return umaple_store_range(tree, index, index, entry);
}

static bool same_entry(void *neighbour, void *entry, void *arg)
{
	return neighbour == entry;
}

int umaple_store_merge(struct umaple_tree *tree, uint64_t first, uint64_t last,
		       void *entry, umaple_merge_fn *merge, void *arg)
{
	struct edit edit = { .merge = merge ? merge : same_entry,
			     .merge_arg = arg };
	int err;

	if (first > last || !entry)
		return -EINVAL;
	umaple_tree_enter(tree);
	err = umaple_tree_bind_cache(tree);
	if (!err)
		err = umaple_edit_write(&edit, tree, NULL, first, last, entry);
	umaple_tree_leave(tree);
	return err;
}

/* Is [first, last] part of one hole?  Leaves the path to it in @path. */
static bool range_is_free(struct umaple_tree *tree, struct umaple_path_ *path,
			  uint64_t first, uint64_t last)
{
	umaple_path_walk(tree, tree_root(tree), path, first);
	return !path_entry(path) && path_slot_last(path, 0) >= last;
}

static int insert_locked(struct umaple_tree *tree, uint64_t first,
			 uint64_t last, void *entry)
{
	struct umaple_path_ path;
	int err = umaple_tree_bind_cache(tree);

	if (err)
		return err;
	if (!tree_root(tree))
		return umaple_tree_write(tree, NULL, first, last, entry);
	if (!range_is_free(tree, &path, first, last))
		return -EEXIST;
	return umaple_tree_write(tree, &path, first, last, entry);
}

int umaple_insert_range(struct umaple_tree *tree, uint64_t first, uint64_t last,
			void *entry)
{
	int err;

	if (first > last || !entry)
		return -EINVAL;
	umaple_tree_enter(tree);
	err = insert_locked(tree, first, last, entry);
	umaple_tree_leave(tree);
	return err;
}

int umaple_insert(struct umaple_tree *tree, uint64_t index, void *entry)
{
	return umaple_insert_range(tree, index, index, entry);
}

int umaple_erase(struct umaple_tree *tree, uint64_t index,
		 struct umaple_range *ret)
{
	struct umaple_cursor cursor;
	void *entry;
	int err;

	umaple_cursor_init(&cursor, tree, index, index);
	umaple_tree_enter(tree);
	err = umaple_cursor_erase(&cursor, &entry);
	umaple_tree_leave(tree);
	if (!err && ret)
		*ret = (struct umaple_range){ cursor.index, cursor.last,
					      entry };
	return err;
}

static int replace_locked(struct umaple_tree *tree, uint64_t index, void *old,
			  void *entry)
{
	void *root = tree_root(tree);
	struct umaple_path_ path;

	if (!root)
		return -EAGAIN;
	umaple_path_walk(tree, root, &path, index);
	if (path_entry(&path) != old)
		return -EAGAIN;
	return umaple_tree_write(tree, &path, path_slot_first(&path, 0),
				 path_slot_last(&path, 0), entry);
}

int umaple_replace(struct umaple_tree *tree, uint64_t index, void *old,
		   void *entry)
{
	int err;

	if (!old || !entry)
		return -EINVAL;
	umaple_tree_enter(tree);
	err = replace_locked(tree, index, old, entry);
	umaple_tree_leave(tree);
	return err;
}
