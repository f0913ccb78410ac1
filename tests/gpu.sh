#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/gpu.sh [BUILD FOLDER]: what only a machine with an NVIDIA GPU can check. Parity of CUDA and CPU,
# the same under compute-sanitizer, and the benchmark: a table here, JSON in <build folder>/cuda_bench.json.
# Without a folder it builds into build/gpu for the GPU of this machine; without a GPU it says so and ends with
# 77, which test drivers read as skipped. SPYCTRUM_GPU_SANITIZE=0 leaves the sanitizer out.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
  echo "tests/gpu.sh: SKIPPED, no NVIDIA GPU here: nothing of CUDA was run" >&2
  exit 77
fi
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader

if [ $# -gt 0 ]; then
  build=$1
else
  build="$root/build/gpu"
  cmake --preset release -S "$root" -B "$build" -DSPYCTRUM_CUDA=ON -DSPYCTRUM_APP=OFF \
    -DCMAKE_CUDA_ARCHITECTURES=native >&2
  ninja -C "$build" spyctrum_cuda test_parity_cuda bench_cuda >&2
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A skipped comparison is no comparison.
echo "== parity"
"$build/bin/test_parity_cuda" --gtest_brief=1 | tee "$log"
if grep -q 'NOT COMPARED' "$log"; then
  echo "tests/gpu.sh: FAILED, there is a GPU, but CUDA was not compared" >&2
  exit 1
fi

if [ "${SPYCTRUM_GPU_SANITIZE:-1}" = 1 ]; then
  if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck; do
      echo "== compute-sanitizer $tool"
      # The larger patterns reach every kernel; one block size is enough under a tool this slow.
      compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/bin/test_parity_cuda" --gtest_brief=1 \
        --gtest_filter='CudaParity.EveryMethodOnLargerPatterns'
    done
  else
    echo "== compute-sanitizer: NOT RUN, it is not on the PATH" >&2
  fi
fi

echo "== benchmark"
"$build/bin/bench_cuda" "$build/cuda_bench.json"
