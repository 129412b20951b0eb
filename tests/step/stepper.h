/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * step/stepper.h - run a function in a child, one instruction at a time.
 *
 * After each instruction the child stands still and the parent looks.  System
 * calls count as one; threads that the child starts run freely.
 */

#ifndef STEP_STEPPER_H
#define STEP_STEPPER_H

#include <stdbool.h>

/* Runs in the child; what it returns is handed to the parent. */
typedef int step_act_fn(void *arg);

/* Runs in the parent.  @finished: the act has returned. */
typedef void step_look_fn(void *arg, bool finished);

struct step_result {
	unsigned long instructions;
	int returned;
};

/* @prepare: what the child does at full speed before the act. */
struct step_result step_through(step_act_fn *prepare, step_act_fn *act,
				step_look_fn *look, void *arg);

/* In the child, while it acts. */
bool step_is_acting(void);

#endif /* STEP_STEPPER_H */
