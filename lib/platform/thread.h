/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/thread.h - a thread of our own, words to sleep on, and what to do
 * round a fork.
 */

#ifndef PLATFORM_THREAD_H
#define PLATFORM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/**
 * umaple_thread_start() - Start a thread that nobody waits for.
 * @run:      What it does; it may return.
 * @argument: For @run.
 *
 * It gets no signals and a small stack, and a process may end under it.
 *
 * Return: Whether it was started.  Asks umaple_fault() first.
 */
bool umaple_thread_start(void *(*run)(void *), void *argument);

/*
 * Sleep while *@word is @seen, at most @timeout_ms unless that is 0.  Returns
 * early for no reason at times.
 */
void umaple_word_wait(const uint32_t *word, uint32_t seen,
		      unsigned int timeout_ms);
/* Wake all who sleep on @word. */
void umaple_word_wake(const uint32_t *word);

/* Milliseconds on a clock that only goes forward. */
uint64_t umaple_clock_ms(void);

/*
 * Call @prepare in the thread that forks, before, and then @parent there and
 * @child in the new process.  One layer may ask once: before main(), so that its
 * @prepare comes after those of the program's own handlers.
 */
void umaple_fork_hooks(void (*prepare)(void), void (*parent)(void),
		       void (*child)(void));

#endif /* PLATFORM_THREAD_H */
