// SPDX-License-Identifier: Apache-2.0
// Sums over rows, which are delivered to the host while later rows are computed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/cuda/reductions/coefficient_sums.hpp"
#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/runtime/device_memory.hpp"
#include "core/cuda/runtime/streams.hpp"
#include "core/device/interface/reductions.hpp"

namespace spyctrum::cuda {

/// The results of a single tile besides sums (TileResults): cells of a display pyramid, and the strongest
/// coefficients. The host merges them, so that a stream of rows can end after any tile. Each tile has its own
/// slot, which is reused once its results were read on the host.
class TileResultBuffers {
 public:
  /// `tile`: rows of a tile; tiles begin at its multiples.
  TileResultBuffers(Host& host, const RowSumsReduction& task, bool symmetric_half, std::uint64_t tile,
                    std::uint64_t lanes);

  /// The most bands of a tile (reduction_kernels.hpp).
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
  /// Puts the reduction of a tile and the copy of its results to the host on `stream`. `u`: the frequencies
  /// of the tile's rows, on the device; `first`: row of the task that is the tile's first.
  void add(Slot& slot, std::uint64_t lane, const TileView& tile, const std::uint32_t* u, std::uint64_t first,
           cudaStream_t stream);
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

/// A BulkReduction (samples on no chosen line, of powers at most at the threshold) whose rows are added tile
/// by tile; finish() adds the sums of the rows.
class BulkSums {
 public:
  BulkSums(Host& host, const BulkReduction& task);
  /// Adds rows first … first+count−1 of the task, `width` values each, on any stream.
  void add(const float2* rows, std::uint32_t count, std::uint64_t first, cudaStream_t stream);
  /// Writes the result; the work on every stream must have ended.
  void finish();

 private:
  Host& host_;
  BulkReduction task_;
  DeviceMasks masks_;
  DeviceBuffer<LineRequest> lines_;
  DeviceBuffer<std::uint32_t> along_;
  DeviceBuffer<Moments> slots_;  ///< [rows + 1]: of each row, then their sum
};

/// A RowSumsReduction whose rows are added tile by tile on several streams, and delivered in the same order.
class RowSums {
 public:
  RowSums(Host& host, const RowSumsReduction& task, bool symmetric_half, std::uint64_t tile,
          std::uint64_t lanes);
  /// Delivers the sums of the oldest tile if as many are in flight as there may be, then puts the sums of
  /// this tile on `stream`. `first`: row of the task that is the tile's first.
  void add(std::uint64_t lane, const TileView& tile, std::uint64_t first, cudaStream_t stream);
  /// Delivers the remaining sums.
  void finish();

 private:
  struct InFlight {
    InFlight(Host& host, std::uint64_t tile, std::uint64_t parts);
    DeviceBuffer<Moments> sums;  ///< [tile], then [tile × parts]
    PinnedBuffer on_host;
    std::optional<TileResultBuffers::Slot> slot;
    Event copied;
    std::uint64_t first = 0;
    std::uint64_t count = 0;  ///< rows; 0: no tile
  };
  void deliver(InFlight& in_flight) const;

  Host& host_;
  RowSumsReduction task_;
  bool symmetric_half_;
  std::uint64_t tile_;
  std::uint64_t parts_;  ///< thread blocks that sum a row
  DeviceBuffer<std::uint32_t> u_;
  std::optional<TileResultBuffers> tile_results_;
  std::vector<std::unique_ptr<InFlight>> in_flight_;  ///< kTilesInFlight for each lane, used in turns
  std::uint64_t tiles_ = 0;                           ///< added so far
};

}  // namespace spyctrum::cuda
