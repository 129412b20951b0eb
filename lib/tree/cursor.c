/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * tree/cursor.c - a position, and the moves from it.
 *
 * A cursor is fresh (it names a range but has not looked) or at a range.  Apart
 * from that it may have a path: the nodes that lead to the range.  A path saves
 * the walk from the root, and is trusted only while cursor_sync() says so; a
 * cursor without one goes on by index.
 *
 * How a search that continues stays right beside a writer: the leaf is alive, so
 * what it holds was current during this call; to go on to the next leaf, the
 * ancestor from which the way goes down must be alive too, since a dead one may
 * name what was replaced long ago.  Otherwise the search walks again to the index
 * after the last it has seen, and clips what it finds there to that index, so
 * that none is reported twice.
 *
 * Context: a read-side section or the tree's lock; the tree's lock to write.
 */

#include <errno.h>

#include "tree/tree_priv.h"

enum cursor_state {
	CURSOR_AT = 1,	 /* at a range; otherwise fresh */
	CURSOR_PATH = 2, /* the path leads there */
};

void umaple_cursor_init(struct umaple_cursor *cursor, struct umaple_tree *tree,
			uint64_t first, uint64_t last)
{
	cursor->tree_ = tree;
	umaple_cursor_set_range(cursor, first, last);
}

void umaple_cursor_set(struct umaple_cursor *cursor, uint64_t index)
{
	umaple_cursor_set_range(cursor, index, index);
}

void umaple_cursor_set_range(struct umaple_cursor *cursor, uint64_t first,
			     uint64_t last)
{
	if (first > last)
		umaple_die("cursor: first %#llx is above last %#llx",
			   (unsigned long long)first, (unsigned long long)last);
	cursor->index = first;
	cursor->last = last;
	cursor->state_ = 0;
}

void umaple_cursor_pause(struct umaple_cursor *cursor)
{
	cursor->state_ &= ~(uint32_t)CURSOR_PATH;
}

/* -- the path ---------------------------------------------------------------- */

static unsigned long tree_generation(const struct umaple_tree *tree)
{
	/*
	 * ORDER(generation), load side.  Loaded before the root on a walk, and
	 * before a node is touched again afterwards: unchanged means that no node
	 * of the path has been freed.
	 * Store side: umaple_publish_done() in tree/publish.c.
	 */
	return load_acquire(&tree->generation_);
}

/* Can readers run beside the holder of this tree's lock, in a section of theirs? */
static bool tree_is_shared(const struct umaple_tree *tree)
{
	return !(tree->flags_ &
		 (UMAPLE_TREE_SERIAL | UMAPLE_TREE_EXTERNAL_LOCK));
}

/*
 * May the path be followed?  In a read-side section, which umaple_lock() enters
 * too, its nodes are still there, and a living leaf is enough.  A serial tree
 * frees at once, and the holder of an external lock need not be in a section:
 * there nothing may have changed at all.
 */
static bool cursor_sync(const struct umaple_cursor *cursor)
{
	if (!(cursor->state_ & CURSOR_PATH))
		return false;
	if (tree_is_shared(cursor->tree_))
		return !node_is_dead(path_node(&cursor->path_, 0));
	return cursor->generation_ == tree_generation(cursor->tree_);
}

/* Walk to an index.  False if the tree is empty. */
static bool walk_to(struct umaple_cursor *cursor, uint64_t index)
{
	void *root;

	cursor->generation_ = tree_generation(cursor->tree_);
	root = tree_root(cursor->tree_);
	if (!root)
		return false;
	umaple_path_walk(cursor->tree_, root, &cursor->path_, index);
	return true;
}

/* From the last slot of a leaf to the first of the next; @index is there. */
static bool leave_up(struct umaple_cursor *cursor, uint64_t index)
{
	struct umaple_path_ *path = &cursor->path_;
	unsigned int turn = umaple_path_turn_next(path, 0);

	if (node_is_dead(path_node(path, turn)))
		return walk_to(cursor, index);
	umaple_path_next(path, 0);
	return true;
}

