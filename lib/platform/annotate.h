/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/annotate.h - what sanitizers and Valgrind cannot see by themselves.
 * Everything here is empty in an ordinary build.
 */

#ifndef PLATFORM_ANNOTATE_H
#define PLATFORM_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define UMAPLE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UMAPLE_ASAN 1
#endif
#endif
#ifndef UMAPLE_ASAN
#define UMAPLE_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define UMAPLE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UMAPLE_TSAN 1
#endif
#endif
#ifndef UMAPLE_TSAN
#define UMAPLE_TSAN 0
#endif

#if UMAPLE_ASAN
#include <sanitizer/asan_interface.h>
#endif
#if UMAPLE_HAVE_VALGRIND
#include <valgrind/memcheck.h>
#endif

/*
 * Does anybody look at the marks below?  The answer never changes; a request to
 * Valgrind costs a dozen instructions even where there is none, so a fast path
 * remembers it.
 */
static inline bool umaple_marks_are_seen(void)
{
#if UMAPLE_ASAN
	return true;
#elif UMAPLE_HAVE_VALGRIND
	return RUNNING_ON_VALGRIND != 0;
#else
	return false;
#endif
}

/* An object that nobody may touch until it is handed out again. */
static inline void umaple_mark_free(void *object, size_t size)
{
#if UMAPLE_ASAN
	__asan_poison_memory_region(object, size);
#endif
#if UMAPLE_HAVE_VALGRIND
	VALGRIND_MAKE_MEM_NOACCESS(object, size);
#endif
	(void)object;
	(void)size;
}

/* An object whose contents are undefined, and which its new owner may touch. */
static inline void umaple_mark_used(void *object, size_t size)
{
#if UMAPLE_ASAN
	__asan_unpoison_memory_region(object, size);
#endif
#if UMAPLE_HAVE_VALGRIND
	VALGRIND_MAKE_MEM_UNDEFINED(object, size);
#endif
	(void)object;
	(void)size;
}

/* Memory that goes back to the system or comes fresh from it. */
static inline void umaple_mark_plain(void *memory, size_t size)
{
#if UMAPLE_ASAN
	__asan_unpoison_memory_region(memory, size);
#endif
#if UMAPLE_HAVE_VALGRIND
	VALGRIND_MAKE_MEM_DEFINED(memory, size);
#endif
	(void)memory;
	(void)size;
}

/*
 * An ordering that ThreadSanitizer cannot derive: everything before
 * umaple_tsan_release(p) in one thread happens before everything after
 * umaple_tsan_acquire(p) in another.
 */
#if UMAPLE_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define umaple_tsan_acquire(p) __tsan_acquire(p)
#define umaple_tsan_release(p) __tsan_release(p)
#else
#define umaple_tsan_acquire(p) ((void)(p))
#define umaple_tsan_release(p) ((void)(p))
#endif

#endif /* PLATFORM_ANNOTATE_H */
