// SPDX-License-Identifier: Apache-2.0
// TileTransform of the paper's Algorithms 1 and 2: T rows of the plane in two steps,
//   S[u, j] = Σ_{i in column j} e^{−2πi·ui/m}      (inner sums, over the entries, or by FFTs of columns),
//   F[u, v] = Σ_j S[u, j]·e^{−2πi·vj/n}            (an FFT along the row).
// RowAlgorithm::paper transforms rows directly if n has no prime factor above 7, else by Bluestein's
// algorithm with the smallest such L ≥ 2n−1; RowAlgorithm::optimized uses the task's RowTransformPlans, or
// the one plan of the kernel that computes whole rows from inner sums (row_kernel.hpp).
#pragma once

#include <memory>
#include <vector>

#include "core/cuda/pattern/device_pattern.hpp"
#include "core/cuda/runtime/fft_plans.hpp"
#include "core/cuda/runtime/streams.hpp"
#include "core/cuda/tiles/column_transform.hpp"
#include "core/cuda/tiles/inner_sums.hpp"
#include "core/cuda/tiles/resampling.hpp"
#include "core/cuda/tiles/tile_view.hpp"

namespace spyctrum::cuda {

/// The tables that all tiles share, and the transform of one tile.
class RowTransform {
 public:
  /// `stores`: there is an output of padded_count() rows, in which tiles may be built and transformed.
  /// `symmetric_half`: only |v| ≤ u of each row u is needed.
  RowTransform(Host& host, const RowTask& task, bool stores, bool symmetric_half);

  [[nodiscard]] std::uint64_t tile_rows() const { return tile_; }
  /// Rows to allocate for an output of `count` rows: whole tiles if rows are transformed in the output.
  [[nodiscard]] std::uint64_t padded_count(std::uint64_t count) const {
    return in_output_ ? (count + tile_ - 1) / tile_ * tile_ : count;
  }

  /// The buffers of one stream.
  struct Buffers {
    Buffers(Host& host, const RowTransform& transform, cudaStream_t on);
    DeviceBuffer<float2> sums;    ///< inner sums, T × n, or T × L if they are transformed in place
    DeviceBuffer<float2> values;  ///< T × L for the largest L if rows are resampled; T × n by one kernel
    DeviceBuffer<float2> partial;
    DeviceBuffer<char> work;  ///< cuFFT's work area, for any of the plans
    cudaStream_t stream;
  };

  /// True if transform() can write a tile of `count` rows into an output of n values per row: by a direct
  /// transform of a whole tile, or by a last butterfly that writes there.
  [[nodiscard]] bool transforms_into_place(std::uint32_t count) const;
  /// How many rows from `first` on, `count` at most, transform() may take at once. Of a task that is a part
  /// (RowTask::is_part), those that have one plan: else a row's plan would depend on the other rows.
  [[nodiscard]] std::uint32_t count_alike(std::uint64_t first, std::uint32_t count) const;
  /// Puts the transform of rows first … first+count−1 of the task on the buffers' stream. The result is in
  /// the buffers, or at `place` unless that is null, for which transforms_into_place(count) must be true.
  [[nodiscard]] TileView transform(Buffers& buffers, std::uint64_t first, std::uint32_t count,
                                   float2* place = nullptr) const;

