/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * message.h - one line on standard error: `umaple-replay: file:line: reason`.
 */

#ifndef REPLAY_MESSAGE_H
#define REPLAY_MESSAGE_H

#include <stdarg.h>

/* About no file. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* About a line of a file; 0: about all of it. */
void message_at(const char *path, unsigned long line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void message_at_va(const char *path, unsigned long line, const char *format,
		   va_list args) __attribute__((format(printf, 3, 0)));

#endif /* REPLAY_MESSAGE_H */
