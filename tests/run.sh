#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/run.sh [CTEST OPTION…]: installs what is missing, builds what changed into build/release,
# and runs every test (or those that ctest's options select, e.g. -R test_reader). The interface is
# driven offscreen through EGL; no X server is needed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build/release"
. "$root/third_party/packages.sh"
. "$root/third_party/build.sh"

ensure_packages build core app tests packing packing_tests
configure_tests
ninja -C "$build" >&2

exec ctest --test-dir "$build" --output-on-failure --no-tests=error -j2 "$@"
