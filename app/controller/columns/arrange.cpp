// SPDX-License-Identifier: Apache-2.0
// Masks the region, or permutes rows and columns by one of orders().
#include "app/controller/columns/arrange.hpp"

#include <utility>

#include "core/matrix/reordering.hpp"

namespace spyctrum {

Arranged arrange(const ArrangementSpec& spec, JobContext& context) {
  if (spec.arrangement.kind == Arrangement::Kind::region) {
    const PlaneRect& region = spec.region.value();
    return {std::make_shared<const SparsePattern>(spec.whole->restricted_to(
                static_cast<std::uint64_t>(region.top), static_cast<std::uint64_t>(region.left),
                static_cast<std::uint64_t>(region.height()), static_cast<std::uint64_t>(region.width()))),
            {}};
  }
  const OrderInfo* order = find_order(spec.arrangement.order);
  if (order == nullptr) throw Failure(ErrorCode::internal, "No order " + spec.arrangement.order + ".");
  Permutation permutation = compute_permutation(*spec.whole, order->order, spec.arrangement.seed, context);
  return {std::make_shared<const SparsePattern>(permuted(*spec.whole, permutation, context)),
          std::move(permutation.note)};
}

}  // namespace spyctrum
