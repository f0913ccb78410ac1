// SPDX-License-Identifier: Apache-2.0
// Each thread sums the weights of strips of cell columns of its own, in double precision, so that no two
// threads write to the same cell and the sums do not depend on the number of threads.
#include "core/pictures/value_picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/pictures/cell_axis.hpp"
#include "core/pictures/cell_reduction.hpp"
#include "core/pictures/picture_plan.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kValueStrip = 16;  // cell columns

struct CellSums {
  double sum = 0;
  double magnitudes = 0;
  float largest = 0;
  std::int64_t count = 0;

  void add(float weight) {
    sum += static_cast<double>(weight);
    magnitudes += static_cast<double>(std::abs(weight));
    largest = std::max(largest, std::abs(weight));
    ++count;
  }
  [[nodiscard]] double value(ValueQuantity quantity) const {
    constexpr double kRounding = 1e-15;
    switch (quantity) {
      case ValueQuantity::sum:  // 0 if it is below the rounding of its terms
        return std::abs(sum) <= kRounding * magnitudes ? 0 : sum;
      case ValueQuantity::mean_magnitude:
        return count == 0 ? 0 : magnitudes / static_cast<double>(count);
      case ValueQuantity::maximum:
        return static_cast<double>(largest);
      case ValueQuantity::count:
        break;
    }
    return static_cast<double>(count);
  }
};

/// The sums of the column of cells that shows the block columns `columns`.
void add_columns(const SparsePattern& pattern, IndexRange columns, const CountPlan& plan,
                 std::vector<CellSums>& sums) {
  std::fill(sums.begin(), sums.end(), CellSums{});
  const auto block = static_cast<std::int64_t>(plan.block);
  const IndexRange view = plan.rows.in_view();
  const auto ids = pattern.column_ids();
  const auto first = std::lower_bound(ids.begin(), ids.end(), columns.first * block);
  for (auto k = static_cast<std::size_t>(first - ids.begin());
       k < ids.size() && ids[k] < columns.last * block; ++k) {
    const auto column = pattern.column(k);
    const auto weights = pattern.column_weights(k);
    auto t = static_cast<std::size_t>(std::lower_bound(column.begin(), column.end(), view.first * block) -
                                      column.begin());
    for (; t < column.size() && column[t] < view.last * block; ++t) {
      const auto [from, to] = plan.rows.cells_of(static_cast<std::int64_t>(column[t]) / block);
      for (std::uint32_t cell = from; cell < to; ++cell) sums[cell].add(weights.empty() ? 1.0F : weights[t]);
    }
  }
}

float in_single(double value) {
  return static_cast<float>(std::min<double>(value, std::numeric_limits<float>::max()));
}

}  // namespace

ValueImages value_images(const SparsePattern& pattern, ValueQuantity quantity, const PictureArea& area,
                         JobContext& context, std::uint32_t block) {
  if (quantity == ValueQuantity::count)
    throw Failure(ErrorCode::internal, "Counts of entries are a picture of the pattern.");
  const CountPlan plan = plan_count_picture(
      pattern, block > 1 ? EntryWeighting::mean_of_blocks : EntryWeighting::entries, block, area);
  CellImage above = blank_image(area);
  CellImage below = blank_image(area);
  if (!plan.rows.in_view().empty() && !plan.cols.in_view().empty()) {
    const double unit = std::ldexp(1.0, pattern.weight_exponent());
    context.pool().parallel_for(area.width, kValueStrip, [&](std::size_t begin, std::size_t end, unsigned) {
      context.checkpoint(begin, area.width);
      std::vector<CellSums> sums(area.height);
      IndexRange summed{0, -1};
      for (std::size_t c = begin; c < end; ++c) {
        if (plan.cols[c].empty()) continue;
        if (!(plan.cols[c] == summed)) {
          context.check_stop();
          add_columns(pattern, plan.cols[c], plan, sums);
          summed = plan.cols[c];
        }
        for (std::size_t r = 0; r < area.height; ++r) {
          if (plan.rows[r].empty()) continue;
          double value = unit * sums[r].value(quantity);
          if (plan.block > 1 && quantity == ValueQuantity::sum)
            value /= static_cast<double>(plan.rows[r].count() * plan.cols[c].count());
          const std::size_t at = 2 * (r * std::size_t{area.width} + c);
          above.cells[at] = above.cells[at + 1] = in_single(std::max(value, 0.0));
          below.cells[at] = below.cells[at + 1] = in_single(std::max(-value, 0.0));
        }
      }
    });
  }
  ValueImages made;
  made.above = std::make_shared<const CellImage>(std::move(above));
  // decided for the whole matrix, so that colours are the same at every zoom
  const bool has_negative = pattern.weight_sum() < (1 - 1e-12) * pattern.weight_magnitudes();
  if (quantity == ValueQuantity::sum && has_negative)
    made.below = std::make_shared<const CellImage>(std::move(below));
  return made;
}

bool needs_log_scale(const SparsePattern& pattern, JobContext& context) {
  constexpr std::uint64_t kSide = 256;
  constexpr double kTop = 0.993, kNearZero = 0.2;
  if (!pattern.has_weights()) return false;
  const PictureArea whole{full_pattern_rect(pattern.rows(), pattern.cols()),
                          static_cast<std::uint32_t>(std::min(kSide, pattern.rows())),
                          static_cast<std::uint32_t>(std::min(kSide, pattern.cols()))};
  const ValueImages images = value_images(pattern, ValueQuantity::sum, whole, context);
  std::vector<float> sizes;
  for (std::size_t at = 0; at < images.above->cells.size(); at += 2) {
    const float size = std::max(images.above->cells[at], images.below ? images.below->cells[at] : 0.0F);
    if (size > 0) sizes.push_back(size);
  }
  if (sizes.empty()) return false;
  const auto quantile = [&](double share) {
    const auto place =
        sizes.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sizes.size() - 1));
    std::ranges::nth_element(sizes, place);
    return static_cast<double>(*place);
  };
  return quantile(0.5) < kNearZero * quantile(kTop);
}

}  // namespace spyctrum
