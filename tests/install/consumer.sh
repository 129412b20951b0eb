#!/bin/sh
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
#
# consumer.sh SOURCE BUILD: install into a scratch directory, then build and run
# a C and a C++ program with what pkg-config says, shared and static.
set -eu
source=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$scratch" >/dev/null
pc=$(find "$scratch" -name umaple.pc)
lib=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$scratch"
cflags=$(pkg-config --cflags umaple)
sanitize=$(meson introspect "$build" --buildoptions | python3 -c '
import json, sys
value = [o["value"] for o in json.load(sys.stdin) if o["name"] == "b_sanitize"][0]
print("" if value == "none" else "-fsanitize=" + value)')
cp "$source/tests/install/consumer.c" "$scratch/consumer.c"
cp "$source/tests/install/consumer.c" "$scratch/consumer.cc"
cd "$scratch"
run() { echo "$*"; "$@"; }
# shellcheck disable=SC2046,SC2086 # lists of words
run ${CC:-cc} $sanitize $cflags consumer.c -o shared $(pkg-config --libs umaple)
LD_LIBRARY_PATH=$lib ./shared
# shellcheck disable=SC2046,SC2086 # lists of words
run ${CXX:-c++} $sanitize $cflags consumer.cc -o cxx $(pkg-config --libs umaple)
LD_LIBRARY_PATH=$lib ./cxx
# Our archive with shared libraries below it: what most static users do.
# shellcheck disable=SC2046,SC2086 # lists of words
run ${CC:-cc} $sanitize $cflags consumer.c -o static "$lib/libumaple.a" \
  $(pkg-config --static --libs-only-l umaple | sed 's/-lumaple //')
./static
