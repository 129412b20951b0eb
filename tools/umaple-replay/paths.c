/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * paths.c - the files that arguments stand for: a directory, for the traces in
 * it, in the order of their names.
 */

#include "paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "message.h"

/* @path is the list's on success, and freed otherwise. */
static int add_path(struct paths *p, char *path)
{
	void *array;

	if (!path)
		return -ENOMEM;
	array = array_room(p->path, p->count, &p->room, sizeof(*p->path));
	if (!array) {
		free(path);
		return -ENOMEM;
	}
	p->path = array;
	p->path[p->count++] = path;
	return 0;
}

static bool ends_with(const char *text, const char *suffix)
{
	size_t n = strlen(text);
	size_t m = strlen(suffix);

	return n > m && strcmp(text + n - m, suffix) == 0;
}

static int is_trace(const struct dirent *entry)
{
	return ends_with(entry->d_name, ".mmt") ||
	       ends_with(entry->d_name, ".mmt.xz");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_entry(struct paths *p, const char *directory, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return -ENOMEM;
	return add_path(p, path);
}

static int add_directory(struct paths *p, const char *directory)
{
	struct dirent **entry;
	int count = scandir(directory, &entry, is_trace, by_name);
	int r = 0;
	int i;

	if (count < 0) {
		message_at(directory, 0, "cannot read: %m");
		return -EINVAL;
	}
	for (i = 0; i < count; i++) {
		if (r == 0)
			r = add_entry(p, directory, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	if (count == 0) {
		message_at(directory, 0, "no .mmt or .mmt.xz file in it");
		return -EINVAL;
	}
	return r;
}

int paths_add(struct paths *p, const char *argument)
{
	struct stat st;

	if (stat(argument, &st) == 0 && S_ISDIR(st.st_mode))
		return add_directory(p, argument);
	return add_path(p, strdup(argument));
}

void paths_free(struct paths *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		free(p->path[i]);
	free(p->path);
}
