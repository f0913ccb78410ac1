// SPDX-License-Identifier: Apache-2.0
// The sparse matrix that is transformed: the stored positions (row, column) of an m×n matrix and, on request,
// a real weight a_t for each entry (weights.hpp); without weights every entry counts as 1. Stored as doubly
// compressed sparse columns (A. Buluç, J. R. Gilbert, IPDPS 2008): only non-empty columns, row indices
// ascending within each. Immutable; shared between threads as PatternPtr.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum {

class JobContext;
struct SortedPart;

/// The non-empty rows (or columns), ascending, and the number of entries in each.
struct AxisCounts {
  std::vector<Index> ids;
  std::vector<std::int64_t> counts;
};

class SparsePattern {
 public:
  /// The 0×0 pattern; no reader and no generator returns it.
  SparsePattern() = default;

  /// Makes the pattern of the coordinates (row[t], col[t]), zero-based and in any order. Sets `duplicates`,
  /// if not null, to the number of repeated coordinates. Errors: bad_input if a side is 0 or above
  /// kLargestSide, or if an index lies outside.
  static Result<SparsePattern> from_coordinates(std::uint64_t rows, std::uint64_t cols,
                                                std::vector<Index> row, std::vector<Index> col,
                                                std::int64_t* duplicates = nullptr);

  /// The same from entries packed as (column << 32) | row (packed_entries.hpp), in any number of chunks, on
  /// the job's threads. Takes about 20 bytes per entry while it runs. Throws Failure{cancelled},
  /// Failure{out_of_memory}, Failure{bad_input}.
  static SparsePattern from_packed(std::uint64_t rows, std::uint64_t cols,
                                   std::vector<std::vector<std::uint64_t>> chunks, JobContext& context,
                                   std::int64_t* duplicates = nullptr);

  /// Makes the pattern of compressed columns or, `by_rows`, rows: line l holds ids[ends[l−1]] …
  /// ids[ends[l]−1], line 0 from ids[0]; lines beyond `ends` are empty, the last end is the number of ids.
  /// Ids in any order; repeated ones are counted in `duplicates`, if not null, and removed. `ascend`: the ids
  /// of each line ascend strictly and are inside, so that this need not be checked. Takes about 4 bytes per
  /// entry beside the pattern for rows, none for columns. Throws Failure{cancelled}, Failure{out_of_memory},
  /// Failure{bad_input}.
  static SparsePattern from_lines(std::uint64_t rows, std::uint64_t cols, bool by_rows,
                                  std::span<const std::uint64_t> ends, IndexList ids, JobContext& context,
                                  std::int64_t* duplicates = nullptr, bool ascend = false);

