// SPDX-License-Identifier: Apache-2.0
// The registered methods, in the order in which they are listed: the recommended one of each kind first.
#include <algorithm>
#include <array>

#include "core/device/backends.hpp"
#include "core/device/device_module.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

/// Defined in make_method.hpp and instantiated in each method's own file, so that outside its folder the
/// class is named only here.
template <class SomeMethod>
std::unique_ptr<Method> make_method();

using MakeMethod = std::unique_ptr<Method> (*)();

/// One line for each method. `class X` in a template argument declares X in the enclosing namespace, here
/// spyctrum, so that no header has to.
static constexpr auto kRegistered = std::to_array<MakeMethod>({
    make_method<class BsFft>,
    make_method<class Elastic>,
    make_method<class DensityMap>,
    make_method<class Exact>,
    make_method<class Dense>,
    make_method<class BsFftPaper>,
    make_method<class ElasticPaper>,
    make_method<class FixedPoint>,
    make_method<class Threshold>,
    make_method<class FpsSft>,
    make_method<class Pruned>,
    make_method<class Finufft>,
});

const std::vector<std::unique_ptr<Method>>& methods() {
  static const std::vector<std::unique_ptr<Method>> registered = [] {
    std::vector<std::unique_ptr<Method>> list;
    list.reserve(kRegistered.size());
    for (const MakeMethod make : kRegistered) list.push_back(make());
    return list;
  }();
  return registered;
}

const Method* find_method(std::string_view id) {
  const auto found = std::find_if(methods().begin(), methods().end(),
                                  [&](const auto& method) { return method->info().id == id; });
  return found == methods().end() ? nullptr : found->get();
}

const Method& usual_method(MethodRole role) {
  for (const auto& method : methods())
    if (method->info().role == role) return *method;
  throw Failure(ErrorCode::internal,
                "No method declares the role " + std::to_string(static_cast<int>(role)) + ".");
}

Support Method::supports(Backend backend) const {
  if (backend.kind == BackendKind::cpu) return {};
  const std::string reason = cuda_unavailable_reason();
  if (!reason.empty()) return {false, "the CUDA backend is not available: " + reason};
  if (backend.device >= cuda_module().device_count())
    return {false, "there is no device " + to_string(backend)};
  return {};
}

MethodInput Method::input(const ResolvedParameters& /*parameters*/) const { return MethodInput::all_entries; }

void Method::stream(const ResolvedRequest& /*request*/, std::span<RowConsumer* const> /*consumers*/,
                    JobContext& /*context*/) const {
  throw Failure(ErrorCode::wrong_use,
                info().label + " does not compute every row of the plane, so its rows cannot be streamed.",
                "Choose a method that does: bs-fft, exact or dense.");
}

}  // namespace spyctrum
