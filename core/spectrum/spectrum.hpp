// SPDX-License-Identifier: Apache-2.0
// The result of a method: coefficients (or magnitudes) on a FrequencyGrid, the reductions of the whole plane
// (features, display pyramid), and their provenance.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/base/zeroed_vector.hpp"
#include "core/frequency/frequency_grid.hpp"
#include "core/frequency/scattered_points.hpp"
#include "core/spectrum/features.hpp"

namespace spyctrum {

/// How exact the values are; shown as a badge on every picture and written to every export.
enum class Exactness {
  exact,          ///< every coefficient of the DFT
  exact_samples,  ///< a subset of the coefficients, each exact
  estimate,       ///< not coefficients of this matrix's DFT
};
[[nodiscard]] const char* to_string(Exactness exactness);  // "exact", "exact samples", "estimate"

/// How a result was computed; written to every export.
struct Provenance {
  std::string method;  ///< registry id
  std::string label;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< name → value as text, incl. block
  std::string backend;                                          ///< "cpu", "cuda:0"
  std::string device;
  std::uint64_t seed = 0;
  StageSeconds stages;
  double seconds = 0;  ///< compute, without loading
  std::uint64_t bytes_forecast = 0;
  std::uint64_t bytes_peak = 0;
  std::uint64_t device_bytes_forecast = 0;  ///< on the CUDA device; 0 on the CPU
  std::uint64_t device_bytes_peak = 0;
  std::string version;
  std::string note;  ///< what the user should know ("streamed: values were not stored")
};

/// The fftshifted plane reduced to cells: mean and maximum of |F|² over the coefficients of each cell. Cell
/// (r, c) covers shifted positions [⌊r·m/rows⌋, ⌊(r+1)·m/rows⌋) × likewise columns, where shifted position 0
/// is frequency −⌊m/2⌋. Row-major. rows ≤ m, cols ≤ n.
struct DisplayPyramid {
  std::uint64_t m = 0, n = 0;
  std::uint32_t rows = 0, cols = 0;
  ZeroedVector<float> mean_power;
  ZeroedVector<float> max_power;
  /// While rows are still streamed: the share of the coefficients that has been seen, of the block of cells
  /// in which a cell lies and of which its mean is an estimate (core/pictures/partial_pyramid.hpp); 1 where
  /// the cell is exact. Empty: all were seen.
  ZeroedVector<float> streamed_share;
};

/// A coefficient at a signed frequency; stands also for its conjugate F[−u, −v].
struct StrongCoefficient {
  std::int64_t u = 0, v = 0;
  std::complex<float> value;
};

/// How the grid of values lies in the m×n plane.
enum class Placement {
  true_frequencies,  ///< grid frequencies are DFT indices of the m×n plane
  reduced_plane,     ///< grid is the full plane of an m0×n0 transform (Density Map,
                     ///< Fixed Point): shown stretched over the m×n plane with
                     ///< aligned end points, or at its centre
  scattered,         ///< value k is F[points.u[k], points.v[k]]; there is no grid
};

/// Sums of the weights w = a/2^exponent that were transformed (SparsePattern::weights()). The division by a
/// power of two keeps powers within single precision.
struct SpectrumWeights {
  double sum = 0;         ///< Σw
  double squares = 0;     ///< Σw²
  double magnitudes = 0;  ///< Σ|w|, an upper bound of |F|
  int exponent = 0;
};

struct Spectrum {
  std::uint64_t m = 0, n = 0;              ///< sides of the pattern
  std::int64_t nonzeros = 0;               ///< K
  std::optional<SpectrumWeights> weights;  ///< empty: every entry counts as 1
  /// F[0,0]: K, with weights Σw.
  [[nodiscard]] double dc() const { return weights ? weights->sum : static_cast<double>(nonzeros); }
  /// Σ|F|²/mn: K, with weights Σw².
  [[nodiscard]] double mean_power() const {
    return weights ? weights->squares : static_cast<double>(nonzeros);
  }
  /// The coefficients of the original weights a are 2^exponent() times `values`.
  [[nodiscard]] int exponent() const { return weights ? weights->exponent : 0; }
  /// Coefficients with |F|² below this are zero to the rounding of the values (rounding_floor.hpp).
  double rounding_floor = 0;
  FrequencyGrid grid;  ///< frequencies of `values`; empty if no values are stored
  Placement placement = Placement::true_frequencies;
  /// F on the grid, row-major, unnormalised, forward e^{−2πi(ui/m+vj/n)}. Empty when streamed. When
  /// `hermitian_half`, grid.rows lists only u = 0 … ⌊m/2⌋ and the rest follows by conjugation.
  std::vector<std::complex<float>> values;
  bool hermitian_half = false;
  ScatteredPoints points;            ///< for Placement::scattered
  std::uint32_t block = 1;           ///< block size b that made the grid; 1 for the full plane
  std::optional<Features> features;  ///< by the method's own decoder
  /// Standard errors of `features` if these are estimates: from the decoder, or measured by run_method().
  std::optional<Features> feature_errors;
  /// EstimatedFeatures::rows of `features`. Of the coefficients of these rows `values` has only those on its
  /// grid.
  std::vector<std::int64_t> feature_rows;
  std::optional<DisplayPyramid> pyramid;  ///< of the full plane; present for streamed exact methods
  std::vector<StrongCoefficient>
      strongest;  ///< of the rows streamed, without DC, largest first; may be empty
  Exactness exactness = Exactness::exact;
  Provenance provenance;
};

using SpectrumPtr = std::shared_ptr<const Spectrum>;

}  // namespace spyctrum
