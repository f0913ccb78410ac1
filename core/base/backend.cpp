// SPDX-License-Identifier: Apache-2.0
// The names of backends.
#include "core/base/backend.hpp"

namespace spyctrum {

std::string to_string(Backend backend) {
  if (backend.kind == BackendKind::cpu) return "cpu";
  std::string text = "cuda:";
  for (const Backend& member : members_of(backend))
    text += (text.back() == ':' ? "" : ",") + std::to_string(member.device);
  return text;
}

std::vector<Backend> members_of(Backend backend) {
  if (backend.group == 0) return {backend};
  std::vector<Backend> members;
  for (int device = 0; device < kMostDevices; ++device)
    if ((backend.group >> device & 1U) != 0) members.push_back({backend.kind, device, backend.automatic, 0});
  return members;
}

}  // namespace spyctrum
