// SPDX-License-Identifier: Apache-2.0
// Coefficients on a lattice in several passes, each of which computes some of the lattice's rows by one
// non-uniform FFT, so that its fine grid takes at most about a gibibyte.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/fft/lattice.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// The division of a lattice into passes, with forecasts.
struct SlabPlan {
  std::uint64_t rows = 0;   ///< lattice rows per pass
  std::uint64_t bytes = 0;  ///< peak, the values included
  double operations = 0;    ///< floating-point operations, estimated
  std::string formula;      ///< `bytes` as a sum of named terms
};

/// `tile`: lattice rows per pass, 0: as many as the bound allows. Both axes of `grid` must be progressions.
[[nodiscard]] SlabPlan plan_slabs(const SparsePattern& pattern, const FrequencyGrid& grid,
                                  const LatticeOptions& options, std::int64_t tile);

/// The coefficients on `grid`, row-major. Adds the stage "lattice". Throws Failure{cancelled},
/// {out_of_memory}.
[[nodiscard]] std::vector<std::complex<float>> lattice_in_slabs(const SparsePattern& pattern,
                                                                const FrequencyGrid& grid,
                                                                const LatticeOptions& options,
                                                                const SlabPlan& plan, JobContext& context);

/// The grid of rows begin … begin+count−1 of `grid`, whose row axis must be a progression.
[[nodiscard]] FrequencyGrid row_slab(const FrequencyGrid& grid, std::uint64_t begin, std::uint64_t count);

}  // namespace spyctrum
