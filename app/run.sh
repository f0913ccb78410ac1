#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# app/run.sh [OPTION…] [FILE…]: installs what is missing, builds what changed into build/release,
# and opens the desktop program. Without a display it draws the same screen into a PNG and prints
# the PNG's path as the last line of its output. Options go to the program (spyctrum --help).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build/release"
. "$root/third_party/packages.sh"
. "$root/third_party/build.sh"

ensure_packages build core app
configure_release -DSPYCTRUM_TESTS=OFF -DSPYCTRUM_THIS_PROCESSOR_ONLY=ON
ninja -C "$build" spyctrum spyctrum-cli >&2

if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
  exec "$build/bin/spyctrum" "$@"
fi
for argument in "$@"; do
  case $argument in
    --offscreen | --offscreen=* | --help | -h | --version) exec "$build/bin/spyctrum" "$@" ;;
  esac
done
picture="$build/spyctrum.png"
rm -f "$picture"
"$build/bin/spyctrum" --offscreen "$picture" "$@"
echo "$picture"
