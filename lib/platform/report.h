/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/report.h - how a checker says which invariant does not hold.
 *
 * Checkers return the first violation as text and abort nothing, so that tests
 * can see that damage is found.
 */

#ifndef PLATFORM_REPORT_H
#define PLATFORM_REPORT_H

#include <stddef.h>

#include "platform/compiler.h"

/* Where the text goes; @text may be NULL. */
struct report {
	char *text;
	size_t size;
};

/* Writes the text, cut to fit, and returns -EUCLEAN for the checker to return. */
UMAPLE_COLD int umaple_report(const struct report *report, const char *format,
			      ...) UMAPLE_PRINTF(2, 3);

#endif /* PLATFORM_REPORT_H */
