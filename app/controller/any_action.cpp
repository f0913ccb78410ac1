// SPDX-License-Identifier: Apache-2.0
#include "app/controller/any_action.hpp"

#include <tuple>

namespace spyctrum {

template <class One>
std::shared_ptr<const AnyAction> shared_action(One&& one) {
  return std::make_shared<const AnyAction>(std::move(one));
}

namespace {

template <class... All>
auto functions_of(std::type_identity<std::variant<All...>> /*actions*/) {
  return std::tuple(&shared_action<All>...);
}

}  // namespace

/// Has shared_action() compiled for every action.
extern const decltype(functions_of(std::type_identity<ActionVariant>())) kSharedActions;
const decltype(functions_of(std::type_identity<ActionVariant>())) kSharedActions =
    functions_of(std::type_identity<ActionVariant>());

}  // namespace spyctrum
