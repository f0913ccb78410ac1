// SPDX-License-Identifier: Apache-2.0
// A picture on the clipboard. GLFW's clipboard holds text only, so the picture goes
// to a temporary PNG and from there through wl-copy or xclip, whichever is installed.
#pragma once

#include "app/panels/widgets/ui.hpp"

namespace spyctrum::panels {

/// Call it once a frame: copies what copy_picture() or copy_figure() (commands.hpp) asked for as soon as its
/// file is complete.
void follow_copy(const Ui& ui);

}  // namespace spyctrum::panels
