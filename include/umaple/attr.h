/* SPDX-FileCopyrightText: 2026 The umaple authors */
/* SPDX-License-Identifier: MIT */

/*
 * umaple/attr.h - the few compiler attributes that public headers need.
 *
 * Internal code uses lib/platform/compiler.h, which is richer.
 */

#ifndef UMAPLE_ATTR_H
#define UMAPLE_ATTR_H

#ifdef __cplusplus
#define UMAPLE_BEGIN_DECLS extern "C" {
#define UMAPLE_END_DECLS   }
#else
#define UMAPLE_BEGIN_DECLS
#define UMAPLE_END_DECLS
#endif

#if defined(__GNUC__)
#define UMAPLE_EXPORT	 __attribute__((visibility("default")))
#define UMAPLE_NODISCARD __attribute__((warn_unused_result))
#else
#define UMAPLE_EXPORT
#define UMAPLE_NODISCARD
#endif

#endif /* UMAPLE_ATTR_H */
