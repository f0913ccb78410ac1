// SPDX-License-Identifier: Apache-2.0
// Exact coefficients at frequencies that form no grid: by direct sums where they are few, else by the rows
// (BS-FFT) that contain them, u folded to 0 … ⌊m/2⌋, so that the work is at most that of the whole spectrum.
// With a CUDA backend its device computes the rows.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/engine/row_tiles.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// How `points` coefficients are computed.
struct ExactPointsPlan {
  bool by_rows = false;
  RowPlan rows;             ///< at most this many; where by_rows
  std::uint64_t bytes = 0;  ///< held at the peak on the host, the values not counted
  ByteTerms device;         ///< on CUDA, where by_rows
  double operations = 0;
};
[[nodiscard]] ExactPointsPlan plan_exact_points(const SparsePattern& pattern, std::uint64_t points,
                                                Backend backend, unsigned threads);

/// Sets values[k] = F[u[k], v[k]] for signed frequencies, u ascending; direct sums are taken in double
/// precision and rounded once. Throws Failure{cancelled}, {out_of_memory}.
void exact_points(const SparsePattern& pattern, std::span<const std::int32_t> u,
                  std::span<const std::int32_t> v, std::span<std::complex<float>> values, Backend backend,
                  JobContext& context);
/// The same on the CPU for a few points in any order, as a step of another job: by rows, which take memory,
/// only where direct sums would take seconds.
void exact_points_on_the_way(const SparsePattern& pattern, std::span<const std::int32_t> u,
                             std::span<const std::int32_t> v, std::span<std::complex<float>> values,
                             JobContext& context);

}  // namespace spyctrum
