// SPDX-License-Identifier: Apache-2.0
// Matrices that are open, are being read, or could be opened.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/controller/state/ids.hpp"
#include "core/base/job_context.hpp"
#include "core/io/matrix_files.hpp"
#include "core/matrix/kept_entries.hpp"
#include "core/matrix/pattern_hierarchy.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/matrix/weights.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

/// How a source is read, and which of its entries are shown.
struct Reading {
  /// The user's choices for what the format leaves open (core/io/import_options.hpp), by name.
  std::vector<std::pair<std::string, std::string>> import{};
  Weights weights = Weights::pattern;  ///< what an entry counts as
  MagnitudeRange kept{};               ///< the |a| of the entries shown
  friend bool operator==(const Reading&, const Reading&) = default;
};

/// A matrix that is open.
struct OpenMatrix {
  MatrixId id = 0;
  std::string source;  ///< path, PATH::NAME, "-" or gen: text; opens it again
  Reading reading;
  Matrix matrix;                  ///< of the entries shown
  PatternPtr whole;               ///< of all entries that were read
  MagnitudeRange shown{};         ///< of the entries of `matrix`; follows reading.kept
  MagnitudeHistogram magnitudes;  ///< of `whole`
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

/// The files below the folder that was opened last.
struct FolderList {
  std::string path;               ///< of the folder; empty: none was opened
  bool searching = false;         ///< the folder is being searched; `files` are those of before
  std::vector<MatrixFile> files;  ///< ascending by path
  std::string note;               ///< what was left out, and why; empty: nothing
};

struct GalleryItem {
  std::string title;
  std::string help;
  std::string source;  ///< what OpenFile takes
};

}  // namespace spyctrum
