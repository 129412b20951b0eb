/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * sheaf/sheaf_check.c - invariants S1 to S7 of sheaves and the barn.
 *
 * Role:  Reads, writes nothing, returns the first violation as text.
 * Locks: none; the caller keeps others away.
 */

#include "platform/report.h"
#include "sheaf/barn.h"
#include "sheaf/sheaf.h"

static int check_objects(const struct umaple_sheaf *sheaf,
			 const struct report *report)
{
	for (size_t i = 0; i < sheaf->count; i++) {
		if (!sheaf->objects[i])
			return umaple_report(
				report, "S2: object %zu of sheaf %p is NULL", i,
				(const void *)sheaf);
		for (size_t j = 0; j < i; j++)
			if (sheaf->objects[i] == sheaf->objects[j])
				return umaple_report(
					report,
					"S2: objects %zu and %zu of sheaf %p are both %p",
					j, i, (const void *)sheaf,
					sheaf->objects[i]);
	}
	return 0;
}

static int check_sheaf(const struct umaple_sheaf *sheaf,
		       const struct report *report)
{
	if (!sheaf->capacity || sheaf->count > sheaf->capacity)
		return umaple_report(report, "S1: sheaf %p holds %u of %u",
				     (const void *)sheaf, sheaf->count,
				     sheaf->capacity);
	return check_objects(sheaf, report);
}

/* Is @sheaf among the first @nr members of @list? */
static bool is_listed(const struct umaple_sheaf *list, size_t nr,
		      const struct umaple_sheaf *sheaf)
{
	for (; nr; nr--, list = list->next)
		if (list == sheaf)
			return true;
	return false;
}

static int check_list(const struct umaple_sheaf *list, size_t nr,
		      const char *kind, const struct report *report)
{
	const struct umaple_sheaf *sheaf = list;
	size_t seen = 0;
	int err;

	for (; sheaf; sheaf = sheaf->next, seen++) {
		if (is_listed(list, seen, sheaf))
			return umaple_report(report,
					     "S6: %s sheaf %p is listed twice",
					     kind, (const void *)sheaf);
		err = check_sheaf(sheaf, report);
		if (err)
			return err;
	}
	if (seen != nr)
		return umaple_report(report,
				     "S3: nr_%s is %zu, the list has %zu", kind,
				     nr, seen);
	return 0;
}

/* Both lists are sound by now, so they end. */
static int check_kinds(const struct umaple_barn *barn,
		       const struct report *report)
{
	const struct umaple_sheaf *sheaf;

	for (sheaf = barn->full; sheaf; sheaf = sheaf->next)
		if (!sheaf->count)
			return umaple_report(
				report,
				"S4: sheaf %p of the full list is empty",
				(const void *)sheaf);
	for (sheaf = barn->empty; sheaf; sheaf = sheaf->next) {
		if (is_listed(barn->full, barn->nr_full, sheaf))
			return umaple_report(report,
					     "S6: sheaf %p is on both lists",
					     (const void *)sheaf);
		if (sheaf->count)
			return umaple_report(
				report,
				"S5: sheaf %p of the empty list holds %u",
				(const void *)sheaf, sheaf->count);
	}
	return 0;
}

/* The lists are sound by now. */
static int check_partial(const struct umaple_barn *barn,
			 const struct report *report)
{
	const struct umaple_sheaf *sheaf = barn->partial;

	if (!sheaf)
		return 0;
	if (is_listed(barn->full, barn->nr_full, sheaf) ||
	    is_listed(barn->empty, barn->nr_empty, sheaf))
		return umaple_report(report,
				     "S6: partial sheaf %p is listed as well",
				     (const void *)sheaf);
	if (!sheaf->count || umaple_sheaf_is_full(sheaf))
		return umaple_report(report,
				     "S7: partial sheaf %p holds %u of %u",
				     (const void *)sheaf, sheaf->count,
				     sheaf->capacity);
	return check_sheaf(sheaf, report);
}

int umaple_sheaf_check(const struct umaple_sheaf *sheaf, char *text,
		       size_t size)
{
	const struct report report = { text, size };

	return check_sheaf(sheaf, &report);
}

int umaple_barn_check(const struct umaple_barn *barn, char *text, size_t size)
{
	const struct report report = { text, size };
	int err;

	err = check_list(barn->full, barn->nr_full, "full", &report);
	if (!err)
		err = check_list(barn->empty, barn->nr_empty, "empty", &report);
	if (!err)
		err = check_kinds(barn, &report);
	if (!err)
		err = check_partial(barn, &report);
	return err;
}
