/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * replay.c - go through a trace once, and check every answer the kernel gave.
 *
 * Here are the answers that are not about one call: the lists, the forks, the
 * page faults.  The clock runs during calls only; it is stopped and started where
 * something else comes between them, so that a row of calls costs no clock.
 */

#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <time.h>

#include <umaple/debug.h>

#include "compare.h"
#include "copies.h"
#include "message.h"
#include "play.h"

#define COMPLAINTS_MOST 20

/**
 * struct session - A replay and what surrounds its calls.
 * @play:   The space and the counts.
 * @copies: Copies made at forks.
 * @fault:  The next page fault to look up.
 * @since:  When the clock was started; 0: it stands.
 */
struct session {
	struct play play;
	struct copies copies;
	size_t fault;
	uint64_t since;
};

void play_complain(struct play *p, const char *path, unsigned long line,
		   const char *format, ...)
{
	va_list args;

	if (!p->how->complain || p->complaints > COMPLAINTS_MOST)
		return;
	if (p->complaints++ == COMPLAINTS_MOST) {
		message_at(path, line, "wrong too, and no more is named");
		return;
	}
	va_start(args, format);
	message_at_va(path, line, format, args);
	va_end(args);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void clock_start(struct session *ss)
{
	if (!ss->since)
		ss->since = now_ns();
}

static void clock_stop(struct session *ss)
{
	if (ss->since)
		ss->play.tally.ns += now_ns() - ss->since;
	ss->since = 0;
}

static void complain_run(struct play *p, unsigned long line, const char *whose,
			 const struct run *run)
{
	if (run->end)
		play_complain(p, p->trace->path, line, "%s: nothing more",
			      whose);
	else
		play_complain(p, p->trace->path, line,
			      "%s: %" PRIx64 "-%" PRIx64
			      " prot %u %s file %" PRIu32,
			      whose, run->first, run->last, run->what.prot,
			      run->what.shared ? "shared" : "private",
			      run->what.file);
}

static bool list_is_right(struct play *p, const struct step *s,
			  enum compare_key key)
{
	const struct listed *l = p->trace->listed + s->first;
	struct run mine;
	struct run kernel;

	if (compare_lists(&p->space, l, s->count, key, &mine, &kernel))
		return true;
	play_complain(p, p->trace->path, s->line, "list differs by %s",
		      key == COMPARE_BACKING ? "backing" : "protection");
	complain_run(p, s->line, "tree", &mine);
	complain_run(p, s->line, "kernel", &kernel);
	return false;
}

/* A tree that breaks its own rules is wrong, whatever the lists say. */
static void check_tree(struct play *p, const struct step *s)
{
	char text[256] = "";
	struct umaple_tree_info info;

	umaple_tree_measure(&p->space.tree, &info);
	if (umaple_tree_check(&p->space.tree, text, sizeof(text)) == 0 &&
	    info.ranges == p->space.live)
		return;
	p->tally.checks++;
	p->tally.checks_wrong++;
	play_complain(p, p->trace->path, s->line,
		      "tree is damaged: %" PRIu64 " ranges of %zu: %s",
		      info.ranges, p->space.live, text);
}

static void compare_with_kernel(struct play *p, const struct step *s)
{
	bool right = list_is_right(p, s, COMPARE_PROTECTION);

	right = list_is_right(p, s, COMPARE_BACKING) && right;
	p->tally.checks++;
	if (!right) {
		p->tally.checks_wrong++;
		p->tally.final_wrong += s->kind == STEP_FINAL;
	}
	check_tree(p, s);
}

static int note_copies(struct play *p, unsigned long line, int r)
{
	if (r != -EUCLEAN)
		return r;
	p->tally.checks++;
	p->tally.checks_wrong++;
	play_complain(p, p->trace->path, line,
		      "a copy of the tree is not equal or not independent");
	return 0;
}

static void look_up(struct play *p, const struct fault *f)
{
	bool found = umaple_load(&p->space.tree, f->page * PAGE_BYTES);
	bool expected = f->page != 0;

	p->tally.lookups++;
	if (found == expected)
		return;
	p->tally.lookups_wrong++;
	play_complain(p, p->trace->flt_path, f->line,
		      expected ? "page %" PRIx64 " is not in a range"
			       : "page %" PRIx64 " is in a range",
		      f->page);
}

/* The faults that came after the calls done so far, before the next. */
static void look_up_due(struct session *ss)
{
	const struct trace *t = ss->play.trace;

	while (ss->fault < t->nr_fault &&
	       t->fault[ss->fault].after <= ss->play.tally.calls) {
		clock_stop(ss);
		look_up(&ss->play, &t->fault[ss->fault++]);
	}
}

static int do_step(struct session *ss, const struct step *s)
{
	struct play *p = &ss->play;

	if (step_is_call(s) || s->kind == STEP_FINAL)
		look_up_due(ss);
	switch (s->kind) {
	case STEP_CHECK:
	case STEP_FINAL:
		clock_stop(ss);
		compare_with_kernel(p, s);
		return 0;
	case STEP_FORK:
		clock_stop(ss);
		return note_copies(p, s->line,
				   copies_add(&ss->copies, &p->space,
					      p->how->flags));
	default:
		clock_start(ss);
		return apply_call(p, s);
	}
}

/* After @done steps: is this the peak? */
static void note_size(struct session *ss, size_t done)
{
	struct play *p = &ss->play;
	struct umaple_tree_info info;

	if (p->space.live > p->tally.max_live) {
		p->tally.max_live = p->space.live;
		p->tally.peak = done;
	}
	if (p->how->measure && p->how->peak == done) {
		clock_stop(ss);
		umaple_tree_measure(&p->space.tree, &info);
		p->tally.nodes = info.nodes;
		p->tally.bytes = info.bytes;
	}
}

static int store_init(struct play *p)
{
	const struct trace *t = p->trace;
	const struct listed *l;
	struct vma what;
	int r = 0;

	p->brk = t->brk;
	for (l = t->listed; r == 0 && l < t->listed + t->nr_init; l++) {
		what = vma_of_listed(l);
		r = space_store(&p->space, l->start, l->end - 1, &what);
	}
	return r;
}

static int go_through(struct session *ss)
{
	const struct trace *t = ss->play.trace;
	size_t i;
	int r = store_init(&ss->play);

	note_size(ss, 0);
	for (i = 0; r == 0 && i < t->nr_step; i++) {
		r = do_step(ss, &t->step[i]);
		note_size(ss, i + 1);
	}
	clock_stop(ss);
	return r;
}

int replay_trace(const struct trace *t, const struct replay_how *how,
		 struct tally *ret_tally)
{
	struct session ss = { .play = { .trace = t, .how = how } };
	int dropped;
	int r;

	space_init(&ss.play.space, how->flags);
	r = go_through(&ss);
	dropped = copies_drop(&ss.copies, &ss.play.space);
	if (r == 0 && t->nr_step)
		r = note_copies(&ss.play, t->step[t->nr_step - 1].line,
				dropped);
	space_destroy(&ss.play.space);
	if (r == 0)
		*ret_tally = ss.play.tally;
	return r;
}
