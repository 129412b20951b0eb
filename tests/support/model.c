/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void model_free(struct model *model)
{
	free(model->ranges);
	memset(model, 0, sizeof(*model));
}

static void reserve(struct model *model, size_t count)
{
	if (count <= model->room)
		return;
	model->room = count * 2;
	model->ranges =
		realloc(model->ranges, model->room * sizeof(*model->ranges));
	if (!model->ranges)
		abort();
}

void model_copy(struct model *to, const struct model *from)
{
	reserve(to, from->count + 1);
	to->count = from->count;
	if (from->count)
		memcpy(to->ranges, from->ranges,
		       from->count * sizeof(*from->ranges));
}

/* Number of the first range that ends at or after @index; count if none. */
static size_t position(const struct model *model, uint64_t index)
{
	size_t low = 0, high = model->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (model->ranges[middle].last < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct umaple_range model_at(const struct model *model, uint64_t index)
{
	size_t i = position(model, index);
	struct umaple_range hole = { 0, UINT64_MAX, NULL };

	if (i < model->count && model->ranges[i].first <= index)
		return model->ranges[i];
	if (i > 0)
		hole.first = model->ranges[i - 1].last + 1;
	if (i < model->count)
		hole.last = model->ranges[i].first - 1;
	return hole;
}

void *model_load(const struct model *model, uint64_t index)
{
	return model_at(model, index).entry;
}

void *model_find(const struct model *model, uint64_t index, uint64_t max,
		 struct umaple_range *ret)
{
	size_t i = position(model, index);

	if (index > max || i == model->count || model->ranges[i].first > max)
		return NULL;
	*ret = model->ranges[i];
	return ret->entry;
}

void *model_next(const struct model *model, uint64_t index, uint64_t max,
		 struct umaple_range *ret)
{
	uint64_t last = model_at(model, index).last;

	if (last == UINT64_MAX)
		return NULL;
	return model_find(model, last + 1, max, ret);
}

/* The last range that starts at or below @index, if it ends at @min or above. */
void *model_find_rev(const struct model *model, uint64_t index, uint64_t min,
		     struct umaple_range *ret)
{
	size_t i = position(model, index);

	if (i == model->count || model->ranges[i].first > index) {
		if (i == 0)
			return NULL;
		i--;
	}
	if (index < min || model->ranges[i].last < min)
		return NULL;
	*ret = model->ranges[i];
	return ret->entry;
}

void *model_prev(const struct model *model, uint64_t index, uint64_t min,
		 struct umaple_range *ret)
{
	uint64_t first = model_at(model, index).first;

	if (first == 0)
		return NULL;
	return model_find_rev(model, first - 1, min, ret);
}

/* Is there a hole before ranges[i], or at the end where @i is the count? */
static bool hole_before(const struct model *model, size_t i, uint64_t *ret_low,
			uint64_t *ret_high)
{
	/* An empty model has no array to add to. */
	const struct umaple_range *after =
		i ? model->ranges + i : model->ranges;
	bool end = i == model->count;

	if (i > 0 && after[-1].last == UINT64_MAX)
		return false;
	*ret_low = i > 0 ? after[-1].last + 1 : 0;
	if (!end && after->first == *ret_low)
		return false;
	*ret_high = end ? UINT64_MAX : after->first - 1;
	return true;
}

size_t model_holes(const struct model *model)
{
	uint64_t low, high;
	size_t holes = 0;

	for (size_t i = 0; i <= model->count; i++)
		holes += hole_before(model, i, &low, &high);
	return holes;
}

/* Put @count ranges in the place of ranges[from..to). */
static void splice(struct model *model, size_t from, size_t to,
		   const struct umaple_range *ranges, size_t count)
{
	reserve(model, model->count + count + 1);
	memmove(model->ranges + from + count, model->ranges + to,
		(model->count - to) * sizeof(*ranges));
	memcpy(model->ranges + from, ranges, count * sizeof(*ranges));
	model->count = model->count - (to - from) + count;
}

void model_store_range(struct model *model, uint64_t first, uint64_t last,
		       void *entry)
{
	size_t from = position(model, first);
	size_t to = position(model, last);
	struct umaple_range middle[3];
	size_t count = 0;

	if (from < model->count && model->ranges[from].first < first) {
		middle[count] = model->ranges[from];
		middle[count++].last = first - 1;
	}
	if (entry)
		middle[count++] = (struct umaple_range){ first, last, entry };
	if (to < model->count && model->ranges[to].first <= last) {
		if (model->ranges[to].last > last) {
			middle[count] = model->ranges[to];
			middle[count++].first = last + 1;
		}
		to++;
	}
	splice(model, from, to, middle, count);
}

int model_insert_range(struct model *model, uint64_t first, uint64_t last,
		       void *entry)
{
	struct umaple_range found;

	if (first > last || !entry)
		return -EINVAL;
	if (model_find(model, first, last, &found))
		return -EEXIST;
	model_store_range(model, first, last, entry);
	return 0;
}

struct umaple_range model_erase(struct model *model, uint64_t index)
{
	struct umaple_range at = model_at(model, index);

	if (at.entry)
		model_store_range(model, at.first, at.last, NULL);
	return at;
}

void model_store_merge(struct model *model, uint64_t first, uint64_t last,
		       void *entry)
{
	struct umaple_range beside;

	while (first > 0) {
		beside = model_at(model, first - 1);
		if (beside.entry != entry)
			break;
		first = beside.first;
	}
	while (last < UINT64_MAX) {
		beside = model_at(model, last + 1);
		if (beside.entry != entry)
			break;
		last = beside.last;
	}
	model_store_range(model, first, last, entry);
}

void model_move_range(struct model *model, uint64_t first, uint64_t last,
		      uint64_t to)
{
	struct umaple_range *ranges;
	struct model old = { NULL, 0, 0 };
	size_t i;

	if (first == to)
		return;
	model_copy(&old, model);
	model_store_range(model, first, last, NULL);
	model_store_range(model, to, to + (last - first), NULL);
	ranges = old.ranges;
	for (i = position(&old, first);
	     i < old.count && ranges[i].first <= last; i++) {
		uint64_t from =
			ranges[i].first < first ? first : ranges[i].first;
		uint64_t until = ranges[i].last > last ? last : ranges[i].last;

		model_store_range(model, to + (from - first),
				  to + (until - first), ranges[i].entry);
	}
	model_free(&old);
}

static int gap_arguments(uint64_t size, uint64_t align, uint64_t min,
			 uint64_t max)
{
	if (size == 0 || min > max || size - 1 > max - min)
		return -EINVAL;
	if (align == 0 || (align & (align - 1)))
		return -EINVAL;
	return 0;
}

/* Does [@low, @high] have room?  Then the lowest and the highest first index. */
static bool gap_fits(uint64_t low, uint64_t high, uint64_t size, uint64_t align,
		     uint64_t *lowest, uint64_t *highest)
{
	uint64_t up =
		(align - low % align) % align; /* to a multiple of align */
	uint64_t last;

	if (low > high || high - low < size - 1)
		return false;
	last = high - (size - 1);
	if (last - low < up)
		return false;
	*lowest = low + up;
	*highest = last - last % align;
	return true;
}

static int gap_search(const struct model *model, uint64_t size, uint64_t align,
		      uint64_t min, uint64_t max, bool want_last,
		      uint64_t *ret_first)
{
	bool found = false;

	for (size_t i = 0; i <= model->count; i++) {
		uint64_t low, high, lowest, highest;

		/* Cut the window out of the hole. */
		if (!hole_before(model, i, &low, &high) ||
		    !gap_fits(low < min ? min : low, high > max ? max : high,
			      size, align, &lowest, &highest))
			continue;
		*ret_first = want_last ? highest : lowest;
		found = true;
		if (!want_last)
			break;
	}
	return found ? 0 : -EBUSY;
}

int model_gap_first(const struct model *model, uint64_t size, uint64_t align,
		    uint64_t min, uint64_t max, uint64_t *ret_first)
{
	int error = gap_arguments(size, align, min, max);

	return error ? error
		     : gap_search(model, size, align, min, max, false,
				  ret_first);
}

int model_gap_last(const struct model *model, uint64_t size, uint64_t align,
		   uint64_t min, uint64_t max, uint64_t *ret_first)
{
	int error = gap_arguments(size, align, min, max);

	return error ? error
		     : gap_search(model, size, align, min, max, true,
				  ret_first);
}

static void *cursor_to(struct model_cursor *cursor,
		       const struct umaple_range *range)
{
	cursor->index = range->first;
	cursor->last = range->last;
	cursor->fresh = false;
	return range->entry;
}

void *model_cursor_walk(const struct model *model, struct model_cursor *cursor)
{
	struct umaple_range at = model_at(model, cursor->index);

	return cursor_to(cursor, &at);
}

/* Go up from @from on; of a range that @from cuts, only the upper part. */
static void *cursor_up(const struct model *model, struct model_cursor *cursor,
		       uint64_t from, uint64_t max)
{
	struct umaple_range found;

	if (!model_find(model, from, max, &found))
		return NULL;
	if (found.first < from)
		found.first = from;
	return cursor_to(cursor, &found);
}

static void *cursor_down(const struct model *model, struct model_cursor *cursor,
			 uint64_t from, uint64_t min)
{
	struct umaple_range found;

	if (!model_find_rev(model, from, min, &found))
		return NULL;
	if (found.last > from)
		found.last = from;
	return cursor_to(cursor, &found);
}

void *model_cursor_find(const struct model *model, struct model_cursor *cursor,
			uint64_t max)
{
	struct umaple_range found;

	if (cursor->fresh)
		return model_find(model, cursor->index, max, &found)
			       ? cursor_to(cursor, &found)
			       : NULL;
	return model_cursor_next(model, cursor, max);
}

void *model_cursor_find_rev(const struct model *model,
			    struct model_cursor *cursor, uint64_t min)
{
	struct umaple_range found;

	if (cursor->fresh)
		return model_find_rev(model, cursor->index, min, &found)
			       ? cursor_to(cursor, &found)
			       : NULL;
	return model_cursor_prev(model, cursor, min);
}

void *model_cursor_next(const struct model *model, struct model_cursor *cursor,
			uint64_t max)
{
	uint64_t last = cursor->fresh ? model_at(model, cursor->index).last
				      : cursor->last;

	if (last == UINT64_MAX)
		return NULL;
	return cursor_up(model, cursor, last + 1, max);
}

void *model_cursor_prev(const struct model *model, struct model_cursor *cursor,
			uint64_t min)
{
	uint64_t first = cursor->fresh ? model_at(model, cursor->index).first
				       : cursor->index;

	if (first == 0)
		return NULL;
	return cursor_down(model, cursor, first - 1, min);
}
