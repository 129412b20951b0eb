/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * mmt.c - reads the calls of a trace: the .mmt format of data/traces/FORMAT.md.
 *
 * In the order of the file: the header, the ranges before the first call, the
 * calls with the lists between them, the final list, `end`.  What a call line
 * says is call.c's; here is what the lines together must say: counts that agree
 * with what follows, lists in order, nothing missing and nothing left over.
 */

#include "mmt.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "call.h"
#include "fields.h"
#include "listed.h"

#define FORK_COMMENT "# fork here"

/**
 * struct reader - A trace being read.
 * @trace:     What is filled.
 * @in:        The file.
 * @f:         Fields of the record at hand, after its first word.
 * @word:      Its first word.
 * @announced: Calls that the `calls` line promises.
 * @in_calls:  Behind the `calls` line, where the fork comment means something.
 */
struct reader {
	struct trace *trace;
	struct lines *in;
	struct fields f;
	const char *word;
	uint64_t announced;
	bool in_calls;
};

static int add_fork(struct reader *r)
{
	struct step *s = trace_add_step(r->trace);

	if (!s)
		return -ENOMEM;
	*s = (struct step){ .kind = STEP_FORK, .line = r->in->number };
	return 0;
}

static int read_comment(struct reader *r)
{
	if (r->in_calls && strcmp(r->in->text, FORK_COMMENT) == 0)
		return add_fork(r);
	return 0;
}

static bool is_comment(const struct lines *in)
{
	return in->text[0] == '#' || in->text[0] == '\0';
}

/* Go to the next line that is no comment. */
static int next_line(struct reader *r)
{
	int got;
	int err;

	while ((got = lines_next(r->in)) > 0) {
		if (!is_comment(r->in))
			return 0;
		err = read_comment(r);
		if (err < 0)
			return err;
	}
	return got < 0 ? got : lines_refuse(r->in, "file ends without 'end'");
}

/* Go to the next record, and cut it. */
static int next_record(struct reader *r)
{
	int err = next_line(r);

	if (err < 0)
		return err;
	if (r->in->unterminated && strcmp(r->in->text, "end") != 0)
		return lines_refuse(r->in,
				    "line is cut: no newline at its end");
	err = fields_split(&r->f, r->in);
	if (err < 0)
		return err;
	r->word = fields_word(&r->f, "record");
	return r->word ? 0 : -EINVAL;
}

static int take_number(struct reader *r, const char *name, unsigned int base,
		       uint64_t *ret)
{
	int err = fields_number(&r->f, name, base, ret);

	return err < 0 ? err : fields_end(&r->f);
}

static int read_page(struct reader *r)
{
	uint64_t bytes;
	int err = take_number(r, "page size", 10, &bytes);

	if (err == 0 && bytes != PAGE_BYTES)
		err = lines_refuse(r->in, "page size is not %" PRIu64,
				   PAGE_BYTES);
	return err;
}

static int read_space(struct reader *r)
{
	const char *how = fields_word(&r->f, "origin");

	if (!how)
		return -EINVAL;
	if (strcmp(how, "exec") != 0 && strcmp(how, "fork") != 0)
		return lines_refuse(r->in,
				    "space is neither 'exec' nor 'fork'");
	return fields_end(&r->f);
}

static int read_base(struct reader *r)
{
	int err = take_number(r, "base", 16, &r->trace->base);

	return err < 0 ? err : fields_need_pages(&r->f, "base", r->trace->base);
}

static int read_brk0(struct reader *r)
{
	uint64_t rounded;
	int err = take_number(r, "break", 16, &r->trace->brk);

	if (err == 0 && !page_round_up(r->trace->brk, &rounded))
		err = lines_refuse(r->in, "break overflows");
	return err;
}

static int read_version(struct reader *r)
{
	uint64_t version;
	int err = next_record(r);

	if (err < 0)
		return err;
	if (strcmp(r->word, "mmt") != 0)
		return lines_refuse(r->in,
				    "not a trace: no 'mmt 1' at the start");
	err = take_number(r, "version", 10, &version);
	if (err == 0 && version != 1)
		err = lines_refuse(r->in, "format version is not 1");
	return err;
}

static const struct header {
	const char *word;
	int (*read)(struct reader *r);
} header[] = {
	{ "page", read_page },
	{ "space", read_space },
	{ "base", read_base },
	{ "brk0", read_brk0 },
};

#define NR_HEADER (sizeof(header) / sizeof(header[0]))

static int read_header_line(struct reader *r, bool *seen)
{
	size_t i;

	for (i = 0; i < NR_HEADER; i++) {
		if (strcmp(r->word, header[i].word) != 0)
			continue;
		if (seen[i])
			return lines_refuse(r->in, "second '%s'", r->word);
		seen[i] = true;
		return header[i].read(r);
	}
	return lines_refuse(r->in, "unknown header '%.32s'", r->word);
}

/* Up to the `init` line, which is then at hand. */
static int read_header(struct reader *r)
{
	bool seen[NR_HEADER] = { false };
	size_t i;
	int err = next_record(r);

	while (err == 0 && strcmp(r->word, "init") != 0) {
		err = read_header_line(r, seen);
		if (err == 0)
			err = next_record(r);
	}
	for (i = 0; err == 0 && i < NR_HEADER; i++)
		if (!seen[i])
			err = lines_refuse(r->in, "'%s' is missing",
					   header[i].word);
	return err;
}

