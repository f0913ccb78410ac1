// SPDX-License-Identifier: Apache-2.0
// Reductions of rows on the device (core/device/interface/reductions.hpp): tables are uploaded once, tiles
// are reduced on the streams that computed them, and results are written at the end.
#pragma once

#include <optional>
#include <vector>

#include "core/cuda/reductions/reduction_kernels.hpp"
#include "core/cuda/reductions/row_sums.hpp"

namespace spyctrum::cuda {

class Reducer {
 public:
  /// `tile`: largest number of rows of a tile; `lanes`: number of streams, each with sums of its own.
  Reducer(Host& host, const Reductions& reductions, std::uint64_t width, std::uint64_t tile,
          std::uint64_t lanes);

  /// Puts the reduction of a tile on `stream`, which belongs to `lane`. `first`: row of the task that is the
  /// tile's first. Later work on the stream may overwrite the tile.
  void add(std::uint64_t lane, const TileView& tile, std::uint64_t first, cudaStream_t stream);
  /// As add(), for packed rows of `width` values each; also adds them to Reductions::bulk.
  void add_packed(std::uint64_t lane, const float2* rows, std::uint32_t count, std::uint64_t first,
                  cudaStream_t stream);
  /// Delivers the sums of rows that their receiver does not have yet, each tile's as soon as they are
  /// computed.
  void deliver_row_sums() {
    if (row_sums_) row_sums_->finish();
  }
  /// Writes all results that are not delivered yet; the work on every stream must have ended.
  void finish();

 private:
  void upload_features(std::uint64_t lanes);
  void make_pyramid(std::uint64_t lanes);
  void upload_reconstructions(std::uint64_t tile, std::uint64_t lanes);
  [[nodiscard]] Bands bands_from(const TileView& tile, std::uint64_t first, std::uint64_t& next) const;
  void finish_features();
  void finish_pyramid();
  void finish_reconstructions();

  Host& host_;
  Reductions task_;
  std::uint64_t width_;
  // Features.
  DeviceBuffer<std::uint32_t> begins_;
  DeviceBuffer<std::uint16_t> classes_;
  std::uint64_t slot_count_ = 0;
  std::vector<DeviceBuffer<double>> slots_;  ///< by lane
  DeviceBuffer<unsigned long long> counters_;
  // Pyramid, by lane.
  std::vector<DeviceBuffer<float2>> columns_;
  std::vector<DeviceBuffer<double>> power_;
  std::vector<DeviceBuffer<float>> maximum_;
  // Reconstructions.
  struct Comparison {
    const ReconstructionReduction* task = nullptr;
    DeviceBuffer<float> magnitudes;
    DeviceBuffer<NodeBracket> rows;
    DeviceBuffer<NodeBracket> mirror;
    DeviceBuffer<NodeBracket> cols;
    DeviceBuffer<unsigned long long> histogram;
    DeviceBuffer<MagnitudeProducts> products;
    std::vector<DeviceBuffer<MagnitudeProducts>> slots;  ///< by lane
    DeviceReconstruction view;
  };
  std::vector<Comparison> compared_;
  std::optional<BulkSums> bulk_;
  std::optional<RowSums> row_sums_;
  std::uint64_t blocks_ = 1;  ///< thread blocks that compare a row
};

}  // namespace spyctrum::cuda
