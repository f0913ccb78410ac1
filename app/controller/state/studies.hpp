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

/// A run that a sweep skipped: its forecast exceeds all other runs together.
struct SweepSkip {
  std::string method;
  std::string label;
  std::uint32_t block = 1;
};

/// The paper's bounds for the selected matrix.
struct TheoryView {
  std::shared_ptr<const Theory> theory;  ///< for the global block size; null until it is computed
  /// evaluated with `theory`; sparsity conditions once the plane was measured
  std::vector<RelatedSystem> related;
  bool busy = false;
  bool measuring = false;  ///< MeasureTheory is running
  bool measured = false;   ///< MeasureTheory has ended
};

/// Expectations for every setting from pilot runs; panels rank them under their allowances.
struct AdvisorView {
  Expectations known;
  bool busy = false;
};

}  // namespace spyctrum
