// SPDX-License-Identifier: Apache-2.0
// TileTransform of the paper's Algorithms 1 and 2: inner sums from the nonzeros, then an FFT of length L
// along the rows; by the paper direct where n has no prime factor above 7, else Bluestein's with the smallest
// such L ≥ 2n−1; ours as the task's shapes say.
#pragma once

#include <memory>
#include <vector>

#include "core/cuda/rows/row_kernels.hpp"
#include "core/cuda/runtime/runtime.hpp"

namespace spyctrum::cuda {

/// ⌊2^64/m⌋ mod 2^64.
[[nodiscard]] std::uint64_t reciprocal_of(std::uint64_t m);

/// A pattern on the device, 16-bit row indices where they fit.
class DevicePattern {
 public:
  DevicePattern(Host& host, const PatternView& pattern);
  [[nodiscard]] const DeviceColumns& columns() const { return columns_; }

 private:
  DeviceBuffer<std::uint16_t> narrow_rows_;
  DeviceBuffer<std::uint32_t> wide_rows_;
  DeviceBuffer<std::uint32_t> ids_;
  DeviceBuffer<std::int64_t> starts_;
  DeviceColumns columns_;
};

/// What all tiles share: pattern, chirps, work of long columns.
class RowTransform {
 public:
  /// `stores`: every row has its place in an output of padded_count() rows. `symmetric_half`: only |v| ≤ u of
  /// each row u is wanted.
  RowTransform(Host& host, const RowTask& task, bool stores, bool symmetric_half);

  [[nodiscard]] std::uint64_t tile_rows() const { return tile_; }
  /// Rows that an output of `count` rows wants: whole tiles.
  [[nodiscard]] std::uint64_t padded_count(std::uint64_t count) const {
    return kept_ ? (count + tile_ - 1) / tile_ * tile_ : count;
  }

  /// One stream's buffers, plan and partial sums.
  struct Slot {
    Slot(Host& host, const RowTransform& transform, cudaStream_t on);
    DeviceBuffer<float2> sums;    ///< T × n inner sums, or T × L where they are transformed in place
    DeviceBuffer<float2> values;  ///< T × L, the longest, where rows are resampled
    DeviceBuffer<float2> partial;
    std::vector<std::unique_ptr<FftPlan>> plans;  ///< by shape
    cudaStream_t stream;
  };

  /// Whether a tile of `count` rows can be transformed into its place in a stored output at once: a direct
  /// transform of a whole tile, or one whose last butterfly goes there.
  [[nodiscard]] bool transforms_into_place(std::uint32_t count) const;
  /// Rows first … first+count−1 of the task into the slot's values (or into `place`, see above); returns what
  /// leaves the slot.
  [[nodiscard]] TileView transform(Slot& slot, std::uint64_t first, std::uint32_t count,
                                   float2* place = nullptr) const;

 private:
  /// A RowTransformPlan with its tables.
  struct Shape {
    RowTransformPlan how;
    Resampling resampling;  ///< where it is resampled
    DeviceBuffer<std::uint32_t> first_value;
    DeviceBuffer<float> weights;
    DeviceBuffer<float> correction;
    DeviceBuffer<float2> twiddles;
  };
  void add_shape(const RowTransformPlan& how);
  void prepare_resampling(Shape& shape);
  void prepare_twiddles(Shape& shape);
  void prepare_chirps();
  void find_columns(const PatternView& pattern);
  [[nodiscard]] std::uint64_t kept_tile(const RowTask& task) const;
  /// Up to which |v| these rows are wanted.
  [[nodiscard]] std::uint64_t reach_of(std::uint64_t first, std::uint32_t count) const;
  /// The narrowest that reaches as far.
  [[nodiscard]] std::size_t shape_for(std::uint64_t reach) const;
  [[nodiscard]] FftShape fft_of(const Shape& shape) const;
  void prepare_pairs();
  /// Inner sums at `sums`; returns what is to be transformed.
  float2* build(Slot& slot, const Shape& shape, std::uint64_t first, std::uint32_t count, float2* sums) const;
  [[nodiscard]] const Shape& whole() const { return shapes_.back(); }
  /// All shapes are, or there is one that is not: then inner sums are built in the order of its parts.
  [[nodiscard]] bool resampled() const { return shapes_.front().how.resampled; }

  Host& host_;
  std::uint64_t m_ = 1;
  std::uint64_t n_ = 1;
  std::uint64_t tile_ = 1;
  std::uint64_t stride_ = 1;  ///< from one row of inner sums to the next: n or L, ours padded
  bool symmetric_half_ = false;
  std::vector<Shape> shapes_;
  DevicePattern pattern_;
  DeviceBuffer<ColumnRange> ranges_;
  DeviceColumns columns_;  ///< of pattern_, with ranges_
  DeviceBuffer<std::uint32_t> frequencies_;
  std::vector<std::uint32_t> host_frequencies_;
  /// Rows are built and transformed where they stay; not in parts, which are joined while a tile is in the
  /// cache.
  bool kept_ = false;
  bool in_pairs_ = false;
  std::uint64_t step_ = 0;
  DeviceBuffer<float4> pairs_;
  DeviceBuffer<std::uint64_t> fractions_;
  DeviceBuffer<float2> near_roots_;
  DeviceBuffer<Piece> pieces_;
  std::uint32_t piece_count_ = 0;
  DeviceBuffer<Piece> hubs_;
  std::uint32_t hub_count_ = 0;
  DeviceBuffer<float2> chirp_;         ///< n values e^{−πi j²/n}
  DeviceBuffer<float2> chirp_filter_;  ///< L values: FFT of conj chirp, over L
};

}  // namespace spyctrum::cuda
