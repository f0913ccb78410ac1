// SPDX-License-Identifier: Apache-2.0
// One axis of a picture: which indices of a plane each cell shows. A cell shows the indices whose centres it
// contains; a cell that contains no centre shows the index in which it lies. So every index in view is shown
// at any zoom: by one cell if cells are larger than indices, else by several cells, which are the same in
// every panel.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace spyctrum {

/// Indices first ≤ i < last; empty if the cell is outside of the plane.
struct IndexRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  [[nodiscard]] bool empty() const { return last <= first; }
  [[nodiscard]] std::int64_t count() const { return last > first ? last - first : 0; }
  [[nodiscard]] bool contains(std::int64_t i) const { return first <= i && i < last; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// The interval [start, end) of an axis, divided into `cells` equal cells.
struct CellSpan {
  double start = 0;
  double end = 0;
  std::uint32_t cells = 0;
  [[nodiscard]] double edge(std::uint32_t k) const {
    return start + (end - start) * static_cast<double>(k) / static_cast<double>(cells);
  }
  [[nodiscard]] double middle(std::uint32_t k) const { return (edge(k) + edge(k + 1)) / 2; }
  [[nodiscard]] double size() const { return (end - start) / static_cast<double>(cells); }
};

class CellAxis {
 public:
  /// For the signed frequencies of an axis of a spectrum; frequency k covers [k − ½, k + ½).
  static CellAxis of_frequencies(const CellSpan& span, std::uint64_t size);
  /// For blocks of the indices of a pattern, block 1: the indices; block p covers [p·block, min((p+1)·block,
  /// size)).
  static CellAxis of_blocks(const CellSpan& span, std::uint64_t block, std::uint64_t size);

  [[nodiscard]] const std::vector<IndexRange>& ranges() const { return ranges_; }
  [[nodiscard]] const IndexRange& operator[](std::size_t cell) const { return ranges_[cell]; }
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }
  /// The indices that are shown by a cell.
  [[nodiscard]] IndexRange in_view() const { return view_; }
  /// The cells [first, last) that show index i, which must be in view.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> cells_of(std::int64_t i) const {
    if (!shared_.empty()) return shared_[static_cast<std::size_t>(i - view_.first)];
    auto cell = static_cast<std::int64_t>((static_cast<double>(i) - origin_) * cells_per_index_);
    if (cell < lowest_) cell = lowest_;
    if (cell > highest_) cell = highest_;
    // Because of rounding `cell` may be one too large.
    if (i < ranges_[static_cast<std::size_t>(cell)].first) --cell;
    if (i >= ranges_[static_cast<std::size_t>(cell)].last) ++cell;
    return {static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(cell) + 1};
  }

 private:
  void index();
  std::vector<IndexRange> ranges_;
  IndexRange view_;
  double origin_ = 0;  // index at the start of cell 0: cell = (i − origin_)·cells_per_index
  double cells_per_index_ = 0;
  std::int64_t lowest_ = 0;  // first and last cell that show an index
  std::int64_t highest_ = 0;
  // For each index in view the cells that show it, if several cells show one index; else empty.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shared_;
};

/// Calls visit(r, c, on_row, on_column) for each cell that shows frequency 0 of `rows` (on_row) or of `cols`
/// (on_column), row by row.
template <class Visit>
void visit_cells_on_axes(const CellAxis& rows, const CellAxis& cols, Visit&& visit) {
  const auto zero_of = [](const CellAxis& axis) -> std::pair<std::size_t, std::size_t> {
    if (!axis.in_view().contains(0)) return {0, 0};
    return axis.cells_of(0);
  };
  const auto [top, bottom] = zero_of(rows);
  const auto [left, right] = zero_of(cols);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const bool on_row = top <= r && r < bottom;
    const std::size_t end = on_row ? cols.size() : right;
    for (std::size_t c = on_row ? 0 : left; c < end; ++c) visit(r, c, on_row, left <= c && c < right);
  }
}

/// First shifted position of cell k of a display pyramid: ⌊k·size/cells⌋. Sides are below 2^32, so products
/// fit.
[[nodiscard]] inline std::uint64_t pyramid_cell_begin(std::uint64_t k, std::uint64_t size,
                                                      std::uint64_t cells) {
  return k * size / cells;
}
/// The cell of a shifted position, the inverse of pyramid_cell_begin().
[[nodiscard]] inline std::uint64_t pyramid_cell_of(std::uint64_t position, std::uint64_t size,
                                                   std::uint64_t cells) {
  return ((position + 1) * cells - 1) / size;
}

}  // namespace spyctrum
