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
  Weights weights = Weights::pattern;  ///< the weight of an entry
  MagnitudeRange kept{};               ///< range of |a| of the shown entries
  friend bool operator==(const Reading&, const Reading&) = default;
};

/// A matrix that is open.
struct OpenMatrix {
  MatrixId id = 0;
  std::string source;  ///< path, PATH::NAME, "-" or gen: text; opens it again
  Reading reading;
  Matrix matrix;                  ///< the shown entries
  PatternPtr whole;               ///< all entries that were read
  MagnitudeRange shown{};         ///< range of the entries in `matrix`; follows reading.kept
  MagnitudeHistogram magnitudes;  ///< of `whole`
  bool needs_log_scale = false;   ///< of `whole`, so that colours do not change with zoom and range
  PatternStatistics statistics;
  double rounding_floor = 0;  ///< power below which a coefficient is zero to rounding
  HierarchyPtr hierarchy{};   ///< of the pattern, once it is made; null if it would not help
};

/// A matrix that is being read.
struct LoadingMatrix {
  JobId job = 0;
  std::string source;
  Progress progress;
  /// The entries read so far: (count, fraction occupied) per cell over the whole matrix; null in the first
  /// moments. Updated a few times a second.
  std::shared_ptr<const CellImage> preview{};
  DisplayRange range{};                ///< of the preview: log10 of counts
  std::uint64_t entries = 0;           ///< in the preview
  std::uint64_t declared_entries = 0;  ///< by the file
};

/// The files below the last opened folder.
struct FolderList {
  std::string path;               ///< of the folder; empty: none was opened
  bool searching = false;         ///< the folder is being searched; `files` is still the earlier list
  std::vector<MatrixFile> files;  ///< ascending by path
  std::string note;               ///< which files were omitted, and why; empty: none
};

struct GalleryItem {
  std::string title;
  std::string help;
  std::string source;  ///< the source for OpenFile
};

}  // namespace spyctrum
