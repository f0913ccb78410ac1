// SPDX-License-Identifier: Apache-2.0
// What an Action holds, for the two sources that make and read it: it compiles slowly.
#pragma once

#include <utility>

#include "app/controller/action.hpp"

namespace spyctrum {

struct AnyAction {
  template <class One>
  explicit AnyAction(One&& one) : variant(std::in_place_type<One>, std::move(one)) {}
  ActionVariant variant;
};

}  // namespace spyctrum
