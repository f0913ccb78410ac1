// SPDX-License-Identifier: Apache-2.0
// Sweeps, theory, advice and the figures of studies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/advisor/advice.hpp"
#include "core/features/feature_errors.hpp"
#include "core/theory/related_work.hpp"
#include "core/theory/theory.hpp"

namespace spyctrum {

/// One point of the trade-off plot.
struct SweepPoint {
  std::string method;
  std::string label;
  std::uint32_t block = 1;
  double seconds = 0;
  std::uint64_t bytes_peak = 0;
  FeatureErrors errors{};
};

/// A run of a sweep that was skipped: by the forecasts it takes longer than all others together.
struct SweepSkip {
  std::string method;
  std::string label;
  std::uint32_t block = 1;
};

/// The paper's bounds for what is open.
struct TheoryView {
  std::shared_ptr<const Theory> theory;  ///< of the global block; null until it is there
  std::vector<RelatedSystem> related;    ///< with it; sparsity is judged once the plane was measured
  bool busy = false;
  bool measuring = false;  ///< the pass over the plane that MeasureTheory asked for
  bool measured = false;   ///< it was done
};

/// What pilot runs expect of every setting; panels rank it under the allowances that they show.
struct AdvisorView {
  Expectations known;
  bool busy = false;
};

}  // namespace spyctrum
