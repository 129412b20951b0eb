/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * slab_fixture.h - what tests of the slab layer share: one node, objects taken
 * from it, and the checker after each step.
 */

#ifndef TESTS_SLAB_FIXTURE_H
#define TESTS_SLAB_FIXTURE_H

#include <stddef.h>

#include "harness.h"
#include "slab/slab.h"

/* Objects of the node cache: 64 per slab, min_partial 5. */
#define NODE_SIZE     256
#define NODE_PER_SLAB 64
#define MIN_PARTIAL   5

#define MAX_OBJECTS 8192

extern struct umaple_slab_node node;
/* objects[0..nr_objects) are taken from the node. */
extern void *objects[MAX_OBJECTS];
extern size_t nr_objects;

/* A node for objects of @size; the fixture's set_up() makes one of NODE_SIZE. */
void node_set_up_for(size_t size);
void node_set_up(void);
/* Gives objects[] back, and expects that no memory is left. */
void node_tear_down(void);

/* Append @count objects to objects[]. */
void take_objects(size_t count);
/* Give objects[first..first + count) back and close the gap. */
void give_objects(size_t first, size_t count);

/* The invariants hold; prints the first violation. */
void assert_sound(void);
/* The checker says that invariant @number ("L3:") does not hold. */
void assert_violates(const char *number);

/* These levels, and counters since the last reset. */
void assert_levels(size_t slabs, size_t partial, size_t used);
void assert_counters(size_t added, size_t removed, size_t slabs_freed);

#endif /* TESTS_SLAB_FIXTURE_H */
