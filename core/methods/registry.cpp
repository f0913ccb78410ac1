// SPDX-License-Identifier: Apache-2.0
// The registered methods, in the order in which they are listed: the usual choice of each kind first.
#include "core/methods/registry.hpp"

#include <algorithm>

namespace spyctrum {

const std::vector<std::unique_ptr<Method>>& methods() {
  static const std::vector<std::unique_ptr<Method>> registered = [] {
    std::vector<std::unique_ptr<Method>> list;
    list.push_back(make_bs_fft());
    list.push_back(make_elastic());
    list.push_back(make_density_map());
    list.push_back(make_exact());
    list.push_back(make_dense());
    list.push_back(make_bs_fft_paper());
    list.push_back(make_elastic_paper());
    list.push_back(make_fixed_point());
    list.push_back(make_fps_sft());
    list.push_back(make_pruned());
    list.push_back(make_finufft());
    return list;
  }();
  return registered;
}

const Method* find_method(std::string_view id) {
  const auto found = std::find_if(methods().begin(), methods().end(),
                                  [&](const auto& method) { return method->info().id == id; });
  return found == methods().end() ? nullptr : found->get();
}

void Method::stream(const Request& /*request*/, std::span<RowConsumer* const> /*consumers*/,
                    JobContext& /*context*/) const {
  throw Failure(ErrorCode::wrong_use,
                info().label + " does not compute every row of the plane, so there is nothing to pass on.",
                "Choose a method that does: bs-fft, exact or dense.");
}

}  // namespace spyctrum
