# SPDX-License-Identifier: Apache-2.0
# Sourced by app/run.sh and tests/run.sh after packages.sh: build_release FOLDER TARGET… configures
# build/release once and builds the targets. Ninja runs CMake again by itself when a CMake file changed.

build_release() {
  local build=$1
  shift
  if [ ! -f "$build/build.ninja" ]; then
    # A half-made cache of an interrupted first configure would be kept: start over.
    rm -f "$build/CMakeCache.txt"
    cmake --preset release -B "$build" >&2
  fi
  ninja -C "$build" "$@" >&2
}
