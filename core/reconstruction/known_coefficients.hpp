// SPDX-License-Identifier: Apache-2.0
// Magnitudes |F[u,v]| that are known exactly, by row u of the plane: the samples, their conjugates F[−u,−v] =
// conj F[u,v], for symmetric patterns also their transposes F[v,u] = F[u,v], and the chosen lines.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/features/chosen_lines.hpp"
#include "core/frequency/sample_axis.hpp"

namespace spyctrum {

/// Stored magnitudes of the chosen lines, by which the reconstruction "best" replaces its estimate. Since
/// F[−u,−v] = conj F[u,v], only one of each pair of lines ±c is stored.
class LineValues {
 public:
  LineValues() = default;
  /// Computes all of `lines`. Throws Failure{cancelled}, Failure{out_of_memory}.
  LineValues(ChosenLines lines, const SparsePattern& pattern, JobContext& context);

  [[nodiscard]] const ChosenLines& lines() const { return lines_; }
  /// |F| on the chosen line c at the free frequency t (v of a row, otherwise u; DFT index).
  [[nodiscard]] float magnitude(LineDirection direction, std::uint64_t c, std::uint64_t t) const;
  /// Number of coefficients stored.
  [[nodiscard]] std::uint64_t count() const;

 private:
  struct Lines {
    std::vector<std::uint32_t> slots;  // by line index c ≤ size/2
    std::vector<float> values;
    std::uint64_t size = 0;
    std::uint64_t length = 0;
  };
  ChosenLines lines_;
  std::array<Lines, 4> stored_;
};

/// The rows u and −u of the plane for each u of `rows` (Spectrum::feature_rows), as lines of the direction
/// `rows`. Null if there are none, if they have more than 2^24 coefficients (64 MiB), or if the memory of the
/// job, in which they are booked, does not suffice. Throws Failure{cancelled}.
[[nodiscard]] std::shared_ptr<const LineValues> row_values(const SparsePattern& pattern,
                                                           const std::vector<std::int64_t>& rows,
                                                           JobContext& context);

class KnownCoefficients {
 public:
  /// `magnitudes`: at the sorted nodes of both axes, row-major. `other_rows`: row_values() that are the whole
  /// plane together with the rows of `lines`, or null.
  KnownCoefficients(const SampleAxis& rows, const SampleAxis& cols, std::vector<float> magnitudes,
                    LineValues lines, std::shared_ptr<const LineValues> other_rows, bool symmetric);

  /// Calls emit(v, |F[u,v]|) for every known magnitude of row u; v is a DFT index and may occur more than
  /// once.
  template <class Emit>
  void for_row(std::uint64_t u, Emit&& emit) const;
  /// The same for the coefficients of row u that are on chosen lines.
  template <class Emit>
  void for_lines_in_row(std::uint64_t u, Emit&& emit) const;
  [[nodiscard]] const ChosenLines& lines() const { return lines_.lines(); }
  [[nodiscard]] std::uint64_t line_coefficients() const {
    return lines_.count() + (other_rows_ ? other_rows_->count() : 0);
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static std::uint64_t mirror(std::uint64_t k, std::uint64_t size) { return k == 0 ? 0 : size - k; }

  std::vector<std::uint64_t> row_index_;  // DFT index by sorted node
  std::vector<std::uint64_t> col_index_;
  std::vector<std::uint32_t> node_of_row_;  // sorted node by DFT index, or kNone
  std::vector<std::uint32_t> node_of_col_;
  std::vector<float> magnitudes_;
  LineValues lines_;
  std::shared_ptr<const LineValues> other_rows_;
  bool symmetric_ = false;
};

template <class Emit>
void KnownCoefficients::for_lines_in_row(std::uint64_t u, Emit&& emit) const {
  const ChosenLines& lines = lines_.lines();
  const std::uint64_t n = lines.n;
  if (lines.rows.holds(u)) {
    for (std::uint64_t v = 0; v < n; ++v) emit(v, lines_.magnitude(LineDirection::rows, u, v));
    return;
  }
  for (const std::uint64_t c : lines.columns.indices) emit(c, lines_.magnitude(LineDirection::columns, c, u));
  for (const std::uint64_t c : lines.sums.indices)
    emit((c + n - u) % n, lines_.magnitude(LineDirection::sums, c, u));
  for (const std::uint64_t c : lines.differences.indices)
    emit((u + n - c) % n, lines_.magnitude(LineDirection::differences, c, u));
}

template <class Emit>
void KnownCoefficients::for_row(std::uint64_t u, Emit&& emit) const {
  for_lines_in_row(u, emit);
  const std::uint64_t m = lines().m;
  const std::uint64_t n = lines().n;
  if (lines().rows.holds(u)) return;
  if (other_rows_) {
    for (std::uint64_t v = 0; v < n; ++v) emit(v, other_rows_->magnitude(LineDirection::rows, u, v));
    return;
  }
  const std::size_t columns = col_index_.size();
  if (const std::uint32_t p = node_of_row_[u]; p != kNone)
    for (std::size_t q = 0; q < columns; ++q) emit(col_index_[q], magnitudes_[p * columns + q]);
  if (const std::uint32_t p = node_of_row_[mirror(u, m)]; p != kNone)
    for (std::size_t q = 0; q < columns; ++q) emit(mirror(col_index_[q], n), magnitudes_[p * columns + q]);
  if (!symmetric_) return;
  if (const std::uint32_t q = node_of_col_[u]; q != kNone)
    for (std::size_t p = 0; p < row_index_.size(); ++p) emit(row_index_[p], magnitudes_[p * columns + q]);
  if (const std::uint32_t q = node_of_col_[mirror(u, n)]; q != kNone)
    for (std::size_t p = 0; p < row_index_.size(); ++p)
      emit(mirror(row_index_[p], m), magnitudes_[p * columns + q]);
}

}  // namespace spyctrum
