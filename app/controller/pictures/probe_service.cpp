// SPDX-License-Identifier: Apache-2.0
// Periods m/|u| and n/|v|, angle atan2(u/m, v/n) and radius hypot(u/m, v/n) follow from the place at once.
#include "app/controller/pictures/probe_service.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spyctrum {

namespace {

std::int64_t count_of(const AxisCounts& counts, std::int64_t id) {
  const auto found = std::lower_bound(counts.ids.begin(), counts.ids.end(), static_cast<Index>(id));
  if (found == counts.ids.end() || *found != static_cast<Index>(id)) return 0;
  return counts.counts[static_cast<std::size_t>(found - counts.ids.begin())];
}

void scale(ColumnProbe& probe, double unit) {
  if (probe.coefficient) *probe.coefficient *= unit;
  if (probe.sample) *probe.sample *= unit;
  if (probe.reconstruction) *probe.reconstruction *= unit;
  if (probe.difference) *probe.difference *= unit;
}

}  // namespace

void ProbeService::handle(const action::SetCrosshair& chosen) {
  if (state().matrix() == nullptr || !std::isfinite(chosen.row) || !std::isfinite(chosen.col)) return;
  Crosshair& cross = state().crosshair;
  cross.active = true;
  cross.plane = chosen.plane;
  cross.row = chosen.row;
  cross.col = chosen.col;
  if (chosen.plane == Plane::pattern)
    look_up_entry();
  else
    look_up_frequency();
}

void ProbeService::look_up_frequency() {
  Crosshair& cross = state().crosshair;
  const SparsePattern& pattern = *state().matrix()->matrix.pattern;
  const auto m = static_cast<std::int64_t>(pattern.rows());
  const auto n = static_cast<std::int64_t>(pattern.cols());
  cross.u = std::clamp(frequency_at(cross.row), -(m / 2), (m + 1) / 2 - 1);
  cross.v = std::clamp(frequency_at(cross.col), -(n / 2), (n + 1) / 2 - 1);
  const double rows = static_cast<double>(cross.u) / static_cast<double>(m);
  const double cols = static_cast<double>(cross.v) / static_cast<double>(n);
  cross.period_rows = 1 / std::abs(rows);
  cross.period_cols = 1 / std::abs(cols);
  cross.radius = std::hypot(rows, cols);
  const double angle = std::atan2(rows, cols) * 180 / std::numbers::pi;
  cross.angle_degrees = angle < 0 ? angle + 180 : (angle >= 180 ? angle - 180 : angle);
}

void ProbeService::look_up_entry() {
  Crosshair& cross = state().crosshair;
  const SparsePattern& pattern = *state().matrix()->matrix.pattern;
  cross.i = static_cast<std::int64_t>(std::floor(cross.row));
  cross.j = static_cast<std::int64_t>(std::floor(cross.col));
  const bool inside = cross.i >= 0 && cross.j >= 0 && cross.i < static_cast<std::int64_t>(pattern.rows()) &&
                      cross.j < static_cast<std::int64_t>(pattern.cols());
  cross.stored.reset();
  cross.value.reset();
  cross.row_count = cross.col_count = 0;
  if (!inside) return;
  const auto entry =
      pattern.entry_at(static_cast<std::uint64_t>(cross.i), static_cast<std::uint64_t>(cross.j));
  cross.stored = entry.has_value();
  if (entry && pattern.has_weights())
    cross.value = magnitude_unit(state()) * static_cast<double>(pattern.weights()[*entry]);
  cross.row_count = count_of(pattern.row_counts(), cross.i);
  cross.col_count = count_of(pattern.column_counts(), cross.j);
}

void ProbeService::reconcile() {
  reconcile_values();
  reconcile_wave();
}

void ProbeService::forget_matrix() {
  jobs().drop("probe");
  jobs().drop("wave");
  probed_ = {};
  wave_ = {};
  state().crosshair = {};
  state().wave.reset();
  state().wave_sum.reset();
}

void ProbeService::reconcile_values() {
  Crosshair& cross = state().crosshair;
  if (!cross.active || cross.plane != Plane::spectrum || !state().pattern()) {
    jobs().drop("probe");
    probed_ = {};
    cross.pending = false;
    return;
  }
  ProbeSpec spec{state().pattern(), cross.u, cross.v, state().scale.reduced, {}};
  for (const Column& column : state().columns) {
    const bool stored = column.spectrum && !column.spectrum->values.empty();
    spec.sources.push_back({column.id, stored ? column.spectrum : nullptr,
                            reconstructions_.reconstruction(column.id), column.pattern});
  }
  if (spec == probed_) return;
  probed_ = spec;
  cross.pending = true;
  jobs().submit(
      request_job(Lane::probe, "probe", {}), [spec](JobContext& context) { return probe(spec, context); },
      [this](Result<Probe> found) {
        state().crosshair.pending = false;
        if (!found) return notify(Level::warning, found.error().message(), false);
        const double unit = magnitude_unit(state());
        state().crosshair.coefficient = unit * found->coefficient;
        state().crosshair.columns = std::move(found->columns);
        for (ColumnProbe& column : state().crosshair.columns) scale(column, unit);
      });
}

void ProbeService::reconcile_wave() {
  if (!state().wave || !state().pattern()) {
    jobs().drop("wave");
    wave_ = {};
    state().wave_sum.reset();
    return;
  }
  const WaveSpec spec{state().pattern(), *state().wave};
  if (spec == wave_) return;
  wave_ = spec;
  state().wave_sum.reset();
  jobs().submit(
      request_job(Lane::probe, "wave", {}),
      [spec](JobContext& context) {
        return wave_sum(*spec.pattern, spec.frequency.first, spec.frequency.second, context);
      },
      [this](Result<WaveSum> sum) {
        if (sum)
          state().wave_sum = *sum;
        else
          notify(Level::warning, sum.error().message(), false);
      });
}

}  // namespace spyctrum
