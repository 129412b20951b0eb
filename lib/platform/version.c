/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/version.c - the version of the library that is running.
 */

#include <umaple/version.h>

unsigned int umaple_version(void)
{
	return UMAPLE_VERSION_NUMBER;
}
