// SPDX-License-Identifier: Apache-2.0
// Coefficients by FINUFFT on the CPU.
#pragma once

#include <complex>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/byte_count.hpp"
#include "core/spectrum/frequency_grid.hpp"

namespace spyctrum {

/// How the coefficients of a grid are put to the library.
enum class FinufftMode {
  type3,         ///< sources (2πi/m, 2πj/n), targets (u, v): caller-selected, as the paper did it
  type1_box,     ///< all modes of the box that bounds the grid, then a gather
  type1_lattice  ///< sources at 2π((b·i) mod m)/m, modes those of the lattice alone; progressions only
};

struct FinufftOptions {
  FinufftMode mode = FinufftMode::type3;
  double tolerance = 1e-7;  ///< relative L2, as the library takes it
  bool single_precision = false;
};

/// What one call needs: our points and values exactly, the library's grids by its own rule (upsampling by 2,
/// or by 1.25 for type 3 at tolerances of 1e-9 and above), for n1×n2 sizes of the grid, not of the memory
/// that it really took.
struct FinufftPlan {
  std::uint64_t box_rows = 0;  ///< modes (type 1), or extent of the targets (type 3)
  std::uint64_t box_cols = 0;
  std::uint64_t point_bytes = 0;
  std::uint64_t library_bytes = 0;
  std::uint64_t mode_bytes = 0;  ///< complex values that the library returns
  std::uint64_t value_bytes = 0;
  double operations = 0;
  void add_terms(ByteTerms& terms) const;
};
[[nodiscard]] FinufftPlan plan_finufft(const SparsePattern& pattern, const FrequencyGrid& grid,
                                       const FinufftOptions& options);

/// Values on `grid`, row-major, forward, unnormalised. The library cannot be interrupted: a stop takes effect
/// at once for the job, while the call runs to its end on a thread of its own, whose memory it holds until
/// then; the next call waits for it. Throws Failure{backend_unavailable} where the library is missing,
/// {out_of_memory} with its reason where it refuses, {wrong_use} where type1_lattice meets an axis that is
/// not evenly spaced.
[[nodiscard]] std::vector<std::complex<float>> finufft_cpu(const SparsePattern& pattern,
                                                           const FrequencyGrid& grid,
                                                           const FinufftOptions& options,
                                                           JobContext& context);

}  // namespace spyctrum
