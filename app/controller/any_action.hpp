// SPDX-License-Identifier: Apache-2.0
// What an Action holds, for the two sources that make and read it: it compiles slowly.
#pragma once

#include "app/controller/action.hpp"

namespace spyctrum {

struct AnyAction {
  ActionVariant variant;
};

}  // namespace spyctrum
