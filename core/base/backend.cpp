// SPDX-License-Identifier: Apache-2.0
// The names of backends.
#include "core/base/backend.hpp"

namespace spyctrum {

std::string to_string(Backend backend) {
  return backend.kind == BackendKind::cpu ? "cpu" : "cuda:" + std::to_string(backend.device);
}

}  // namespace spyctrum
