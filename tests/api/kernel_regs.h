/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * kernel_regs.h - a cache of register values, written as code in the kernel is: a
 * caller to be pasted.
 *
 * Registers with successive numbers share a block of values; only those that were
 * written have one.
 */

#ifndef TESTS_API_KERNEL_REGS_H
#define TESTS_API_KERNEL_REGS_H

#include <stdbool.h>

#include <umaple/kernel.h>

struct regs {
	struct maple_tree mt;
};

void regs_init(struct regs *regs);
void regs_exit(struct regs *regs);
/* False if the register has no value. */
bool regs_read(struct regs *regs, unsigned long reg, int *value);
int regs_write(struct regs *regs, unsigned long reg, int value);
/* Forget the values of [@min, @max]. */
int regs_drop(struct regs *regs, unsigned long min, unsigned long max);

#endif /* TESTS_API_KERNEL_REGS_H */
