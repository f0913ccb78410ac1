// SPDX-License-Identifier: Apache-2.0
// Matrices that are open, are being read, or could be opened.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/controller/state/ids.hpp"
#include "core/base/job_context.hpp"
#include "core/matrix/pattern_hierarchy.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// A matrix that is open.
struct OpenMatrix {
  MatrixId id = 0;
  std::string source;  ///< path, "-" or gen: text; opens it again
  Matrix matrix;
  PatternStatistics statistics;
  double rounding_floor = 0;  ///< power below which a coefficient is zero to rounding
  HierarchyPtr hierarchy{};   ///< of the pattern, once it is made; null for those it would not help
};

/// A matrix that is being read.
struct LoadingMatrix {
  JobId job = 0;
  std::string source;
  Progress progress;
  /// The entries read so far, (count, fraction occupied) a cell over the whole matrix; null for the first
  /// moments. Replaced by a newer one a few times a second.
  std::shared_ptr<const CellImage> preview{};
  DisplayRange range{};                ///< of the preview: log10 of counts
  std::uint64_t entries = 0;           ///< in the preview
  std::uint64_t declared_entries = 0;  ///< by the file
};

struct GalleryItem {
  std::string title;
  std::string help;
  std::string source;  ///< what OpenFile takes
};

}  // namespace spyctrum
