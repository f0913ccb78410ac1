// SPDX-License-Identifier: Apache-2.0
// The pattern of a column: a region of the matrix, or its rows and columns in another order. Called from a
// job.
#pragma once

#include <optional>
#include <string>

#include "app/controller/state.hpp"
#include "core/base/job_context.hpp"

namespace spyctrum {

/// What the pattern of a column is made from.
struct ArrangementSpec {
  PatternPtr whole;
  Arrangement arrangement;
  std::optional<PlaneRect> region;  ///< for Arrangement::Kind::region
  friend bool operator==(const ArrangementSpec&, const ArrangementSpec&) = default;
};
struct Arranged {
  PatternPtr pattern;  ///< m×n as the whole one
  std::string note;    ///< on the order that was found; may be empty
};
/// Throws Failure: cancelled, out_of_memory.
[[nodiscard]] Arranged arrange(const ArrangementSpec& spec, JobContext& context);

}  // namespace spyctrum
