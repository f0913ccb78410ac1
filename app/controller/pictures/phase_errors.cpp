// SPDX-License-Identifier: Apache-2.0
// Rows of the grid are computed exactly in groups: by the lattice engine where the columns form a
// progression, which wraps at the ends of a reduced plane, else by direct sums.
#include "app/controller/pictures/phase_errors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "core/fft/lattice.hpp"

namespace spyctrum {

namespace {

constexpr std::uint64_t kCoefficientsAtOnce = std::uint64_t{1} << 22U;

/// The frequencies of `axis` in a dimension of `size`. Nodes of a reduced plane are sorted, so that they form
/// a progression.
FrequencyAxis represented(const FrequencyAxis& axis, std::uint64_t size, bool reduced) {
  if (!reduced) return axis;
  std::int64_t least = axis.signed_at(0);
  for (std::uint64_t k = 1; k < axis.count(); ++k) least = std::min(least, axis.signed_at(k));
  return FrequencyAxis::progression(size, least, 1, axis.count());
}

}  // namespace

bool has_phases(const Spectrum& spectrum) {
  if (spectrum.placement == Placement::scattered || spectrum.values.empty()) return false;
  return spectrum.placement == Placement::reduced_plane ||
         (spectrum.grid.rows.is_progression() && spectrum.grid.cols.is_progression());
}

SpectrumPtr phase_errors(const Spectrum& spectrum, const SparsePattern& pattern, JobContext& context) {
  context.begin_stage("phases");
  const bool reduced = spectrum.placement == Placement::reduced_plane;
  const FrequencyAxis rows = represented(spectrum.grid.rows, spectrum.m, reduced);
  const FrequencyAxis cols = represented(spectrum.grid.cols, spectrum.n, reduced);
  auto errors = std::make_shared<Spectrum>();
  errors->m = spectrum.m;
  errors->n = spectrum.n;
  errors->nonzeros = spectrum.nonzeros;
  errors->placement = spectrum.placement;
  errors->hermitian_half = spectrum.hermitian_half;
  errors->grid = spectrum.grid;
  errors->block = spectrum.block;
  errors->exactness = Exactness::exact_samples;
  errors->values.resize(spectrum.values.size());
  const std::uint64_t width = cols.count(), group = std::max<std::uint64_t>(1, kCoefficientsAtOnce / width);
  // The position of node k of the stored axis in the sorted one.
  const auto place = [reduced](const FrequencyAxis& stored, const FrequencyAxis& sorted, std::uint64_t k) {
    return reduced ? static_cast<std::uint64_t>(stored.signed_at(k) - sorted.at(0)) : k;
  };
  std::vector<std::uint64_t> row_at(rows.count());
  for (std::uint64_t k = 0; k < rows.count(); ++k) row_at[place(spectrum.grid.rows, rows, k)] = k;
  for (std::uint64_t done = 0; done < rows.count(); done += group) {
    context.checkpoint(done, rows.count());
    const std::uint64_t count = std::min(group, rows.count() - done);
    const FrequencyGrid part{rows.part(done, count, spectrum.m), cols};
    const auto exact = lattice_transform(pattern, part, {}, context);
    for (std::uint64_t r = 0; r < count; ++r) {
      for (std::uint64_t k = 0; k < width; ++k) {
        const std::uint64_t at = row_at[done + r] * width + k;
        const std::complex<float> here = spectrum.values[at];
        const std::complex<float> there = exact[r * width + place(spectrum.grid.cols, cols, k)];
        const bool zero = std::norm(here) < spectrum.rounding_floor,
                   none = std::norm(there) < spectrum.rounding_floor;
        const float apart = zero && none   ? 0
                            : zero || none ? std::numbers::pi_v<float> / 2
                                           : std::abs(std::arg(here * std::conj(there)));
        errors->values[at] = std::sqrt(apart);
      }
    }
  }
  return errors;
}

}  // namespace spyctrum
