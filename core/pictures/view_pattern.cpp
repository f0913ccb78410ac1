// SPDX-License-Identifier: Apache-2.0
// Pictures of a pattern: exact counts at any zoom, from its hierarchy or, without one, from its entries. Each
// thread counts the entries of strips of cell columns of its own, so that no two threads write to the same
// cell.
#include <algorithm>
#include <optional>
#include <vector>

#include "core/matrix/range_lookup.hpp"
#include "core/pictures/cell_axis.hpp"
#include "core/pictures/cell_reduction.hpp"
#include "core/pictures/picture_plan.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kStrip = 16;  // cell columns of one strip
constexpr std::size_t kEntriesBetweenStops = 1U << 20U;

/// The distinct ranges of an axis's cells, if neighbouring cells show adjacent or equal ranges.
struct DistinctCells {
  std::vector<Index> bounds;
  std::vector<std::uint32_t> of_cell;  ///< which distinct range each cell shows
};
/// Empty if ranges overlap partly.
std::optional<DistinctCells> distinct_cells(const CellAxis& axis, std::uint64_t block, std::uint64_t size) {
  DistinctCells distinct;
  distinct.of_cell.resize(axis.size());
  const auto bound = [&](std::int64_t blocks) {
    return static_cast<Index>(std::min(size, static_cast<std::uint64_t>(blocks) * block));
  };
  IndexRange last;
  for (std::size_t k = 0; k < axis.size(); ++k) {
    if (axis[k].empty()) continue;
    if (distinct.bounds.empty()) distinct.bounds.push_back(bound(axis[k].first));
    if (!(axis[k] == last)) {
      if (bound(axis[k].first) != distinct.bounds.back()) return std::nullopt;
      distinct.bounds.push_back(bound(axis[k].last));
      last = axis[k];
    }
    distinct.of_cell[k] = static_cast<std::uint32_t>(distinct.bounds.size() - 2);
  }
  return distinct;
}

/// Finds the cell of an index; empty if an index belongs to several cells.
std::optional<RangeLookup> cell_lookup(const CellAxis& axis, std::uint64_t size) {
  const auto distinct = distinct_cells(axis, 1, size);
  const auto shown = static_cast<std::size_t>(
      std::ranges::count_if(axis.ranges(), [](const IndexRange& range) { return !range.empty(); }));
  if (!distinct || distinct->bounds.size() != shown + 1) return std::nullopt;
  return RangeLookup(distinct->bounds);
}

/// Counts entries into the cells of one strip. `block` is 1 for the pattern itself.
class StripCounter {
 public:
  StripCounter(const SparsePattern& pattern, const CountPlan& plan, const std::optional<RangeLookup>& lookup,
               JobContext& context)
      : pattern_(pattern),
        rows_(plan.rows),
        lookup_(lookup),
        block_(plan.block),
        first_only_(plan.weighting == EntryWeighting::first_of_blocks),
        context_(context),
        counts_(plan.rows.size() + 1) {  // the last one for indices in no cell
    while (first_cell_ < rows_.size() && rows_[first_cell_].empty()) ++first_cell_;
    const IndexRange view = rows_.in_view();
    first_row_ = static_cast<std::uint64_t>(view.first) * block_;
    last_row_ = std::min(pattern.rows(), static_cast<std::uint64_t>(view.last) * block_);
  }

