#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/gpu.sh [BUILD FOLDER]: runs all checks that need an NVIDIA GPU: results of CUDA against the CPU,
# pictures and their upload to OpenGL (EGL, offscreen), the same under compute-sanitizer, and the benchmarks.
# It ends with one table of all checks; benchmark results are in <build folder>/*_bench.json, with the logs beside them.
# Without a folder it builds into build/gpu for the GPU of this machine. Without a GPU it prints a message and ends with
# 77, which test drivers read as skipped.
#   SPYCTRUM_GPU_APP=OFF        leaves pictures out, for machines without the libraries of the desktop program
#   SPYCTRUM_GPU_SANITIZE=0     leaves compute-sanitizer out
#   SPYCTRUM_GPU_ONLY=REGEX     runs only the checks with matching names
#   SPYCTRUM_GPU_JOBS=N         checks under compute-sanitizer that run at a time (default: half of the processor's cores)
#   SPYCTRUM_SHARED_DATA=FOLDER the shared matrices
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
  echo "tests/gpu.sh: SKIPPED, no NVIDIA GPU here: nothing of CUDA was run" >&2
  exit 77
fi
gpu=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader)

if [ $# -gt 0 ]; then
  build=$1
else
  build="$root/build/gpu"
  cmake --preset release -S "$root" -B "$build" -DSPYCTRUM_CUDA=ON -DSPYCTRUM_APP="${SPYCTRUM_GPU_APP:-ON}" \
    -DCMAKE_CUDA_ARCHITECTURES=native >&2 || exit 1
  targets=(spyctrum_cuda test_parity_cuda test_parity_cuda_reductions test_parity_cuda_progress test_parity_cuda_loss
    test_parity_cuda_lattice test_parity_cuda_cosets bench_cuda bench_cuda_reductions bench_cuda_lattice spyctrum-cli fail_call)
  [ "${SPYCTRUM_GPU_APP:-ON}" = OFF ] || targets+=(test_parity_interop bench_interop bench_first_picture)
  ninja -C "$build" "${targets[@]}" >&2 || exit 1
fi

jobs=${SPYCTRUM_GPU_JOBS:-$(($(nproc) / 2))}
rows=$(mktemp -d) # one file for each line of the table, in the order of the checks
trap 'rm -rf "$rows"' EXIT
count=0

# add_row NAME VERDICT TIME: the next line of the table; row is its file.
add_row() {
  count=$((count + 1))
  row=$rows/$(printf %03d $count)
  printf '| %s | %s | %s |\n' "$@" >"$row"
}

# is_selected NAME: adds the check's line and returns whether the check is to be run.
is_selected() {
  if [[ $1 =~ ${SPYCTRUM_GPU_ONLY:-.} ]]; then
    add_row "$1" "FAILED, interrupted" ""
  else
    add_row "$1" "left out on request" ""
    false
  fi
}

# run_check NAME COMMAND…: runs the command and writes into the file row whether it passed.
run_check() {
  local name=$1 began=$SECONDS verdict=passed log="$build/gpu_${1// /_}.log"
  shift
  "$@" >"$log" 2>&1 || verdict=FAILED
  # A test that skips a comparison does not count as passed.
  if grep -q 'NOT COMPARED, no CUDA' "$log"; then verdict="FAILED, nothing was compared"; fi
  # A GPU without a display driver computes but draws no OpenGL; only those skips are accepted.
  if [ "$verdict" = passed ] && grep -q '^NOT COMPARED, no OpenGL: ' "$log"; then
    verdict="NOT COMPARED, no OpenGL on the GPU"
  fi
  if grep -q '^NOT COMPARED, one device' "$log"; then verdict="$verdict, without a group of devices"; fi
  if grep -q '^NOT COMPARED: cuFINUFFT' "$log"; then verdict="$verdict, without cuFINUFFT"; fi
  if grep -q 'SHARED MATRICES NOT COMPARED' "$log"; then verdict="$verdict, without the shared matrices"; fi
  printf '| %s | %s | %s s |\n' "$name" "$verdict" $((SECONDS - began)) >"$row"
  printf '== %s\n%s\n-- %s: %s, %s s\n' "$name" "$(<"$log")" "$name" "$verdict" $((SECONDS - began))
}

# check NAME COMMAND…: runs the command alone.
check() { ! is_selected "$1" || run_check "$@"; }

# check_beside NAME COMMAND…: runs the command beside up to jobs - 1 others; `wait` waits for all of them.
check_beside() {
  is_selected "$1" || return 0
  while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n; done
  run_check "$@" &
}

check parity "$build/bin/test_parity_cuda" --gtest_brief=1
check "parity of reductions" "$build/bin/test_parity_cuda_reductions" --gtest_brief=1
check "parity of streams" "$build/bin/test_parity_cuda_progress" --gtest_brief=1
check "parity of the lattice" "$build/bin/test_parity_cuda_lattice" --gtest_brief=1
check "parity of cosets" "$build/bin/test_parity_cuda_cosets" --gtest_brief=1
if [ -x "$build/bin/test_parity_interop" ]; then
  check "pictures and OpenGL" "$build/bin/test_parity_interop" --gtest_brief=1
else
  add_row "pictures and OpenGL" "NOT RUN, built without the window" ""
fi
for tool in memcheck racecheck initcheck; do
  if [ "${SPYCTRUM_GPU_SANITIZE:-1}" != 1 ]; then
    add_row "$tool" "left out on request" ""
  elif ! command -v compute-sanitizer >/dev/null; then
    add_row "$tool" "NOT RUN, compute-sanitizer is not on the PATH" ""
  else
    # Small patterns that reach every kernel, since these tools slow a program down a hundredfold. Only our own
    # kernels are checked, not those of cuFFT and CUB; but initcheck must follow all kernels, or it reports arrays
    # that cuFFT and CUB write (sorted entries, transforms into another array) as uninitialised.
    ours=(--kernel-name kns=spyctrum)
    [ "$tool" != initcheck ] || ours=()
    check_beside "$tool" compute-sanitizer --tool "$tool" "${ours[@]}" --error-exitcode 1 \
      "$build/bin/test_parity_cuda" --gtest_brief=1 --gtest_filter='*EveryKernel*:*RowsByOneKernel*'
    check_beside "$tool of reductions" compute-sanitizer --tool "$tool" "${ours[@]}" --error-exitcode 1 \
      "$build/bin/test_parity_cuda_reductions" --gtest_brief=1 --gtest_filter='*EveryKernel*:*SeveralConsumers*'
    check_beside "$tool of streams" compute-sanitizer --tool "$tool" "${ours[@]}" --error-exitcode 1 \
      "$build/bin/test_parity_cuda_progress" --gtest_brief=1 --gtest_filter='*EveryKernel*'
    # Left out: the test of freed memory, since compute-sanitizer allocates device memory, and tests that reach the
    # kernels of DirectSums* and of CudaGroups.EveryKernel with larger patterns.
    check_beside "$tool of the lattice" compute-sanitizer --tool "$tool" "${ours[@]}" --error-exitcode 1 \
      "$build/bin/test_parity_cuda_lattice" --gtest_brief=1 \
      --gtest_filter='-*ClosingTheLastPatternFreesItsMemory*:*10To18*:*NoLatticeThat*:CudaGroups.A*:CudaGroups.Equal*:CudaGroups.Crowded*:CudaGroups.Folds*'
    check_beside "$tool of cosets" compute-sanitizer --tool "$tool" "${ours[@]}" --error-exitcode 1 \
      "$build/bin/test_parity_cuda_cosets" --gtest_brief=1 --gtest_filter='*EveryKernel*'
  fi
done
wait
check benchmark "$build/bin/bench_cuda" "$build/cuda_bench.json"
check "benchmark of reductions" "$build/bin/bench_cuda_reductions" "$build/cuda_reductions_bench.json"
check "benchmark of the lattice" "$build/bin/bench_cuda_lattice" "$build/cuda_lattice_bench.json"
if [ -x "$build/bin/bench_interop" ]; then
  check "benchmark of pictures" "$build/bin/bench_interop" "$build/interop_bench.json"
fi
if [ -x "$build/bin/bench_first_picture" ]; then
  check "benchmark of the first picture" "$build/bin/bench_first_picture"
fi
# A 24th of the places at which features, a spectrum and a reconstruction call the driver, made to fail once each.
if [ -e "$build/lib/libfail_call.so" ] && [ -x "$build/bin/spyctrum-cli" ]; then
  check "faults of the driver" python3 "$root/tests/faults/fail_every_call.py" "$build/bin/spyctrum-cli" \
    "$build/lib/libfail_call.so" "$build/faults" --backend cuda --kinds cuda --uses state,array,fill --part 1/24 --jobs 4
else
  add_row "faults of the driver" "NOT RUN, spyctrum-cli and fail_call are not built" ""
fi
# Last, since it provokes a real fault of the device, which may disturb OpenGL in other programs.
check "a lost device" env SPYCTRUM_PROVOKE_GPU_FAULT=1 "$build/bin/test_parity_cuda_loss" --gtest_brief=1

printf '\n%s\n\n| check | verdict | time |\n|---|---|---|\n' "$gpu"
cat "$rows"/*
! grep -q '| FAILED' "$rows"/*
