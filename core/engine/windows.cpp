// SPDX-License-Identifier: Apache-2.0
// Chooses between rows and the lattice engine by their operations.
#include "core/engine/windows.hpp"

#include <cstdlib>

#include "core/engine/plane_outputs.hpp"
#include "core/features/decoders.hpp"

namespace spyctrum {

namespace {

std::optional<FrequencyAxis> as_progression(const FrequencyAxis& axis) {
  if (axis.is_progression()) return axis;
  const std::int64_t step = axis.count() > 1 ? axis.at(1) - axis.at(0) : 1;
  if (step == 0) return std::nullopt;
  for (std::uint64_t k = 1; k < axis.count(); ++k)
    if (axis.at(k) - axis.at(k - 1) != step) return std::nullopt;
  return FrequencyAxis::progression(axis.size(), axis.at(0), step, axis.count());
}

Forecast row_forecast(const RowPlan& rows, const FrequencyGrid& grid) {
  ByteTerms terms;
  terms.add("values", saturating_product(8, grid.rows.count(), grid.cols.count()));
  rows.add_terms(terms);
  return {terms.total(), rows.operations, terms.text()};
}

}  // namespace

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
}

void finish_paper_samples(const ResolvedRequest& request, Spectrum& spectrum, JobContext& context) {
  finish_samples(request, spectrum, context, [](const Spectrum& samples) {
    return EstimatedFeatures{decode_paper(samples.grid, samples.values, samples.rounding_floor), {}};
  });
}

Forecast GridPlan::forecast() const {
  if (lattice) return {slabs.bytes, slabs.operations, slabs.formula};
  return row_forecast(rows, grid);
}

GridPlan plan_grid(const SparsePattern& pattern, const FrequencyGrid& grid, GridEngine engine,
                   double tolerance, std::int64_t tile, unsigned threads) {
  GridPlan plan;
  plan.grid = grid;
  plan.options.tolerance = tolerance;
  const auto progressions = engine == GridEngine::rows ? std::nullopt : as_lattice(grid);
  if (progressions) {
    plan.grid = *progressions;
    plan.slabs = plan_slabs(pattern, plan.grid, plan.options, tile);
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
  plan.lattice = progressions && plan.slabs.operations <= plan.rows.operations;
  return plan;
}

std::vector<std::complex<float>> compute_grid(const SparsePattern& pattern, const GridPlan& plan,
                                              JobContext& context) {
  if (plan.lattice) return lattice_in_slabs(pattern, plan.grid, plan.options, plan.slabs, context);
  return gather_grid(pattern, LengthRule::library, plan.grid, plan.rows, context);
}

Forecast forecast_row_window(const ResolvedRequest& request, LengthRule rule) {
  const FrequencyGrid& window = *request.window;
  return row_forecast(
      plan_rows(*request.pattern, rule, window.rows.count(), tile_of(request), request.threads), window);
}

Spectrum run_row_window(const ResolvedRequest& request, LengthRule rule, JobContext& context) {
  const FrequencyGrid& window = *request.window;
  const RowPlan plan =
      plan_rows(*request.pattern, rule, window.rows.count(), tile_of(request), context.pool().threads());
  return sampled_spectrum(*request.pattern, window,
                          gather_grid(*request.pattern, rule, window, plan, context));
}

}  // namespace spyctrum
