// SPDX-License-Identifier: Apache-2.0
// F[u, v] is summed over all entries; a stored coefficient is looked up at the nearest node.
#include "app/controller/pictures/probe.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "core/frequency/folding.hpp"
#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

namespace {

struct NearestNode {
  std::uint64_t index = 0;
  std::int64_t frequency = 0;  ///< signed, of the axis's own dimension
};

/// The node of `axis` whose frequency is nearest to `frequency`, cyclically in axis.size().
NearestNode nearest_node(const FrequencyAxis& axis, std::int64_t frequency) {
  const auto size = static_cast<double>(axis.size());
  NearestNode best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t k = 0; k < axis.count(); ++k) {
    const double apart = std::remainder(static_cast<double>(axis.signed_at(k) - frequency), size);
    if (std::abs(apart) >= least) continue;
    least = std::abs(apart);
    best = {k, axis.signed_at(k)};
  }
  return best;
}

struct NearestSample {
  std::complex<float> value;
  double u = 0, v = 0;  ///< where it lies in the m×n plane
};

/// The stored coefficient of `spectrum` nearest to (u, v); empty when no values are stored.
std::optional<NearestSample> nearest_sample(const Spectrum& spectrum, std::int64_t u, std::int64_t v,
                                            ReducedPlacement placement) {
  if (spectrum.values.empty()) return std::nullopt;
  if (spectrum.placement == Placement::scattered) {
    const ScatteredPoints& points = spectrum.points;
    const std::size_t at = points.raster->point_near(u, v, points.u, points.v);
    return NearestSample{spectrum.values[at], static_cast<double>(points.u[at]),
                         static_cast<double>(points.v[at])};
  }
  const FrequencyAxis& rows = spectrum.grid.rows;
  const FrequencyAxis& cols = spectrum.grid.cols;
  const bool reduced = spectrum.placement == Placement::reduced_plane;
  const bool conjugate = spectrum.hermitian_half && u < 0;
  if (conjugate) {
    u = -u;
    v = -v;
  }
  const NearestNode row = nearest_node(rows, reduced ? node_at(u, spectrum.m, spectrum.block, placement) : u);
  const NearestNode col = nearest_node(cols, reduced ? node_at(v, spectrum.n, spectrum.block, placement) : v);
  NearestSample sample;
  sample.value = spectrum.values[row.index * cols.count() + col.index];
  sample.u = reduced ? place_of(row.frequency, rows.size(), spectrum.m, placement)
                     : static_cast<double>(row.frequency);
  sample.v = reduced ? place_of(col.frequency, cols.size(), spectrum.n, placement)
                     : static_cast<double>(col.frequency);
  if (conjugate) {
    sample.value = std::conj(sample.value);
    sample.u = -sample.u;
    sample.v = -sample.v;
  }
  return sample;
}

ColumnProbe probe_column(const ProbeSource& source, const ProbeSpec& spec, double exact) {
  ColumnProbe result{.column = source.column};
  if (source.own_pattern) {
    result.coefficient = coefficient_at(*source.own_pattern, spec.u, spec.v);
    exact = std::abs(*result.coefficient);
  }
  if (source.spectrum) {
    if (const auto sample = nearest_sample(*source.spectrum, spec.u, spec.v, spec.placement)) {
      result.sample = std::complex<double>(sample->value);
      result.sample_u = sample->u;
      result.sample_v = sample->v;
    }
  }
  if (source.reconstruction) {
    float value = 0;
    source.reconstruction->row(spec.u, spec.v, 1, std::span(&value, 1));
    result.reconstruction = value;
    result.difference = static_cast<double>(value) - exact;
  }
  return result;
}

}  // namespace

double place_of(std::int64_t s, std::uint64_t m0, std::uint64_t m, ReducedPlacement placement) {
  if (placement == ReducedPlacement::centre || m0 < 2) return static_cast<double>(s);
  const auto node = static_cast<double>(s + static_cast<std::int64_t>(m0 / 2));
  const std::uint64_t middle = m / 2;
  return -static_cast<double>(middle) + node * static_cast<double>(m - 1) / static_cast<double>(m0 - 1);
}

std::int64_t node_at(std::int64_t u, std::uint64_t m, std::uint64_t block, ReducedPlacement placement) {
  const std::uint64_t m0 = block_count(m, block);
  if (placement == ReducedPlacement::centre)
    return u == signed_index(u, m0) ? u : FoldedAxis{m, block}.folded(static_cast<double>(u));
  if (m < 2) return u;
  const auto shifted = static_cast<double>(u + static_cast<std::int64_t>(m / 2));
  return std::llround(shifted * static_cast<double>(m0 - 1) / static_cast<double>(m - 1)) -
         static_cast<std::int64_t>(m0 / 2);
}

Probe probe(const ProbeSpec& spec, JobContext& context) {
  Probe result;
  result.coefficient = coefficient_at(*spec.pattern, spec.u, spec.v);
  context.check_stop();
  const double exact = std::abs(result.coefficient);
  for (const ProbeSource& source : spec.sources) {
    result.columns.push_back(probe_column(source, spec, exact));
    context.check_stop();
  }
  return result;
}

}  // namespace spyctrum
