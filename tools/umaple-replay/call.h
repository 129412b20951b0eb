/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * call.h - the call lines of a trace: which fields each has, and what a kernel
 * could not have answered.
 */

#ifndef REPLAY_CALL_H
#define REPLAY_CALL_H

#include "fields.h"
#include "trace.h"

/*
 * Parse the line at hand, whose first word is @word, as a call, a failed call or
 * a growth of the stack.  0; -ENOENT if @word is none of these; -EINVAL, and then
 * the reason is kept.
 */
int call_parse(struct fields *f, const char *word, struct step *ret_step);

#endif /* REPLAY_CALL_H */
