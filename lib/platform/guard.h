/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/guard.h - a lock per CPU that is only ever tried, and two stacks of
 * pointers behind each.
 *
 * Role:  Whoever runs on a CPU may push to and pop from that CPU's stacks without
 *        waiting, and may take the CPU's guard to change the stacks themselves.
 *        A guard that is held fails at once, so a preempted or interrupted holder
 *        stops nobody: the caller has another way.
 * Above: the cache layer, whose main and rcu_free sheaves are the two stacks.
 * Forms: a table has one of two for life.
 *        rseq    Every step is a restartable sequence (rseq(2)): a few plain
 *                instructions that end in one store, and that the kernel starts
 *                over when the thread is preempted, moved or interrupted by a
 *                signal.  No instruction is locked.  platform/guard_x86_64.h
 *        atomic  The guard's word is taken by an exchange; the CPU's number is
 *                only a hint where to try.  For machines, libraries and tools
 *                without restartable sequences; about 15 ns dearer per step.
 * Who:   In the rseq form only threads on the CPU itself may set @lock, and never
 *        a thread that is not registered for rseq: for it every try fails.
 *        Another CPU's stacks are reached by closing its guard:
 *        platform/guard.c.
 */

#ifndef PLATFORM_GUARD_H
#define PLATFORM_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/annotate.h"
#include "platform/atomic.h"
#include "platform/compiler.h"
#include "platform/cpu.h"

/* Without optimisation the constants in the sequences are none to the compiler. */
#if defined(__x86_64__) && defined(__LP64__) && defined(__OPTIMIZE__) &&       \
	!UMAPLE_TSAN
#define UMAPLE_GUARD_RSEQ 1
#else
#define UMAPLE_GUARD_RSEQ 0
#endif

/* Bytes from one CPU's guard to the next; what follows the guard is the user's. */
#define UMAPLE_GUARD_SHIFT 9
#define UMAPLE_GUARD_BYTES ((size_t)1 << UMAPLE_GUARD_SHIFT)

/*
 * The low bits of a stack's level say how many pointers it holds, the bits above
 * how many have ever been popped.  So one store moves both, and pushes follow
 * from the two; the count of pops wraps after 2^52.
 */
#define UMAPLE_GUARD_POP_SHIFT 12
#define UMAPLE_GUARD_HELD_MASK (((uint64_t)1 << UMAPLE_GUARD_POP_SHIFT) - 1)
#define UMAPLE_GUARD_MAX_SLOTS ((size_t)UMAPLE_GUARD_HELD_MASK)

/**
 * struct umaple_guard_stack - Pointers that CPU-local steps push and pop.
 * @level: See above.  Changed by steps, or under the guard.
 * @slots: The pointers.  Changed under the guard.
 * @limit: How many fit; 0 while there are no @slots.  Changed under the guard.
 */
struct umaple_guard_stack {
	uint64_t level;
	void **slots;
	uint64_t limit;
};

enum {
	GUARD_MAIN = 0, /* pushed and popped */
	GUARD_RCU = 1,	/* only pushed */
	GUARD_NR_STACKS = 2
};

/**
 * struct umaple_guard - What begins each CPU's place in a table.
 * @lock:   1 while held.
 * @closed: 1 while the CPU's own threads are kept out (rseq form only).  Tested
 *          with @lock as one word.
 * @stacks: The two stacks.
 */
struct umaple_guard {
	uint32_t lock;
	uint32_t closed;
	struct umaple_guard_stack stacks[GUARD_NR_STACKS];
};

/**
 * struct umaple_guard_table - The guards of all CPUs.
 * @base:  %UMAPLE_GUARD_BYTES per CPU, zeroed at first.
 * @count: CPUs.
 * @rseq:  The form.
 */
struct umaple_guard_table {
	char *base;
	unsigned int count;
	bool rseq;
};

static inline struct umaple_guard *
umaple_guard_of(const struct umaple_guard_table *table, unsigned int cpu)
{
	return (struct umaple_guard *)(void *)(table->base +
					       cpu * UMAPLE_GUARD_BYTES);
}

static inline uint64_t umaple_guard_level(const struct umaple_guard_stack *s)
{
	return load_relaxed(&s->level);
}

static inline size_t umaple_guard_nr_held(const struct umaple_guard_stack *s)
{
	return umaple_guard_level(s) & UMAPLE_GUARD_HELD_MASK;
}

/* Push and pop for who holds the guard, or has closed it. */
static inline bool umaple_guard_stack_push(struct umaple_guard_stack *stack,
					   void *pointer)
{
	size_t held = umaple_guard_nr_held(stack);

	if (held >= stack->limit)
		return false;
	stack->slots[held] = pointer;
	store_relaxed(&stack->level, stack->level + 1);
	return true;
}

