/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/machine.h - where a figure was measured, and what the process takes.
 */

#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>

struct machine {
	char cpu[128];
	char system[200];
	char compiler[64];
	long cpus; /* that this process may use */
};

void machine_describe(struct machine *machine);

/* Memory of this process that is in RAM now; 0 if that cannot be told. */
uint64_t machine_resident_bytes(void);

#endif /* BENCH_MACHINE_H */
