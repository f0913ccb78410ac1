// SPDX-License-Identifier: Apache-2.0
// The values under the crosshair, F[u, v] and each column's approximation of it. Called from a job.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "app/controller/state.hpp"
#include "core/base/job_context.hpp"
#include "core/reconstruction/reconstruction.hpp"

namespace spyctrum {

/// One column at the crosshair.
struct ProbeSource {
  ColumnId column = 0;
  SpectrumPtr spectrum;
  ReconstructionPtr reconstruction;
  PatternPtr own_pattern;  ///< of another arrangement than the matrix; else null
  friend bool operator==(const ProbeSource&, const ProbeSource&) = default;
};
struct ProbeSpec {
  PatternPtr pattern;
  std::int64_t u = 0, v = 0;
  ReducedPlacement placement = ReducedPlacement::stretched;
  std::vector<ProbeSource> sources;
  friend bool operator==(const ProbeSpec&, const ProbeSpec&) = default;
};
struct Probe {
  std::complex<double> coefficient;
  std::vector<ColumnProbe> columns;
};
/// Place in the m-long axis of node frequency s of a reduced m0-long one.
[[nodiscard]] double place_of(std::int64_t s, std::uint64_t m0, std::uint64_t m, ReducedPlacement placement);
/// The signed index of the coefficient of a reduced axis that is drawn nearest to place u of the m-long axis.
/// Beyond the ends of a reduced plane at its true place, the coefficient onto which u folds.
[[nodiscard]] std::int64_t node_at(std::int64_t u, std::uint64_t m, std::uint64_t block,
                                   ReducedPlacement placement);
[[nodiscard]] Probe probe(const ProbeSpec& spec, JobContext& context);

}  // namespace spyctrum
