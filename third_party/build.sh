# SPDX-License-Identifier: Apache-2.0
# Sourced by app/run.sh and tests/run.sh: both build into build/release of the checkout at $root.
# Ninja runs CMake again by itself when a CMake file or the list of sources changed.

# configure_release OPTION…: does nothing where CMake has succeeded before.
configure_release() {
  [ -f "$build/build.ninja" ] && return 0
  # What an interrupted first attempt left would be kept: start over.
  rm -f "$build/CMakeCache.txt"
  (cd "$root" && cmake --preset release -B "$build" -DSPYCTRUM_PRECOMPILED_HEADERS=ON -DSPYCTRUM_GROUPED_SOURCES=ON "$@") >&2
}

# configure_tests: switches the tests on in a folder that was made for the programs on this machine alone, whose
# packages and instruction sets are fewer.
configure_tests() {
  configure_release -DSPYCTRUM_TESTS=ON
  grep -q '^SPYCTRUM_TESTS:BOOL=ON' "$build/CMakeCache.txt" ||
    cmake -B "$build" -DSPYCTRUM_TESTS=ON -DSPYCTRUM_THIS_PROCESSOR_ONLY=OFF >&2
}
