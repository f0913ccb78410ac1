// SPDX-License-Identifier: Apache-2.0
// Counts of cells from a hierarchy. Let D(r, c) be the number of entries in rows < r and columns < c. The
// count of a cell is the second difference of D over its corners, and for the tile edges r', c' nearest to r,
// c
//   D(r, c) = D(r', c') ± entries of rows < r' in the columns between c' and c
//                       ± entries of columns < c in the rows between r' and r.
// The first term is the table's; the second comes from a pass along columns, with bounds of rows moved to
// tile edges; the third from a pass along rows. Sums are modulo 2^32; the result is exact, since each count
// is below 2^32. If the lines of a cell have fewer entries than there are between its bounds and the edges,
// the entries of these lines are counted instead.
#include <algorithm>

#include "core/matrix/pattern_hierarchy.hpp"
#include "core/matrix/range_lookup.hpp"

namespace spyctrum {

namespace {

using Counts = std::vector<std::uint32_t>;

constexpr std::size_t kCellsPerTask = 16;  // rows or columns of cells in one task
constexpr double kSearchCost = 16;         // entries that are counted in the time of one binary search
constexpr std::int64_t kEntriesBetweenStops = std::int64_t{1} << 20U;

/// Counts the entries of lines in each of the given ranges of the other direction.
class LineScan {
 public:
  /// `share`: the part of all entries that lies in the ranges.
  LineScan(const SparsePattern& lines, std::span<const Index> ranges, double share)
      : starts_(lines.column_starts()),
        across_(lines.row_indices()),
        low_(ranges.front()),
        high_(ranges.back()),
        share_(share),
        range_of_(ranges) {}

  [[nodiscard]] std::size_t ranges() const { return range_of_.ranges(); }
  /// Cost of lines [begin, end), in entries: all are read, or those in the ranges are searched, whichever is
  /// less.
  [[nodiscard]] double work(std::size_t begin, std::size_t end) const {
    return std::min(all(begin, end), searched(begin, end));
  }
  /// Adds the entries of lines [begin, end) to counts[range]; counts[ranges()] receives those in no range.
  void add(std::size_t begin, std::size_t end, Counts& counts, const JobContext& context) const {
    if (all(begin, end) <= searched(begin, end))
      return add_range(starts_[begin], starts_[end], counts, context);
    for (std::size_t line = begin; line < end; ++line) {
      const auto first = across_.begin() + starts_[line];
      const auto last = across_.begin() + starts_[line + 1];
      const auto from = std::lower_bound(first, last, low_);
      const auto to = std::lower_bound(from, last, high_);
      add_range(from - across_.begin(), to - across_.begin(), counts, context);
    }
  }

 private:
  [[nodiscard]] double all(std::size_t begin, std::size_t end) const {
    return static_cast<double>(starts_[end] - starts_[begin]);
  }
  [[nodiscard]] double searched(std::size_t begin, std::size_t end) const {
    return share_ * all(begin, end) + kSearchCost * static_cast<double>(end - begin);
  }
  void add_range(std::int64_t from, std::int64_t to, Counts& counts, const JobContext& context) const {
    while (from < to) {
      const std::int64_t stop = std::min(to, from + kEntriesBetweenStops);
      range_of_.count(across_.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(stop - from)),
                      counts.data());
      from = stop;
      if (from < to) context.check_stop();
    }
  }

  std::span<const std::int64_t> starts_;
  std::span<const Index> across_;
  Index low_;
  Index high_;
  double share_;
  RangeLookup range_of_;
};

/// The positions of the bounds of cells among the lines of an axis.
struct PlacedBounds {
  std::vector<std::size_t> lines;    // first line at or after each bound
  std::vector<std::size_t> nearest;  // tile edge with the fewest entries between it and each bound
  double share = 0;                  // part of all entries that lies between the first and the last bound
};

PlacedBounds place(const PatternHierarchy::Axis& axis, std::span<const Index> bounds) {
  const auto ids = axis.lines->column_ids();
  const auto starts = axis.lines->column_starts();
  PlacedBounds placed;
  for (const Index bound : bounds) {
    const auto line = static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), bound) - ids.begin());
    const auto above = std::lower_bound(axis.edges.begin(), axis.edges.end(), line);
    auto edge = static_cast<std::size_t>(above - axis.edges.begin());
    if (edge > 0 && starts[line] - starts[axis.edges[edge - 1]] < starts[*above] - starts[line]) --edge;
    placed.lines.push_back(line);
    placed.nearest.push_back(edge);
  }
  const std::int64_t inside = starts[placed.lines.back()] - starts[placed.lines.front()];
  placed.share =
      static_cast<double>(inside) / static_cast<double>(std::max<std::int64_t>(1, axis.lines->nonzeros()));
  return placed;
}

