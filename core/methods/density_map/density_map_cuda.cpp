// SPDX-License-Identifier: Apache-2.0
// Algorithm 3 of the paper on CUDA: counts by integer atomics, densities, one real two-dimensional cuFFT.
// Mirrors density_map_cpu() (density_map.cpp).
#include "core/methods/density_map/density_map_cuda.hpp"

#include "core/device/device_module.hpp"
#include "core/device/interface/grids.hpp"
#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

std::vector<std::complex<float>> density_map_cuda(const SparsePattern& pattern, std::uint64_t block,
                                                  Backend backend, const DeviceSampleOutputs& samples,
                                                  JobContext& context, DeviceUse& use) {
  const std::uint64_t cells = block_count(pattern.rows(), block) * block_count(pattern.cols(), block);
  BookedVector<std::complex<float>> plane(context, samples.to_host ? cells : 0, "density map");
  auto* const output = samples.to_host ? reinterpret_cast<float*>(plane.data.data()) : nullptr;
  use = DeviceJob(backend, context)
            .run(cuda::DensityMapTask{view_of(pattern), block, output, samples.reductions});
  return std::move(plane.data);
}

}  // namespace spyctrum
