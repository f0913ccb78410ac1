// SPDX-License-Identifier: Apache-2.0
// Distances to all, then the smallest of them.
#include "core/collection/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace spyctrum {

std::vector<Neighbour> nearest(const Signature& query, std::span<const float> signatures, std::size_t count,
                               ThreadPool& pool, const SignatureUse& use) {
  const std::vector<float> distances = distances_to_all(query, signatures, pool, use);
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  // Ties in the order of the entries.
  std::ranges::partial_sort(order, middle, {}, [&](std::size_t k) { return std::pair(distances[k], k); });
  order.erase(middle, order.end());
  std::vector<Neighbour> list;
  for (const std::size_t k : order) {
    Signature other;
    std::ranges::copy(signatures.subspan(k * kSignatureSize, kSignatureSize), other.begin());
    list.push_back({k, distance_between(query, other, use)});
  }
  return list;
}

}  // namespace spyctrum
