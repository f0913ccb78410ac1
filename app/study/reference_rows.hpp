// SPDX-License-Identifier: Apache-2.0
// Exact rows of a matrix's plane, computed once, with which every reconstruction of that matrix is compared:
// all rows where they are few, else the row u = 0 and evenly spaced rows, each of which stands for its
// neighbours (ReconstructionErrorConsumer weights the two kinds differently).
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "app/study/study.hpp"
#include "core/base/backend.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

class ReferenceRows {
 public:
  /// Largest number of coefficients held, about (64 MiB).
  static constexpr std::uint64_t kCoefficients = std::uint64_t{1} << 23U;

  /// Throws Failure as run_method() fails.
  ReferenceRows(const PatternPtr& pattern, Backend backend, JobContext& context);

  /// Throws Failure{cancelled}.
  [[nodiscard]] ReconstructionErrors compare(const Reconstruction& reconstruction, JobContext& context) const;
  /// Streams the plane by `method`, which must be one of the whole plane. Throws Failure as stream_method()
  /// fails.
  [[nodiscard]] PlaneDifference compare(const Method& method, const ResolvedRequest& request,
                                        JobContext& context) const;

 private:
  std::uint64_t m_ = 0, n_ = 0;
  std::vector<std::int64_t> rows_;           ///< u of each kept row
  std::vector<std::complex<float>> values_;  ///< rows_.size() × n, v = 0 … n−1
};

}  // namespace spyctrum
