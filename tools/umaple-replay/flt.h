/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * flt.h - reads the page faults of a trace: the .flt format of
 * data/traces/FORMAT.md.
 */

#ifndef REPLAY_FLT_H
#define REPLAY_FLT_H

#include "lines.h"
#include "trace.h"

/*
 * Add the faults in @in to @t, whose calls have been read.  0; -ENOMEM; -EINVAL,
 * and then @in has the reason.
 */
int flt_read(struct trace *t, struct lines *in);

#endif /* REPLAY_FLT_H */
