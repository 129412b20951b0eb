/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * listed.h - the `r` lines of a trace: ranges as the kernel lists them.
 */

#ifndef REPLAY_LISTED_H
#define REPLAY_LISTED_H

#include "fields.h"
#include "trace.h"

/* Parse the line at hand behind its `r`.  0, or -EINVAL with the reason kept. */
int listed_parse(struct fields *f, struct listed *ret_listed);

#endif /* REPLAY_LISTED_H */
