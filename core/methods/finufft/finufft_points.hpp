// SPDX-License-Identifier: Apache-2.0
// Conversion of a pattern and a grid to the points, strengths and targets that FINUFFT and cuFINUFFT take,
// and of their results to values on the grid.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// The library's transform by which the coefficients of a grid are computed, in the order of the parameter
/// "mode".
enum class FinufftMode {
  type3,         ///< sources (2πi/m, 2πj/n), targets (u, v): caller-selected, as in the paper
  type1_box,     ///< all frequencies of the box that bounds the grid, then a gather
  type1_lattice  ///< sources at 2π((b·i) mod m)/m, the lattice's frequencies only; both axes progressions
};

struct FinufftOptions {
  FinufftMode mode = FinufftMode::type3;
  double tolerance = 1e-7;  ///< relative L2 error, as the library defines it
  bool single_precision = false;
};

/// Memory and work of one call. The bytes of points and values are exact; the library does not report those
/// of its grids, which are computed by its own rule (upsampling by 2, or by 1.25 for type 3 at tolerances ≥
/// 1e-9).
struct FinufftPlan {
  std::uint64_t box_rows = 0;  ///< modes (type 1), or extent of the targets (type 3)
  std::uint64_t box_cols = 0;
  double largest_grid = 0;  ///< cells of the library's largest grid
  std::uint64_t point_bytes = 0;
  std::uint64_t library_bytes = 0;
  std::uint64_t mode_bytes = 0;  ///< complex values that the library returns
  std::uint64_t value_bytes = 0;
  double operations = 0;
  /// Host bytes of a call, whose grids are on a device or on the host.
  [[nodiscard]] ByteTerms host_terms(bool on_device) const;
};
[[nodiscard]] FinufftPlan plan_finufft(const SparsePattern& pattern, const FrequencyGrid& grid,
                                       const FinufftOptions& options);

/// All arrays that a call reads and writes; shared by the thread of the call and the job that waits for it.
template <class T>
struct FinufftArrays {
  int type = 1;
  std::array<std::int64_t, 3> modes{1, 1, 1};
  T tolerance = 0;
  int threads = 1;
  std::vector<T> x, y, s, t;
  std::vector<std::complex<T>> strengths;
  std::vector<std::complex<T>> result;
  int code = 0;
};

/// Calls a library with the arrays and stores its error code (0: none) in them. `library_bytes`: as in
/// FinufftPlan.
template <class T>
using FinufftRun = std::function<void(const std::shared_ptr<FinufftArrays<T>>& arrays,
                                      std::uint64_t library_bytes, JobContext& context)>;
struct FinufftRunner {
  std::string name;  ///< the library's, for messages
  std::tuple<FinufftRun<float>, FinufftRun<double>> run;
};

/// Values on `grid`, row-major, forward, unnormalised. Throws Failure{cancelled}; {out_of_memory} with
/// the library's reason if it refuses; {wrong_use} if the mode is type1_lattice and an axis is not evenly
/// spaced.
[[nodiscard]] std::vector<std::complex<float>> finufft_values(const SparsePattern& pattern,
                                                              const FrequencyGrid& grid,
                                                              const FinufftOptions& options,
                                                              const FinufftRunner& runner,
                                                              JobContext& context);

}  // namespace spyctrum
