#!/bin/sh
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
#
# subproject.sh SOURCE BUILD: build a project that has umaple as a subproject, and
# see that installing it brings nothing of ours along.
set -eu
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/app/subprojects"
ln -s "$source" "$scratch/app/subprojects/umaple"
cp "$source/tests/install/consumer.c" "$scratch/app/"
cat >"$scratch/app/meson.build" <<'EOF'
project('app', 'c')
umaple = dependency('umaple', fallback: 'umaple',
  default_options: ['tests=false', 'examples=false', 'default_library=static'])
test('runs', executable('app', 'consumer.c', dependencies: umaple, install: true))
EOF
cd "$scratch/app"
meson setup build >/dev/null
meson test -C build --print-errorlogs runs
meson install -C build --quiet --destdir "$scratch/out" >/dev/null
left=$(find "$scratch/out" -type f -not -path '*/bin/app')
[ -z "$left" ] || { echo "installed by the subproject: $left"; exit 1; }
