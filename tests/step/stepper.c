/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "stepper.h"

#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "platform/atomic.h"
#include "shared.h"

static struct outcome {
	int finished; /* atomic */
	int returned;
} * outcome;
static bool acting;

bool step_is_acting(void)
{
	return acting;
}

/* Only one of the two ever runs: on one CPU neither waits for a sleeping one. */
static void stay_on_one_cpu(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set); /* may not be allowed */
}

static void be_the_child(step_act_fn *prepare, step_act_fn *act, void *arg)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	if (prepare(arg))
		_exit(1);
	acting = true;
	raise(SIGSTOP);
	outcome->returned = act(arg);
	store_release(&outcome->finished, 1);
	_exit(0);
}

/* Wait until the child stands still; returns the signal it has to be given. */
static int wait_for_stop(pid_t child)
{
	int status, stopped_by;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFSTOPPED(status), "the child ended, status %#x",
		      status);
	stopped_by = WSTOPSIG(status);
	ck_assert_msg(stopped_by != SIGSEGV && stopped_by != SIGABRT,
		      "the child got signal %d", stopped_by);
	return stopped_by == SIGTRAP || stopped_by == SIGSTOP ? 0 : stopped_by;
}

static void let_it_end(pid_t child)
{
	int status;

	ck_assert_int_eq(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
		      "the child ended with status %#x", status);
}

struct step_result step_through(step_act_fn *prepare, step_act_fn *act,
				step_look_fn *look, void *arg)
{
	struct step_result result = { 0, 0 };
	bool finished = false;
	int deliver;
	pid_t child;

	outcome = shared_alloc(sizeof(*outcome));
	stay_on_one_cpu();
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child)
		be_the_child(prepare, act, arg);
	wait_for_stop(child);
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, child, NULL,
				(void *)PTRACE_O_EXITKILL),
			 0);
	shared_reveal();
	for (deliver = 0; !finished; result.instructions++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL,
			   (void *)(long)deliver))
			ck_abort_msg("cannot step");
		deliver = wait_for_stop(child);
		finished = load_acquire(&outcome->finished);
		look(arg, finished);
	}
	let_it_end(child);
	result.returned = outcome->returned;
	return result;
}