/// Counts the cells of one direction: each from the counts between tile edges and the entries between its
/// bounds and the edges or, where that is less work, from the entries of its own lines.
class AxisPass {
 public:
  AxisPass(const PatternHierarchy::Axis& axis, const PlacedBounds& placed, const LineScan& scan)
      : axis_(axis), placed_(placed), scan_(scan), own_(cells()) {
    for (std::size_t k = 0; k < own_.size(); ++k) {
      const double own = scan.work(placed.lines[k], placed.lines[k + 1]);
      const double borders = border_work(k) + border_work(k + 1);
      own_[k] = own <= borders ? 1 : 0;
      work_ += std::min(own, borders);
      own_work_ += own;
    }
  }

  [[nodiscard]] std::size_t cells() const { return placed_.lines.size() - 1; }
  [[nodiscard]] double work() const { return work_; }
  /// The work if every cell were counted from its own lines.
  [[nodiscard]] double own_work() const { return own_work_; }
  void use_own_lines() { std::fill(own_.begin(), own_.end(), char{1}); }
  [[nodiscard]] bool only_own_lines() const {
    return std::all_of(own_.begin(), own_.end(), [](char own) { return own != 0; });
  }

  /// For each cell k of [begin, end) calls take(k, counts), counts over the scan's ranges. add_known(k,
  /// counts) must add the counts between the tile edges nearest to bounds k and k + 1.
  template <class AddKnown, class Take>
  void run(std::size_t begin, std::size_t end, AddKnown&& add_known, Take&& take,
           const JobContext& context) const {
    const std::size_t size = scan_.ranges() + 1;
    Counts counts(size), lower(size), upper(size);
    std::size_t upper_of = cells() + 1;  // none
    for (std::size_t k = begin; k < end; ++k) {
      context.check_stop();
      std::fill(counts.begin(), counts.end(), 0U);
      if (own_[k] != 0) {
        scan_.add(placed_.lines[k], placed_.lines[k + 1], counts, context);
      } else {
        if (upper_of == k)
          lower.swap(upper);
        else
          count_border(k, lower, context);
        count_border(k + 1, upper, context);
        upper_of = k + 1;
        add_known(k, counts);
        for (std::size_t r = 0; r < size; ++r) counts[r] += upper[r] - lower[r];
      }
      take(k, counts);
    }
  }

 private:
  /// The lines between bound k and the nearest edge.
  [[nodiscard]] std::pair<std::size_t, std::size_t> border(std::size_t k) const {
    return std::minmax(placed_.lines[k], std::size_t{axis_.edges[placed_.nearest[k]]});
  }
  [[nodiscard]] double border_work(std::size_t k) const {
    const auto [first, last] = border(k);
    return scan_.work(first, last);
  }
  /// Entries before bound k minus those before the nearest edge.
  void count_border(std::size_t k, Counts& counts, const JobContext& context) const {
    std::fill(counts.begin(), counts.end(), 0U);
    const auto [first, last] = border(k);
    scan_.add(first, last, counts, context);
    if (first == placed_.lines[k])
      for (std::uint32_t& count : counts) count = 0U - count;
  }

  const PatternHierarchy::Axis& axis_;
  const PlacedBounds& placed_;
  const LineScan& scan_;
  std::vector<char> own_;  ///< by cell: 1 if it is counted from the entries of its own lines
  double work_ = 0;
  double own_work_ = 0;
};

/// The tile edges nearest to the bounds of cells, each once.
struct NearestEdges {
  std::vector<std::size_t> edges;
  std::vector<Index> ids;           // of their first lines
  std::vector<std::size_t> ranges;  // by cell: the range between two of the edges that stands for the cell
};

NearestEdges nearest_edges(const PatternHierarchy::Axis& axis, const PlacedBounds& placed) {
  NearestEdges found;
  for (const std::size_t edge : placed.nearest) {
    if (found.edges.empty() || found.edges.back() != edge) {
      found.edges.push_back(edge);
      found.ids.push_back(axis.ids[edge]);
    }
    found.ranges.push_back(found.edges.size() - 1);
  }
  return found;
}

