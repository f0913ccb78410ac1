// SPDX-License-Identifier: Apache-2.0
// A magnitude plane of full resolution m×n from m0×n0 sampled magnitudes (BS-FFT paper, §3.5), evaluated for
// a row, a window or a picture at a time. The whole plane is never stored.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/job_context.hpp"
#include "core/frequency/sample_axis.hpp"
#include "core/matrix/sparse_pattern.hpp"
#include "core/spectrum/spectrum.hpp"

namespace spyctrum {

struct ChosenLines;
struct SampleAxis;

enum class Fill {
  /// the paper's rule: samples at their frequencies; a reduced plane with aligned end points
  bilinear,
  bilinear_centers,  ///< node p of a reduced plane at the centre of its cell instead of aligned ends
  nearest,           ///< the magnitude of the nearest node; nodes placed as for bilinear
  smooth,            ///< the conditional mean of |F|: means of the nodes and a degree model (smooth_fill.hpp)
  /// known magnitudes (nodes, their mirrors, chosen lines), and beside them smooth or bilinear, whichever is
  /// closer to |F| in 16 rows that are computed for this
  best,
};
/// The names on the command line and in files, in the order of the enumerators.
inline constexpr std::array<const char*, 5> kFillNames{"bilinear", "bilinear-centers", "nearest", "smooth",
                                                       "best"};
[[nodiscard]] Result<Fill> parse_fill(std::string_view text);
/// Whether the fill also needs the pattern (the make() that takes a JobContext).
[[nodiscard]] constexpr bool needs_pattern(Fill fill) { return fill == Fill::smooth || fill == Fill::best; }
/// The fill to use where `fill` may not be possible: bilinear for scattered samples and sides above
/// kLongestModel in place of smooth and best, smooth in place of best where the lines of the plane are longer
/// than kLongestWholeLine.
[[nodiscard]] Fill possible_fill(Fill fill, const Spectrum& spectrum);

/// Bytes that a Reconstruction takes beside the spectrum, without the chosen lines of `best`.
[[nodiscard]] std::uint64_t reconstruction_bytes(const Spectrum& spectrum);

/// A magnitude plane over signed frequencies: bilinear between nodes; beyond the outermost nodes periodic for
/// samples at true frequencies, clamped for aligned end points. The value at DC is the exact K.
///
/// For scattered samples bilinear means natural-neighbour interpolation and nearest the nearest sample, both
/// on the raster of core/frequency/scattered_points.hpp; a sample keeps its own magnitude.
class Reconstruction {
 public:
  /// On the calling thread. Errors: wrong_use for a spectrum without values. The reconstruction of an exact
  /// full plane is the plane itself.
  static Result<Reconstruction> make(SpectrumPtr spectrum, Fill fill);
  /// As above, for every fill; `pattern` must be the one of the spectrum. Errors: wrong_use also for a fill
  /// other than possible_fill(), cancelled, out_of_memory.
  static Result<Reconstruction> make(SpectrumPtr spectrum, Fill fill, const SparsePattern& pattern,
                                     JobContext& context);

  [[nodiscard]] std::uint64_t m() const;
  [[nodiscard]] std::uint64_t n() const;
  [[nodiscard]] double dc_magnitude() const;    ///< |F[0,0]|: K, of weights |Σw|
  [[nodiscard]] double mean_power() const;      ///< Spectrum::mean_power
  [[nodiscard]] double rounding_floor() const;  ///< Spectrum::rounding_floor
  [[nodiscard]] const Spectrum& spectrum() const;
  [[nodiscard]] const SpectrumPtr& shared_spectrum() const;
  /// True if the spectrum has every coefficient, so that nothing is interpolated.
  [[nodiscard]] bool is_exact() const;
  [[nodiscard]] bool is_nearest() const;  ///< Fill::nearest
  /// Positions and storage of the nodes, for interpolation on a device (core/device/device_pictures.cpp).
  [[nodiscard]] const SampleAxis& row_nodes() const;
  [[nodiscard]] const SampleAxis& col_nodes() const;
  /// For each sorted node v the storage index of −v, for conjugate rows (SampleAxis::stored).
  [[nodiscard]] std::vector<std::uint64_t> mirrored_columns() const;
  /// Number of coefficients on chosen lines that `best` stores in addition to the samples.
  [[nodiscard]] std::uint64_t line_coefficients() const;
  /// Writes the magnitudes of row u at v = v0, v0+step, … to `out`; u and v0 signed or
  /// DFT indices. Thread-safe.
  void row(std::int64_t u, std::int64_t v0, std::int64_t step, std::span<float> out) const;

  /// Writes the magnitudes of row u at ascending signed frequencies v in −⌊n/2⌋ … ⌈n/2⌉−1. Thread-safe.
  void at(std::int64_t u, std::span<const std::int64_t> v, std::span<float> out) const;

  /// Columns v, ascending signed frequencies, at which powers() evaluates many rows.
  struct Columns {
    std::vector<std::int64_t> v;
    std::vector<float> spread;  ///< bilinear: Σw² of the interpolation weights w at each v
  };
  [[nodiscard]] Columns columns(std::vector<std::int64_t> v) const;
  /// Writes the expected power of row u at `columns`: |F|² if |F| is known, else M̂²/g with g = π/4 + (1 −
  /// π/4)·Σw². For locally complex Gaussian F, (E|F|)² = (π/4)·E|F|², and M̂ = Σ w_k Z_k of independent
  /// magnitudes Z has E M̂² = g·E|F|². Means of many nodes (smooth, best) have Σw² ≈ 0, a single node has
  /// Σw² = 1. If not `known`, coefficients that each_known() visits are estimated, too. Thread-safe.
  void powers(std::int64_t u, const Columns& columns, bool known, std::span<float> out) const;
  /// Calls visit(v, |F[u,v]|²), v signed, for the coefficients of row u whose magnitudes are known without
  /// interpolation: chosen lines and samples of `best`, scattered samples. A v may occur more than once.
  void each_known(std::int64_t u, const std::function<void(std::int64_t, float)>& visit) const;
  /// As each_known(), only for the chosen lines of `best`.
  void each_on_lines(std::int64_t u, const std::function<void(std::int64_t, float)>& visit) const;
  /// The chosen lines of `best`; null if there are none.
  [[nodiscard]] const ChosenLines* chosen_lines() const;

  /// The magnitudes of the nodes, rows × cols, for interpolation on a device. Empty if the plane is more than
  /// their interpolation: exact planes, scattered samples, smooth, most of best.
  struct Nodes {
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    std::span<const float> magnitudes;
  };
  [[nodiscard]] Nodes nodes() const;
  /// The nodes around a signed frequency: the plane is bilinear between the four, except K at (0, 0).
  [[nodiscard]] SampleAxis::Bracket nodes_around_row(std::int64_t u) const;
  [[nodiscard]] SampleAxis::Bracket nodes_around_column(std::int64_t v) const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace spyctrum
