/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/rcu_fork.h - grace periods of the default flavour in forked children.
 *
 * A child inherits liburcu's list of readers, though only one of them exists
 * there; a grace period would wait for the others for ever.  The bp flavour can
 * drop them, and asks to be told of each fork.  The other flavours cannot.
 */

#ifndef PLATFORM_RCU_FORK_H
#define PLATFORM_RCU_FORK_H

#include <stdbool.h>

/*
 * Has liburcu-bp been told of the fork that this thread is about to make, by the
 * program or by umaple_rcu_fork_prepare()?  Then no grace period is under way.
 * For when one seems to be: may take some milliseconds.
 */
bool umaple_rcu_fork_is_told(void);

/* What that said, also in the child. */
bool umaple_rcu_fork_was_told(void);

/*
 * Round fork(), in the forking thread.  A program may call liburcu's own
 * functions for this as well, provided it does so before and after these: from
 * handlers registered later, or round the call of fork().  @may_wait: for a grace
 * period that is under way.
 *
 * From the first to the second or third, new readers wait when they register,
 * and grace periods do not begin or end.  So the first comes before anything is
 * taken that a reader in a section may need, since a grace period waits for it.
 * The others do nothing where the first was not called.
 */
void umaple_rcu_fork_prepare(bool may_wait);
void umaple_rcu_fork_parent(void);
void umaple_rcu_fork_child(void);

#endif /* PLATFORM_RCU_FORK_H */