/// Numbers that are computed column by column and read row by row. A row takes an odd number of cache lines,
/// so that the elements of a column are spread over all sets of the cache.
class CountTable {
 public:
  CountTable(std::size_t height, std::size_t width)
      : width_(width), stride_(((width / 16 + 1) | std::size_t{1}) * 16), counts_(height * stride_) {}
  void set_column(std::size_t c, const Counts& column) {
    for (std::size_t r = 0; r < counts_.size() / stride_; ++r) counts_[r * stride_ + c] = column[r];
  }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t r) const {
    return std::span(counts_).subspan(r * stride_, width_);
  }

 private:
  std::size_t width_;
  std::size_t stride_;
  Counts counts_;
};

}  // namespace

void PatternHierarchy::count(std::span<const Index> row_bounds, std::span<const Index> col_bounds,
                             const TakeRow& take, JobContext& context) const {
  const std::size_t height = row_bounds.size() - 1;
  const std::size_t width = col_bounds.size() - 1;
  ThreadPool& pool = context.pool();
  const PlacedBounds rows = place(rows_, row_bounds);
  const PlacedBounds cols = place(cols_, col_bounds);
  const LineScan by_columns(*cols_.lines, row_bounds, rows.share);
  const LineScan by_rows(*rows_.lines, col_bounds, cols.share);
  AxisPass down(rows_, rows, by_rows);
  const NearestEdges near_rows = nearest_edges(rows_, rows);
  const std::size_t ranges = near_rows.edges.size() - 1;
  const LineScan by_tiles(*cols_.lines, ranges > 0 ? std::span<const Index>(near_rows.ids) : row_bounds,
                          rows.share);
  const AxisPass tiles(cols_, cols, by_tiles);
  AxisPass across(cols_, cols, by_columns);
  const double cells = static_cast<double>(height) * static_cast<double>(width);
  const double with_tiles = down.work() + (ranges > 0 ? tiles.work() : 0) + 2 * cells;
  if (across.own_work() <= std::min(with_tiles, down.own_work())) {
    across.use_own_lines();
    CountTable result(height, width);
    pool.parallel_for(width, kCellsPerTask, [&](std::size_t begin, std::size_t end, unsigned) {
      across.run(
          begin, end, [](std::size_t, Counts&) {},
          [&](std::size_t c, const Counts& counts) { result.set_column(c, counts); }, context);
    });
    pool.parallel_for(height, kCellsPerTask, [&](std::size_t begin, std::size_t end, unsigned) {
      context.check_stop();
      for (std::size_t r = begin; r < end; ++r) take(r, result.row(r));
    });
    return;
  }
  if (down.own_work() <= with_tiles) down.use_own_lines();
  // Counts between two row edges and two bounds of columns.
  CountTable between(down.only_own_lines() ? 0 : ranges, width);
  if (ranges > 0 && !down.only_own_lines()) {
    const auto add_tiles = [&](std::size_t c, Counts& counts) {
      const auto left = before(cols.nearest[c]);
      const auto right = before(cols.nearest[c + 1]);
      const auto at = [&](std::size_t k) { return right[near_rows.edges[k]] - left[near_rows.edges[k]]; };
      for (std::size_t r = 0; r < ranges; ++r) counts[r] += at(r + 1) - at(r);
    };
    pool.parallel_for(width, kCellsPerTask, [&](std::size_t begin, std::size_t end, unsigned) {
      tiles.run(
          begin, end, add_tiles, [&](std::size_t c, const Counts& counts) { between.set_column(c, counts); },
          context);
    });
  }
  const auto add_between = [&](std::size_t r, Counts& counts) {
    if (rows.nearest[r] == rows.nearest[r + 1]) return;
    const auto known = between.row(near_rows.ranges[r]);
    for (std::size_t c = 0; c < width; ++c) counts[c] += known[c];
  };
  pool.parallel_for(height, kCellsPerTask, [&](std::size_t begin, std::size_t end, unsigned) {
    down.run(
        begin, end, add_between,
        [&](std::size_t r, const Counts& counts) { take(r, std::span(counts).first(width)); }, context);
  });
}

}  // namespace spyctrum
