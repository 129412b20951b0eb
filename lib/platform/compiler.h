/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/compiler.h - what we ask of the compiler beyond C.
 */

#ifndef PLATFORM_COMPILER_H
#define PLATFORM_COMPILER_H

#include <stddef.h>

/* Bytes that two CPUs pass to and fro as one. */
#define UMAPLE_CACHELINE 64

#define UMAPLE_CACHELINE_ALIGNED __attribute__((aligned(UMAPLE_CACHELINE)))
#define UMAPLE_ALWAYS_INLINE	 inline __attribute__((always_inline))
#define UMAPLE_NOINLINE		 __attribute__((noinline))
#define UMAPLE_COLD		 __attribute__((cold, noinline))
#define UMAPLE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define container_of(ptr, type, member)                                        \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* PLATFORM_COMPILER_H */
