/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "keys.h"

/*
 * First index of a slice, 2^64 * @cell / cells; one past the last slice, it wraps
 * to 0.  2^64 is @whole * cells + @rest.
 */
static uint64_t slice(const struct keys *keys, uint64_t cell)
{
	uint64_t whole = -keys->cells / keys->cells + 1;
	uint64_t rest = -keys->cells % keys->cells;

	return whole * cell + rest * cell / keys->cells;
}

void keys_range(const struct keys *keys, uint64_t from, uint64_t to,
		uint64_t *ret_first, uint64_t *ret_last)
{
	switch (keys->shape) {
	case KEYS_HIGH:
		*ret_first = UINT64_MAX - to;
		*ret_last = UINT64_MAX - from;
		break;
	case KEYS_SPREAD:
		*ret_first = slice(keys, from);
		*ret_last = slice(keys, to + 1) - 1;
		break;
	default:
		*ret_first = from;
		*ret_last = to;
		break;
	}
}

/* Slices are not shorter than @whole: the first guess is never too low. */
static uint64_t slice_of(const struct keys *keys, uint64_t index)
{
	uint64_t whole = -keys->cells / keys->cells + 1;
	uint64_t cell = index / whole;

	if (cell >= keys->cells)
		cell = keys->cells - 1;
	while (slice(keys, cell) > index)
		cell--;
	return cell;
}

uint64_t keys_cell(const struct keys *keys, uint64_t index)
{
	switch (keys->shape) {
	case KEYS_HIGH:
		return UINT64_MAX - index;
	case KEYS_SPREAD:
		return slice_of(keys, index);
	default:
		return index;
	}
}

uint64_t keys_index(const struct keys *keys, struct rng *rng)
{
	uint64_t cell = rng_below(rng, keys->cells);
	uint64_t first, last;

	keys_range(keys, cell, cell, &first, &last);
	switch (rng_below(rng, 16)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return rng_next(rng);
	case 3:
	case 4:
		return first + (last - first) / 2;
	default:
		return rng_below(rng, 2) ? first : last;
	}
}

void *keys_entry(struct rng *rng)
{
	uint64_t word = rng_next(rng);

	/* Small numbers, aligned addresses, and all ones are entries as well. */
	switch (rng_below(rng, 4)) {
	case 0:
		word &= 0xff;
		break;
	case 1:
		word &= 0x00007fffffffff00;
		break;
	default:
		break;
	}
	return (void *)(uintptr_t)(word ? word : UINTPTR_MAX);
}
