/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/list.h - circular doubly linked list, its links inside the members.
 *
 * The head is a link that no member has.  Whoever uses a list guards it: nothing
 * here is atomic.
 */

#ifndef PLATFORM_LIST_H
#define PLATFORM_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "platform/compiler.h"

struct list_link {
	struct list_link *next;
	struct list_link *prev;
};

static inline void list_init(struct list_link *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_is_empty(const struct list_link *head)
{
	return head->next == head;
}

static inline void list_insert_between(struct list_link *link,
				       struct list_link *prev,
				       struct list_link *next)
{
	link->prev = prev;
	link->next = next;
	prev->next = link;
	next->prev = link;
}

static inline void list_push_front(struct list_link *head,
				   struct list_link *link)
{
	list_insert_between(link, head, head->next);
}

static inline void list_push_back(struct list_link *head,
				  struct list_link *link)
{
	list_insert_between(link, head->prev, head);
}

/* @link keeps its stale pointers. */
static inline void list_remove(struct list_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
}

/* All members of @from, in their order, to the end of @to; @from is empty then. */
static inline void list_append(struct list_link *to, struct list_link *from)
{
	if (list_is_empty(from))
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	list_init(from);
}

#endif /* PLATFORM_LIST_H */
