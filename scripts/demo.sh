#!/bin/sh
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
#
# The main job, from nothing: install what it needs, build a release, replay the
# address spaces of 39 real programs and check every answer, then run mmap1.
# Exit status 0: all was right.
set -eu
cd "$(dirname "$0")/.."
sh scripts/install-deps.sh build
build="build-demo"
if [ ! -f $build/build.ninja ]; then
  meson setup $build -Dbuildtype=release -Dassert_level=off -Dbench=true \
    -Dtests=false -Dexamples=false >/dev/null
fi
meson compile -C $build >$build/compile.txt 2>&1 || { cat $build/compile.txt; exit 2; }
status=0
$build/tools/umaple-replay/umaple-replay data/traces || status=$?
echo
$build/bench/umaple-bench mmap1 --level tree --threads 2 --seconds 5 || status=$?
exit $status
