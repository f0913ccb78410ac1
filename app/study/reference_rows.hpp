// SPDX-License-Identifier: Apache-2.0
// The exact rows with which the planes and reconstructions of a matrix are compared. A reconstruction of a
// plane of at most kEveryRow coefficients is compared with every row, streamed anew, as by the command
// `compare`. Else rows computed once stand for all: the row u = 0 and evenly spaced rows
// (ReconstructionErrorConsumer weights the two kinds differently).
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
  /// Largest number of coefficients in memory, approximately (64 MiB).
  static constexpr std::uint64_t kCoefficients = std::uint64_t{1} << 23U;
  /// Largest m·n for which a reconstruction is compared with every row: n = 8,192.
  static constexpr std::uint64_t kEveryRow = std::uint64_t{1} << 26U;

  /// Throws as run_method().
  ReferenceRows(const PatternPtr& pattern, Backend backend, JobContext& context);

  /// Throws as stream_method().
  [[nodiscard]] ReconstructionErrors compare(const Reconstruction& reconstruction, JobContext& context) const;
  /// Streams the plane by `method`, which must be a method of the whole plane. Throws as stream_method().
  [[nodiscard]] PlaneDifference compare(const Method& method, const ResolvedRequest& request,
                                        JobContext& context) const;

 private:
  PatternPtr pattern_;
  Backend backend_;
  std::uint64_t m_ = 0, n_ = 0;
  std::vector<std::int64_t> rows_;           ///< u of each kept row
  std::vector<std::complex<float>> values_;  ///< rows_.size() × n, v = 0 … n−1
};

}  // namespace spyctrum
