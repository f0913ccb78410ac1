// SPDX-License-Identifier: Apache-2.0
// The only place that instantiates the growth of an ActionQueue.
#include "app/controller/action.hpp"

namespace spyctrum {

void push(ActionQueue& queue, Action action) { queue.push_back(std::move(action)); }

}  // namespace spyctrum
