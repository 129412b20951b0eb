/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * trace.h - a recorded trace in memory, as data/traces/FORMAT.md describes it.
 *
 * Everything here has been checked by mmt.c and flt.c: addresses are aligned
 * where they must be, lengths are rounded up to pages, and address + length does
 * not overflow.  Replaying it needs no further checks.
 */

#ifndef REPLAY_TRACE_H
#define REPLAY_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines.h"

#define PAGE_BYTES ((uint64_t)4096)

/* The bit of FLAGS and PROT that matter, as Linux has them on the wire. */
#define MAPPING_TYPE	     ((uint64_t)3)
#define MAPPING_SHARED	     ((uint64_t)1)
#define MAPPING_PRIVATE	     ((uint64_t)2)
#define MAPPING_FIXED	     ((uint64_t)0x10)
#define MAPPING_ANONYMOUS    ((uint64_t)0x20)
#define MAPPING_32BIT	     ((uint64_t)0x40)
#define MAPPING_NOREPLACE    ((uint64_t)0x100000)
#define REMAP_DONTUNMAP	     ((uint64_t)4)
#define PROTECTION	     ((uint64_t)7)
#define PROTECTION_GROWSDOWN ((uint64_t)0x01000000)

/**
 * struct listed - One `r` line: a range as the kernel listed it.
 * @start:  First byte.
 * @end:    First byte after it.
 * @offset: Offset of @start in the file; 0 without a file.
 * @file:   The file's number; 0: none.
 * @prot:   Read 1, write 2, execute 4.
 * @shared: Shared with other processes, not private.
 * @stack:  The main stack.
 */
struct listed {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t file;
	uint8_t prot;
	bool shared;
	bool stack;
};

/* What a step does to the space, and which answer of the kernel's it checks. */
enum step_kind {
	STEP_MMAP,
	STEP_MUNMAP,
	STEP_MPROTECT,
	STEP_MREMAP,
	STEP_BRK,
	STEP_MADVISE,	    /* [addr, +len) has no hole */
	STEP_HOLE,	    /* it has one */
	STEP_HOLE_MPROTECT, /* it has one, and what is before it changed */
	STEP_TAKEN,	    /* it was not free */
	STEP_FAILED,	    /* a failed call that tells nothing */
	STEP_LAST_CALL = STEP_FAILED,
	STEP_GROW,  /* the stack at addr grew down to target */
	STEP_FORK,  /* the space was copied */
	STEP_CHECK, /* it was exactly this list */
	STEP_FINAL
};

/**
 * struct step - One record between `calls` and `end`.
 * @kind:    What it is.
 * @line:    Where it stands.
 * @addr:    ADDR or OLD; the break of a brk.
 * @len:     LEN or OLDLEN, rounded up to pages; 0: an empty range.
 * @new_len: NEWLEN of mremap, rounded up.
 * @target:  HINT of mmap; NEW of mremap and grow.
 * @flags:   FLAGS of mmap and mremap.
 * @offset:  OFF of mmap.
 * @prot:    PROT of mmap and mprotect.
 * @file:    FILE of mmap.
 * @first:   First of the list's ranges in trace->listed.
 * @count:   Number of the list's ranges.
 */
struct step {
	enum step_kind kind;
	unsigned long line;
	union {
		struct {
			uint64_t addr;
			uint64_t len;
			uint64_t new_len;
			uint64_t target;
			uint64_t flags;
			uint64_t offset;
			uint64_t prot;
			uint64_t file;
		};
		struct {
			size_t first;
			size_t count;
		};
	};
};

/**
 * struct fault - One line of the .flt file: a lookup.
 * @after: Calls done before it.
 * @page:  Address / 4096.
 * @line:  Where it stands.
 */
struct fault {
	uint64_t after;
	uint64_t page;
	unsigned long line;
};

/**
 * struct trace - A whole trace.
 * @path:      The .mmt file.
 * @name:      Its name without directory and suffix.
 * @flt_path:  The .flt file, or %NULL when there is none.
 * @base:      Where the search for free space starts; 0: not known.
 * @brk:       The break before the first call.
 * @nr_init:   Ranges before the first call: the first of @listed.
 * @nr_calls:  Calls among @step.
 * @listed:    Ranges of all lists, one list after the other.
 * @step:      What happened, in order.
 * @fault:     The lookups, in order.
 */
struct trace {
	char *path;
	char *name;
	char *flt_path;
	uint64_t base;
	uint64_t brk;
	size_t nr_init;
	uint64_t nr_calls;
	struct listed *listed;
	size_t nr_listed;
	size_t room_listed;
	struct step *step;
	size_t nr_step;
	size_t room_step;
	struct fault *fault;
	size_t nr_fault;
	size_t room_fault;
};

/* Round up to pages; false when that exceeds 64 bits. */
bool page_round_up(uint64_t bytes, uint64_t *ret_bytes);

static inline bool step_is_call(const struct step *s)
{
	return s->kind <= STEP_LAST_CALL;
}

/*
 * Read @path, and the .flt file beside it when there is one.  0; -ENOMEM;
 * -EINVAL, and then @in has the file, the line and the reason.
 */
int trace_load(const char *path, struct lines *in, struct trace **ret_trace);

void trace_free(struct trace *t);

/* Room for one more at the end; NULL: no memory. */
struct listed *trace_add_listed(struct trace *t);
struct step *trace_add_step(struct trace *t);
struct fault *trace_add_fault(struct trace *t);

#endif /* REPLAY_TRACE_H */
