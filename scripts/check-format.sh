#!/bin/sh
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
#
# check-format.sh [--fix]: is every C file as clang-format 14 would write it?
# Other versions disagree with 14 in places, so without 14 this is skipped.
set -eu
cd "$(dirname "$0")/.."
tool=clang-format-14
command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
mode='--dry-run --Werror'
[ "${1:-}" != --fix ] || mode='-i'
find include lib tests tools bench examples \( -name '*.c' -o -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 $tool $mode