static inline void *umaple_guard_stack_pop(struct umaple_guard_stack *stack)
{
	uint64_t popped = ((uint64_t)1 << UMAPLE_GUARD_POP_SHIFT) - 1;
	size_t held = umaple_guard_nr_held(stack);

	if (!held)
		return NULL;
	store_relaxed(&stack->level, stack->level + popped);
	return stack->slots[held - 1];
}

#if UMAPLE_GUARD_RSEQ
#include "platform/guard_x86_64.h"
#else
/* A table never has the rseq form here; the calls below still compile. */
static inline void *guard_rseq_pop(const struct umaple_guard_table *table,
				   unsigned int which)
{
	(void)table;
	(void)which;
	return NULL;
}

static inline bool guard_rseq_push(const struct umaple_guard_table *table,
				   unsigned int which, void *pointer)
{
	(void)table;
	(void)which;
	(void)pointer;
	return false;
}

static inline bool guard_rseq_add(const struct umaple_guard_table *table,
				  size_t offset, uint64_t value)
{
	(void)table;
	(void)offset;
	(void)value;
	return false;
}

static inline struct umaple_guard *
guard_rseq_try(const struct umaple_guard_table *table)
{
	(void)table;
	return NULL;
}
#endif

/* The atomic form's try. */
static inline struct umaple_guard *
umaple_guard_try_atomic(const struct umaple_guard_table *table)
{
	unsigned int cpu = umaple_cpu_current();
	struct umaple_guard *guard;

	if (unlikely(cpu >= table->count))
		return NULL;
	guard = umaple_guard_of(table, cpu);
	/*
	 * ORDER(guard), load side: whoever takes the guard sees the stacks as its
	 * last holder left them.  In the rseq form the store side is on the same
	 * CPU, or a store that x86-64 keeps in order.
	 * Store side: umaple_guard_drop().
	 * Without it: a pointer is popped from a slot before it is there.
	 */
	return xchg_acq_rel(&guard->lock, 1) ? NULL : guard;
}

/* Take this CPU's guard; NULL if that cannot be done at once. */
static inline struct umaple_guard *
umaple_guard_try(const struct umaple_guard_table *table)
{
	return table->rseq ? guard_rseq_try(table)
			   : umaple_guard_try_atomic(table);
}

/* Give it back; the thread may have moved to another CPU meanwhile. */
static inline void umaple_guard_drop(struct umaple_guard *guard)
{
	/* ORDER(guard), store side.  Load side: umaple_guard_try_atomic(). */
	store_release(&guard->lock, 0);
}

/* Pop from this CPU's main stack; NULL if it is empty or the guard is held. */
static inline void *umaple_guard_pop(const struct umaple_guard_table *table)
{
	struct umaple_guard *guard;
	void *pointer;

	if (likely(table->rseq))
		return guard_rseq_pop(table, GUARD_MAIN);
	guard = umaple_guard_try(table);
	if (!guard)
		return NULL;
	pointer = umaple_guard_stack_pop(&guard->stacks[GUARD_MAIN]);
	umaple_guard_drop(guard);
	return pointer;
}

/* Push to one of this CPU's stacks; false if it is full or the guard is held. */
static UMAPLE_ALWAYS_INLINE bool
umaple_guard_push(const struct umaple_guard_table *table, unsigned int which,
		  void *pointer)
{
	struct umaple_guard *guard;
	bool done;

	if (likely(table->rseq))
		return guard_rseq_push(table, which, pointer);
	guard = umaple_guard_try(table);
	if (!guard)
		return false;
	done = umaple_guard_stack_push(&guard->stacks[which], pointer);
	umaple_guard_drop(guard);
	return done;
}

/*
 * Add to a counter at @offset from this CPU's guard; no guard is needed.  False
 * if this thread has no CPU here: then it counts elsewhere, atomically.
 */
static UMAPLE_ALWAYS_INLINE bool
umaple_guard_add(const struct umaple_guard_table *table, size_t offset,
		 uint64_t value)
{
	unsigned int cpu;

	if (likely(table->rseq))
		return guard_rseq_add(table, offset, value);
	cpu = umaple_cpu_current();
	if (unlikely(cpu >= table->count))
		return false;
	fetch_add_relaxed((uint64_t *)(void *)(table->base +
					       cpu * UMAPLE_GUARD_BYTES +
					       offset),
			  value);
	return true;
}

/*
 * Reach the stacks of other CPUs: close each, fence once, wait for each, use
 * them, open each.  Whoever closes excludes other closers.
 */
void umaple_guard_close(const struct umaple_guard_table *table,
			unsigned int cpu);
void umaple_guard_fence(const struct umaple_guard_table *table);
/* Wait until nobody holds the closed guard; then it is the closer's. */
void umaple_guard_wait(const struct umaple_guard_table *table,
		       unsigned int cpu);
void umaple_guard_open(const struct umaple_guard_table *table,
		       unsigned int cpu);

#endif /* PLATFORM_GUARD_H */
