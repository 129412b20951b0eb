/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/atomic.h - loads, stores and read-modify-writes named by the order
 * they promise.
 *
 * They work on plain words, because public structures hold no _Atomic (C++ has
 * none).  A word that two threads touch is only ever touched through these.
 */

#ifndef PLATFORM_ATOMIC_H
#define PLATFORM_ATOMIC_H

#define load_relaxed(ptr) __atomic_load_n((ptr), __ATOMIC_RELAXED)
#define load_acquire(ptr) __atomic_load_n((ptr), __ATOMIC_ACQUIRE)

#define store_relaxed(ptr, value)                                              \
	__atomic_store_n((ptr), (value), __ATOMIC_RELAXED)
#define store_release(ptr, value)                                              \
	__atomic_store_n((ptr), (value), __ATOMIC_RELEASE)

#define xchg_acq_rel(ptr, value)                                               \
	__atomic_exchange_n((ptr), (value), __ATOMIC_ACQ_REL)

/* True if *ptr was *expected; else *expected receives what it was. */
#define cmpxchg_acq_rel(ptr, expected, desired)                                \
	__atomic_compare_exchange_n((ptr), (expected), (desired), 0,           \
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#define cmpxchg_acquire(ptr, expected, desired)                                \
	__atomic_compare_exchange_n((ptr), (expected), (desired), 0,           \
				    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)

#define fetch_or_acq_rel(ptr, value)                                           \
	__atomic_fetch_or((ptr), (value), __ATOMIC_ACQ_REL)
#define fetch_add_acq_rel(ptr, value)                                          \
	__atomic_fetch_add((ptr), (value), __ATOMIC_ACQ_REL)

#define fetch_add_relaxed(ptr, value)                                          \
	__atomic_fetch_add((ptr), (value), __ATOMIC_RELAXED)
#define fetch_sub_relaxed(ptr, value)                                          \
	__atomic_fetch_sub((ptr), (value), __ATOMIC_RELAXED)

/* A counter that one thread writes and others may read. */
#define count_relaxed(ptr, value)                                              \
	store_relaxed((ptr), load_relaxed(ptr) + (value))

#define fence_seq_cst() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)

/* What a waiting loop tells the CPU. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif /* PLATFORM_ATOMIC_H */
