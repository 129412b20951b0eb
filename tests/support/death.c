/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "death.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

static void child(void (*act)(void), int out)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	if (dup2(out, STDERR_FILENO) < 0)
		_exit(2);
	act();
	_exit(0); /* it should not have come back */
}

/* Read to the end; what does not fit is dropped. */
static void read_all(int in, char *text, size_t size)
{
	char rest[512];
	size_t used = 0;
	ssize_t n;

	while ((n = read(in, rest, sizeof(rest))) > 0) {
		size_t keep = (size_t)n;

		if (keep > size - 1 - used)
			keep = size - 1 - used;
		memcpy(text + used, rest, keep);
		used += keep;
	}
	text[used] = '\0';
}

void death_expect(void (*act)(void), const char *text)
{
	char said[4096];
	int pipes[2], status = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(pipes[0]);
		child(act, pipes[1]);
	}
	close(pipes[1]);
	read_all(pipes[0], said, sizeof(said));
	close(pipes[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
		      "did not abort: status %x, said \"%s\"",
		      (unsigned int)status, said);
	ck_assert_msg(strstr(said, text), "said \"%s\", nothing of \"%s\"",
		      said, text);
}
