// SPDX-License-Identifier: Apache-2.0
// Windows: only the coefficients that a request names, by rows (any frequencies) or by the lattice engine
// (both axes arithmetic progressions). Mirrored by device_grid.hpp.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/engine/row_tiles.hpp"
#include "core/fft/lattice.hpp"
#include "core/fft/row_transform.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/request/byte_terms.hpp"
#include "core/request/request.hpp"
#include "core/request/shared_parameters.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

/// The division of a lattice into passes, each of which computes some of the lattice's rows by one
/// non-uniform FFT, so that its fine grid takes at most about a gibibyte; with forecasts.
struct LatticePasses {
  std::uint64_t rows = 0;   ///< lattice rows per pass
  std::uint64_t bytes = 0;  ///< peak, the values included
  double operations = 0;    ///< floating-point operations, estimated
  std::string formula;      ///< `bytes` as a sum of named terms
};

/// The same grid with arithmetic progressions in place of evenly spaced lists; empty if an axis is not evenly
/// spaced.
[[nodiscard]] std::optional<FrequencyGrid> as_lattice(const FrequencyGrid& grid);

/// True if both axes run through all their frequencies in steps of ±1.
[[nodiscard]] bool covers_plane(const FrequencyGrid& grid);

/// The result with `values` on `grid`: exact if the grid is the whole plane, else exact samples.
[[nodiscard]] Spectrum sampled_spectrum(const SparsePattern& pattern, const FrequencyGrid& grid,
                                        std::vector<std::complex<float>> values);

/// Sets the features, their standard errors and the rows from which they were computed.
void set_features(Spectrum& spectrum, const EstimatedFeatures& features);

/// Completes the result of a method with a block size, whose values are samples of the whole plane: sets the
/// block size, decodes the features by `decode` if they are requested and absent, and removes values that are
/// not requested. The values are booked meanwhile.
template <class Decode>
void finish_samples(const ResolvedRequest& request, Spectrum& spectrum, JobContext& context, Decode decode) {
  const Booking booked(context.memory(), 8 * spectrum.values.size(), "coefficients");
  spectrum.block = static_cast<std::uint32_t>(block_of(request));
  if (request.outputs.features && !spectrum.features) {
    context.begin_stage("decode");
    set_features(spectrum, decode(spectrum));
  }
  if (request.outputs.values) return;
  spectrum.values = {};
  spectrum.grid = {};
}
/// finish_samples() with the paper's decoder.
void finish_paper_samples(const ResolvedRequest& request, Spectrum& spectrum, JobContext& context);

/// How the coefficients of a grid are computed: by the lattice engine, or by whole rows whose columns are
/// gathered.
enum class GridEngine { automatic, lattice, rows };

/// How a grid is computed.
struct GridPlan {
  bool lattice = false;
  FrequencyGrid grid;  ///< with progressions as axes if `lattice`
  LatticeOptions options;
  LatticePasses passes;
  RowPlan rows;
  [[nodiscard]] Forecast forecast() const;
};
/// GridEngine::automatic chooses the engine with fewer operations. `tile`: rows per tile, or lattice rows per
/// pass; 0: chosen. Throws Failure{wrong_use} if `engine` is GridEngine::lattice and an axis is not evenly
/// spaced.
[[nodiscard]] GridPlan plan_grid(const SparsePattern& pattern, const FrequencyGrid& grid, GridEngine engine,
                                 double tolerance, std::int64_t tile, unsigned threads);
/// The coefficients on plan.grid, row-major. Throws Failure{cancelled}, {out_of_memory}.
[[nodiscard]] std::vector<std::complex<float>> compute_grid(const SparsePattern& pattern,
                                                            const GridPlan& plan, JobContext& context);

/// Replaces those of a grid's coefficients, row-major, that lie on the axes u = 0 and v = 0 by values
/// computed in double precision, as a lattice does: coefficients there can be far above √K, and so can the
/// rounding error of a row in single precision. Does nothing for an axis whose frequencies are not evenly
/// spaced, and where there are no values. Books the values and what it needs.
void set_axis_values(const SparsePattern& pattern, const FrequencyGrid& grid,
                     std::span<std::complex<float>> values, JobContext& context);
/// Adds the bytes of set_axis_values() after rows: what they take beyond those of the rows. `kept`: bytes
/// among the terms that are still held then.
void add_axis_values(ByteTerms& terms, std::uint64_t kept, const FrequencyGrid& grid);

/// The request's window by rows whose transform lengths follow `rule`, and its forecast.
[[nodiscard]] Forecast forecast_row_window(const ResolvedRequest& request, LengthRule rule);
[[nodiscard]] Spectrum run_row_window(const ResolvedRequest& request, LengthRule rule, JobContext& context);

}  // namespace spyctrum
