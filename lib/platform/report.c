/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * platform/report.c - the text of a violated invariant.
 */

#include "platform/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int umaple_report(const struct report *report, const char *format, ...)
{
	va_list args;

	if (report->text && report->size) {
		va_start(args, format);
		(void)vsnprintf(report->text, report->size, format, args);
		va_end(args);
	}
	return -EUCLEAN;
}