static bool leave_down(struct umaple_cursor *cursor, uint64_t index)
{
	struct umaple_path_ *path = &cursor->path_;
	unsigned int turn = umaple_path_turn_prev(path, 0);

	if (node_is_dead(path_node(path, turn)))
		return walk_to(cursor, index);
	umaple_path_prev(path, 0);
	return true;
}

/* Step to the slot after the one at hand, which ends below @index. */
static inline bool step_up(struct umaple_cursor *cursor, uint64_t index)
{
	struct umaple_level_ *leaf = &cursor->path_.at[0];

	if (leaf->slot + 1 >= path_node(&cursor->path_, 0)->count)
		return leave_up(cursor, index);
	leaf->slot++;
	return true;
}

static inline bool step_down(struct umaple_cursor *cursor, uint64_t index)
{
	struct umaple_level_ *leaf = &cursor->path_.at[0];

	if (!leaf->slot)
		return leave_down(cursor, index);
	leaf->slot--;
	return true;
}

/* -- searches ------------------------------------------------------------------ */

/*
 * The cursor stands where its path does: at [@first, @last].  If that is not the
 * @whole slot, the next search may have to look at the rest of it, so the path,
 * from which it would step to the next slot, is forgotten.
 */
static void *cursor_arrive(struct umaple_cursor *cursor, uint64_t first,
			   uint64_t last, void *entry, bool whole)
{
	cursor->index = first;
	cursor->last = last;
	cursor->state_ = whole ? CURSOR_AT | CURSOR_PATH : CURSOR_AT;
	return entry;
}

static void *cursor_miss(struct umaple_cursor *cursor)
{
	umaple_cursor_pause(cursor);
	return NULL;
}

/*
 * The first entry from the slot of the path on, when @here says that there is
 * one, that starts at or below @max.  Nothing below @floor is reported.
 */
static void *seek_up(struct umaple_cursor *cursor, bool here, uint64_t floor,
		     uint64_t max)
{
	uint64_t first, last;
	void *entry;
	bool whole;

	while (here) {
		first = path_slot_first(&cursor->path_, 0);
		whole = first >= floor;
		if (!whole)
			first = floor;
		if (first > max)
			break;
		last = path_slot_last(&cursor->path_, 0);
		entry = path_entry(&cursor->path_);
		if (entry)
			return cursor_arrive(cursor, first, last, entry, whole);
		if (last >= max)
			break;
		floor = last + 1;
		here = step_up(cursor, floor);
	}
	return cursor_miss(cursor);
}

static void *seek_down(struct umaple_cursor *cursor, bool here,
		       uint64_t ceiling, uint64_t min)
{
	uint64_t first, last;
	void *entry;
	bool whole;

	while (here) {
		last = path_slot_last(&cursor->path_, 0);
		whole = last <= ceiling;
		if (!whole)
			last = ceiling;
		if (last < min)
			break;
		first = path_slot_first(&cursor->path_, 0);
		entry = path_entry(&cursor->path_);
		if (entry)
			return cursor_arrive(cursor, first, last, entry, whole);
		if (first <= min)
			break;
		ceiling = first - 1;
		here = step_down(cursor, ceiling);
	}
	return cursor_miss(cursor);
}

/* Go on above the range at hand. */
static void *continue_up(struct umaple_cursor *cursor, uint64_t last,
			 uint64_t max)
{
	bool here;

	if (last >= max)
		return NULL;
	here = cursor_sync(cursor) ? step_up(cursor, last + 1)
				   : walk_to(cursor, last + 1);
	return seek_up(cursor, here, last + 1, max);
}

/* Go on below the range at hand. */
static void *continue_down(struct umaple_cursor *cursor, uint64_t index,
			   uint64_t min)
{
	bool here;

	if (index <= min)
		return NULL;
	here = cursor_sync(cursor) ? step_down(cursor, index - 1)
				   : walk_to(cursor, index - 1);
	return seek_down(cursor, here, index - 1, min);
}

void *umaple_cursor_walk(struct umaple_cursor *cursor)
{
	if (!walk_to(cursor, cursor->index))
		return cursor_arrive(cursor, 0, UINT64_MAX, NULL, false);
	return cursor_arrive(cursor, path_slot_first(&cursor->path_, 0),
			     path_slot_last(&cursor->path_, 0),
			     path_entry(&cursor->path_), true);
}

