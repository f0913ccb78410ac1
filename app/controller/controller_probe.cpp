// SPDX-License-Identifier: Apache-2.0
// The linked crosshair: what follows from the place at once, what takes a sum over
// all entries by a job of its own lane, latest wins.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/controller/controller.hpp"

namespace spyctrum {

namespace {

std::int64_t count_of(const AxisCounts& counts, std::int64_t id) {
  const auto found = std::lower_bound(counts.ids.begin(), counts.ids.end(), static_cast<Index>(id));
  if (found == counts.ids.end() || *found != static_cast<Index>(id)) return 0;
  return counts.counts[static_cast<std::size_t>(found - counts.ids.begin())];
}

}  // namespace

void Controller::place_crosshair(Plane plane, double row, double col) {
  if (!std::isfinite(row) || !std::isfinite(col)) return;
  Crosshair& cross = state_.crosshair;
  cross.active = true;
  cross.plane = plane;
  cross.row = row;
  cross.col = col;
  if (plane == Plane::pattern) {
    look_up_entry();
    return;
  }
  const SparsePattern& pattern = *state_.matrix()->matrix.pattern;
  const auto m = static_cast<std::int64_t>(pattern.rows());
  const auto n = static_cast<std::int64_t>(pattern.cols());
  cross.u = std::clamp(static_cast<std::int64_t>(std::llround(row)), -(m / 2), (m + 1) / 2 - 1);
  cross.v = std::clamp(static_cast<std::int64_t>(std::llround(col)), -(n / 2), (n + 1) / 2 - 1);
  const double rows = static_cast<double>(cross.u) / static_cast<double>(m);
  const double cols = static_cast<double>(cross.v) / static_cast<double>(n);
  cross.period_rows = 1 / std::abs(rows);
  cross.period_cols = 1 / std::abs(cols);
  cross.radius = std::hypot(rows, cols);
  const double angle = std::atan2(rows, cols) * 180 / std::numbers::pi;
  cross.angle_degrees = angle < 0 ? angle + 180 : (angle >= 180 ? angle - 180 : angle);
}

void Controller::look_up_entry() {
  Crosshair& cross = state_.crosshair;
  const SparsePattern& pattern = *state_.matrix()->matrix.pattern;
  cross.i = static_cast<std::int64_t>(std::floor(cross.row));
  cross.j = static_cast<std::int64_t>(std::floor(cross.col));
  const bool inside = cross.i >= 0 && cross.j >= 0 && cross.i < static_cast<std::int64_t>(pattern.rows()) &&
                      cross.j < static_cast<std::int64_t>(pattern.cols());
  cross.stored.reset();
  cross.row_count = cross.col_count = 0;
  if (!inside) return;
  cross.stored = pattern.contains(static_cast<std::uint64_t>(cross.i), static_cast<std::uint64_t>(cross.j));
  cross.row_count = count_of(pattern.row_counts(), cross.i);
  cross.col_count = count_of(pattern.column_counts(), cross.j);
}

void Controller::reconcile_probe() {
  Crosshair& cross = state_.crosshair;
  if (!cross.active || cross.plane != Plane::spectrum || !pattern_) {
    runner_.drop("probe");
    probed_ = {};
    cross.pending = false;
    return;
  }
  ProbeSpec wanted{pattern_, cross.u, cross.v, state_.scale.reduced, {}};
  for (const Column& column : state_.columns) {
    const bool stored = column.spectrum && !column.spectrum->values.empty();
    wanted.sources.push_back(
        {column.id, stored ? column.spectrum : nullptr, work_[column.id].reconstruction, column.pattern});
  }
  if (wanted == probed_) return;
  probed_ = wanted;
  cross.pending = true;
  JobRequest job = request_job(Lane::probe, "probe", "Value under the cursor");
  job.listed = false;
  runner_.submit<Probe>(
      job, [wanted](JobContext& context) { return probe(wanted, context); },
      [this](Result<Probe> found) {
        state_.crosshair.pending = false;
        if (!found) {
          notify(Level::warning, found.error().message(), false);
          return;
        }
        state_.crosshair.coefficient = found->coefficient;
        state_.crosshair.columns = std::move(found->columns);
      });
}

}  // namespace spyctrum
