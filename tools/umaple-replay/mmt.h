/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * mmt.h - reads the calls of a trace: the .mmt format of data/traces/FORMAT.md.
 */

#ifndef REPLAY_MMT_H
#define REPLAY_MMT_H

#include "lines.h"
#include "trace.h"

/* Fill @t from @in.  0; -ENOMEM; -EINVAL, and then @in has the reason. */
int mmt_read(struct trace *t, struct lines *in);

#endif /* REPLAY_MMT_H */
