/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * support/death.h - misuse must end the process, and say why.
 */

#ifndef TESTS_DEATH_H
#define TESTS_DEATH_H

/*
 * Run @act in a child process.  Fails the test unless the child aborts and its
 * standard error has @text in it.
 */
void death_expect(void (*act)(void), const char *text);

#endif /* TESTS_DEATH_H */
