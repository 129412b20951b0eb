/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/cpu.c - asks the system once, before the first answer.
 */

#include "platform/cpu.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/annotate.h"
#include "platform/assert.h"
#include "platform/guard.h"

/*
 * From <sys/rseq.h>, but weak: an older C library has neither the header nor the
 * symbols, and then there are no restartable sequences.
 */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* Fields up to rseq_cs; glibc 2.36 announces 20, later ones up to 32. */
#define RSEQ_SIZE_MIN 16

/* More CPUs than any machine has: guards against nonsense in a file. */
#define CPU_COUNT_MAX 65536

ptrdiff_t umaple_rseq_offset;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned int cpu_count;
static bool rseq_available;

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

/* The greatest number in a list like "0-3,8,10-11", plus one; 0 if unreadable. */
static unsigned long list_end(const char *path)
{
	char text[4096];
	unsigned long last = 0;
	ssize_t length;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	for (char *s = text; *s >= '0' && *s <= '9';) {
		last = strtoul(s, &s, 10);
		if (*s == '-' || *s == ',')
			s++;
	}
	return last + 1;
}

static unsigned int count_cpus(void)
{
	unsigned long count = list_end("/sys/devices/system/cpu/possible");
	long configured;

	if (count && count <= CPU_COUNT_MAX)
		return (unsigned int)count;
	configured = sysconf(_SC_NPROCESSORS_CONF);
	return configured > 0 && configured <= CPU_COUNT_MAX
		       ? (unsigned int)configured
		       : 1;
}

static bool try_rseq(void)
{
	if (!UMAPLE_GUARD_RSEQ || !&__rseq_size || !&__rseq_offset ||
	    __rseq_size < RSEQ_SIZE_MIN)
		return false;
	umaple_rseq_offset = __rseq_offset;
	return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ) ==
		       0 &&
	       membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ) == 0;
}

static void ask_system(void)
{
	cpu_count = count_cpus();
	rseq_available = try_rseq();
}

unsigned int umaple_cpu_count(void)
{
	pthread_once(&once, ask_system);
	return cpu_count;
}

unsigned int umaple_cpu_current(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (unsigned int)cpu;
}

bool umaple_rseq_available(void)
{
	pthread_once(&once, ask_system);
	return rseq_available;
}

void umaple_rseq_fence(void)
{
	if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ))
		umaple_die("membarrier(2) worked before and fails now");
}
