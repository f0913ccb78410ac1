// SPDX-License-Identifier: Apache-2.0
// The pattern of a sparse matrix: the positions (row, column) of the stored entries of an m×n matrix.
// Immutable; copies share the entries.
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
  /// Entry t is (row[t], col[t]), counted from 0, in any order; duplicates count once.
  /// Errors: bad_input if a side is 0 or above 2³²−1, the spans differ in length, or an index is outside.
  static Result<Matrix> from_entries(std::uint64_t rows, std::uint64_t cols,
                                     std::span<const std::uint32_t> row, std::span<const std::uint32_t> col);

  [[nodiscard]] std::uint64_t rows() const;     ///< m
  [[nodiscard]] std::uint64_t cols() const;     ///< n
  [[nodiscard]] std::int64_t nonzeros() const;  ///< K: number of stored entries, explicit zeros included
  [[nodiscard]] bool symmetric() const;         ///< true if (j, i) is stored for every stored (i, j)

  /// The entries as compressed sparse columns without empty columns: column column_ids()[k] has the rows
  /// row_indices()[column_starts()[k]] … row_indices()[column_starts()[k+1] − 1], ascending.
  [[nodiscard]] std::span<const std::uint32_t> column_ids() const;
  [[nodiscard]] std::span<const std::int64_t> column_starts() const;  ///< column_ids().size() + 1
  [[nodiscard]] std::span<const std::uint32_t> row_indices() const;   ///< K row indices

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& format() const;  ///< "Matrix Market coordinate pattern", …
  /// Notes for the user on what reading changed: merged duplicates, expanded symmetry, …
  [[nodiscard]] std::span<const std::string> notes() const;

  struct Impl;
  explicit Matrix(std::shared_ptr<const Impl> impl);
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace spyctrum::v0
