#!/bin/sh
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
#
# Every file names its licence in its first lines. Files that cannot carry a
# comment are listed in REUSE.toml.
set -eu
cd "$(dirname "$0")/.."
bad=0
if git rev-parse --git-dir >/dev/null 2>&1; then
  files=$(git ls-files --cached --others --exclude-standard)
else
  files=$(find . -type f -not -path './build*' | sed 's|^\./||')
fi
for file in $files; do
  [ -s "$file" ] || continue
  case $file in
    LICENSE | LICENSES/* | .gitignore | .gitattributes | data/traces/* | tests/*/data/*) continue ;;
  esac
  if ! head -n 6 "$file" | grep -q 'SPDX-License-Identifier: MIT'; then
    echo "$file: no SPDX-License-Identifier"
    bad=1
  fi
done
exit $bad
