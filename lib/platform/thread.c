/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/thread.c - threads, futexes and fork handlers of the system.
 */

#include "platform/thread.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/assert.h"
#include "platform/fault.h"

/* Grace periods and batches of objects are shallow; sanitizers are not. */
#define STACK_BYTES ((size_t)256 * 1024)

static bool start_detached(void *(*run)(void *), void *argument)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool started;

	if (pthread_attr_init(&attr))
		return false;
	started =
		!pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) &&
		!pthread_attr_setstacksize(&attr, STACK_BYTES) &&
		!pthread_create(&thread, &attr, run, argument);
	pthread_attr_destroy(&attr);
	return started;
}

bool umaple_thread_start(void *(*run)(void *), void *argument)
{
	sigset_t all, before;
	bool started;

	if (umaple_fault())
		return false;
	/* A new thread inherits the mask. */
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before))
		return false;
	started = start_detached(run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void umaple_word_wait(const uint32_t *word, uint32_t seen,
		      unsigned int timeout_ms)
{
	struct timespec timeout = {
		.tv_sec = timeout_ms / 1000,
		.tv_nsec = (long)(timeout_ms % 1000) * 1000000,
	};
	int saved_errno = errno;

	(void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen,
		      timeout_ms ? &timeout : NULL, NULL, 0);
	errno = saved_errno;
}

void umaple_word_wake(const uint32_t *word)
{
	int saved_errno = errno;

	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
		      0);
	errno = saved_errno;
}

uint64_t umaple_clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void umaple_fork_hooks(void (*prepare)(void), void (*parent)(void),
		       void (*child)(void))
{
	if (pthread_atfork(prepare, parent, child))
		umaple_die("no memory for fork handlers");
}
