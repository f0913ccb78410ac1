// SPDX-License-Identifier: Apache-2.0
// Tables between the sorted nodes and the DFT indices of both axes.
#include "core/reconstruction/known_coefficients.hpp"

#include <cmath>
#include <utility>

namespace spyctrum {

namespace {

std::vector<std::uint64_t> indices_of(const SampleAxis& axis) {
  std::vector<std::uint64_t> indices;
  indices.reserve(axis.positions.size());
  for (const double position : axis.positions)
    indices.push_back(
        static_cast<std::uint64_t>(dft_index(std::llround(position), static_cast<std::int64_t>(axis.size))));
  return indices;
}

std::vector<std::uint32_t> inverse(const std::vector<std::uint64_t>& indices, std::uint64_t size,
                                   std::uint32_t none) {
  std::vector<std::uint32_t> nodes(size, none);
  for (std::size_t k = 0; k < indices.size(); ++k) nodes[indices[k]] = static_cast<std::uint32_t>(k);
  return nodes;
}

}  // namespace

KnownCoefficients::KnownCoefficients(const SampleAxis& rows, const SampleAxis& cols,
                                     std::vector<float> magnitudes, LineValues lines, bool symmetric)
    : row_index_(indices_of(rows)),
      col_index_(indices_of(cols)),
      node_of_row_(inverse(row_index_, rows.size, kNone)),
      node_of_col_(inverse(col_index_, cols.size, kNone)),
      magnitudes_(std::move(magnitudes)),
      lines_(std::move(lines)),
      symmetric_(symmetric) {}

}  // namespace spyctrum
