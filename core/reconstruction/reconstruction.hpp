// SPDX-License-Identifier: Apache-2.0
// From m0×n0 magnitudes to a full-resolution magnitude plane (paper §3.5),
// evaluated where it is looked at: a row, a window, a picture – never the whole
// plane at once unless it is asked for.
#pragma once

#include <cstdint>
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

struct SampleAxis;

enum class Fill {
  bilinear,          ///< the paper's rule: actual frequencies of samples; aligned end
                     ///< points for a reduced plane
  bilinear_centers,  ///< a reduced plane's node p stands at the centre of its
                     ///< cell instead of at aligned ends
  nearest,           ///< the magnitude of the nearest node; nodes as for bilinear
  smooth,  ///< the conditional mean: stacked means of the nodes and a degree model (smooth_fill.hpp)
  best,    ///< smooth, with what is known exactly in its place: nodes, their mirrors, chosen lines
};
[[nodiscard]] Result<Fill> parse_fill(std::string_view text);  // "bilinear", "bilinear-centers", "nearest",
                                                               // "smooth", "best"
/// smooth and best look at the pattern, and take a job of their own.
[[nodiscard]] constexpr bool needs_pattern(Fill fill) { return fill == Fill::smooth || fill == Fill::best; }

/// Scattered samples: bilinear stands for natural-neighbour interpolation, nearest for the nearest sample,
/// both on the raster of core/frequency/site_raster.hpp; the samples themselves keep their magnitudes.
///
/// A magnitude plane over shifted frequencies, bilinear between nodes, periodic
/// beyond the outermost nodes of true-frequency samples, clamped for aligned
/// end points; DC is the exact K.
class Reconstruction {
 public:
  /// The spectrum must hold values; for an exact full plane the reconstruction
  /// is the plane itself.
  static Result<Reconstruction> make(SpectrumPtr spectrum, Fill fill);
  /// The same for every fill: smooth and best need the pattern whose spectrum it is. Errors: wrong_use for
  /// sides that these do not serve, cancelled, out_of_memory.
  static Result<Reconstruction> make(SpectrumPtr spectrum, Fill fill, const SparsePattern& pattern,
                                     JobContext& context);

  [[nodiscard]] std::uint64_t m() const;
  [[nodiscard]] std::uint64_t n() const;
  [[nodiscard]] std::int64_t nonzeros() const;  ///< K, the magnitude at DC
  [[nodiscard]] const Spectrum& spectrum() const;
  [[nodiscard]] const SpectrumPtr& shared_spectrum() const;
  /// The spectrum holds every coefficient: nothing is interpolated.
  [[nodiscard]] bool is_exact() const;
  [[nodiscard]] bool is_nearest() const;  ///< Fill::nearest
  /// Where its nodes lie and are stored, for whoever interpolates elsewhere
  /// (core/device/device_pictures.cpp).
  [[nodiscard]] const SampleAxis& row_nodes() const;
  [[nodiscard]] const SampleAxis& col_nodes() const;
  /// By sorted node: where −v of it is stored. For conjugate rows (SampleAxis::stored).
  [[nodiscard]] std::vector<std::uint64_t> mirrored_columns() const;
  /// Coefficients of exact lines that `best` holds beside the samples; part of its budget.
  [[nodiscard]] std::uint64_t line_coefficients() const;
  /// Magnitudes of row u (signed or not) for v = v0, v0+step, … into `out`.
  /// Thread-safe.
  void row(std::int64_t u, std::int64_t v0, std::int64_t step, std::span<float> out) const;

  /// Magnitudes of row u at signed frequencies v, ascending, each in −⌊n/2⌋ … ⌈n/2⌉−1. Thread-safe.
  void at(std::int64_t u, std::span<const std::int64_t> v, std::span<float> out) const;

  /// What is interpolated, for whoever interpolates elsewhere: magnitudes of rows × cols nodes. None where
  /// more than their interpolation makes the plane: exact planes, scattered samples, smooth and best.
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