static int add_listed(struct reader *r, const struct listed *l, size_t first)
{
	struct trace *t = r->trace;
	struct listed *at;

	if (t->nr_listed > first && t->listed[t->nr_listed - 1].end > l->start)
		return lines_refuse(r->in, "range overlaps the one before it, "
					   "or is not in order");
	at = trace_add_listed(t);
	if (!at)
		return -ENOMEM;
	*at = *l;
	return 0;
}

/* @count `r` lines, from trace->listed[@first] on. */
static int read_list(struct reader *r, uint64_t count, size_t first)
{
	struct listed l;
	uint64_t i;
	int err = 0;

	for (i = 0; err == 0 && i < count; i++) {
		err = next_record(r);
		if (err == 0 && strcmp(r->word, "r") != 0)
			err = lines_refuse(r->in,
					   "%" PRIu64 " of %" PRIu64
					   " ranges, then '%.32s'",
					   i, count, r->word);
		if (err == 0)
			err = listed_parse(&r->f, &l);
		if (err == 0)
			err = add_listed(r, &l, first);
	}
	return err;
}

static int read_init(struct reader *r)
{
	uint64_t count;
	int err = take_number(r, "count of ranges", 10, &count);

	if (err == 0)
		err = read_list(r, count, 0);
	r->trace->nr_init = r->trace->nr_listed;
	if (err == 0)
		err = next_record(r);
	if (err < 0)
		return err;
	if (strcmp(r->word, "r") == 0)
		return lines_refuse(r->in, "more ranges than 'init' announced");
	if (strcmp(r->word, "calls") != 0)
		return lines_refuse(r->in, "'%.32s' where 'calls' must be",
				    r->word);
	return take_number(r, "count of calls", 10, &r->announced);
}

/* A list that the space is compared with: `check` or `final`. */
static int read_compared(struct reader *r, enum step_kind kind, uint64_t count)
{
	struct trace *t = r->trace;
	struct step *s = trace_add_step(t);
	size_t first = t->nr_listed;

	if (!s)
		return -ENOMEM;
	*s = (struct step){ .kind = kind, .line = r->in->number };
	s->first = first;
	s->count = (size_t)count;
	return read_list(r, count, first);
}

static int read_check(struct reader *r)
{
	uint64_t after;
	uint64_t count;
	int err = fields_number(&r->f, "count of calls", 10, &after);

	if (err == 0)
		err = take_number(r, "count of ranges", 10, &count);
	if (err == 0 && after != r->trace->nr_calls)
		err = lines_refuse(r->in,
				   "check after %" PRIu64
				   " calls stands after %" PRIu64,
				   after, r->trace->nr_calls);
	return err < 0 ? err : read_compared(r, STEP_CHECK, count);
}

static int read_final(struct reader *r)
{
	uint64_t count;
	int err = take_number(r, "count of ranges", 10, &count);

	if (err == 0 && r->trace->nr_calls != r->announced)
		err = lines_refuse(r->in,
				   "%" PRIu64 " calls, but 'calls' announced "
				   "%" PRIu64,
				   r->trace->nr_calls, r->announced);
	return err < 0 ? err : read_compared(r, STEP_FINAL, count);
}

static int read_call(struct reader *r)
{
	struct trace *t = r->trace;
	struct step call;
	struct step *s;
	int err = call_parse(&r->f, r->word, &call);

	if (err == -ENOENT)
		return lines_refuse(r->in, "unknown record '%.32s'", r->word);
	if (err < 0)
		return err;
	if (step_is_call(&call) && t->nr_calls == r->announced)
		return lines_refuse(r->in, "more calls than 'calls' announced");
	s = trace_add_step(t);
	if (!s)
		return -ENOMEM;
	*s = call;
	t->nr_calls += step_is_call(&call);
	return 0;
}

/* From behind the `calls` line up to the final list. */
static int read_calls(struct reader *r)
{
	int err;

	r->in_calls = true;
	for (;;) {
		err = next_record(r);
		if (err < 0)
			return err;
		if (strcmp(r->word, "final") == 0)
			return read_final(r);
		if (strcmp(r->word, "check") == 0)
			err = read_check(r);
		else if (strcmp(r->word, "r") == 0)
			err = lines_refuse(r->in, "range outside of a list, or "
						  "one more than announced");
		else
			err = read_call(r);
		if (err < 0)
			return err;
	}
}

static int read_end(struct reader *r)
{
	int got;
	int err;

	r->in_calls = false;
	err = next_record(r);
	if (err < 0)
		return err;
	if (strcmp(r->word, "end") != 0)
		return lines_refuse(r->in, "'%.32s' where 'end' must be",
				    r->word);
	err = fields_end(&r->f);
	if (err < 0)
		return err;
	while ((got = lines_next(r->in)) > 0)
		if (!is_comment(r->in))
			return lines_refuse(r->in, "text behind 'end'");
	return got;
}

int mmt_read(struct trace *t, struct lines *in)
{
	struct reader r = { .trace = t, .in = in };
	int err = read_version(&r);

	if (err == 0)
		err = read_header(&r);
	if (err == 0)
		err = read_init(&r);
	if (err == 0)
		err = read_calls(&r);
	return err < 0 ? err : read_end(&r);
}
