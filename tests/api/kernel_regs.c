/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * kernel_regs.c - a cache of register values, as code in the kernel is written: the
 * tree's own lock, a cursor that is set by hand, retries when there is no memory.
 */

#include "kernel_regs.h"

#include <stdlib.h>
#include <string.h>

#include "kernel_test.h"

void regs_init(struct regs *regs)
{
	mt_init(&regs->mt);
}

void regs_exit(struct regs *regs)
{
	MA_STATE(mas, &regs->mt, 0, 0);
	void *block;

	mas_lock(&mas);
	mas_for_each(&mas, block, ULONG_MAX)
		free(block);
	__mt_destroy(&regs->mt);
	mas_unlock(&mas);
}

bool regs_read(struct regs *regs, unsigned long reg, int *value)
{
	MA_STATE(mas, &regs->mt, reg, reg);
	const int *block;

	mas_lock(&mas);
	block = (const int *)mas_walk(&mas);
	if (block)
		*value = block[reg - mas.index];
	mas_unlock(&mas);
	return block != NULL;
}

/* Values of [@first, @last], those of a block that starts at @from. */
static int *block_copy(const int *block, unsigned long from,
		       unsigned long first, unsigned long last)
{
	size_t bytes = (last - first + 1) * sizeof(*block);
	int *copy = (int *)malloc(bytes);

	if (copy)
		memcpy(copy, block + (first - from), bytes);
	return copy;
}

/* Put @block at [@first, @last]. */
static int block_store(struct ma_state *mas, int *block, unsigned long first,
		       unsigned long last)
{
	mas->index = first;
	mas->last = last;
retry:
	mas_store(mas, block);
	if (mas_nomem(mas, GFP_KERNEL))
		goto retry;
	return mas_is_err(mas) ? xa_err(mas->node) : 0;
}

/* The register has no value: a block of its own, or one with its neighbours. */
static int write_new(struct ma_state *mas, unsigned long reg, int value)
{
	unsigned long first = reg, last = reg;
	int *lower = NULL, *upper = NULL, *block;
	int err;

	if (reg) {
		mas_set(mas, reg - 1);
		lower = (int *)mas_walk(mas);
		if (lower)
			first = mas->index;
	}
	if (reg < ULONG_MAX) {
		mas_set_range(mas, reg, reg + 1);
		upper = (int *)mas_find(mas, reg + 1);
		if (upper)
			last = mas->last;
	}
	block = (int *)malloc((last - first + 1) * sizeof(*block));
	if (!block)
		return -ENOMEM;
	if (lower)
		memcpy(block, lower, (reg - first) * sizeof(*block));
	block[reg - first] = value;
	if (upper)
		memcpy(block + (reg - first) + 1, upper,
		       (last - reg) * sizeof(*block));
	err = block_store(mas, block, first, last);
	if (err) {
		free(block);
		return err;
	}
	free(lower);
	free(upper);
	return 0;
}

int regs_write(struct regs *regs, unsigned long reg, int value)
{
	MA_STATE(mas, &regs->mt, reg, reg);
	int err = 0;
	int *block;

	mas_lock(&mas);
	block = (int *)mas_walk(&mas);
	if (block)
		block[reg - mas.index] = value;
	else
		err = write_new(&mas, reg, value);
	mas_unlock(&mas);
	return err;
}

/* Keep what lies below @min and above @max of the block at the cursor. */
static int block_cut(struct ma_state *mas, int *block, unsigned long min,
		     unsigned long max)
{
	unsigned long first = mas->index, last = mas->last;
	int *lower = NULL, *upper = NULL;
	int err = 0;

	if (first < min)
		lower = block_copy(block, first, first, min - 1);
	if (last > max)
		upper = block_copy(block, first, max + 1, last);
	if ((first < min && !lower) || (last > max && !upper))
		goto no_memory;
	if (mas_erase(mas) != block)
		goto no_memory;
	free(block);
	if (lower)
		err = block_store(mas, lower, first, min - 1);
	if (upper && !err)
		err = block_store(mas, upper, max + 1, last);
	return err;

no_memory:
	free(lower);
	free(upper);
	return -ENOMEM;
}

int regs_drop(struct regs *regs, unsigned long min, unsigned long max)
{
	MA_STATE(mas, &regs->mt, min, max);
	unsigned long last;
	void *block;
	int err = 0;

	mas_lock(&mas);
	mas_for_each(&mas, block, max) {
		last = mas.last;
		err = block_cut(&mas, (int *)block, min, max);
		if (err || last >= max)
			break;
		mas_set(&mas, last + 1);
	}
	mas_unlock(&mas);
	return err;
}
