// SPDX-License-Identifier: Apache-2.0
// Sorts the nodes of an axis and finds the nodes around a position.
#include "core/frequency/sample_axis.hpp"

#include <algorithm>

namespace spyctrum {

namespace {

/// Nodes by `position_of(signed index of the grid's axis)`; equal positions keep the first.
template <class PositionOf>
SampleAxis sorted_axis(const FrequencyAxis& axis, bool hermitian_half, PositionOf&& position_of) {
  SampleAxis result;
  result.stored = axis.count();
  std::vector<std::pair<double, std::uint64_t>> nodes;
  nodes.reserve(axis.count() * (hermitian_half ? 2 : 1));
  for (std::uint64_t k = 0; k < axis.count(); ++k) {
    nodes.emplace_back(position_of(axis.signed_at(k)), k);
    if (hermitian_half && !is_self_mirrored(axis.at(k), axis.size()))
      nodes.emplace_back(position_of(signed_index(-axis.at(k), axis.size())), k + axis.count());
  }
  std::sort(nodes.begin(), nodes.end());
  for (const auto& [position, storage] : nodes) {
    if (!result.positions.empty() && result.positions.back() == position) continue;
    result.positions.push_back(position);
    result.storage.push_back(storage);
  }
  return result;
}

}  // namespace

SampleAxis true_axis(const FrequencyAxis& axis, bool hermitian_half) {
  SampleAxis result =
      sorted_axis(axis, hermitian_half, [](std::int64_t s) { return static_cast<double>(s); });
  result.size = axis.size();
  result.beyond = axis.is_progression() ? Beyond::periodic : Beyond::clamped;
  return result;
}

SampleAxis reduced_axis(const FrequencyAxis& axis, bool hermitian_half, std::uint64_t size, Stretch stretch) {
  const auto full = static_cast<double>(size);
  const auto reduced = static_cast<double>(axis.size());
  const std::uint64_t zero = size / 2;  // shifted position of frequency 0
  const std::uint64_t reduced_zero = axis.size() / 2;
  const auto origin = static_cast<double>(zero);
  const auto reduced_origin = static_cast<double>(reduced_zero);
  SampleAxis result = sorted_axis(axis, hermitian_half, [&](std::int64_t s) {
    const double p = static_cast<double>(s) + reduced_origin;
    if (stretch == Stretch::none) return static_cast<double>(s);
    if (stretch == Stretch::centres || axis.size() == 1) return (p + 0.5) * full / reduced - 0.5 - origin;
    return p * (full - 1) / (reduced - 1) - origin;
  });
  result.size = size;
  result.beyond = Beyond::clamped;
  return result;
}

SampleAxis::Bracket SampleAxis::bracket(double position) const {
  const std::size_t count = positions.size();
  const auto above = static_cast<std::size_t>(std::upper_bound(positions.begin(), positions.end(), position) -
                                              positions.begin());
  if (above > 0 && above < count) {
    const double gap = positions[above] - positions[above - 1];
    return {above - 1, above, (position - positions[above - 1]) / gap};
  }
  const std::size_t edge = above == 0 ? 0 : count - 1;
  if (beyond == Beyond::clamped || count == 1) return {edge, edge, 0};
  const double gap = static_cast<double>(size) - (positions.back() - positions.front());
  const double from_last =
      above == 0 ? position + static_cast<double>(size) - positions.back() : position - positions.back();
  return {count - 1, 0, from_last / gap};
}

SampleAxis::Bracket SampleAxis::bracket_after(const Bracket& last, double position) const {
  const std::size_t below = last.above;
  const bool is_next =
      below + 1 < positions.size() && positions[below] <= position && position < positions[below + 1];
  if (!is_next) return bracket(position);
  return {below, below + 1, (position - positions[below]) / (positions[below + 1] - positions[below])};
}

std::size_t SampleAxis::nearest(double position) const {
  const Bracket around = bracket(position);
  return around.weight >= 0.5 ? around.above : around.below;
}

std::uint64_t mirrored_storage(const SampleAxis& axis, const FrequencyAxis& grid, std::size_t node) {
  const std::int64_t mirror = signed_index(-grid.at(axis.storage[node]), grid.size());
  // With all frequencies, the sorted position is the offset from the lowest one.
  return axis.storage[static_cast<std::size_t>(mirror + static_cast<std::int64_t>(grid.size() / 2))];
}

}  // namespace spyctrum
