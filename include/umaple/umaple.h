/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/umaple.h - everything that is stable, in one include.
 */

#ifndef UMAPLE_UMAPLE_H
#define UMAPLE_UMAPLE_H

#include <umaple/attr.h>
#include <umaple/cache.h>
#include <umaple/cursor.h>
#include <umaple/debug.h>
#include <umaple/tree.h>
#include <umaple/version.h>

#endif /* UMAPLE_UMAPLE_H */
