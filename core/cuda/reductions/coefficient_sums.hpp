// SPDX-License-Identifier: Apache-2.0
// Sums over coefficients that are classified one by one (Moments): coefficients of lines in any direction,
// and samples that are on no chosen line. Pointers are the device's; launches return cudaGetLastError().
#pragma once

#include "core/cuda/runtime/device_memory.hpp"
#include "core/cuda/tiles/tile_view.hpp"
#include "core/device/interface/lines.hpp"
#include "core/device/interface/radial_edges.hpp"

namespace spyctrum::cuda {

/// Coefficients by rows, and their frequencies.
struct CoefficientRows {
  TileView tile;  ///< without correction
  std::uint64_t width = 0;
  PlaneLine direction = PlaneLine::rows;
  const LineRequest* lines = nullptr;    ///< [tile.count]
  const std::uint32_t* along = nullptr;  ///< [width], DFT indices; null: 0 … width−1
  std::uint32_t m = 1;
  std::uint32_t n = 1;
  RadialEdges edges;  ///< radial_edges(m, n)
  LineMasks masks;
  float most_power = 0;
  double floor = 0;
  double zero_floor = 0;
};
/// Sums over the coefficients of each row, a thread block for each `span` coefficients: slots[row][block] or,
/// if `splits`, slots[row][block][2], for powers at most at and above the threshold.
cudaError_t launch_sum_coefficients(const CoefficientRows& rows, std::uint64_t span, bool splits,
                                    Moments* slots, cudaStream_t stream);
/// sums[k][f] = Σ over `parts` of slots[k][part][f], in the order of the parts; [count][fields].
cudaError_t launch_add_slots(const Moments* slots, std::uint64_t count, std::uint64_t parts,
                             std::uint64_t fields, Moments* sums, cudaStream_t stream);

/// A copy on the device of LineMasks of the host.
class DeviceMasks {
 public:
  DeviceMasks(Host& host, const LineMasks& masks, std::uint64_t m, std::uint64_t n) {
    for (std::size_t d = 0; d < kPlaneLines; ++d)
      if (masks.of[d] != nullptr) of_[d] = upload(host, masks.of[d], d == 0 ? m : n, "chosen lines");
  }
  [[nodiscard]] LineMasks view() const {
    LineMasks masks;
    for (std::size_t d = 0; d < kPlaneLines; ++d) masks.of[d] = of_[d].get();
    return masks;
  }

 private:
  DeviceBuffer<std::uint8_t> of_[kPlaneLines];
};

}  // namespace spyctrum::cuda
