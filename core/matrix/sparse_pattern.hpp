// SPDX-License-Identifier: Apache-2.0
// The noun everything starts from: which (row, column) of an m×n matrix are
// stored. Doubly compressed sparse columns (Buluç & Gilbert 2008): only the
// non-empty columns, row indices ascending in each. Immutable once made; shared
// between jobs and the interface as shared_ptr<const SparsePattern>.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum {

class JobContext;

/// Entries per row (or column) of those that hold any, ascending by id.
struct AxisCounts {
  std::vector<Index> ids;
  std::vector<std::int64_t> counts;
};

class SparsePattern {
 public:
  /// The empty 0×0 pattern; the readers never return it.
  SparsePattern() = default;

  /// Sorts, merges duplicates and compresses the coordinates (row[t], col[t]),
  /// 0-based. `duplicates`, when given, receives the number of merged entries.
  /// Errors: bad_input where a side is 0 or above 2^32−1, or an index is out of
  /// range.
  static Result<SparsePattern> from_coordinates(std::uint64_t rows, std::uint64_t cols,
                                                std::vector<Index> row, std::vector<Index> col,
                                                std::int64_t* duplicates = nullptr);

  /// The same from entries packed as (column << 32) | row, in any number of
  /// chunks (core/matrix/packed_entries.hpp), on the job's threads. Throws
  /// Failure{cancelled}, Failure{out_of_memory}, Failure{bad_input}. Needs
  /// about 20 bytes per entry while it runs.
  static SparsePattern from_packed(std::uint64_t rows, std::uint64_t cols,
                                   std::vector<std::vector<std::uint64_t>> chunks, JobContext& context,
                                   std::int64_t* duplicates = nullptr);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }  ///< m
  [[nodiscard]] std::uint64_t cols() const { return cols_; }  ///< n
  [[nodiscard]] std::int64_t nonzeros() const {
    return static_cast<std::int64_t>(row_indices_.size());
  }  ///< K

  /// Ids of the a active (non-empty) columns, ascending.
  [[nodiscard]] std::span<const Index> column_ids() const { return column_ids_; }
  /// a+1 offsets into row_indices(): active column k holds [starts[k],
  /// starts[k+1]).
  [[nodiscard]] std::span<const std::int64_t> column_starts() const { return column_starts_; }
  [[nodiscard]] std::span<const Index> row_indices() const { return row_indices_; }

  [[nodiscard]] const AxisCounts& row_counts() const { return row_counts_; }
  [[nodiscard]] const AxisCounts& column_counts() const { return column_counts_; }

  /// A[i,j] = A[j,i] for every entry (square only); found once, when the
  /// pattern is made.
  [[nodiscard]] bool symmetric() const { return symmetric_; }
  [[nodiscard]] bool contains(std::uint64_t row, std::uint64_t col) const;
  [[nodiscard]] double density() const;
  [[nodiscard]] std::uint64_t bytes() const;
  /// A hash of sizes and entries: equal patterns have equal fingerprints. Cache
  /// keys are built on it.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }

  /// Aᵀ: rows and columns exchanged. Throws Failure{cancelled} when `context`
  /// is given and stopped.
  [[nodiscard]] SparsePattern transposed(JobContext* context = nullptr) const;
  /// A ∪ Aᵀ, for square patterns: what a symmetric file means by the triangle
  /// it stores. Throws Failure{cancelled} when `context` is given and stopped.
  [[nodiscard]] SparsePattern symmetrised(JobContext* context = nullptr) const;
  /// The entries inside [row0, row0+height) × [col0, col0+width) as a pattern
  /// of the same m×n (the rest dropped): its spectrum is the region's
  /// contribution to the whole.
  [[nodiscard]] SparsePattern masked(std::uint64_t row0, std::uint64_t col0, std::uint64_t height,
                                     std::uint64_t width) const;

  /// Same sizes and same entries.
  friend bool operator==(const SparsePattern& left, const SparsePattern& right);

 private:
  void take_sorted(const std::vector<std::uint64_t>& entries, JobContext* context);
  void count_axes(JobContext* context);
  void take_fingerprint(JobContext* context, bool known_symmetric);

  std::uint64_t rows_ = 0;
  std::uint64_t cols_ = 0;
  std::vector<Index> column_ids_;
  std::vector<std::int64_t> column_starts_{0};
  std::vector<Index> row_indices_;
  AxisCounts row_counts_;
  AxisCounts column_counts_;
  bool symmetric_ = false;
  std::uint64_t fingerprint_ = 0;
};

using PatternPtr = std::shared_ptr<const SparsePattern>;

/// What a reader found and did; shown to the user, never silent.
struct LoadReport {
  std::string file;                  ///< path, "-" or the generator text
  std::string format;                ///< "Matrix Market coordinate pattern", "generated band", …
  std::string field;                 ///< "pattern", "real", "integer", "complex"
  std::string symmetry = "general";  ///< as declared by the file: general,
                                     ///< symmetric, skew-symmetric, hermitian
  std::string compression;           ///< "gzip", … ; empty when plain
  std::int64_t entries_in_file = 0;
  std::int64_t duplicates = 0;      ///< entries merged into an earlier one
  std::int64_t explicit_zeros = 0;  ///< stored zeros: counted in the pattern unless dropped
  bool zeros_dropped = false;
  double seconds = 0;
  std::vector<std::string> notes;  ///< anything else that a user should know
};

/// Counts for the `info` command and the matrix panel.
struct PatternStatistics {
  std::uint64_t empty_rows = 0;
  std::uint64_t empty_cols = 0;
  std::int64_t max_row = 0;  ///< most entries in one row
  std::int64_t max_col = 0;
  std::uint64_t bandwidth = 0;  ///< max |i − j|
  double density = 0;
};
[[nodiscard]] PatternStatistics statistics_of(const SparsePattern& pattern);

/// A matrix as it is handed around: the pattern, its name and how it was
/// loaded.
struct Matrix {
  PatternPtr pattern;
  std::string name;
  LoadReport report;
};

}  // namespace spyctrum
