// SPDX-License-Identifier: Apache-2.0
// Launches of kernels, and programmatic dependent launch (CUDA Programming Guide, from compute capability 9.0
// on): a kernel starts while the previous kernel of its stream ends, so that its work before
// wait_for_kernel_before() takes no extra time. On older devices it is an ordinary launch.
#pragma once

#include <cuda_runtime.h>
#include <cstdint>
#include <utility>

namespace spyctrum::cuda {

constexpr unsigned kThreads = 256;  ///< of a block, unless a kernel has a reason for another number
/// Blocks of kThreads threads for `count` threads.
inline unsigned blocks_for(std::uint64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

/// Launches `kernel` and returns cudaGetLastError().
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, cudaStream_t stream,
                   Arguments&&... arguments) {
  kernel<<<blocks, threads, 0, stream>>>(std::forward<Arguments>(arguments)...);
  return cudaGetLastError();
}

/// Launches `kernel` with kThreads threads a block, at least `count` threads; nothing if `count` is 0.
template <class... Parameters, class... Arguments>
cudaError_t launch_threads(void (*kernel)(Parameters...), std::uint64_t count, cudaStream_t stream,
                           Arguments&&... arguments) {
  if (count == 0) return cudaSuccess;
  return launch(kernel, blocks_for(count), kThreads, stream, std::forward<Arguments>(arguments)...);
}

/// Called by the previous kernel: the next kernel may start once every block has called this.
__device__ inline void let_next_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Called by the next kernel: waits until the previous kernel has ended and its results can be read.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Launches `kernel` as a programmatic dependent launch with `shared` bytes of dynamic shared memory. At
/// least one of its blocks must call wait_for_kernel_before(), so that it does not end before the previous
/// kernel.
template <class... Parameters, class... Arguments>
cudaError_t launch_dependent(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, unsigned shared,
                             cudaStream_t stream, Arguments&&... arguments) {
  int device = 0;
  int major = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (code != cudaSuccess) return code;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = major >= 9 ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

/// Rows per thread block if `wide` blocks cover a row: `most`, or fewer if there would be too few blocks to
/// keep a device busy.
inline std::uint32_t share_of(std::uint32_t rows, unsigned wide, std::uint32_t most) {
  constexpr std::uint64_t kBusyBlocks = 2048;
  while (most > 4 && (rows + most - 1) / most * std::uint64_t{wide} < kBusyBlocks) most /= 2;
  return most;
}
/// Number of thread blocks of `share` rows for `rows` rows.
inline unsigned shares(std::uint32_t rows, std::uint32_t share) { return (rows + share - 1) / share; }

}  // namespace spyctrum::cuda
