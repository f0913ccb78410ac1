// SPDX-License-Identifier: Apache-2.0
// Tiles of rows on the CPU: each worker of the pool computes a tile of T rows by RowTransform (TileTransform
// of the BS-FFT paper's Algorithms 1 and 2) and passes its rows to the consumers while they are in the cache.
// The paper has two CUDA streams with a buffer each; here every worker has a buffer.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>

#include "core/base/job_context.hpp"
#include "core/fft/row_transform.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/request/byte_terms.hpp"
#include "core/spectrum/row_consumer.hpp"

namespace spyctrum {

/// The tiles of a job and their memory; used by forecast and run.
struct RowPlan {
  std::uint64_t rows = 0;         ///< to be computed
  std::uint64_t tile = 1;         ///< T, rows per tile
  unsigned workers = 1;           ///< threads, each with a buffer of one tile
  std::uint64_t length = 0;       ///< L, values of a row while it is transformed
  std::uint64_t scratch = 0;      ///< further values of a buffer
  std::uint64_t table_bytes = 0;  ///< tables of the RowTransform
  double operations = 0;          ///< floating-point operations, estimated

  [[nodiscard]] std::uint64_t buffer_bytes() const;
  void add_terms(ByteTerms& terms) const;
};

/// `tile`: T; 0 chooses it so that inner sums share their twiddles while a tile takes at most about 12 ms.
/// `threads`: 0 for all of this machine.
[[nodiscard]] RowPlan plan_rows(const SparsePattern& pattern, LengthRule rule, std::uint64_t rows,
                                std::int64_t tile, unsigned threads);

/// Receives F[u, v], v = 0 … n−1, of the frequency u = axis.at(position); called concurrently with distinct
/// numbers `worker`.
using RowCallback =
    std::function<void(std::size_t position, std::span<const std::complex<float>> row, unsigned worker)>;

/// Computes the rows at the frequencies of `axis` and passes each to `consume` once, in any order. With
/// LengthRule::resampled_bands, for u ≤ ⌊n/2⌋, only the part |v| ≤ u of row u is sure to be computed. Adds
/// the stages "prepare", "transform" and `consume_stage`. Progress counts rows. Throws Failure{cancelled},
/// {out_of_memory}.
void for_each_row(const SparsePattern& pattern, LengthRule rule, const FrequencyAxis& axis,
                  const RowPlan& plan, std::string_view consume_stage, JobContext& context,
                  const RowCallback& consume);

/// Streams the rows u = 0 … ⌊m/2⌋ to every consumer, begin() and finish() included.
/// LengthRule::resampled_bands streams the symmetric half, for which the pattern must be symmetric and every
/// consumer must accept it. Throws as for_each_row().
void stream_rows(const SparsePattern& pattern, LengthRule rule, const RowPlan& plan,
                 std::span<RowConsumer* const> consumers, JobContext& context);

/// The coefficients of `grid` (lists allowed, any signed frequencies), row-major: computes the grid's rows
/// whole and gathers its columns (BS-FFT paper, Algorithm 2). Their bytes are booked until they are returned.
/// Throws as for_each_row().
[[nodiscard]] std::vector<std::complex<float>> gather_grid(const SparsePattern& pattern, LengthRule rule,
                                                           const FrequencyGrid& grid, const RowPlan& plan,
                                                           JobContext& context);

}  // namespace spyctrum
