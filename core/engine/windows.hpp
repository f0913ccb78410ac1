// SPDX-License-Identifier: Apache-2.0
// Windows: exactly the coefficients that a request names, by rows (for any frequencies) or by the lattice
// engine (where both axes are arithmetic progressions).
#pragma once

#include <optional>

#include "core/engine/lattice_slabs.hpp"
#include "core/engine/row_tiles.hpp"
#include "core/fft/row_transform.hpp"
#include "core/request/request.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// The grid with both axes as arithmetic progressions (an evenly spaced list becomes one); empty where an
/// axis is not evenly spaced.
[[nodiscard]] std::optional<FrequencyGrid> as_lattice(const FrequencyGrid& grid);

/// True where the grid contains every frequency of both axes, in steps of ±1.
[[nodiscard]] bool covers_plane(const FrequencyGrid& grid);

/// A result that holds `values` on `grid`: exact where the grid is the whole plane, else exact samples.
[[nodiscard]] Spectrum sampled_spectrum(const SparsePattern& pattern, const FrequencyGrid& grid,
                                        std::vector<std::complex<float>> values);

/// Completes the result of a block method whose values are one grid of the whole plane: sets its block size,
/// decodes the features by `decode` where they are requested and absent, and drops values that are not
/// requested. The values are booked meanwhile.
template <class Decode>
void finish_samples(const ResolvedRequest& request, Spectrum& spectrum, JobContext& context, Decode decode) {
  const Booking booked(context.memory(), 8 * spectrum.values.size(), "coefficients");
  spectrum.block = static_cast<std::uint32_t>(block_of(request));
  if (request.outputs.features && !spectrum.features) {
    context.begin_stage("decode");
    spectrum.features = decode(spectrum);
  }
  if (request.outputs.values) return;
  spectrum.values = {};
  spectrum.grid = {};
}
/// The same with the paper's decoder.
void finish_paper_samples(const ResolvedRequest& request, Spectrum& spectrum, JobContext& context);

/// How the coefficients of a grid are computed: lattice engine, or rows and a gather.
enum class GridEngine { automatic, lattice, rows };

/// The plan for a grid: engine, memory and work. GridEngine::automatic takes the engine with less work.
struct GridPlan {
  bool lattice = false;
  FrequencyGrid grid;  ///< as progressions when `lattice`
  LatticeOptions options;
  SlabPlan slabs;
  RowPlan rows;
  [[nodiscard]] Forecast forecast() const;
};
[[nodiscard]] GridPlan plan_grid(const SparsePattern& pattern, const FrequencyGrid& grid, GridEngine engine,
                                 double tolerance, std::int64_t tile, unsigned threads);
/// Throws Failure{wrong_use} where the lattice engine is demanded and an axis is not evenly spaced.
[[nodiscard]] std::vector<std::complex<float>> compute_grid(const SparsePattern& pattern,
                                                            const GridPlan& plan, JobContext& context);

/// Windows of BS-FFT: by rows, whose transform lengths follow `rule`.
[[nodiscard]] Forecast forecast_row_window(const ResolvedRequest& request, LengthRule rule);
[[nodiscard]] Spectrum run_row_window(const ResolvedRequest& request, LengthRule rule, JobContext& context);

}  // namespace spyctrum
