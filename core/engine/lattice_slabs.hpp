// SPDX-License-Identifier: Apache-2.0
// Coefficients on a lattice in passes over its rows, so that the fine grid of each non-uniform FFT stays
// below a gibibyte however large the lattice is.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/fft/lattice.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

struct SlabPlan {
  std::uint64_t rows = 0;   ///< of the lattice in one pass
  std::uint64_t bytes = 0;  ///< at the peak, the values included
  double operations = 0;    ///< floating-point, roughly
  std::string words;        ///< the terms of `bytes`
};

/// `tile`: rows of a pass; 0: chosen. Both axes of `grid` must be progressions.
[[nodiscard]] SlabPlan plan_slabs(const SparsePattern& pattern, const FrequencyGrid& grid,
                                  const LatticeOptions& options, std::int64_t tile);

/// Values on `grid`, row-major. Adds the stage "lattice".
[[nodiscard]] std::vector<std::complex<float>> lattice_in_slabs(const SparsePattern& pattern,
                                                                const FrequencyGrid& grid,
                                                                const LatticeOptions& options,
                                                                const SlabPlan& plan, JobContext& context);

/// Rows [begin, begin+count) of a grid whose row axis is a progression.
[[nodiscard]] FrequencyGrid row_slab(const FrequencyGrid& grid, std::uint64_t begin, std::uint64_t count);

}  // namespace spyctrum
