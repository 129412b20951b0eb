/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

#include "machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The first "model name" of /proc/cpuinfo, where there is one. */
static void read_cpu(char *to, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(to, size, "unknown");
	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, "model name", 10) != 0)
			continue;
		colon[strcspn(colon, "\n")] = '\0';
		snprintf(to, size, "%s", colon + 2);
		break;
	}
	if (file)
		fclose(file);
}

void machine_describe(struct machine *machine)
{
	struct utsname name;
	cpu_set_t set;

	memset(machine, 0, sizeof(*machine));
	read_cpu(machine->cpu, sizeof(machine->cpu));
	if (uname(&name) == 0)
		snprintf(machine->system, sizeof(machine->system), "%s %s %s",
			 name.sysname, name.release, name.machine);
	snprintf(machine->compiler, sizeof(machine->compiler), "%s", COMPILER);
	machine->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		machine->cpus = CPU_COUNT(&set);
}

uint64_t machine_resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long size, resident = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}
