// SPDX-License-Identifier: Apache-2.0
// Chooses between rows and the lattice engine by their operations.
#include "core/engine/windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/counts_text.hpp"
#include "core/engine/plane_outputs.hpp"
#include "core/features/decoders.hpp"
#include "core/fft/axis_leaks.hpp"
#include "core/fft/axis_values.hpp"

namespace spyctrum {

namespace {

/// A lattice that takes at most kOnePassBytes is computed in one pass, a larger one in passes of at most
/// kPassBytes.
constexpr std::uint64_t kOnePassBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kPassBytes = std::uint64_t{1} << 28;

double pass_operations(const SparsePattern& pattern, std::uint64_t outputs) {
  constexpr double kCellsOfPoint = 49;  // seven taps along each axis
  const double cells =
      4.0 * static_cast<double>(std::max<std::uint64_t>(2, outputs));  // twice oversampled along each axis
  return 4.0 * kCellsOfPoint * static_cast<double>(pattern.nonzeros()) + 5.0 * cells * std::log2(cells);
}

/// The grid of rows begin … begin+count−1 of `grid`.
FrequencyGrid part_of_rows(const FrequencyGrid& grid, std::uint64_t begin, std::uint64_t count) {
  return {grid.rows.part(begin, count, grid.rows.size()), grid.cols};
}

/// The largest number of rows of which a pass takes at most kPassBytes; at least 1.
std::uint64_t automatic_rows(const SparsePattern& pattern, const FrequencyGrid& grid,
                             const LatticeOptions& options) {
  const std::uint64_t count = grid.rows.count();
  if (lattice_bytes(pattern, grid, options) <= kOnePassBytes) return count;
  std::uint64_t low = 1;
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (lattice_bytes(pattern, part_of_rows(grid, 0, middle), options) <= kPassBytes) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

std::optional<FrequencyAxis> as_progression(const FrequencyAxis& axis) {
  if (axis.is_progression()) return axis;
  const std::int64_t step = axis.count() > 1 ? axis.at(1) - axis.at(0) : 1;
  if (step == 0) return std::nullopt;
  for (std::uint64_t k = 1; k < axis.count(); ++k)
    if (axis.at(k) - axis.at(k - 1) != step) return std::nullopt;
  return FrequencyAxis::progression(axis.size(), axis.at(0), step, axis.count());
}

/// Whether values of the grid lie on the axis of the plane where `across` is 0, at evenly spaced frequencies
/// `along` it.
bool meets_axis(const FrequencyAxis& across, const FrequencyAxis& along) {
  return along.is_progression() && first_zero(across).has_value();
}

/// Bytes of set_axis_values().
std::uint64_t bytes_on_axes(const FrequencyGrid& grid) {
  if (!meets_axis(grid.rows, grid.cols) && !meets_axis(grid.cols, grid.rows)) return 0;
  const LatticeAxisSizes rows = lattice_axis_sizes(grid.rows, spread_shapes().back());
  const LatticeAxisSizes cols = lattice_axis_sizes(grid.cols, spread_shapes().back());
  return axis_leaks_bytes({grid.rows, rows}, {grid.cols, cols});
}

/// `exact_axes`: set_axis_values() follows the rows.
Forecast row_forecast(const RowPlan& rows, const FrequencyGrid& grid, bool exact_axes) {
  ByteTerms terms;
  terms.add("values", saturating_product(8, grid.rows.count(), grid.cols.count()));
  const std::uint64_t values = terms.total();
  rows.add_terms(terms);
  if (exact_axes) add_axis_values(terms, values, grid);
  return {terms.total(), rows.operations, terms.text()};
}

/// The grid's coefficients, computed row by row; under the library's rule those on the axes are computed in
/// double precision.
std::vector<std::complex<float>> grid_by_rows(const SparsePattern& pattern, LengthRule rule,
                                              const FrequencyGrid& grid, const RowPlan& plan,
                                              JobContext& context) {
  auto values = gather_grid(pattern, rule, grid, plan, context);
  if (rule != LengthRule::paper) set_axis_values(pattern, grid, values, context);
  return values;
}

/// `tile`: lattice rows per pass, 0: as many as the bound allows. Both axes of `grid` must be progressions.
LatticePasses plan_passes(const SparsePattern& pattern, const FrequencyGrid& grid,
                          const LatticeOptions& options, std::int64_t tile) {
  const std::uint64_t count = grid.rows.count();
  LatticePasses plan;
  plan.rows =
      tile > 0 ? std::min(count, static_cast<std::uint64_t>(tile)) : automatic_rows(pattern, grid, options);
  plan.rows = std::max<std::uint64_t>(1, plan.rows);
  const std::uint64_t passes = (count + plan.rows - 1) / plan.rows;
  plan.operations = static_cast<double>(passes) * pass_operations(pattern, plan.rows * grid.cols.count());
  ByteTerms terms;
  if (passes > 1) {
    terms.add("values", saturating_product(8, count, grid.cols.count()));
    terms.add("one pass of " + counted(plan.rows, "row", "rows"),
              lattice_bytes(pattern, part_of_rows(grid, 0, plan.rows), options));
  } else {
    terms.add("values and fine grid", lattice_bytes(pattern, grid, options));
  }
  plan.bytes = terms.total();
  plan.formula = terms.text();
  return plan;
}

/// The coefficients on `grid`, row-major. Adds the stage "lattice".
std::vector<std::complex<float>> lattice_in_passes(const SparsePattern& pattern, const FrequencyGrid& grid,
                                                   const LatticeOptions& options, const LatticePasses& plan,
                                                   JobContext& context) {
  context.begin_stage("lattice");
  const std::uint64_t count = grid.rows.count();
  if (plan.rows >= count) return lattice_transform(pattern, grid, options, context);
  BookedVector<std::complex<float>> values(context, grid.count(), "coefficients");
  for (std::uint64_t begin = 0; begin < count; begin += plan.rows) {
    const std::uint64_t rows = std::min(plan.rows, count - begin);
    const auto part = lattice_transform(pattern, part_of_rows(grid, begin, rows), options, context);
    std::copy(part.begin(), part.end(),
              values.data.begin() + static_cast<std::ptrdiff_t>(begin * grid.cols.count()));
    context.checkpoint(begin + rows, count);
  }
  return std::move(values.data);
}

}  // namespace

void add_axis_values(ByteTerms& terms, std::uint64_t kept, const FrequencyGrid& grid) {
  const std::uint64_t bytes = saturating_sum(kept, bytes_on_axes(grid));
  if (bytes > terms.total()) terms.add("values on the axes, after the rows", bytes - terms.total());
}

void set_axis_values(const SparsePattern& pattern, const FrequencyGrid& grid,
                     std::span<std::complex<float>> values, JobContext& context) {
  if (values.empty() || pattern.nonzeros() == 0) return;
  const Booking coefficients(context.memory(), 8 * values.size(), "coefficients");
  const Booking booking(context.memory(), bytes_on_axes(grid), "values on the axes");
  const std::uint64_t width = grid.cols.count();
  const auto set = [&](const FrequencyAxis& across, const FrequencyAxis& along, PlaneAxis which,
                       std::uint64_t across_stride, std::uint64_t along_stride) {
    if (!meets_axis(across, along)) return;
    context.check_stop();
    const auto exact = axis_values(pattern, which, along);
    for (std::uint64_t k = 0; k < across.count(); ++k) {
      if (across.index_at(k) != 0) continue;
      for (std::uint64_t l = 0; l < along.count(); ++l)
        values[k * across_stride + l * along_stride] = std::complex<float>(exact[l % exact.size()]);
    }
  };
  set(grid.cols, grid.rows, PlaneAxis::rows, 1, width);
  set(grid.rows, grid.cols, PlaneAxis::columns, width, 1);
}

bool covers_plane(const FrequencyGrid& grid) {
  const auto covers = [](const FrequencyAxis& axis) {
    return axis.is_progression() && std::abs(axis.step()) == 1 && axis.count() >= axis.size();
  };
  return covers(grid.rows) && covers(grid.cols);
}

std::optional<FrequencyGrid> as_lattice(const FrequencyGrid& grid) {
  const auto rows = as_progression(grid.rows);
  const auto cols = as_progression(grid.cols);
  if (!rows || !cols) return std::nullopt;
  return FrequencyGrid{*rows, *cols};
}

Spectrum sampled_spectrum(const SparsePattern& pattern, const FrequencyGrid& grid,
                          std::vector<std::complex<float>> values) {
  Spectrum spectrum = blank_spectrum(pattern);
  spectrum.grid = grid;
  spectrum.values = std::move(values);
  spectrum.exactness = covers_plane(grid) ? Exactness::exact : Exactness::exact_samples;
  return spectrum;
}

void set_features(Spectrum& spectrum, const EstimatedFeatures& features) {
  spectrum.features = features;
  spectrum.feature_errors = features.errors;
  spectrum.feature_rows = features.rows;
}

void finish_paper_samples(const ResolvedRequest& request, Spectrum& spectrum, JobContext& context) {
  finish_samples(request, spectrum, context, [](const Spectrum& samples) {
    return EstimatedFeatures{decode_paper(samples.grid, samples.values, samples.rounding_floor), {}};
  });
}

Forecast GridPlan::forecast() const {
  if (lattice) return {passes.bytes, passes.operations, passes.formula};
  return row_forecast(rows, grid, true);
}

GridPlan plan_grid(const SparsePattern& pattern, const FrequencyGrid& grid, GridEngine engine,
                   double tolerance, std::int64_t tile, unsigned threads) {
  GridPlan plan;
  plan.grid = grid;
  plan.options.tolerance = tolerance;
  const auto progressions = engine == GridEngine::rows ? std::nullopt : as_lattice(grid);
  if (progressions) {
    plan.grid = *progressions;
    plan.passes = plan_passes(pattern, plan.grid, plan.options, tile);
  }
  if (engine == GridEngine::lattice) {
    if (!progressions) {
      throw Failure(ErrorCode::wrong_use, "The lattice engine needs evenly spaced frequencies on both axes.",
                    "Set engine to auto or rows.");
    }
    plan.lattice = true;
    return plan;
  }
  plan.rows = plan_rows(pattern, LengthRule::library, grid.rows.count(), tile, threads);
  plan.lattice = progressions && plan.passes.operations <= plan.rows.operations;
  return plan;
}

std::vector<std::complex<float>> compute_grid(const SparsePattern& pattern, const GridPlan& plan,
                                              JobContext& context) {
  if (plan.lattice) return lattice_in_passes(pattern, plan.grid, plan.options, plan.passes, context);
  return grid_by_rows(pattern, LengthRule::library, plan.grid, plan.rows, context);
}

Forecast forecast_row_window(const ResolvedRequest& request, LengthRule rule) {
  const FrequencyGrid& window = *request.window;
  return row_forecast(
      plan_rows(*request.pattern, rule, window.rows.count(), tile_of(request), request.threads), window,
      rule != LengthRule::paper);
}

Spectrum run_row_window(const ResolvedRequest& request, LengthRule rule, JobContext& context) {
  const FrequencyGrid& window = *request.window;
  const RowPlan plan =
      plan_rows(*request.pattern, rule, window.rows.count(), tile_of(request), context.pool().threads());
  return sampled_spectrum(*request.pattern, window,
                          grid_by_rows(*request.pattern, rule, window, plan, context));
}

}  // namespace spyctrum
