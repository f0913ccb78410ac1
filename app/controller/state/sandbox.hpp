// SPDX-License-Identifier: Apache-2.0
// Whether the selected matrix can be drawn in.
#pragma once

namespace spyctrum {

struct SandboxView {
  bool is_drawing = false;  ///< the selected matrix is a drawing
  bool can_undo = false, can_redo = false;
};

}  // namespace spyctrum