  /// Moves the entries of `from`: entries[t], packed as for from_packed() and distinct, is the new position
  /// of entry t, which keeps its weight; weight_exponent() is that of `from`. Throws as from_packed().
  static SparsePattern moved(const SparsePattern& from, std::uint64_t rows, std::uint64_t cols,
                             std::vector<std::uint64_t> entries, JobContext& context);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }  ///< m
  [[nodiscard]] std::uint64_t cols() const { return cols_; }  ///< n
  /// K, the number of entries.
  [[nodiscard]] std::int64_t nonzeros() const { return static_cast<std::int64_t>(row_indices_.size()); }

  /// Ids of the non-empty columns, ascending; a is their number.
  [[nodiscard]] std::span<const Index> column_ids() const { return column_ids_; }
  /// a+1 offsets: row_indices()[t] for starts[k] ≤ t < starts[k+1] are the rows of column_ids()[k],
  /// ascending.
  [[nodiscard]] std::span<const std::int64_t> column_starts() const { return column_starts_; }
  [[nodiscard]] std::span<const Index> row_indices() const { return row_indices_; }
  /// The rows of the entries in column_ids()[k], ascending.
  [[nodiscard]] std::span<const Index> column(std::size_t k) const {
    return row_indices().subspan(static_cast<std::size_t>(column_starts_[k]),
                                 static_cast<std::size_t>(column_starts_[k + 1] - column_starts_[k]));
  }

  [[nodiscard]] const AxisCounts& column_counts() const { return column_counts_; }
  // row_counts(), symmetric() and fingerprint() take passes over all entries. The first call determines the
  // result, which all copies of the pattern share; concurrent calls wait for it.
  [[nodiscard]] const AxisCounts& row_counts() const { return with_rows(nullptr).row_counts; }
  /// Whether the matrix is square and for every entry (i, j) also has the entry (j, i) with the same weight.
  [[nodiscard]] bool symmetric() const { return with_rows(nullptr).symmetric; }
  /// A 64-bit hash of sides, entries and weights, for the keys of caches: equal matrices have equal
  /// fingerprints.
  [[nodiscard]] std::uint64_t fingerprint() const { return with_fingerprint(nullptr).fingerprint; }
  /// Determines the row counts, the symmetry and the fingerprint on the job's threads. Throws
  /// Failure{cancelled}.
  void determine_properties(JobContext& context) const;

  /// Returns this pattern with the weight a_t = weights[t]·2^exponent for entry t, in the order of
  /// row_indices(). It stores w_t = a_t/2^e, with e such that 1 ≤ Σw²/K < 4: so powers of weights such as
  /// 1e-30 and 1e30 are within single precision. The division is exact, except for weights below 2^-149 of
  /// their root mean square, which become 0. Throws Failure{internal} if the number of weights is not K or a
  /// weight is not finite.
  [[nodiscard]] SparsePattern with_weights(std::vector<float> weights, int exponent = 0) const;
  /// This pattern without weights.
  [[nodiscard]] SparsePattern without_weights() const;
  [[nodiscard]] bool has_weights() const { return !weights_.empty(); }
  /// The weights w_t in the order of row_indices(); empty without weights, when each is 1. All transforms are
  /// those of w: for the weights a, multiply coefficients by 2^weight_exponent().
  [[nodiscard]] std::span<const float> weights() const { return weights_; }
  /// The weights w of the entries in column_ids()[k]; empty without weights.
  [[nodiscard]] std::span<const float> column_weights(std::size_t k) const {
    if (weights_.empty()) return {};
    return weights().subspan(static_cast<std::size_t>(column_starts_[k]), column(k).size());
  }
  [[nodiscard]] int weight_exponent() const { return exponent_; }
  /// Σw = F[0,0]; K without weights.
  [[nodiscard]] double weight_sum() const {
    return has_weights() ? weight_sums_.sum : static_cast<double>(nonzeros());
  }
  /// Σw², the mean power of the plane (Parseval: Σ|F|² = mn·Σw²); K without weights.
  [[nodiscard]] double weight_squares() const {
    return has_weights() ? weight_sums_.squares : static_cast<double>(nonzeros());
  }
  /// Σ|w|; K without weights.
  [[nodiscard]] double weight_magnitudes() const {
    return has_weights() ? weight_sums_.magnitudes : static_cast<double>(nonzeros());
  }
  /// The larger of Σ_i (Σ_j |w_ij|)² and Σ_j (Σ_i |w_ij|)².
  [[nodiscard]] double line_squares() const;
  /// Σ_j w_ij for each row of row_counts().ids; the counts if there are no weights.
  [[nodiscard]] std::vector<double> row_sums() const;
  /// Σ_i w_ij for each column of column_ids().
  [[nodiscard]] std::vector<double> column_sums() const;

  /// The index t of the entry (row, col) in row_indices() and weights(); empty if it is not stored.
  [[nodiscard]] std::optional<std::size_t> entry_at(std::uint64_t row, std::uint64_t col) const;
  [[nodiscard]] bool contains(std::uint64_t row, std::uint64_t col) const {
    return entry_at(row, col).has_value();
  }
  /// K/(m·n).
  [[nodiscard]] double density() const;
  /// Memory that the pattern holds.
  [[nodiscard]] std::uint64_t bytes() const;

  /// Aᵀ. Throws Failure{cancelled} if `context` is given and was stopped.
  [[nodiscard]] SparsePattern transposed(JobContext* context = nullptr) const;
  /// A ∪ Aᵀ of a square pattern, without weights: completes a matrix of which a file stores one triangle.
  /// Throws Failure{cancelled} if `context` is given and was stopped, Failure{internal} if the pattern is not
  /// square.
  [[nodiscard]] SparsePattern symmetrised(JobContext* context = nullptr) const;
  /// The entries in the rows [row0, row0+height) and columns [col0, col0+width), with their weights, as a
  /// pattern of the same m×n. Its spectrum is the contribution of these entries to the whole spectrum.
  [[nodiscard]] SparsePattern restricted_to(std::uint64_t row0, std::uint64_t col0, std::uint64_t height,
                                            std::uint64_t width) const;

  /// Same sides, same entries and same weights.
  friend bool operator==(const SparsePattern& left, const SparsePattern& right);

 private:
  static SparsePattern from_chunks(std::uint64_t rows, std::uint64_t cols,
                                   std::vector<std::vector<std::uint64_t>> chunks, JobContext* context,
                                   std::int64_t* duplicates);
  /// Appends entries that follow the stored ones in column-major order.
  void append_sorted(std::span<const SortedPart> parts, JobContext* context);
  /// Sets the columns to lines whose ids are ascending; returns the number of removed duplicates.
  std::int64_t assign_lines(std::span<const std::uint64_t> ends, IndexList ids, bool has_duplicates,
                            JobContext& context);
  void count_columns();
  void set_weights(std::vector<float> weights, int exponent, JobContext* context = nullptr);
  [[nodiscard]] bool has_symmetric_weights() const;
  [[nodiscard]] double weighted_line_squares() const;

  /// Sums over the weights w.
  struct WeightSums {
    double sum = 0;
    double squares = 0;
    double magnitudes = 0;
    double line_squares = 0;
  };

  /// Properties that are determined at first use. Once has_rows (has_fingerprint) is true, the members that
  /// follow it do not change.
  struct Properties {
    std::mutex mutex;  ///< held while a property is determined
    std::atomic<bool> has_rows{false};
    AxisCounts row_counts;
    bool symmetric = false;
    std::atomic<bool> has_fingerprint{false};
    std::uint64_t fingerprint = 0;

    void set_rows(AxisCounts counts, bool is_symmetric);
    void set_fingerprint(std::uint64_t value);
  };
  /// The properties, after determining row counts and symmetry, or the fingerprint. `context` may be null.
  const Properties& with_rows(JobContext* context) const;
  const Properties& with_fingerprint(JobContext* context) const;

  std::uint64_t rows_ = 0;
  std::uint64_t cols_ = 0;
  std::vector<Index> column_ids_;
  std::vector<std::int64_t> column_starts_{0};
  IndexList row_indices_;
  std::vector<float> weights_;
  int exponent_ = 0;
  WeightSums weight_sums_;
  AxisCounts column_counts_;
  std::shared_ptr<Properties> properties_ = std::make_shared<Properties>();  ///< shared by copies
};

