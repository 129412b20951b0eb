/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/cpu.h - which CPUs there can be, which one this is, and whether
 * restartable sequences may be used.
 */

#ifndef PLATFORM_CPU_H
#define PLATFORM_CPU_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Where the kernel keeps the state of the running thread's restartable
 * sequences, relative to its thread pointer.  Valid if umaple_rseq_available().
 */
extern ptrdiff_t umaple_rseq_offset;

/*
 * One more than the greatest CPU number there can ever be.  Numbers may have
 * gaps; a table indexed by them has this many places.
 */
unsigned int umaple_cpu_count(void);

/*
 * The CPU that this thread is on, or was on a moment ago; below
 * umaple_cpu_count() unless the system misled us.
 */
unsigned int umaple_cpu_current(void);

/*
 * Can this process use restartable sequences?  Needs glibc 2.35 to have
 * registered the main thread, code for this machine, and membarrier(2) to abort
 * the sequences of other threads.  The answer never changes.
 *
 * No under ThreadSanitizer, which does not see what they do; nor under Valgrind,
 * which does not let them be registered.
 */
bool umaple_rseq_available(void);

/*
 * A full memory barrier in every running thread of the process, and an end to
 * every restartable sequence that is under way: it starts over.
 */
void umaple_rseq_fence(void);

#endif /* PLATFORM_CPU_H */
