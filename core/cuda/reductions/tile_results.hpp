// SPDX-License-Identifier: Apache-2.0
// The results of a single tile besides sums (TileResults): cells of a display pyramid, and the strongest
// coefficients. The host adds them up, so that a stream of rows can end after any tile.
#pragma once

#include <vector>

#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/runtime/device_memory.hpp"

namespace spyctrum::cuda {

class TileResultBuffers {
 public:
  /// `tile`: rows of a tile; tiles begin at its multiples.
  TileResultBuffers(Host& host, const RowSumsReduction& task, bool symmetric_half, std::uint64_t tile,
                    std::uint64_t lanes);

  /// The most bands of a tile (bands.hpp).
  [[nodiscard]] std::uint64_t most_bands() const { return most_bands_; }
  /// The results of one tile, on the device and in host memory.
  struct Slot {
    Slot(Host& host, const RowSumsReduction& task, std::uint64_t bands);
    DeviceBuffer<CellSum> cells;  ///< [2 × bands × cell_cols]
    PinnedBuffer host_cells;
    DeviceBuffer<StrongValue> strong;  ///< [1 + kMostStrong]: two counts, then the coefficients
    PinnedBuffer host_strong;
    std::vector<CellRow> cell_rows;
  };
  /// Puts the reduction of a tile and the copy of its results to the host on `stream`. `lines`: the
  /// frequencies of the rows on the device; `first`: row of the task that is the tile's first.
  void add(Slot& slot, std::uint64_t lane, const TileView& tile, const LineRequest* lines,
           std::uint64_t first, cudaStream_t stream);
  /// The results in host memory; valid after the copy has ended.
  [[nodiscard]] TileResults of(const Slot& slot) const;

 private:
  void add_cells(Slot& slot, std::uint64_t lane, const TileView& tile, std::uint64_t first,
                 cudaStream_t stream);

  Host& host_;
  RowSumsReduction task_;
  bool symmetric_half_;
  std::uint64_t most_bands_;
  struct Lane {
    DeviceBuffer<float2> columns;
    DeviceBuffer<unsigned> threshold_and_histogram;
  };
  std::vector<Lane> lanes_;
};

}  // namespace spyctrum::cuda
