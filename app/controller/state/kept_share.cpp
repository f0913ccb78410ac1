// SPDX-License-Identifier: Apache-2.0
#include "app/controller/state/kept_share.hpp"

#include <algorithm>

#include "core/frequency/frequency_grid.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

std::optional<KeptShare> kept_share(const AppState& state, const Column& column) {
  const PatternPtr pattern = state.pattern_of(column);
  const SeenPattern seen = find_method(column.method)->sees(column.parameters);
  if (seen != SeenPattern::largest_entries || !column.spectrum || !pattern || pattern->nonzeros() == 0)
    return std::nullopt;
  const Spectrum& spectrum = *column.spectrum;
  const double kept = static_cast<double>(block_count(spectrum.m, spectrum.block)) *
                      static_cast<double>(block_count(spectrum.n, spectrum.block));
  const double squares = spectrum.weights ? spectrum.weights->squares : pattern->weight_squares();
  return KeptShare{std::min(1.0, kept / static_cast<double>(pattern->nonzeros())),
                   std::min(1.0, squares / pattern->weight_squares())};
}

}  // namespace spyctrum
