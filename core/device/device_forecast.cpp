// SPDX-License-Identifier: Apache-2.0
// The arrays that core/cuda/tiles and core/cuda/grids allocate, term by term.
#include "core/device/device_forecast.hpp"

#include <algorithm>
#include <vector>

#include "core/device/device_cache.hpp"
#include "core/device/device_module.hpp"
#include "core/device/row_transform_plans.hpp"

namespace spyctrum {

namespace {

/// Number of pieces of the columns that have more than `piece` entries.
std::uint64_t pieces_of(const SparsePattern& pattern, std::uint64_t piece) {
  const auto starts = pattern.column_starts();
  std::uint64_t pieces = 0;
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    const auto entries = static_cast<std::uint64_t>(starts[k + 1] - starts[k]);
    if (entries > piece) pieces += (entries + piece - 1) / piece;
  }
  return pieces;
}

/// Bytes that row transform plans take besides the rows: tables and cuFFT's work areas.
struct PlanBytes {
  PlanBytes(std::uint64_t n, Backend backend, const DeviceRows& rows)
      : all(row_transform_plans(n, rows.algorithm, backend, rows.symmetric_half)), whole(all.back()) {
    for (const cuda::RowTransformPlan& plan : all) {
      if (plan.kernel_length >= 0)
        tables += 4 * n + 8 * cuda::kernel_roots(cuda::kKernelLengths[plan.kernel_length]);
      else if (plan.resampled)
        tables +=
            saturating_sum(saturating_product(4 + 4 * cuda::values_of_cell(plan, n), plan.cells), 4 * n);
      if (plan.split != 1) tables += cuda::butterfly_bytes(plan.split, plan.cells / plan.split);
    }
  }
  /// cuFFT's largest work area of any plan, for one CUDA stream. `stride`: values from one row to the
  /// next, if rows are neither resampled nor split.
  [[nodiscard]] std::uint64_t work_bytes(Backend backend, std::uint64_t tile, std::uint64_t stride) const {
    std::uint64_t bytes = 0;
    for (const cuda::RowTransformPlan& plan : all) {
      if (plan.kernel_length >= 0) continue;
      const std::uint64_t part = plan.cells / plan.split;
      const bool is_packed = plan.resampled || plan.split != 1;
      const cuda::FftShape shape{false, 1, part, is_packed ? part : stride, tile * plan.split};
      bytes = std::max(bytes, device_fft_work_bytes(backend, shape));
    }
    return bytes;
  }
  std::vector<cuda::RowTransformPlan> all;
  cuda::RowTransformPlan whole;
  std::uint64_t tables = 0;
};

}  // namespace

void add_device_pattern(ByteTerms& terms, const SparsePattern& pattern) {
  const std::uint64_t index = cuda::is_narrow(pattern.rows(), pattern.has_weights()) ? 2 : 4;
  const std::uint64_t weight = pattern.has_weights() ? 4 : 0;
  terms.add("pattern", saturating_sum((index + weight) * static_cast<std::uint64_t>(pattern.nonzeros()),
                                      12 * pattern.column_ids().size()));
}

std::uint64_t device_entry_bytes(const SparsePattern& pattern) {
  const std::uint64_t slots = pattern.row_counts().ids.size() + pattern.column_ids().size();
  const std::uint64_t each = pattern.has_weights() ? 12 : 8;
  return saturating_sum(each * static_cast<std::uint64_t>(pattern.nonzeros()), 4 * slots);
}

ByteTerms device_row_terms(const SparsePattern& pattern, Backend backend, std::uint64_t count,
                           std::uint64_t width, const DeviceRows& rows) {
  const std::uint64_t n = pattern.cols();
  const bool is_optimized = rows.algorithm == cuda::RowAlgorithm::optimized;
  const PlanBytes plans(n, backend, rows);
  const bool by_kernel = plans.whole.kernel_length >= 0;
  const std::uint64_t length = by_kernel ? cuda::padded(n) : plans.whole.cells;
  const std::uint64_t halo = by_kernel ? cuda::kKernelHalo : 0;
  const std::uint64_t stride = plans.whole.resampled ? cuda::padded(n + 2 * halo) : length;
  const std::uint64_t tile = device_tile(pattern, count, rows);
  ByteTerms terms;
  add_device_pattern(terms, pattern);
  terms.add("positions of the columns and row frequencies", saturating_sum(16 * n, 4 * count));
  if (plans.tables != 0) terms.add("tables of resampling and butterflies", plans.tables);
  if (!plans.whole.resampled && length != n) terms.add("chirps", 8 * (n + length));
  const auto nonzeros = static_cast<std::uint64_t>(pattern.nonzeros());
  const bool by_columns =
      is_optimized && rows.consecutive && !rows.is_part && cuda::transforms_columns(n, nonzeros, tile);
  if (by_columns)
    terms.add("tables of the columns",
              sizeof(cuda::ColumnTransform::gains) + sizeof(float[2]) * cuda::kColumnCells);
  else if (is_optimized && pattern.rows() <= cuda::kMostPairRows)
    terms.add("table of pairs", 72 * pattern.rows());
  const std::uint64_t streams = cuda::row_streams(count, tile);
  terms.add(streams == 1 ? "a tile" : "two tiles",
            saturating_product(8 * streams, tile, plans.whole.resampled ? stride + length : stride));
  const std::uint64_t pieces =
      pieces_of(pattern, by_columns ? cuda::kColumnEntries
                                    : cuda::piece_entries(nonzeros, pattern.column_ids().size()));
  if (pieces != 0)
    terms.add("sums of pieces of long columns",
              saturating_product(8, streams * ((tile + 511) / 512 * 512) + 2, pieces));
  if (rows.store_half) terms.add("half spectrum", saturating_product(8, pattern.rows(), n / 2 + 1));
  terms.add("rows being copied to the host", saturating_product(8 * streams, tile, width));
  terms.add("work areas of cuFFT",
            saturating_product(streams, plans.work_bytes(backend, tile, plans.whole.resampled ? 0 : stride)));
  return terms;
}

ByteTerms device_plane_terms(const SparsePattern& pattern, Backend backend, std::uint64_t lines,
                             std::uint64_t length, std::uint64_t rows, std::uint64_t width) {
  ByteTerms terms;
  add_device_pattern(terms, pattern);
  terms.add("grid and its half spectrum", saturating_product(8, lines, length / 2 + 1));
  terms.add("work area of cuFFT", device_fft_work_bytes(backend, {true, lines, length, 1, 1}));
  terms.add("rows being copied to the host", cuda::delivery_bytes(rows, width));
  return terms;
}

void add_device(Forecast& forecast, const ByteTerms& device) {
  forecast.device_bytes = device.total();
  forecast.formula += "; on the device " + format_bytes(device.total()) + ": " + device.text();
}

std::uint64_t device_allowance(const RequestScope& request) {
  if (request.device_bytes != 0) return request.device_bytes;
  return cuda_module().facts(request.backend.device).free_bytes +
         device_cache(request.backend.device)->idle_bytes();
}

}  // namespace spyctrum