void *umaple_cursor_find(struct umaple_cursor *cursor, uint64_t max)
{
	if (cursor->state_ & CURSOR_AT)
		return continue_up(cursor, cursor->last, max);
	if (cursor->index > max)
		return NULL;
	return seek_up(cursor, walk_to(cursor, cursor->index), 0, max);
}

void *umaple_cursor_find_rev(struct umaple_cursor *cursor, uint64_t min)
{
	if (cursor->state_ & CURSOR_AT)
		return continue_down(cursor, cursor->index, min);
	if (cursor->index < min)
		return NULL;
	return seek_down(cursor, walk_to(cursor, cursor->index), UINT64_MAX,
			 min);
}

/*
 * The range at hand of a fresh cursor is what is there now.  Its path leads
 * there, but the cursor stays fresh in case nothing is found.
 */
static bool look_here(struct umaple_cursor *cursor)
{
	if (!walk_to(cursor, cursor->index))
		return false;
	cursor->state_ |= CURSOR_PATH;
	return true;
}

void *umaple_cursor_next(struct umaple_cursor *cursor, uint64_t max)
{
	void *entry;

	if (cursor->state_ & CURSOR_AT)
		return continue_up(cursor, cursor->last, max);
	if (!look_here(cursor))
		return NULL;
	entry = continue_up(cursor, path_slot_last(&cursor->path_, 0), max);
	return entry ? entry : cursor_miss(cursor);
}

void *umaple_cursor_prev(struct umaple_cursor *cursor, uint64_t min)
{
	void *entry;

	if (cursor->state_ & CURSOR_AT)
		return continue_down(cursor, cursor->index, min);
	if (!look_here(cursor))
		return NULL;
	entry = continue_down(cursor, path_slot_first(&cursor->path_, 0), min);
	return entry ? entry : cursor_miss(cursor);
}

/* -- writes ---------------------------------------------------------------------- */

/* The path, if a write may start from it: nothing has changed since the walk. */
static struct umaple_path_ *cursor_write_path(struct umaple_cursor *cursor)
{
	if (!(cursor->state_ & CURSOR_PATH) ||
	    cursor->generation_ != cursor->tree_->generation_)
		return NULL;
	return &cursor->path_;
}

/* A path outlives only a write that changes no node. */
static void cursor_wrote(struct umaple_cursor *cursor)
{
	cursor->state_ |= CURSOR_AT;
	if (!cursor_write_path(cursor))
		umaple_cursor_pause(cursor);
}

int umaple_cursor_store(struct umaple_cursor *cursor, void *entry)
{
	struct umaple_tree *tree = cursor->tree_;
	int err = umaple_tree_bind_cache(tree);

	UMAPLE_ASSERT(!tree_is_shared(tree) ||
		      umaple_lock_is_held(&tree->lock_));
	if (!err)
		err = umaple_tree_write(tree, cursor_write_path(cursor),
					cursor->index, cursor->last, entry);
	if (err)
		umaple_cursor_pause(cursor);
	else
		cursor_wrote(cursor);
	return err;
}

int umaple_cursor_erase(struct umaple_cursor *cursor, void **ret_entry)
{
	struct umaple_tree *tree = cursor->tree_;
	uint64_t first = 0, last = UINT64_MAX;
	void *entry = NULL;
	int err = 0;

	UMAPLE_ASSERT(!tree_is_shared(tree) ||
		      umaple_lock_is_held(&tree->lock_));
	umaple_cursor_pause(cursor);
	if (walk_to(cursor, cursor->index)) {
		first = path_slot_first(&cursor->path_, 0);
		last = path_slot_last(&cursor->path_, 0);
		entry = path_entry(&cursor->path_);
	}
	if (entry)
		err = umaple_tree_write(tree, &cursor->path_, first, last,
					NULL);
	if (err)
		return err;
	cursor->index = first;
	cursor->last = last;
	cursor->state_ |= CURSOR_AT;
	if (ret_entry)
		*ret_entry = entry;
	return 0;
}
