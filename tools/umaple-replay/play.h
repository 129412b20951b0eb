/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * play.h - the state of one replay, shared by replay.c, which goes through the
 * trace, and apply.c, which does the calls.
 */

#ifndef REPLAY_PLAY_H
#define REPLAY_PLAY_H

#include "replay.h"
#include "space.h"

/**
 * struct play - One replay.
 * @trace:      What is replayed.
 * @how:        How.
 * @space:      The address space as it is now.
 * @brk:        The program break.
 * @tally:      What has been counted.
 * @complaints: Wrong answers named so far.
 */
struct play {
	const struct trace *trace;
	const struct replay_how *how;
	struct space space;
	uint64_t brk;
	struct tally tally;
	unsigned int complaints;
};

/* Name a wrong answer, at @line of the .mmt file or of the .flt file. */
void play_complain(struct play *p, const char *path, unsigned long line,
		   const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Do a call, or a growth of the stack, and check what its result implies.  0;
 * -ENOMEM.
 */
int apply_call(struct play *p, const struct step *s);

#endif /* REPLAY_PLAY_H */
