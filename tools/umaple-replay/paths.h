/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * paths.h - the files that arguments stand for: a directory, for the traces in
 * it.
 */

#ifndef REPLAY_PATHS_H
#define REPLAY_PATHS_H

#include <stddef.h>

/**
 * struct paths - A growing list of file names, which it owns.
 */
struct paths {
	char **path;
	size_t count;
	size_t room;
};

/*
 * Add what @argument stands for.  0; -ENOMEM; -EINVAL, and the reason has been
 * printed.
 */
int paths_add(struct paths *p, const char *argument);

void paths_free(struct paths *p);

#endif /* REPLAY_PATHS_H */
