#!/bin/sh
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
#
# install-deps.sh build|test|arm64|armhf: install what the two commands of the
# README need on Debian 12, or the cross compiler and emulator of another machine,
# as root or with sudo. Asks the system first, so that a machine which has all of
# it needs neither root nor network.
set -eu

packages="gcc libc6-dev meson ninja-build pkg-config python3 liburcu-dev liblzma-dev"
case ${1:-build} in
  test) packages="$packages g++ check gdb valgrind clang clang-format-14 spin libclang-rt-14-dev libabsl-dev git" ;;
  arm64) packages="$packages qemu-user-static gcc-aarch64-linux-gnu" ;;
  armhf) packages="$packages qemu-user-static gcc-arm-linux-gnueabihf" ;;
esac
missing=
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
$sudo apt-get update -qq
# shellcheck disable=SC2086 # a list of words
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
