#!/bin/sh
# SPDX-FileCopyrightText: 2026 The umaple authors
# SPDX-License-Identifier: MIT
#
# cross.sh arm64|armhf: make ready for building and testing on another machine.
# Installs Debian's cross compiler and qemu-user, unpacks the libraries of the
# other machine into build-ci/ARCH-root, and writes the Meson cross file
# build-ci/ARCH.ini. The system's own apt and dpkg never hear of the other
# machine: its packages are resolved against a state of their own, and only
# unpacked. `scripts/test.sh ARCH` uses it.
set -eu
cd "$(dirname "$0")/.."

arch=${1:-}
case $arch in
  arm64) cpu=aarch64 family=aarch64 triplet=aarch64-linux-gnu ;;
  armhf) cpu=arm family=arm triplet=arm-linux-gnueabihf ;;
  *) echo "usage: cross.sh arm64|armhf" >&2; exit 2 ;;
esac
root=$PWD/build-ci/$arch-root

sh scripts/install-deps.sh "$arch"

# Apt with @root for its state: another architecture, and nothing installed.
apt_of_root() {
  apt-get -qq -o "APT::Architecture=$arch" -o "APT::Architectures::=$arch" \
    -o "Dir::State=$root/apt" -o "Dir::State::status=$root/apt/status" \
    -o "Dir::Cache=$root/apt" -o "APT::Sandbox::User=" "$@"
}

unpack_root() {
  rm -rf "$root"
  mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial"
  : >"$root/apt/status"
  # One list that does not come is no matter, if the packages are in the others.
  apt_of_root update || echo "cross.sh: going on with what lists there are" >&2
  apt_of_root install -y --download-only --no-install-recommends \
    libc6-dev liburcu-dev liblzma-dev check >/dev/null
  for package in "$root"/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
  done
  rm -rf "$root/apt"
  : >"$root/complete"
}

[ -e "$root/complete" ] || unpack_root

cat >"build-ci/$arch.ini" <<INI
[binaries]
c = '$triplet-gcc'
ar = '$triplet-ar'
strip = '$triplet-strip'
nm = '$triplet-nm'
readelf = '$triplet-readelf'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-$cpu-static', '-L', '$root']

[properties]
sys_root = '$root'
pkg_config_libdir = '$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig'

[built-in options]
c_args = ['--sysroot=$root']
c_link_args = ['--sysroot=$root']

[host_machine]
system = 'linux'
cpu_family = '$family'
cpu = '$cpu'
endian = 'little'
INI
