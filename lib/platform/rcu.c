/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/rcu.c - the flavour that is used when the user names none.
 */

#include "platform/rcu.h"

/*
 * liburcu declares its flavours only under the name rcu_flavor, mapped to one of
 * them by whichever header came first.
 */
extern const struct rcu_flavor_struct urcu_bp_flavor;

const struct rcu_flavor_struct *umaple_rcu_default(void)
{
	return &urcu_bp_flavor;
}
