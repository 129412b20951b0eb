/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/guard_x86_64.h - the restartable sequences of platform/guard.h.
 *
 * Each has the same shape:
 *
 *   0:  point the thread's rseq_cs at the descriptor 3
 *   1:  which CPU is this?  Not one of the table's: give up (5).  Where is its
 *       guard?  Held or closed: give up.
 *       ...compute...
 *       one store: the commit
 *   2:
 *   5:
 *
 *   4:  where the kernel continues a thread that was disturbed between 1 and 2:
 *       start over, some times.
 *
 * The CPU is asked for inside the sequence, so it stays right until the commit or
 * the sequence starts over.  A thread that is not registered has the number -1,
 * which no table has a place for.  Under a single-stepping debugger no sequence
 * ever commits: hence "some times".
 *
 * rseq_cs stays as it was after the sequence; the kernel clears it when it finds
 * the thread elsewhere.  The descriptor must outlive that: the library is linked
 * so that it is never unloaded.
 */

#ifndef PLATFORM_GUARD_X86_64_H
#define PLATFORM_GUARD_X86_64_H

/* Attempts before a disturbed sequence gives up. */
#define GUARD_ATTEMPTS 32

/* What the C library registers threads with; it precedes each abort handler. */
#define GUARD_SIGNATURE "0x53053053"

#define GUARD_SEQ_BEGIN                                                        \
	".pushsection .data.rel.ro.umaple_rseq, \"aw\"\n\t"                    \
	".balign 32\n"                                                         \
	"3:\n\t"                                                               \
	".long 0, 0\n\t"	    /* version, flags */                       \
	".quad 1f, 2f - 1f, 4f\n\t" /* start, length, abort */                 \
	".popsection\n"                                                        \
	"0:\n\t"                                                               \
	"leaq 3b(%%rip), %[cpu]\n\t"                                           \
	"movq %[cpu], %%fs:8(%[area])\n" /* rseq_cs */                         \
	"1:\n\t"                                                               \
	"movl %%fs:4(%[area]), %k[cpu]\n\t" /* cpu_id */                       \
	"cmpl %[count], %k[cpu]\n\t"                                           \
	"jae 5f\n\t"                                                           \
	"shlq %[shift], %[cpu]\n\t"                                            \
	"addq %[base], %[cpu]\n\t"

#define GUARD_SEQ_TEST                                                         \
	"cmpq $0, (%[cpu])\n\t" /* lock and closed */                          \
	"jne 5f\n\t"

/* @undo: what makes the outputs say "not done". */
#define GUARD_SEQ_END(undo)                                                    \
	"2:\n"                                                                 \
	"5:\n\t"                                                               \
	".pushsection .text.umaple_rseq_abort, \"ax\"\n\t"                     \
	".byte 0x0f, 0xb9, 0x3d\n\t" /* ud1 <signature>(%rip), %edi */         \
	".long " GUARD_SIGNATURE "\n"                                          \
	"4:\n\t" undo "decl %[attempts]\n\t"                                   \
	"jnz 0b\n\t"                                                           \
	"jmp 5b\n\t"                                                           \
	".popsection\n"

#define GUARD_SEQ_INPUTS(table)                                                \
	[area] "r"(umaple_rseq_offset), [count] "rm"((table)->count),          \
		[base] "rm"((table)->base), [shift] "i"(UMAPLE_GUARD_SHIFT)

#define GUARD_OFFSET(which, field)                                             \
	(offsetof(struct umaple_guard, stacks) +                               \
	 (which) * sizeof(struct umaple_guard_stack) +                         \
	 offsetof(struct umaple_guard_stack, field))

static UMAPLE_ALWAYS_INLINE void *
guard_rseq_pop(const struct umaple_guard_table *table, unsigned int which)
{
	unsigned int attempts = GUARD_ATTEMPTS;
	void *pointer = NULL;
	uintptr_t cpu, level, held;

	__asm__ volatile(
		GUARD_SEQ_BEGIN GUARD_SEQ_TEST
		"movq %c[o_level](%[cpu]), %[level]\n\t"
		"movl %k[level], %k[held]\n\t"
		"andl %[mask], %k[held]\n\t"
		"jz 5f\n\t"
		"movq %c[o_slots](%[cpu]), %[pointer]\n\t"
		"movq -8(%[pointer], %[held], 8), %[pointer]\n\t"
		"addq %[popped], %[level]\n\t"
		"movq %[level], %c[o_level](%[cpu])\n" /* commit */
		GUARD_SEQ_END("xorl %k[pointer], %k[pointer]\n\t")
		: [pointer] "+&r"(pointer), [attempts] "+&r"(attempts),
		  [cpu] "=&r"(cpu), [level] "=&r"(level), [held] "=&r"(held)
		: GUARD_SEQ_INPUTS(table),
		  [o_level] "i"(GUARD_OFFSET(which, level)),
		  [o_slots] "i"(GUARD_OFFSET(which, slots)),
		  [mask] "i"(UMAPLE_GUARD_HELD_MASK),
		  [popped] "i"((1 << UMAPLE_GUARD_POP_SHIFT) - 1)
		: "memory", "cc");
	return pointer;
}

