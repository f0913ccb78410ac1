// SPDX-License-Identifier: Apache-2.0
// The columns of the comparison: the user's choices and the results; a limit for all of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/controller/state/ids.hpp"
#include "app/controller/state/pictures.hpp"
#include "app/study/method_style.hpp"
#include "core/base/error.hpp"
#include "core/features/feature_errors.hpp"
#include "core/features/feature_progress.hpp"
#include "core/matrix/pattern_hierarchy.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/methods/method.hpp"
#include "core/reconstruction/reconstruction_errors.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// The entries of a column and their order: the matrix as it is; only the entries in the selected region; or
/// all entries with rows and columns in another order.
struct Arrangement {
  enum class Kind { matrix, region, reordered };
  Kind kind = Kind::matrix;
  std::string order;       ///< reordered: an id of orders()
  std::uint64_t seed = 1;  ///< reordered: of the random order
  friend bool operator==(const Arrangement&, const Arrangement&) = default;
};

/// A limit for the result of each method, used instead of a block size. Stored in sessions.
struct Budget {
  enum class Kind { none, bytes, seconds };
  Kind kind = Kind::none;
  double amount = 0;  ///< bytes of host memory by the forecast, or seconds expected by the advisor
  friend bool operator==(const Budget&, const Budget&) = default;
};
/// The names in files, in the order of the enumerators.
inline constexpr std::array<const char*, 3> kBudgets{"none", "bytes", "seconds"};

/// What a result cost: time and memory.
struct Cost {
  double seconds = 0;
  StageSeconds stages;
  std::uint64_t bytes_forecast = 0;
  std::uint64_t bytes_peak = 0;
};

/// Settings of a column that are otherwise shared by all columns.
struct ColumnLook {
  std::optional<std::array<PlaneRect, kPlanes>> views;  ///< zoom of both planes
  std::optional<DisplayRange> range;                    ///< of the spectral pictures, log10 of power
  std::string color_map;                                ///< of the spectral pictures; empty: the shared one
  friend bool operator==(const ColumnLook&, const ColumnLook&) = default;
};

/// One column of the comparison: a method with its parameters, and its results.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct Column {
  ColumnId id = 0;
  std::string method;      ///< registry id
  std::string label;       ///< "Exact", "Elastic BS-FFT"
  MethodStyle style;       ///< in every plot, by column_styles()
  bool reference = false;  ///< the exact one the others are compared with; at most one
  bool uses_block = false;
  bool own_block = false;         ///< false: follows AppState::block
  std::uint32_t block = 16;       ///< in effect (own or global)
  ResolvedParameters parameters;  ///< of the method; the block size in effect is `block` above
  bool own_range = false;         ///< the user gave this column its own range (reduced planes begin with one)
  ColumnLook look;
  bool large = false;  ///< drawn large by GridForm::one_large; at most one column
  Arrangement arrangement;
  PatternPtr pattern;        ///< as arranged; null for the matrix as it is, and until it is computed
  HierarchyPtr hierarchy;    ///< of `pattern`, once it is made; null if it would not help
  std::string pattern_note;  ///< about the order; may be empty

  /// Whether its entries are those of the matrix as it is.
  [[nodiscard]] bool is_of_matrix() const { return arrangement.kind == Arrangement::Kind::matrix; }
  [[nodiscard]] bool is_of_region() const { return arrangement.kind == Arrangement::Kind::region; }

  SpectrumPtr spectrum;  ///< newest finished result; stays while a newer one is computed
  /// Features with standard errors of a plane that is being streamed, or whose stream was paused before the
  /// last row; null otherwise.
  std::shared_ptr<const FeatureEstimate> estimate;
  bool stopped = false;      ///< the stream was paused: RunColumn resumes it
  SpectrumPtr streamed;      ///< pyramid and strongest coefficients of the rows streamed so far; may be null
  bool over_budget = false;  ///< no block size fits the budget
  bool busy = false;
  std::optional<Error> error;  ///< why the newest run failed
  /// Why the run was not started although nothing failed: it would take too long. RunColumn starts it anyway.
  std::string held_back;
  Exactness exactness = Exactness::exact;  ///< of the method; each picture has its own in CellImage
  Cost cost;                               ///< of `spectrum`; bytes_forecast is set before the run
  /// `spectrum` belongs to an earlier setting; the result for the present one is being computed, failed or
  /// was not started. Numbers and pictures are dimmed.
  bool outdated = false;
  /// Number of coefficients computed for the numbers shown: stored ones, exact lines and sampled rows.
  std::uint64_t samples = 0;
  double plane_share = 0;  ///< samples / (m·n); 1 for a whole plane
  /// on chosen lines of the reconstruction `best`, in addition to the samples
  std::uint64_t line_coefficients = 0;
  std::optional<FeatureErrors> feature_errors;  ///< against the reference, if both exist
  std::optional<ReconstructionErrors> reconstruction_errors;
  bool errors_busy = false;
  std::array<Picture, kRows> pictures;

  /// The features of `estimate`, else of `spectrum`; nullptr if there are none.
  [[nodiscard]] const Features* features() const;
  /// The standard errors of features() if these are an estimate with known errors; otherwise nullptr.
  [[nodiscard]] const Features* feature_deviations() const;
  /// Largest |F| first, over the rows streamed so far; nullptr if none were collected.
  [[nodiscard]] const std::vector<StrongCoefficient>* strongest() const;
  [[nodiscard]] const Picture& picture(Row row) const { return pictures[static_cast<std::size_t>(row)]; }
  [[nodiscard]] Picture& picture(Row row) { return pictures[static_cast<std::size_t>(row)]; }
};

}  // namespace spyctrum
