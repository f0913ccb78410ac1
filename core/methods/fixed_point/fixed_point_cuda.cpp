// SPDX-License-Identifier: Apache-2.0
// Fixed Point on CUDA: A' becomes an m0×n0 pattern, which Density Map transforms at b = 1.
#include "core/methods/fixed_point/fixed_point_cuda.hpp"

#include <algorithm>
#include <utility>

#include "core/frequency/sampling_grids.hpp"
#include "core/methods/density_map/density_map_cuda.hpp"

namespace spyctrum {

namespace {

SparsePattern kept_pattern(const SparsePattern& pattern, std::uint64_t block, FixedPoints points,
                           JobContext& context) {
  const std::uint64_t m0 = block_count(pattern.rows(), block);
  const std::uint64_t n0 = block_count(pattern.cols(), block);
  std::vector<Index> kept_rows;
  std::vector<Index> kept_cols;
  for_each_kept(pattern, block, points, 0, pattern.column_ids().size(), context,
                [&](std::uint64_t p, std::uint64_t q) {
                  kept_rows.push_back(static_cast<Index>(p));
                  kept_cols.push_back(static_cast<Index>(q));
                });
  auto made = SparsePattern::from_coordinates(m0, n0, std::move(kept_rows), std::move(kept_cols));
  if (!made) throw Failure(made.error());
  return std::move(*made);
}

}  // namespace

FixedPointPlane fixed_point_cuda(const SparsePattern& pattern, std::uint64_t block, FixedPoints points,
                                 Backend backend, JobContext& context, DeviceUse& use) {
  context.begin_stage("decimate");
  const SparsePattern kept = kept_pattern(pattern, block, points, context);
  if (kept.nonzeros() == 0) return fixed_point_cpu(pattern, block, points, context);  // nothing to transform
  FixedPointPlane plane{density_map_cuda(kept, 1, backend, {}, context, use), kept.nonzeros()};
  const auto gain = static_cast<float>(fixed_point_gain(pattern, plane.kept));
  constexpr std::size_t kGrain = std::size_t{1} << 20U;
  context.pool().parallel_for(plane.values.size(), kGrain,
                              [&](std::size_t begin, std::size_t end, unsigned /*worker*/) {
                                for (std::size_t k = begin; k < end; ++k) plane.values[k] *= gain;
                                context.check_stop();
                              });
  return plane;
}

}  // namespace spyctrum
