/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * trace.c - a recorded trace in memory: its arrays, and the files it comes from.
 */

#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "flt.h"
#include "mmt.h"

bool page_round_up(uint64_t bytes, uint64_t *ret_bytes)
{
	uint64_t sum;

	if (__builtin_add_overflow(bytes, PAGE_BYTES - 1, &sum))
		return false;
	*ret_bytes = sum & ~(PAGE_BYTES - 1);
	return true;
}

struct listed *trace_add_listed(struct trace *t)
{
	void *array = array_room(t->listed, t->nr_listed, &t->room_listed,
				 sizeof(*t->listed));

	if (!array)
		return NULL;
	t->listed = array;
	return &t->listed[t->nr_listed++];
}

struct step *trace_add_step(struct trace *t)
{
	void *array = array_room(t->step, t->nr_step, &t->room_step,
				 sizeof(*t->step));

	if (!array)
		return NULL;
	t->step = array;
	return &t->step[t->nr_step++];
}

struct fault *trace_add_fault(struct trace *t)
{
	void *array = array_room(t->fault, t->nr_fault, &t->room_fault,
				 sizeof(*t->fault));

	if (!array)
		return NULL;
	t->fault = array;
	return &t->fault[t->nr_fault++];
}

/* Length of @path up to @suffix, or all of it. */
static size_t length_without(const char *path, size_t length,
			     const char *suffix)
{
	size_t n = strlen(suffix);

	if (length > n && memcmp(path + length - n, suffix, n) == 0)
		return length - n;
	return length;
}

static size_t stem_length(const char *path)
{
	size_t n = length_without(path, strlen(path), ".xz");

	return length_without(path, n, ".mmt");
}

static int set_names(struct trace *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	t->path = strdup(path);
	t->name = strndup(base, stem_length(base));
	return t->path && t->name ? 0 : -ENOMEM;
}

/* -ENOENT: there is no such file. */
static int load_faults_from(struct trace *t, struct lines *in,
			    const char *suffix)
{
	int r;

	if (asprintf(&t->flt_path, "%.*s%s", (int)stem_length(t->path), t->path,
		     suffix) < 0) {
		t->flt_path = NULL;
		return -ENOMEM;
	}
	r = lines_open(in, t->flt_path);
	if (r == 0) {
		r = flt_read(t, in);
		lines_close(in);
	}
	if (r == -ENOENT) {
		free(t->flt_path);
		t->flt_path = NULL;
	}
	return r;
}

/* The .flt file of the same compression goes before the other. */
static int load_faults(struct trace *t, struct lines *in)
{
	const char *suffix = t->path + stem_length(t->path);
	bool is_xz = strcmp(suffix, ".mmt.xz") == 0;
	int r;

	if (strncmp(suffix, ".mmt", 4) != 0)
		return 0;
	r = load_faults_from(t, in, is_xz ? ".flt.xz" : ".flt");
	if (r == -ENOENT)
		r = load_faults_from(t, in, is_xz ? ".flt" : ".flt.xz");
	return r == -ENOENT ? 0 : r;
}

static int load_calls(struct trace *t, struct lines *in)
{
	int r = lines_open(in, t->path);

	if (r < 0)
		return -EINVAL;
	r = mmt_read(t, in);
	lines_close(in);
	return r;
}

int trace_load(const char *path, struct lines *in, struct trace **ret_trace)
{
	struct trace *t = calloc(1, sizeof(*t));
	int r = -ENOMEM;

	if (!t)
		return r;
	r = set_names(t, path);
	if (r == 0)
		r = load_calls(t, in);
	if (r == 0)
		r = load_faults(t, in);
	if (r == 0)
		*ret_trace = t;
	else
		trace_free(t);
	return r;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	free(t->path);
	free(t->name);
	free(t->flt_path);
	free(t->listed);
	free(t->step);
	free(t->fault);
	free(t);
}
