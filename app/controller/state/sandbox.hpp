// SPDX-License-Identifier: Apache-2.0
// Whether the selected matrix can be drawn in, and what was changed in its spectrum.
#pragma once

#include <memory>
#include <vector>

#include "core/pictures/changed_spectrum.hpp"

namespace spyctrum {

struct SandboxView {
  bool is_drawing = false;  ///< the selected matrix is a drawing
  bool can_undo = false, can_redo = false;
  std::vector<ChangedCoefficient> changed;  ///< in the order of the changes
  /// The matrix of the changed spectrum, rows × columns numbers row by row; null: nothing is changed.
  std::shared_ptr<const std::vector<float>> matrix;
};

}  // namespace spyctrum