 private:
  /// A RowTransformPlan with its tables.
  struct PreparedPlan {
    RowTransformPlan plan;
    /// One for all streams, each of which has its own work area. Null if one kernel computes the row.
    std::unique_ptr<ResidentPlan> fft;
    Resampling resampling;  ///< if the plan resamples, in a kernel of its own
    DeviceBuffer<std::uint32_t> first_value;
    DeviceBuffer<float> weights;
    DeviceBuffer<float> correction;
    DeviceBuffer<float2> twiddles;  ///< of the last butterfly, or of the kernel that computes the row
  };
  void prepare(const RowTransformPlan& plan);
  void prepare_resampling(PreparedPlan& prepared);
  void prepare_twiddles(PreparedPlan& prepared);
  void prepare_row_kernel(PreparedPlan& prepared);
  void prepare_chirps();
  void prepare_columns(const ColumnTransform& transform);
  void find_columns(const PatternView& pattern);
  /// T if rows are transformed in the output: as many rows as the memory for sums of pieces allows.
  [[nodiscard]] std::uint64_t tall_tile(const RowTask& task) const;
  /// The largest |v| that is needed of these rows.
  [[nodiscard]] std::uint64_t reach_of(std::uint64_t first, std::uint32_t count) const;
  /// transform() by one kernel.
  [[nodiscard]] TileView transform_by_kernel(Buffers& buffers, std::uint64_t first, std::uint32_t count,
                                             float2* place) const;
  /// The narrowest plan of half_width ≥ reach.
  [[nodiscard]] const PreparedPlan& plan_for(std::uint64_t reach) const;
  [[nodiscard]] FftShape fft_of(const PreparedPlan& prepared) const;
  void prepare_pairs();
  /// Puts inner sums at `sums`, resampled if the plan says so; returns the rows to transform.
  float2* build(Buffers& buffers, const PreparedPlan& prepared, std::uint64_t first, std::uint32_t count,
                float2* sums) const;
  [[nodiscard]] const PreparedPlan& whole() const { return plans_.back(); }
  /// True if all plans resample. Else there is one plan, and inner sums are built in the order of its parts.
  [[nodiscard]] bool resampled() const { return plans_.front().plan.resampled; }
  /// True if one kernel resamples and transforms rows, by the only plan.
  [[nodiscard]] bool by_kernel() const { return plans_.front().plan.kernel_length >= 0; }
  /// Values before and after a row of inner sums.
  [[nodiscard]] std::uint32_t halo() const { return by_kernel() ? kKernelHalo : 0; }
  /// Values of a row in Buffers::values.
  [[nodiscard]] std::uint64_t transformed_width() const {
    return by_kernel() ? padded(n_) : resampled() ? whole().plan.cells : 0;
  }

  Host& host_;
  RowAlgorithm algorithm_;
  std::uint64_t m_ = 1;
  std::uint64_t n_ = 1;
  std::uint64_t tile_ = 1;
  std::uint64_t stride_ = 1;  ///< values from one row of inner sums to the next: n, L or padded(n + 2·halo())
  bool symmetric_half_ = false;  ///< only |v| ≤ u of rows u is needed
  bool is_part_ = false;         ///< RowTask::is_part
  std::vector<PreparedPlan> plans_;
  std::uint64_t work_bytes_ = 0;  ///< of cuFFT, the most of any plan
  DevicePattern pattern_;
  DeviceBuffer<ColumnRange> ranges_;
  DeviceColumns columns_;  ///< of pattern_, with ranges_
  DeviceBuffer<std::uint32_t> frequencies_;
  std::vector<std::uint32_t> host_frequencies_;
  /// True if rows are built and transformed in the output; never if they are transformed in parts, which
  /// should be joined while a tile is in the cache.
  bool in_output_ = false;
  /// True if the inner sums are computed by FFTs of the columns.
  bool by_columns_ = false;
  ColumnTransform column_transform_;
  DeviceBuffer<float> column_gains_;
  DeviceBuffer<float2> column_twiddles_;
  bool in_pairs_ = false;
  std::uint64_t step_ = 0;
  DeviceBuffer<float4> pairs_;
  DeviceBuffer<std::uint64_t> fractions_;
  DeviceBuffer<float2> near_roots_;
  DeviceBuffer<ColumnRange> pieces_;
  std::uint32_t piece_count_ = 0;
  DeviceBuffer<ColumnRange> hubs_;
  std::uint32_t hub_count_ = 0;
  DeviceBuffer<float2> chirp_;         ///< n values e^{−πi j²/n}
  DeviceBuffer<float2> chirp_filter_;  ///< L values: FFT of conj chirp, over L
};

}  // namespace spyctrum::cuda
