// SPDX-License-Identifier: Apache-2.0
// Computes the distances to all signatures and selects the smallest; writes reasons as text.
#include "core/collection/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/text.hpp"

namespace spyctrum {

std::vector<Neighbour> nearest(const Signature& query, std::span<const float> signatures, std::size_t count,
                               ThreadPool& pool, const SignatureUse& use) {
  const std::vector<float> distances = distances_to_all(query, signatures, pool, use);
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  // Ties in the order of the rows.
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

std::string reason_text(const SignatureDistance& found) {
  std::string agrees;
  std::string differs;
  for (std::size_t p = 0; p < kSignatureParts.size(); ++p) {
    const SignaturePart& part = kSignatureParts.at(p);
    if (part.view != SignatureView::common && part.view != found.view) continue;
    std::string& list = found.parts.at(p) <= kAgreement ? agrees : differs;
    list += (list.empty() ? "" : ", ") + std::string(part.label) + " " + number_text(found.parts.at(p), 2);
  }
  std::string text;
  if (!agrees.empty()) text += "agrees: " + agrees;
  if (!differs.empty()) text += (text.empty() ? "" : "; ") + ("differs: " + differs);
  return text;
}

}  // namespace spyctrum
