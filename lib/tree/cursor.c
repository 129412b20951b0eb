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
 * Context: a read-side section or the tree's lock.
 */

#include "platform/delay.h"
#include "tree/tree_priv.h"

void umaple_cursor_init(struct umaple_cursor *cursor, struct umaple_tree *tree,
			uint64_t first, uint64_t last)
{
	cursor->tree_ = tree;
	cursor->promised_ = NULL;
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

void umaple_cursor_reset(struct umaple_cursor *cursor)
{
	cursor->state_ = 0;
}

bool umaple_cursor_is_fresh(const struct umaple_cursor *cursor)
{
	return !(cursor->state_ & CURSOR_AT);
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
	if (tree_locks_itself(cursor->tree_))
		return !node_is_dead(path_node(&cursor->path_, 0));
	return cursor->generation_ == tree_generation(cursor->tree_);
}

bool umaple_cursor_walk_to(struct umaple_cursor *cursor, uint64_t index)
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
		return umaple_cursor_walk_to(cursor, index);
	umaple_delay();
	umaple_path_next(path, 0);
	return true;
}

static bool leave_down(struct umaple_cursor *cursor, uint64_t index)
{
	struct umaple_path_ *path = &cursor->path_;
	unsigned int turn = umaple_path_turn_prev(path, 0);

	if (node_is_dead(path_node(path, turn)))
		return umaple_cursor_walk_to(cursor, index);
	umaple_delay();
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

/* The cursor stands at a range: the whole one that its path leads to, or a part. */
static void *cursor_arrive(struct umaple_cursor *cursor,
			   const struct umaple_range *range, uint32_t how)
{
	cursor->index = range->first;
	cursor->last = range->last;
	cursor->state_ = CURSOR_AT | how;
	return range->entry;
}

/*
 * How the cursor stands at a range.  From a part of one the next search may have to
 * look at the rest of it, so the path, from which it would step to the next slot,
 * is not kept.
 */
static inline uint32_t arrival(bool here, bool cut)
{
	if (cut)
		return CURSOR_CUT;
	return here ? CURSOR_PATH : 0;
}

bool umaple_cursor_is_cut(const struct umaple_cursor *cursor)
{
	return cursor->state_ & CURSOR_CUT;
}

/* What the path leads to; an empty tree, which has no path, is one hole. */
static inline struct umaple_range range_here(const struct umaple_cursor *cursor,
					     bool here)
{
	const struct umaple_path_ *path = &cursor->path_;

	if (!here)
		return (struct umaple_range){ 0, UINT64_MAX, NULL };
	return (struct umaple_range){ path_slot_first(path, 0),
				      path_slot_last(path, 0),
				      path_entry(path) };
}

/*
 * A search in one direction: where it ends, whether holes count, and what has
 * been reported already and is not reported again.
 */
struct seek {
	uint64_t limit;
	uint64_t bound;
	bool holes;
	void *entry; /* found */
};

/* The first range from the slot of the path on that starts at or below the limit. */
static UMAPLE_ALWAYS_INLINE bool seek_up(struct umaple_cursor *cursor,
					 bool here, struct seek *seek)
{
	struct umaple_range range;
	bool cut;

	for (;;) {
		range = range_here(cursor, here);
		cut = range.first < seek->bound;
		if (cut)
			range.first = seek->bound;
		if (range.first > seek->limit)
			break;
		if (range.entry || seek->holes) {
			seek->entry = cursor_arrive(cursor, &range,
						    arrival(here, cut));
			return true;
		}
		if (range.last >= seek->limit)
			break;
		seek->bound = range.last + 1;
		here = step_up(cursor, seek->bound);
	}
	umaple_cursor_pause(cursor);
	return false;
}

/* The last range from the slot of the path back that ends at or above the limit. */
static UMAPLE_ALWAYS_INLINE bool seek_down(struct umaple_cursor *cursor,
					   bool here, struct seek *seek)
{
	struct umaple_range range;
	bool cut;

	for (;;) {
		range = range_here(cursor, here);
		cut = range.last > seek->bound;
		if (cut)
			range.last = seek->bound;
		if (range.last < seek->limit)
			break;
		if (range.entry || seek->holes) {
			seek->entry = cursor_arrive(cursor, &range,
						    arrival(here, cut));
			return true;
		}
		if (range.first <= seek->limit)
			break;
		seek->bound = range.first - 1;
		here = step_down(cursor, seek->bound);
	}
	umaple_cursor_pause(cursor);
	return false;
}

/* Go on above the range at hand, which ends at @last. */
static UMAPLE_ALWAYS_INLINE bool continue_up(struct umaple_cursor *cursor,
					     uint64_t last, struct seek *seek)
{
	bool here;

	if (last >= seek->limit)
		return false;
	seek->bound = last + 1;
	here = cursor_sync(cursor) ? step_up(cursor, seek->bound)
				   : umaple_cursor_walk_to(cursor, seek->bound);
	return seek_up(cursor, here, seek);
}

/* Go on below the range at hand, which starts at @first. */
static UMAPLE_ALWAYS_INLINE bool
continue_down(struct umaple_cursor *cursor, uint64_t first, struct seek *seek)
{
	bool here;

	if (first <= seek->limit)
		return false;
	seek->bound = first - 1;
	here = cursor_sync(cursor) ? step_down(cursor, seek->bound)
				   : umaple_cursor_walk_to(cursor, seek->bound);
	return seek_down(cursor, here, seek);
}

static UMAPLE_ALWAYS_INLINE bool find_up(struct umaple_cursor *cursor,
					 struct seek *seek)
{
	if (cursor->state_ & CURSOR_AT)
		return continue_up(cursor, cursor->last, seek);
	if (cursor->index > seek->limit)
		return false;
	seek->bound = 0;
	return seek_up(cursor, umaple_cursor_walk_to(cursor, cursor->index),
		       seek);
}

static UMAPLE_ALWAYS_INLINE bool find_down(struct umaple_cursor *cursor,
					   struct seek *seek)
{
	if (cursor->state_ & CURSOR_AT)
		return continue_down(cursor, cursor->index, seek);
	if (cursor->index < seek->limit)
		return false;
	seek->bound = UINT64_MAX;
	return seek_down(cursor, umaple_cursor_walk_to(cursor, cursor->index),
			 seek);
}

/*
 * The range at hand of a fresh cursor is what is there now.  The path leads there,
 * but the cursor stays fresh in case nothing is found.
 */
static struct umaple_range look_here(struct umaple_cursor *cursor)
{
	bool here = umaple_cursor_walk_to(cursor, cursor->index);

	if (here)
		cursor->state_ |= CURSOR_PATH;
	return range_here(cursor, here);
}

static bool next_up(struct umaple_cursor *cursor, struct seek *seek)
{
	bool found;

	if (cursor->state_ & CURSOR_AT)
		return continue_up(cursor, cursor->last, seek);
	found = continue_up(cursor, look_here(cursor).last, seek);
	if (!found)
		umaple_cursor_pause(cursor);
	return found;
}

static bool next_down(struct umaple_cursor *cursor, struct seek *seek)
{
	bool found;

	if (cursor->state_ & CURSOR_AT)
		return continue_down(cursor, cursor->index, seek);
	found = continue_down(cursor, look_here(cursor).first, seek);
	if (!found)
		umaple_cursor_pause(cursor);
	return found;
}

/*
 * Unlike other searches this one is made at random places: its range is found on
 * the way down, without branches, since looking it up afterwards would have some
 * that are hard to predict (11.6 ns against 13.1 in a tree of 1,000 ranges).
 */
void *umaple_cursor_walk(struct umaple_cursor *cursor)
{
	struct umaple_range range = { 0, UINT64_MAX, NULL };
	bool here;
	void *root;

	cursor->generation_ = tree_generation(cursor->tree_);
	root = tree_root(cursor->tree_);
	here = root;
	if (likely(here)) {
		path_walk(cursor->tree_, root, &cursor->path_, cursor->index,
			  &range);
		range.entry = path_entry(&cursor->path_);
	}
	return cursor_arrive(cursor, &range, arrival(here, false));
}

/* The eight searches: a direction, whether the place itself counts, and holes. */
typedef bool search_fn(struct umaple_cursor *cursor, struct seek *seek);

static UMAPLE_ALWAYS_INLINE void *
search_entry(struct umaple_cursor *cursor, search_fn *search, uint64_t limit)
{
	struct seek seek = { .limit = limit };

	return search(cursor, &seek) ? seek.entry : NULL;
}

static UMAPLE_ALWAYS_INLINE bool search_range(struct umaple_cursor *cursor,
					      search_fn *search, uint64_t limit,
					      void **ret_entry)
{
	struct seek seek = { .limit = limit, .holes = true };
	bool found = search(cursor, &seek);

	if (found && ret_entry)
		*ret_entry = seek.entry;
	return found;
}

void *umaple_cursor_find(struct umaple_cursor *cursor, uint64_t max)
{
	return search_entry(cursor, find_up, max);
}

void *umaple_cursor_find_rev(struct umaple_cursor *cursor, uint64_t min)
{
	return search_entry(cursor, find_down, min);
}

void *umaple_cursor_next(struct umaple_cursor *cursor, uint64_t max)
{
	return search_entry(cursor, next_up, max);
}

void *umaple_cursor_prev(struct umaple_cursor *cursor, uint64_t min)
{
	return search_entry(cursor, next_down, min);
}

/*
 * The ranges of a leaf from the slot of the path on, whose slot becomes that of the
 * last of them.  A hole is written like a range, and overwritten: holes have no
 * pattern.
 */
static size_t leaf_find_many(struct umaple_path_ *path, uint64_t max,
			     struct umaple_range *ret_ranges, size_t count)
{
	struct node *leaf = path_node(path, 0);
	unsigned int slot = path->at[0].slot, end = leaf->count, found = slot;
	uint64_t first = path_slot_first(path, 0);
	size_t n = 0;
	void *entry;

	for (; slot < end && n < count && first <= max; slot++) {
		entry = node_load_slot(&leaf->plain.slot[slot]);
		ret_ranges[n].entry = entry;
		ret_ranges[n].first = first;
		if (slot + 1 == end)
			first = path_max(path, 0);
		else
			first = leaf->plain.pivot[slot];
		ret_ranges[n].last = first++;
		found = entry ? slot : found;
		n += entry != NULL;
	}
	path->at[0].slot = found;
	return n;
}

/* From a leaf to the one after it below the same parent, if that is current. */
static bool sibling_up(struct umaple_path_ *path)
{
	struct umaple_level_ *above = &path->at[1];
	struct node *parent = above->node;

	if (path->height == 1 || above->slot + 1u >= parent->count ||
	    node_is_dead(parent))
		return false;
	umaple_delay();
	umaple_path_next(path, 0);
	return true;
}

/* Ranges after the one at hand in the same leaf.  The path may be followed. */
static inline size_t find_in_leaf(struct umaple_cursor *cursor, uint64_t max,
				  struct umaple_range *ret_ranges, size_t count)
{
	struct umaple_path_ *path = &cursor->path_;
	size_t n;

	if (path->at[0].slot + 1u >= path_node(path, 0)->count)
		return 0;
	path->at[0].slot++;
	n = leaf_find_many(path, max, ret_ranges, count);
	if (n)
		cursor_arrive(cursor, &ret_ranges[n - 1], CURSOR_PATH);
	else
		path->at[0].slot--;
	return n;
}

/*
 * Ranges in the leaves after this one, which has no more, as long as the way is
 * easy.
 */
static size_t find_in_siblings(struct umaple_cursor *cursor, uint64_t max,
			       struct umaple_range *ret_ranges, size_t count)
{
	size_t n = 0, here = 1;

	while (here && n < count && sibling_up(&cursor->path_)) {
		here = leaf_find_many(&cursor->path_, max, ret_ranges + n,
				      count - n);
		n += here;
	}
	if (n)
		cursor_arrive(cursor, &ret_ranges[n - 1], CURSOR_PATH);
	/* The path may have gone on to where nothing was. */
	if (!here)
		umaple_cursor_pause(cursor);
	return n;
}

size_t umaple_cursor_find_many(struct umaple_cursor *cursor, uint64_t max,
			       struct umaple_range *ret_ranges, size_t count)
{
	size_t n = 0;
	void *entry;

	while (n < count && (entry = umaple_cursor_find(cursor, max))) {
		ret_ranges[n++] = (struct umaple_range){ cursor->index,
							 cursor->last, entry };
		if (!cursor_sync(cursor))
			continue;
		n += find_in_leaf(cursor, max, ret_ranges + n, count - n);
		n += find_in_siblings(cursor, max, ret_ranges + n, count - n);
	}
	return n;
}

bool umaple_cursor_find_range(struct umaple_cursor *cursor, uint64_t max,
			      void **ret_entry)
{
	return search_range(cursor, find_up, max, ret_entry);
}

bool umaple_cursor_find_range_rev(struct umaple_cursor *cursor, uint64_t min,
				  void **ret_entry)
{
	return search_range(cursor, find_down, min, ret_entry);
}

bool umaple_cursor_next_range(struct umaple_cursor *cursor, uint64_t max,
			      void **ret_entry)
{
	return search_range(cursor, next_up, max, ret_entry);
}

bool umaple_cursor_prev_range(struct umaple_cursor *cursor, uint64_t min,
			      void **ret_entry)
{
	return search_range(cursor, next_down, min, ret_entry);
}
