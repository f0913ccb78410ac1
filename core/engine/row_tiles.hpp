// SPDX-License-Identifier: Apache-2.0
// Tiles of rows on the CPU: each worker of the pool computes a tile of T rows by RowTransform (TileTransform
// of the BS-FFT paper's Algorithms 1 and 2) and passes them to the consumers while they are in the cache. One
// buffer per worker replaces the paper's two CUDA streams with a buffer each.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>

#include "core/base/job_context.hpp"
#include "core/fft/row_transform.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/request.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// Rows per tile, and the memory that they take. Forecast and run use the same plan.
struct RowPlan {
  std::uint64_t rows = 0;         ///< in all
  std::uint64_t tile = 1;         ///< T, rows of one worker's buffer
  unsigned workers = 1;           ///< buffers
  std::uint64_t length = 0;       ///< L
  std::uint64_t scratch = 0;      ///< values beside a tile of T rows
  std::uint64_t table_bytes = 0;  ///< of the RowTransform
  double operations = 0;          ///< floating-point, roughly

  [[nodiscard]] std::uint64_t buffer_bytes() const;
  void add_terms(ByteTerms& terms) const;
};

/// `tile` 0 chooses T: enough rows for the inner sums to share their twiddles, few enough that a tile takes
/// some 12 ms. `threads` 0 counts those of this machine.
[[nodiscard]] RowPlan plan_rows(const SparsePattern& pattern, LengthRule rule, std::uint64_t rows,
                                std::int64_t tile, unsigned threads);

/// Called with the position of u on the axis and F[u, v], v = 0 … n−1; concurrently, with distinct workers.
using RowCallback =
    std::function<void(std::size_t position, std::span<const std::complex<float>> row, unsigned worker)>;

/// Computes the rows at the frequencies of `axis` and hands each to `consume` once, in no order; by
/// LengthRule::resampled_bands, for u ≤ ⌊n/2⌋, at least their part |v| ≤ u. Adds the stages "prepare",
/// "transform" and `consume_stage`. Progress counts rows.
void for_each_row(const SparsePattern& pattern, LengthRule rule, const FrequencyAxis& axis,
                  const RowPlan& plan, std::string_view consume_stage, JobContext& context,
                  const RowCallback& consume);

/// Every row u = 0 … ⌊m/2⌋ to every consumer, begin() and finish() included; by LengthRule::resampled_bands
/// the symmetric half, for symmetric patterns and consumers that accept it.
void stream_rows(const SparsePattern& pattern, LengthRule rule, const RowPlan& plan,
                 std::span<RowConsumer* const> consumers, JobContext& context);

/// The coefficients of `grid` (lists allowed, any signed frequencies) by its rows, gathering the columns that
/// needed (BS-FFT paper, Algorithm 2). Row-major; its bytes are booked while it is filled. Throws
/// Failure{cancelled}, {out_of_memory}.
[[nodiscard]] std::vector<std::complex<float>> gather_grid(const SparsePattern& pattern, LengthRule rule,
                                                           const FrequencyGrid& grid, const RowPlan& plan,
                                                           JobContext& context);

}  // namespace spyctrum