  /// The counts of the column of cells that shows `columns` (in blocks).
  const std::vector<std::uint64_t>& count(IndexRange columns) {
    if (columns == counted_) return counts_;
    counted_ = columns;
    std::fill(counts_.begin(), counts_.end(), 0);
    const auto ids = pattern_.column_ids();
    const auto from = static_cast<std::uint64_t>(columns.first) * block_;
    const auto to = std::min(pattern_.cols(), static_cast<std::uint64_t>(columns.last) * block_);
    auto k = static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), from) - ids.begin());
    for (; k < ids.size() && ids[k] < to; ++k)
      if (!first_only_ || ids[k] % block_ == 0) count_column(k);
    return counts_;
  }

 private:
  void count_column(std::size_t k) {
    const auto column = pattern_.column(k);
    const auto end = column.end();
    auto entry = first_row_ == 0 ? column.begin() : std::lower_bound(column.begin(), end, first_row_);
    since_stop_ += static_cast<std::size_t>(end - entry) + 1;
    if (since_stop_ > kEntriesBetweenStops) {
      context_.check_stop();
      since_stop_ = 0;
    }
    if (block_ == 1 && lookup_) {
      const auto beyond = last_row_ == pattern_.rows() ? end : std::lower_bound(entry, end, last_row_);
      return lookup_->count({entry, beyond}, &counts_[first_cell_]);
    }
    for (; entry != end && *entry < last_row_; ++entry) {
      if (first_only_ && *entry % block_ != 0) continue;
      const auto [first, last] =
          rows_.cells_of(static_cast<std::int64_t>(block_ == 1 ? *entry : *entry / block_));
      for (std::uint32_t cell = first; cell < last; ++cell) ++counts_[cell];
    }
  }

  const SparsePattern& pattern_;
  const CellAxis& rows_;
  const std::optional<RangeLookup>& lookup_;
  std::uint64_t block_;
  bool first_only_;
  JobContext& context_;
  std::size_t first_cell_ = 0;  // that is not empty
  std::uint64_t first_row_ = 0;
  std::uint64_t last_row_ = 0;
  IndexRange counted_{0, -1};
  std::size_t since_stop_ = 0;
  std::vector<std::uint64_t> counts_;
};

/// Number of indices of an axis of `size` in the given blocks.
double extent(IndexRange blocks, std::uint64_t block, std::uint64_t size) {
  const auto end = std::min(size, static_cast<std::uint64_t>(blocks.last) * block);
  return static_cast<double>(end - static_cast<std::uint64_t>(blocks.first) * block);
}

/// Converts counts to the cells of a picture.
class CountedCells {
 public:
  CountedCells(const SparsePattern& pattern, const CountPlan& plan, CellImage& image)
      : image_(image),
        by_entries_(plan.weighting == EntryWeighting::entries),
        rows_(sizes_of(plan, plan.rows, pattern.rows())),
        cols_(sizes_of(plan, plan.cols, pattern.cols())),
        last_(plan.cols.size()) {
    while (first_ < last_ && plan.cols[first_].empty()) ++first_;
    while (first_ < last_ && plan.cols[last_ - 1].empty()) --last_;
  }
  /// Sets cell (r, c), whose ranges must not be empty.
  void set(std::size_t r, std::size_t c, double count) {
    set(&image_.cells[2 * r * image_.width], r, c, count);
  }
  /// Sets the cells of row r whose ranges are not empty; cell c has counts[of_cell[c]].
  void set_row(std::size_t r, std::span<const std::uint32_t> counts, std::span<const std::uint32_t> of_cell) {
    float* row = &image_.cells[2 * r * image_.width];
    for (std::size_t c = first_; c < last_; ++c) set(row, r, c, counts[of_cell[c]]);
  }

 private:
  struct Sizes {
    std::vector<double> blocks;
    std::vector<double> places;  // positions at which entries are counted
  };
  static Sizes sizes_of(const CountPlan& plan, const CellAxis& axis, std::uint64_t size) {
    Sizes sizes;
    for (const IndexRange& range : axis.ranges()) {
      const auto blocks = static_cast<double>(range.count());
      const bool whole = plan.weighting == EntryWeighting::first_of_blocks || range.empty();
      sizes.blocks.push_back(blocks);
      sizes.places.push_back(whole ? blocks : extent(range, plan.block, size));
    }
    return sizes;
  }

  void set(float* row, std::size_t r, std::size_t c, double count) {
    row[2 * c] = static_cast<float>(by_entries_ ? count : count / (rows_.blocks[r] * cols_.blocks[c]));
    row[2 * c + 1] = static_cast<float>(count / (rows_.places[r] * cols_.places[c]));
  }

  CellImage& image_;
  bool by_entries_;
  Sizes rows_;
  Sizes cols_;
  std::size_t first_ = 0;  // cells of a row whose ranges are not empty
  std::size_t last_ = 0;
};

