#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/fuzz.sh [SECONDS [TARGET…]]: runs the fuzz targets of tests/fuzz one after the other, each for SECONDS
# (default 3600), with Clang's libFuzzer under the address and undefined-behaviour sanitizers. Inputs that reach new
# code are kept in build/fuzz/corpus/<target>, from where the next run goes on. An input that fails is written to
# build/fuzz/failures, and the script ends with 1 after all targets have run. With SPYCTRUM_FUZZ_RUNS=N a target ends
# after N inputs if that is sooner. With SPYCTRUM_FUZZ_KEEP=1 the corpora are minimised and stored as
# tests/fuzz/data/<target>.tar.gz, which the test suite replays.
# Targets: state session settings journal hdf5_messages hdf5_in_process, and for every format its id and <id>_text,
# e.g. matrix_market_text. A crash or an endless loop inside of libhdf5 that hdf5_in_process finds is no failure of the
# programs, where it ends the child process alone.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${SPYCTRUM_FUZZ_BUILD:-$root/build/fuzz}
data=$root/tests/data
seconds=${1:-3600}
shift || true

if ! command -v clang++ > /dev/null; then
  echo "tests/fuzz.sh: SKIPPED, Clang with libFuzzer is not installed (Debian: apt-get install clang)" >&2
  exit 77
fi
if [ ! -f "$build/build.ninja" ]; then
  CC=clang CXX=clang++ cmake --preset fuzz -S "$root" -B "$build" >&2 || exit 1
fi
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for folder in "$data"/*/; do
    name=$(basename "$folder")
    targets+=("${name}_text" "$name")
  done
  targets+=(state session settings journal hdf5_messages hdf5_in_process)
fi
# program_of TARGET: the formats share one program.
program_of() { if [ -f "$root/tests/fuzz/$1_fuzz.cpp" ] || [ "$1" = hdf5_in_process ]; then echo "fuzz_$1"; else echo fuzz_reader; fi; }
mapfile -t programs < <(for target in "${targets[@]}"; do program_of "$target"; done | sort -u)
ninja -C "$build" "${programs[@]}" >&2 || exit 1

# An allocation of 1 GB and an input that takes 10 s are failures as well.
options=(-timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1)
options+=(-runs="${SPYCTRUM_FUZZ_RUNS:--1}")
# Reports name five callers of an allocation, not thirty, to note which took a fifth of the time of matrix_market_text. An
# input that failed, given to its program alone, makes a report with all of them.
export ASAN_OPTIONS="malloc_context_size=5${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
failed=0
for target in "${targets[@]}"; do
  corpus=$build/corpus/$target
  failures=$build/failures/$target
  mkdir -p "$corpus" "$failures"
  format=${target%_text}
  format=${format%_in_process}
  most_bytes=4096
  if [ "$format" = hdf5 ]; then most_bytes=16384; fi # the library refuses files that are cut off
  seeds=()
  for folder in "$root/tests/fuzz/data/$target" "$data/$format"; do
    for part in good bad; do
      if [ -d "$folder/$part" ]; then seeds+=("$folder/$part"); fi
    done
  done
  if [ -f "$root/tests/fuzz/data/$target.tar.gz" ]; then tar -xzf "$root/tests/fuzz/data/$target.tar.gz" -C "$corpus"; fi
  export SPYCTRUM_FUZZ_TARGET=$target
  program=$build/bin/$(program_of "$target")
  echo "== $target, $seconds s"
  log=$build/fuzz_$target.log
  "$program" "${options[@]}" -max_len=$most_bytes -max_total_time="$seconds" \
    -artifact_prefix="$failures/" "$corpus" "${seeds[@]}" > "$log" 2>&1 || {
    failed=1
    tail -n 40 "$log"
    echo "again: SPYCTRUM_FUZZ_TARGET=$target $program $failures/…"
  }
  grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$log"
  if [ "${SPYCTRUM_FUZZ_KEEP:-0}" = 1 ]; then
    rm -rf "$corpus.least" && mkdir "$corpus.least"
    "$program" -merge=1 -max_len=$most_bytes "$corpus.least" "$corpus" > "$log.merge" 2>&1 &&
      tar -C "$corpus.least" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c . | gzip -9n > "$root/tests/fuzz/data/$target.tar.gz"
  fi
done
exit $failed
