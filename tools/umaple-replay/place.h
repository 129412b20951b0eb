/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * place.h - where the kernel puts a mapping whose address the program leaves
 * open: the rule of data/traces/FORMAT.md, "Placement".
 */

#ifndef REPLAY_PLACE_H
#define REPLAY_PLACE_H

#include "space.h"
#include "trace.h"

/* Does the rule say something about this mmap? */
bool place_is_ruled(const struct step *mmap);

/* The address; 0 when there is no room below @base. */
uint64_t place_find(struct space *sp, uint64_t base, const struct step *mmap);

#endif /* REPLAY_PLACE_H */
