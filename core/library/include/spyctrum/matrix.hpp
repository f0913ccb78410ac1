// SPDX-License-Identifier: Apache-2.0
// The pattern of a sparse matrix: which (row, column) of an m×n matrix are stored. Immutable; copies share
// the entries.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "spyctrum/export.hpp"
#include "spyctrum/result.hpp"

namespace spyctrum::v0 {

class SPYCTRUM_API Matrix {
 public:
  /// Entry t is (row[t], col[t]), counted from 0, in any order; an entry that is given twice counts once.
  /// Errors: bad_input where a side is 0 or above 2³²−1, the spans differ in length, or an index is outside.
  static Result<Matrix> from_entries(std::uint64_t rows, std::uint64_t cols,
                                     std::span<const std::uint32_t> row, std::span<const std::uint32_t> col);

  [[nodiscard]] std::uint64_t rows() const;     ///< m
  [[nodiscard]] std::uint64_t cols() const;     ///< n
  [[nodiscard]] std::int64_t nonzeros() const;  ///< K: entries that are stored, explicit zeros included
  [[nodiscard]] bool symmetric() const;         ///< (i, j) is stored wherever (j, i) is

  /// The entries as compressed sparse columns of which only those with entries are listed: column
  /// column_ids()[k] holds the rows row_indices()[column_starts()[k]] … row_indices()[column_starts()[k+1] −
  /// 1], ascending.
  [[nodiscard]] std::span<const std::uint32_t> column_ids() const;
  [[nodiscard]] std::span<const std::int64_t> column_starts()
      const;                                                         ///< one more than there are column_ids()
  [[nodiscard]] std::span<const std::uint32_t> row_indices() const;  ///< K of them

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& format() const;  ///< "Matrix Market coordinate pattern", …
  /// What reading changed and a user should know: merged duplicates, expanded symmetry, …
  [[nodiscard]] std::span<const std::string> notes() const;

  struct Impl;
  explicit Matrix(std::shared_ptr<const Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace spyctrum::v0
