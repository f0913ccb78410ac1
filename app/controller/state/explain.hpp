// SPDX-License-Identifier: Apache-2.0
// What the spectrum of the selected matrix means for its pattern.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "app/controller/state/pictures.hpp"
#include "core/explain/explain.hpp"

namespace spyctrum {

struct ExplainView {
  bool wanted = false;  ///< the user asked: of every matrix that is selected from then on
  bool busy = false;
  std::shared_ptr<const Explanation> explanation;  ///< of the selected matrix; null until it is there
  std::optional<std::size_t> shown;                ///< index of the finding that is marked in the pictures
  std::array<std::optional<PlaneRect>, kPlanes> marks;  ///< outlines in pattern and spectrum
};

}  // namespace spyctrum
