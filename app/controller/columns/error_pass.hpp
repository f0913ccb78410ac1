// SPDX-License-Identifier: Apache-2.0
// Errors of reconstructions against exact rows of the plane, by one pass for all columns. Called from a job.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/device_runs.hpp"
#include "app/controller/state.hpp"
#include "core/base/backend.hpp"
#include "core/base/job_context.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"

namespace spyctrum {

/// Most exact coefficients of a pass that samples rows.
inline constexpr std::uint64_t kErrorCoefficients = std::uint64_t{1} << 24U;
struct ErrorSpec {
  PatternPtr pattern;
  std::string stream_method;  ///< registry id of a method that streams every row of the plane
  std::vector<std::pair<ColumnId, ReconstructionPtr>> reconstructions;
  bool every_row = false;
  Backend backend{};  ///< of passes over every row
  friend bool operator==(const ErrorSpec&, const ErrorSpec&) = default;
};
struct ColumnErrors {
  std::vector<std::pair<ColumnId, ReconstructionErrors>> of_columns;
  Fallback fallback;
};
/// Compares over every row of the plane if `every_row` is set or the plane has at most kErrorCoefficients
/// coefficients; otherwise over equidistant rows u ≥ 1 with about kErrorCoefficients coefficients in total
/// (the errors then say that they are sampled). At least one row is computed, so callers must not request a
/// sample if one row has more coefficients. Throws Failure.
[[nodiscard]] ColumnErrors reconstruction_errors(const ErrorSpec& spec, JobContext& context);

}  // namespace spyctrum
