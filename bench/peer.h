/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * bench/peer.h - a range map under test, whoever wrote it.
 *
 * Each implementation is one table of functions, called through a pointer for
 * every operation, so that all pay the same for being compared.  Values are not
 * 0.  A peer that runs out of memory ends the program.
 */

#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum peer_kind {
	PEER_PLAIN,  /* one thread, no locks */
	PEER_SHARED, /* readers may run beside the writer */
	PEER_GAPS,   /* one thread; holes are searched for */
	PEER_BUSY /* the same beside readers and writers: peers have a spinlock */
};

struct peer {
	const char *name;
	void *(*make)(enum peer_kind kind);
	void (*destroy)(void *map);
	/* Overwrites what the range overlaps. */
	void (*store)(void *map, uint64_t first, uint64_t last, uint64_t value);
	/* Remove the whole range that holds an index; its value, or 0. */
	uint64_t (*erase)(void *map, uint64_t index);
	uint64_t (*load)(void *map, uint64_t index);
	/* The sum of that many loads. */
	uint64_t (*load_many)(void *map, const uint64_t *indices, size_t count);
	/* Round many walks; a walk is a load between them. */
	void (*read_begin)(void *map);
	uint64_t (*walk)(void *map, uint64_t index);
	void (*read_end)(void *map);
	/* Visit every range, in the fastest way, and with a call for each that
	 * may change it; a sum over what is there. */
	uint64_t (*iterate)(void *map);
	uint64_t (*step)(void *map);
	/* Lowest, highest start of a hole of @size in [@min, @max]. */
	uint64_t (*gap_first)(void *map, uint64_t size, uint64_t min,
			      uint64_t max);
	uint64_t (*gap_last)(void *map, uint64_t size, uint64_t min,
			     uint64_t max);
	/* Memory of all nodes. */
	uint64_t (*bytes)(void *map);
};

/* What a search gives when there is no hole. */
#define PEER_NO_GAP UINT64_MAX

/* What iterate() adds up for a range. */
static inline uint64_t peer_mix(uint64_t first, uint64_t last, uint64_t value)
{
	return (first * 3 + last) * value;
}

extern const struct peer peer_umaple;
extern const struct peer peer_std;  /* std::map, where C++ is built */
extern const struct peer peer_absl; /* absl::btree_map, where it is found */

#ifdef __cplusplus
}
#endif

#endif /* BENCH_PEER_H */