static UMAPLE_ALWAYS_INLINE bool
guard_rseq_push(const struct umaple_guard_table *table, unsigned int which,
		void *pointer)
{
	unsigned int attempts = GUARD_ATTEMPTS;
	bool done = false;
	uintptr_t cpu, level, held;

	/* The store above the top of the stack is nothing until the commit. */
	__asm__ volatile(
		GUARD_SEQ_BEGIN GUARD_SEQ_TEST
		"movq %c[o_level](%[cpu]), %[level]\n\t"
		"movl %k[level], %k[held]\n\t"
		"andl %[mask], %k[held]\n\t"
		"cmpq %c[o_limit](%[cpu]), %[held]\n\t"
		"jae 5f\n\t"
		"leaq (, %[held], 8), %[held]\n\t"
		"addq %c[o_slots](%[cpu]), %[held]\n\t"
		"movq %[pointer], (%[held])\n\t"
		"incq %[level]\n\t"
		"movb $1, %b[done]\n\t"
		"movq %[level], %c[o_level](%[cpu])\n" /* commit */
		GUARD_SEQ_END("movb $0, %b[done]\n\t")
		: [done] "+&q"(done), [attempts] "+&r"(attempts),
		  [cpu] "=&r"(cpu), [level] "=&r"(level), [held] "=&r"(held)
		: GUARD_SEQ_INPUTS(table), [pointer] "r"(pointer),
		  [o_level] "i"(GUARD_OFFSET(which, level)),
		  [o_slots] "i"(GUARD_OFFSET(which, slots)),
		  [o_limit] "i"(GUARD_OFFSET(which, limit)),
		  [mask] "i"(UMAPLE_GUARD_HELD_MASK)
		: "memory", "cc");
	return done;
}

/* One instruction is the whole sequence's work and its commit. */
static UMAPLE_ALWAYS_INLINE bool
guard_rseq_add(const struct umaple_guard_table *table, size_t offset,
	       uint64_t value)
{
	unsigned int attempts = GUARD_ATTEMPTS;
	bool done = false;
	uintptr_t cpu;

	__asm__ volatile(
		GUARD_SEQ_BEGIN
		"movb $1, %b[done]\n\t"
		"addq %[value], (%[cpu], %[offset])\n" /* commit */
		GUARD_SEQ_END("movb $0, %b[done]\n\t")
		: [done] "+&q"(done), [attempts] "+&r"(attempts), [cpu] "=&r"(cpu)
		: GUARD_SEQ_INPUTS(table), [offset] "r"(offset),
		  [value] "er"(value)
		: "memory", "cc");
	return done;
}

/*
 * ORDER(close), load side: lock and closed are loaded in the sequence that ends
 * with the store to lock.
 * Store side: umaple_guard_close().
 */
static UMAPLE_ALWAYS_INLINE struct umaple_guard *
guard_rseq_try(const struct umaple_guard_table *table)
{
	unsigned int attempts = GUARD_ATTEMPTS;
	struct umaple_guard *guard = NULL;
	uintptr_t cpu;

	__asm__ volatile(GUARD_SEQ_BEGIN GUARD_SEQ_TEST
			 "movq %[cpu], %[guard]\n\t"
			 "movl $1, (%[cpu])\n" /* commit */
			 GUARD_SEQ_END("xorl %k[guard], %k[guard]\n\t")
			 : [guard] "+&r"(guard), [attempts] "+&r"(attempts),
			   [cpu] "=&r"(cpu)
			 : GUARD_SEQ_INPUTS(table)
			 : "memory", "cc");
	return guard;
}

#endif /* PLATFORM_GUARD_X86_64_H */
