// SPDX-License-Identifier: Apache-2.0
// Exact coefficients at scattered frequencies: by direct sums of the definition if they are few, else by
// computing the rows |u| (BS-FFT) that contain them, so that the work is at most that of the whole plane
// (F[−u,−v] = conj F[u,v]). With a CUDA backend the rows are computed on its device.
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

/// How a number of coefficients is computed, with forecasts.
struct ExactPointsPlan {
  bool by_rows = false;
  RowPlan rows;             ///< for the largest number of rows possible; only if by_rows
  std::uint64_t bytes = 0;  ///< peak on the host, without the values
  ByteTerms device;         ///< peak on the device; only if by_rows
  double operations = 0;
};
[[nodiscard]] ExactPointsPlan plan_exact_points(const SparsePattern& pattern, std::uint64_t points,
                                                Backend backend, unsigned threads);

/// Sets values[k] = F[u[k], v[k]] for signed frequencies, u ascending; direct sums are taken in double
/// precision and rounded once. Throws Failure{cancelled}, {out_of_memory}.
void exact_points(const SparsePattern& pattern, std::span<const std::int32_t> u,
                  std::span<const std::int32_t> v, std::span<std::complex<float>> values, Backend backend,
                  JobContext& context);
/// exact_points() on the CPU for a few points in any order, as a step of another job: by rows, which take
/// memory, only if direct sums would take seconds.
void exact_points_within_job(const SparsePattern& pattern, std::span<const std::int32_t> u,
                             std::span<const std::int32_t> v, std::span<std::complex<float>> values,
                             JobContext& context);

}  // namespace spyctrum
