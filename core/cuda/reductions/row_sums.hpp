// SPDX-License-Identifier: Apache-2.0
// Sums of rows while others are computed, for whoever looks on the way.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/cuda/lines/line_kernels.hpp"
#include "core/cuda/reductions/tile_results.hpp"
#include "core/cuda/runtime/runtime.hpp"

namespace spyctrum::cuda {

/// RowSumsReduction of rows that come in tiles on some streams; tiles come in the order of the task.
class RowSums {
 public:
  RowSums(Host& host, const RowSumsReduction& task, bool symmetric_half, std::uint64_t tile,
          std::uint64_t lanes);
  /// Rows first … of the task after what is on `stream`. Hands over what the lane had kTilesBehind tiles
  /// ago.
  void add(std::uint64_t lane, const TileView& tile, std::uint64_t first, cudaStream_t stream);
  /// Hands the rest over.
  void finish();

 private:
  struct Behind {
    Behind(Host& host, std::uint64_t tile, std::uint64_t parts);
    DeviceBuffer<CellSums> sums;  ///< [tile], then [tile × parts]
    PinnedBuffer on_host;
    std::optional<TileResultBuffers::Slot> slot;
    Event copied;
    std::uint64_t first = 0;
    std::uint64_t count = 0;  ///< 0: nothing on its way
  };
  void hand_over(Behind& behind) const;

  Host& host_;
  RowSumsReduction task_;
  bool symmetric_half_;
  std::uint64_t tile_;
  std::uint64_t parts_;
  DeviceBuffer<LineRequest> lines_;
  std::optional<TileResultBuffers> parts_of_rows_;
  std::vector<std::unique_ptr<Behind>> behind_;  ///< [lane × kTilesBehind]
  std::vector<std::uint64_t> turn_;              ///< by lane
};

}  // namespace spyctrum::cuda