using PatternPtr = std::shared_ptr<const SparsePattern>;

/// One of the matrices in a file.
struct MatrixInFile {
  std::string name;    ///< "A", "Problem.A"; empty if the file gives no name
  std::string layout;  ///< "csr", "csc", "coo", "dense", …; "member" for a member of an archive
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t stored = 0;  ///< elements in the file
  std::uint64_t bytes = 0;   ///< for a member of an archive, whose rows, cols and stored are unknown and 0
};

/// Statistics of the values in a file. Infinite values and NaN are counted but enter no sum.
struct ValueStatistics {
  /// over the whole matrix: with duplicates and with the triangle that is not stored
  double sum = 0;
  double sum_imaginary = 0;  ///< for complex values
  double least = 0;          ///< over the entries in the file; for complex values by magnitude
  double largest = 0;
  std::uint64_t finite = 0;  ///< entries in the file whose value is a finite number
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  /// Finite values that become infinite in single precision, and nonzero values that become zero.
  std::uint64_t beyond_single = 0;
};

/// A choice that a reader made because the format leaves it open, as name=value of --import.
struct Assumption {
  std::string name;     ///< "base"
  std::string value;    ///< "1"
  bool chosen = false;  ///< by the user, not by the reader
};

/// A named range of rows, and of columns with the same numbers: a chromosome of a contact map.
struct NamedPart {
  std::uint64_t begin = 0;  ///< its first row; it ends where the next one begins
  std::string name;
};

/// What a reader found in a file and did with it, for the user.
struct LoadReport {
  std::string file;    ///< path, "-" or a generator's text
  std::string format;  ///< "Matrix Market coordinate pattern", "generated band", …
  std::string field;   ///< "pattern", "real", "integer", "complex"
  /// as declared by the file: general, symmetric, skew-symmetric or hermitian
  std::string symmetry = "general";
  std::string compression;           ///< "gzip", …; empty: none
  std::int64_t entries_in_file = 0;  ///< as stored: duplicates count, mirrored entries do not
  std::int64_t duplicates = 0;       ///< entries at the position of an earlier one
  std::int64_t explicit_zeros = 0;   ///< entries with the value zero; in the pattern unless dropped
  bool zeros_dropped = false;
  double seconds = 0;                     ///< of loading
  std::vector<std::string> notes;         ///< sentences about anything else that a user should know
  std::string matrix;                     ///< the name of this matrix, if a file can contain several
  std::vector<MatrixInFile> matrices;     ///< all matrices of such a file
  std::optional<ValueStatistics> values;  ///< if requested, and if the file has values
  std::vector<Assumption> assumed;        ///< choices of the reader that --import can change
  std::string weights = "pattern";        ///< the weight of an entry, as to_string(Weights)
  std::vector<NamedPart> parts;           ///< ascending; empty if the file names none
};

/// Counts shown by the `info` command and the matrix panel.
struct PatternStatistics {
  std::uint64_t empty_rows = 0;
  std::uint64_t empty_cols = 0;
  std::int64_t max_row = 0;  ///< most entries in one row
  std::int64_t max_col = 0;
  std::uint64_t bandwidth = 0;  ///< max |i − j| over the entries
  double density = 0;
};
[[nodiscard]] PatternStatistics statistics_of(const SparsePattern& pattern);

/// A loaded or generated matrix: its pattern, its name, and the report of the reader.
struct Matrix {
  PatternPtr pattern;  ///< with weights if these were requested
  std::string name;
  LoadReport report;
  /// One value for each entry of the pattern, in the order of row_indices(), duplicates added; null unless
  /// requested and present in the file.
  std::shared_ptr<const std::vector<float>> values{};
  std::shared_ptr<const std::vector<float>> imaginary{};  ///< of complex values, else null
};

}  // namespace spyctrum
