// SPDX-License-Identifier: Apache-2.0
// Two counting sorts: the columns by their cell, then the entries, read in that order, by the stripe of
// their row. The second runs on several threads, each with counts of its own.
#include "core/fft/point_order.hpp"

#include <algorithm>

#include "core/fft/occupied_rows.hpp"

namespace spyctrum {

namespace {

/// Column slots by ascending start cell.
std::vector<Index> columns_by_cell(std::span<const std::uint32_t> column_start, std::size_t grid_columns) {
  std::vector<std::size_t> position(grid_columns + 1, 0);
  for (const std::uint32_t cell : column_start) ++position[cell + 1];
  for (std::size_t c = 0; c < grid_columns; ++c) position[c + 1] += position[c];
  std::vector<Index> order(column_start.size());
  for (std::size_t k = 0; k < column_start.size(); ++k)
    order[position[column_start[k]]++] = static_cast<Index>(k);
  return order;
}

/// Cuts `order` into pieces of about equal numbers of entries.
std::vector<std::size_t> cut_by_nonzeros(const SparsePattern& pattern, const std::vector<Index>& order,
                                         std::size_t pieces) {
  const auto starts = pattern.column_starts();
  const std::size_t per_piece = static_cast<std::size_t>(pattern.nonzeros()) / pieces + 1;
  std::vector<std::size_t> cuts{0};
  std::size_t held = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    held += static_cast<std::size_t>(starts[order[k] + 1] - starts[order[k]]);
    if (held >= per_piece) {
      cuts.push_back(k + 1);
      held = 0;
    }
  }
  if (cuts.back() != order.size()) cuts.push_back(order.size());
  return cuts;
}

}  // namespace

PointOrder order_points(const SparsePattern& pattern, std::span<const std::uint32_t> row_start,
                        std::span<const std::uint32_t> column_start, std::size_t grid_rows,
                        std::size_t grid_columns, std::size_t row_taps, JobContext& context) {
  PointOrder order;
  order.stripe_rows = std::max<std::size_t>(row_taps, 24);
  order.stripes = (grid_rows + order.stripe_rows - 1) / order.stripe_rows;
  const auto count = static_cast<std::size_t>(pattern.nonzeros());
  order.points = AlignedBuffer<std::uint64_t>(count);
  order.stripe_start.assign(order.stripes + 1, 0);

  const std::vector<Index> slots = row_slots(pattern);
  std::vector<std::uint32_t> stripe_of(row_start.size());
  std::transform(row_start.begin(), row_start.end(), stripe_of.begin(),
                 [&](std::uint32_t cell) { return static_cast<std::uint32_t>(cell / order.stripe_rows); });
  const std::vector<Index> columns = columns_by_cell(column_start, grid_columns);
  constexpr std::size_t kSmallest = 1 << 15;  // a thread is worth starting for this many entries
  const std::size_t pieces =
      std::clamp<std::size_t>(count / kSmallest, 1, std::size_t{4} * context.pool().threads());
  const std::vector<std::size_t> cuts = cut_by_nonzeros(pattern, columns, pieces);
  const auto starts = pattern.column_starts();
  const std::size_t parts = cuts.size() - 1;
  std::vector<std::vector<std::size_t>> position(parts, std::vector<std::size_t>(order.stripes, 0));
  const auto for_nonzeros = [&](std::size_t part, const auto& visit) {
    for (std::size_t k = cuts[part]; k < cuts[part + 1]; ++k) {
      const Index column = columns[k];
      for (auto t = static_cast<std::size_t>(starts[column]);
           t < static_cast<std::size_t>(starts[column + 1]); ++t)
        visit(column, slots[t], t);
    }
  };
  context.pool().parallel_for(parts, 1, [&](std::size_t part, std::size_t, unsigned) {
    context.check_stop();
    for_nonzeros(part, [&](Index, Index slot, std::size_t) { ++position[part][stripe_of[slot]]; });
  });
  std::size_t sum = 0;
  for (std::size_t stripe = 0; stripe < order.stripes; ++stripe) {
    order.stripe_start[stripe] = sum;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t here = position[part][stripe];
      position[part][stripe] = sum;
      sum += here;
    }
  }
  order.stripe_start[order.stripes] = sum;
  const auto weights = pattern.weights();
  order.weights = AlignedBuffer<float>(weights.size());
  context.pool().parallel_for(parts, 1, [&](std::size_t part, std::size_t, unsigned) {
    context.check_stop();
    if (weights.empty())
      return for_nonzeros(part, [&](Index column, Index slot, std::size_t) {
        order.points[position[part][stripe_of[slot]]++] = static_cast<std::uint64_t>(column) << 32 | slot;
      });
    for_nonzeros(part, [&](Index column, Index slot, std::size_t t) {
      const std::size_t at = position[part][stripe_of[slot]]++;
      order.points[at] = static_cast<std::uint64_t>(column) << 32 | slot;
      order.weights[at] = weights[t];
    });
  });
  return order;
}

}  // namespace spyctrum
