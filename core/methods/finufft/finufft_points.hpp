// SPDX-License-Identifier: Apache-2.0
// Points, strengths and targets in the form that FINUFFT and cuFINUFFT take, and their results on a grid.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/request/byte_terms.hpp"

namespace spyctrum {

/// By which transform of the library the coefficients of a grid are computed, in the order of the parameter
/// "mode".
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

/// Memory and work of one call: points and values exactly, the library's grids by the library's own rule
/// (upsampling by 2, or by 1.25 for type 3 at tolerances of 1e-9 and above), which the library does not
/// report.
struct FinufftPlan {
  std::uint64_t box_rows = 0;  ///< modes (type 1), or extent of the targets (type 3)
  std::uint64_t box_cols = 0;
  double largest_grid = 0;  ///< cells of the library's largest grid
  std::uint64_t point_bytes = 0;
  std::uint64_t library_bytes = 0;
  std::uint64_t mode_bytes = 0;  ///< complex values that the library returns
  std::uint64_t value_bytes = 0;
  double operations = 0;
  void add_terms(ByteTerms& terms) const;
  /// The terms on the host where the library's grids are on a device.
  void add_host_terms(ByteTerms& terms) const;
};
[[nodiscard]] FinufftPlan plan_finufft(const SparsePattern& pattern, const FrequencyGrid& grid,
                                       const FinufftOptions& options);

/// Everything that a call reads and writes; shared by the call's thread and the job that waits for it.
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

/// Calls a library with the arrays and leaves its error code (0 for none) in them. `library_bytes`: see
/// FinufftPlan.
template <class T>
using FinufftRun = std::function<void(const std::shared_ptr<FinufftArrays<T>>& arrays,
                                      std::uint64_t library_bytes, JobContext& context)>;
struct FinufftRunner {
  std::string name;              ///< of the library
  FinufftRun<float> in_single;   ///< precision
  FinufftRun<double> in_double;  ///< precision
  void run(const std::shared_ptr<FinufftArrays<float>>& arrays, std::uint64_t bytes,
           JobContext& context) const {
    in_single(arrays, bytes, context);
  }
  void run(const std::shared_ptr<FinufftArrays<double>>& arrays, std::uint64_t bytes,
           JobContext& context) const {
    in_double(arrays, bytes, context);
  }
};

/// Values on `grid`, row-major, forward, unnormalised. Throws Failure{out_of_memory} with the library's
/// reason where it refuses, {wrong_use} where type1_lattice meets an axis that is not evenly spaced.
[[nodiscard]] std::vector<std::complex<float>> finufft_values(const SparsePattern& pattern,
                                                              const FrequencyGrid& grid,
                                                              const FinufftOptions& options,
                                                              const FinufftRunner& runner,
                                                              JobContext& context);

}  // namespace spyctrum