/// Fills the image from the hierarchy; returns false if the hierarchy cannot count these cells.
bool count_by_hierarchy(const PatternHierarchy& hierarchy, const CountPlan& plan, CountedCells& cells,
                        JobContext& context) {
  if (plan.weighting == EntryWeighting::first_of_blocks) return false;
  const SparsePattern& pattern = *hierarchy.pattern();
  const auto rows = distinct_cells(plan.rows, plan.block, pattern.rows());
  const auto cols = distinct_cells(plan.cols, plan.block, pattern.cols());
  if (!rows || !cols) return false;
  std::vector<std::vector<std::size_t>> shown_by(rows->bounds.size() - 1);
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    if (!plan.rows[r].empty()) shown_by[rows->of_cell[r]].push_back(r);
  const auto take = [&](std::size_t distinct, std::span<const std::uint32_t> counts) {
    for (const std::size_t r : shown_by[distinct]) cells.set_row(r, counts, cols->of_cell);
  };
  hierarchy.count(rows->bounds, cols->bounds, take, context);
  return true;
}

CellImage counted_image(const SparsePattern& pattern, EntryWeighting weighting, std::uint32_t block,
                        const PictureArea& area, JobContext& context, const PatternHierarchy* hierarchy) {
  const CountPlan plan = plan_count_picture(pattern, weighting, block, area);
  const CellAxis& rows = plan.rows;
  const CellAxis& cols = plan.cols;
  const std::size_t height = rows.size();
  const std::size_t width = cols.size();
  CellImage image = blank_image(area);
  if (weighting != EntryWeighting::entries) image.exactness = Exactness::estimate;
  if (rows.in_view().empty() || cols.in_view().empty()) return image;
  CountedCells cells(pattern, plan, image);
  if (hierarchy != nullptr && count_by_hierarchy(*hierarchy, plan, cells, context)) return image;
  const std::optional<RangeLookup> lookup = cell_lookup(rows, pattern.rows());
  context.pool().parallel_for(width, kStrip, [&](std::size_t begin, std::size_t end, unsigned) {
    context.checkpoint(begin, width);
    StripCounter counter(pattern, plan, lookup, context);
    for (std::size_t c = begin; c < end; ++c) {
      if (cols[c].empty()) continue;
      const std::vector<std::uint64_t>& counts = counter.count(cols[c]);
      for (std::size_t r = 0; r < height; ++r)
        if (!rows[r].empty()) cells.set(r, c, static_cast<double>(counts[r]));
    }
  });
  return image;
}

}  // namespace

PlaneRect full_pattern_rect(std::uint64_t m, std::uint64_t n) {
  return {0, 0, static_cast<double>(m), static_cast<double>(n)};
}

CountPlan plan_count_picture(const SparsePattern& pattern, EntryWeighting weighting, std::uint32_t block,
                             const PictureArea& area) {
  const std::uint64_t b = std::max<std::uint32_t>(1, block);
  return {CellAxis::of_blocks({area.rect.top, area.rect.bottom, area.height}, b, pattern.rows()),
          CellAxis::of_blocks({area.rect.left, area.rect.right, area.width}, b, pattern.cols()), b,
          weighting};
}

CellImage pattern_image(const SparsePattern& pattern, const PictureArea& area, JobContext& context,
                        const PatternHierarchy* hierarchy) {
  return counted_image(pattern, EntryWeighting::entries, 1, area, context, hierarchy);
}

CellImage decimated_image(const SparsePattern& pattern, std::uint32_t block, const PictureArea& area,
                          JobContext& context) {
  return counted_image(pattern, EntryWeighting::first_of_blocks, block, area, context, nullptr);
}

CellImage density_image(const SparsePattern& pattern, std::uint32_t block, const PictureArea& area,
                        JobContext& context, const PatternHierarchy* hierarchy) {
  return counted_image(pattern, EntryWeighting::mean_of_blocks, block, area, context, hierarchy);
}

CellImage preview_image(const PatternPreview::Snapshot& snapshot) {
  CellImage image =
      blank_image({full_pattern_rect(snapshot.rows, snapshot.cols), snapshot.height, snapshot.width});
  image.exactness = Exactness::estimate;
  const double area = (static_cast<double>(snapshot.rows) / snapshot.height) *
                      (static_cast<double>(snapshot.cols) / snapshot.width);
  for (std::size_t cell = 0; cell < snapshot.counts.size(); ++cell) {
    const auto count = static_cast<double>(snapshot.counts[cell]);
    image.cells[2 * cell] = static_cast<float>(count);
    image.cells[2 * cell + 1] = static_cast<float>(count / area);
  }
  return image;
}

}  // namespace spyctrum
