/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/assert.h - assertion levels, and the end of a process that was
 * misused.
 *
 * Levels (-Dassert_level): off 0, cheap 1, node 2, full 3.  An assertion that is
 * compiled out still has its expression compiled, so that it cannot rot.
 */

#ifndef PLATFORM_ASSERT_H
#define PLATFORM_ASSERT_H

#include <stdbool.h>

#include "platform/compiler.h"

/**
 * umaple_die() - Say what is wrong on standard error, and abort.
 * @format: As printf(); without the newline.
 *
 * For programming errors of the caller that would otherwise do silent damage, in
 * every build.  Allocates nothing; async-signal-safe but for the formatting.
 */
UMAPLE_COLD void umaple_die(const char *format, ...) UMAPLE_PRINTF(1, 2)
	__attribute__((noreturn));

#define UMAPLE_ASSERT_UNUSED_(x) ((void)sizeof((x) ? 1 : 0))
#define UMAPLE_ASSERT_TEST_(x)                                                 \
	do {                                                                   \
		if (unlikely(!(x)))                                            \
			umaple_die("%s:%d: assertion failed: %s", __FILE__,    \
				   __LINE__, #x);                              \
	} while (0)

/* O(1): arguments, state, ownership. */
#if UMAPLE_ASSERT_LEVEL >= 1
#define UMAPLE_ASSERT(x) UMAPLE_ASSERT_TEST_(x)
#else
#define UMAPLE_ASSERT(x) UMAPLE_ASSERT_UNUSED_(x)
#endif

/* O(node): the node or sheaf just written. */
#if UMAPLE_ASSERT_LEVEL >= 2
#define UMAPLE_ASSERT_NODE(x) UMAPLE_ASSERT_TEST_(x)
#else
#define UMAPLE_ASSERT_NODE(x) UMAPLE_ASSERT_UNUSED_(x)
#endif

/* O(n): the whole structure, after each write. */
#if UMAPLE_ASSERT_LEVEL >= 3
#define UMAPLE_ASSERT_FULL(x) UMAPLE_ASSERT_TEST_(x)
#else
#define UMAPLE_ASSERT_FULL(x) UMAPLE_ASSERT_UNUSED_(x)
#endif

/* Believed impossible: dies in builds with assertions, is handled without. */
static inline bool umaple_never(bool x, const char *text)
{
#if UMAPLE_ASSERT_LEVEL >= 1
	if (unlikely(x))
		umaple_die("never: %s", text);
#else
	(void)text;
#endif
	return unlikely(x);
}
#define UMAPLE_NEVER(x) umaple_never((x), #x)

#endif /* PLATFORM_ASSERT_H */
