/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * compare.c - is a space what the kernel listed?
 *
 * The tree and the list are walked side by side.  Each walk hands out runs: it
 * holds one range in reserve to see whether it goes on.
 */

#include "compare.h"

#include <umaple/cursor.h>

/**
 * struct walk - Runs of one side, from low to high.
 * @key:    In what neighbours must agree.
 * @cursor: In the tree; or
 * @listed: the ranges of a list that are left, up to
 * @stop:   its end.
 * @ahead:  The range after the run handed out.
 */
struct walk {
	enum compare_key key;
	struct umaple_cursor *cursor;
	const struct listed *listed;
	const struct listed *stop;
	struct run ahead;
};

struct vma vma_of_listed(const struct listed *l)
{
	return (struct vma){
		.shift = l->file ? l->offset - l->start : 0,
		.file = l->file,
		.prot = l->prot,
		.shared = l->shared,
		.stack = l->stack,
	};
}

static struct vma reduce(struct vma what, enum compare_key key)
{
	if (key == COMPARE_PROTECTION)
		return (struct vma){ .prot = what.prot };
	what.stack = false;
	return what;
}

static void step_tree(struct walk *w)
{
	struct vma *v = umaple_cursor_find(w->cursor, UINT64_MAX);

	w->ahead.end = !v;
	if (!v)
		return;
	w->ahead.first = w->cursor->index;
	w->ahead.last = w->cursor->last;
	w->ahead.what = reduce(*v, w->key);
}

static void step_list(struct walk *w)
{
	w->ahead.end = w->listed == w->stop;
	if (w->ahead.end)
		return;
	w->ahead.first = w->listed->start;
	w->ahead.last = w->listed->end - 1;
	w->ahead.what = reduce(vma_of_listed(w->listed), w->key);
	w->listed++;
}

static void step(struct walk *w)
{
	if (w->cursor)
		step_tree(w);
	else
		step_list(w);
}

static struct run next_run(struct walk *w)
{
	struct run run = w->ahead;

	if (run.end)
		return run;
	step(w);
	while (!w->ahead.end && w->ahead.first == run.last + 1 &&
	       vma_equal(&w->ahead.what, &run.what)) {
		run.last = w->ahead.last;
		step(w);
	}
	return run;
}

static bool run_equal(const struct run *a, const struct run *b)
{
	if (a->end || b->end)
		return a->end == b->end;
	return a->first == b->first && a->last == b->last &&
	       vma_equal(&a->what, &b->what);
}

static bool compare_walks(struct walk *mine, struct walk *kernel,
			  struct run *ret_mine, struct run *ret_kernel)
{
	do {
		*ret_mine = next_run(mine);
		*ret_kernel = next_run(kernel);
		if (!run_equal(ret_mine, ret_kernel))
			return false;
	} while (!ret_mine->end);
	return true;
}

bool compare_lists(struct space *sp, const struct listed *listed,
		   size_t nr_listed, enum compare_key key, struct run *ret_mine,
		   struct run *ret_kernel)
{
	struct umaple_cursor cursor;
	struct walk mine = { .key = key, .cursor = &cursor };
	struct walk kernel = { .key = key,
			       .listed = listed,
			       .stop = listed + nr_listed };
	bool same;

	umaple_read_lock(&sp->tree);
	umaple_cursor_init(&cursor, &sp->tree, 0, 0);
	step(&mine);
	step(&kernel);
	same = compare_walks(&mine, &kernel, ret_mine, ret_kernel);
	umaple_read_unlock(&sp->tree);
	return same;
}
