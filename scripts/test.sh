#!/bin/bash
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
#
# test.sh [all | STAGE...]: install what the tests need, build, and run them. By
# itself it runs the stages debug and release; CI runs all, which is every stage but
# arm64 and armhf, since those download a sysroot. Builds in
# build-ci/STAGE. The last line is "N passed, N failed, N skipped".
set -euo pipefail
cd "$(dirname "$0")/.."
sh scripts/install-deps.sh test

# A slow machine is no failure: only the limit of a whole program, Meson's, is kept.
export CK_TIMEOUT_MULTIPLIER=10

passed=0 failed=0 skipped=0

# Add up the results in Meson's logs, a JSON object a line.
count() {
  python3 - "$@" <<'PY'
import json, sys
n = {}
for name in sys.argv[1:]:
    for line in open(name):
        result = json.loads(line)["result"]
        n[result] = n.get(result, 0) + 1
ok, skip = n.get("OK", 0), n.get("SKIP", 0)
print(ok, sum(n.values()) - ok - skip, skip)
PY
}

# build NAME [meson setup arguments...]
build() {
  local name=$1 dir=build-ci/$1
  shift
  printf '\n== %s\n' "$name"
  rm -rf "$dir"
  mkdir -p build-ci
  if ! meson setup "$dir" "$@" >"build-ci/$name.txt" 2>&1 ||
    ! meson compile -C "$dir" >>"build-ci/$name.txt" 2>&1; then
    cat "build-ci/$name.txt"
    failed=$((failed + 1))
    return 1
  fi
}

# check NAME [meson test arguments...]
check() {
  local dir=build-ci/$1 p f s
  shift
  meson test -C "$dir" --print-errorlogs --no-rebuild "$@" || true
  read -r p f s < <(count "$dir"/meson-logs/testlog*.json)
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  rm -f "$dir"/meson-logs/testlog*.json
}

# Build for another machine, as scripts/cross.sh makes it ready.
cross() {
  if ! sh scripts/cross.sh "$1"; then
    failed=$((failed + 1))
    return 1
  fi
  build "$1" --cross-file "build-ci/$1.ini" --werror -Dassert_level=node -Dfault_injection=true
}

# names_of BUILD PATTERN: the unit tests with such names.
names_of() {
  meson test -C "build-ci/$1" --no-rebuild --list --suite unit | grep -oE "$2"
}

inside='--suite unit --suite api --suite model --suite fault --suite regress --suite death'

stage() {
  case $1 in
    debug) # every assertion, every allocation that can be made to fail
      build debug --werror -Dassert_level=full -Dfault_injection=true &&
        check debug --no-suite replay --no-suite install ;;
    release) # what is installed: also the traces, and torture at full speed
      build release --werror -Dbuildtype=release -Dassert_level=off -Dbench=true &&
        check release --no-suite model-check && check release --setup torture ;;
    clang)
      CC=clang CXX=clang++ build clang --werror -Dassert_level=node -Dfault_injection=true &&
        check clang $inside --suite replay ;;
    asan)
      build asan --werror -Db_sanitize=address,undefined -Db_lundef=false \
        -Dassert_level=node -Dfault_injection=true &&
        check asan $inside --suite replay && check asan --setup torture ;;
    tsan) # no --werror: gcc warns of each fence under TSan
      build tsan -Db_sanitize=thread -Db_lundef=false -Dassert_level=cheap &&
        check tsan --suite unit --suite model && check tsan --setup torture ;;
    memcheck)
      build memcheck --werror -Dassert_level=node -Dfault_injection=true &&
        check memcheck --setup valgrind $inside ;;
    arm64) # another machine, emulated; then again with pages of 64 KiB
      cross arm64 && check arm64 --setup emulated $inside &&
        check arm64 --setup emulated_64k $(names_of arm64 '(platform|slab|cache)/.*') ;;
    armhf) # pointers and sizes of 32 bits
      cross armhf && check armhf --setup emulated $inside ;;
    *) echo "test.sh: no stage $1" >&2; exit 2 ;;
  esac
}

[ $# -gt 0 ] || set -- debug release
[ "$1" != all ] || set -- debug release clang asan tsan memcheck
for name; do stage "$name" || true; done
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
