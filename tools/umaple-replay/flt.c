/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * flt.c - reads the page faults of a trace: the .flt format of
 * data/traces/FORMAT.md.
 *
 * The format has no last record, so a file that was cut at a line's end cannot
 * be told from a whole one; one that was cut within a line is refused.
 */

#include "flt.h"

#include <errno.h>
#include <inttypes.h>

#include "fields.h"

static int parse_fault(struct fields *f, uint64_t *ret_after,
		       uint64_t *ret_page)
{
	int r = fields_number(f, "count of calls", 10, ret_after);

	if (r == 0)
		r = fields_number(f, "page", 16, ret_page);
	if (r == 0)
		r = fields_end(f);
	return r;
}

static int add_fault(struct trace *t, struct lines *in, uint64_t after,
		     uint64_t page)
{
	struct fault *fault;

	if (after > t->nr_calls)
		return lines_refuse(in, "after %" PRIu64 " calls of %" PRIu64,
				    after, t->nr_calls);
	if (t->nr_fault && after < t->fault[t->nr_fault - 1].after)
		return lines_refuse(in, "lines are not in order of calls");
	if (page > UINT64_MAX / PAGE_BYTES)
		return lines_refuse(in, "page exceeds the address space");
	fault = trace_add_fault(t);
	if (!fault)
		return -ENOMEM;
	*fault = (struct fault){ .after = after,
				 .page = page,
				 .line = in->number };
	return 0;
}

static int read_line(struct trace *t, struct lines *in)
{
	struct fields f;
	uint64_t after = 0;
	uint64_t page = 0;
	int r;

	if (in->text[0] == '#' || in->text[0] == '\0')
		return 0;
	if (in->unterminated)
		return lines_refuse(in, "line is cut: no newline at its end");
	r = fields_split(&f, in);
	if (r == 0)
		r = parse_fault(&f, &after, &page);
	if (r == 0)
		r = add_fault(t, in, after, page);
	return r;
}

int flt_read(struct trace *t, struct lines *in)
{
	int r;

	while ((r = lines_next(in)) > 0) {
		r = read_line(t, in);
		if (r < 0)
			return r;
	}
	return r;
}
