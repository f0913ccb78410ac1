// SPDX-License-Identifier: Apache-2.0
// Algorithm 3 of the paper on CUDA: counts by integer atomics, densities, one real two-dimensional cuFFT.
// Mirrors density_map_cpu() (density_map.cpp).
#include "core/methods/density_map/density_map_cuda.hpp"

#include "core/device/device_module.hpp"
#include "core/device/interface/grids.hpp"
#include "core/device/row_receivers.hpp"
#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

std::vector<std::complex<float>> density_map_cuda(const SparsePattern& pattern, std::uint64_t block,
                                                  Backend backend, const DeviceSampleOutputs& samples,
                                                  JobContext& context, DeviceUse& use) {
  const std::uint64_t width = block_count(pattern.cols(), block);
  const std::uint64_t cells = block_count(pattern.rows(), block) * width;
  BookedVector<std::complex<float>> plane(context, samples.to_host ? cells : 0, "density map");
  RowsTo receiver = rows_to_array(plane.data.data(), width, context.pool());
  use = DeviceJob(backend, context)
            .run(cuda::DensityMapTask{view_of(pattern), block, samples.to_host ? &receiver : nullptr,
                                      samples.reductions});
  return std::move(plane.data);
}

}  // namespace spyctrum
