/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * array.h - arrays that grow at their end.
 */

#ifndef REPLAY_ARRAY_H
#define REPLAY_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/*
 * The array with room for element number @count, doubled if it was full; it may
 * have moved.  NULL: no memory, and it is as it was.
 */
static inline void *array_room(void *array, size_t count, size_t *room,
			       size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *grown;

	if (count < *room)
		return array;
	grown = reallocarray(array, more, size);
	if (grown)
		*room = more;
	return grown;
}

#endif /* REPLAY_ARRAY_H */
