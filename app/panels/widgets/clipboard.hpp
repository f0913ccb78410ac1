// SPDX-License-Identifier: Apache-2.0
// A picture on the clipboard. GLFW's clipboard holds text only, so the picture goes to a temporary PNG and
// from there through wl-copy or xclip, whichever is installed.
#pragma once

#include "app/panels/widgets/ui.hpp"

namespace spyctrum::panels {

/// To be called once a frame: copies the picture that copy_picture() or copy_figure() (commands.hpp)
/// requested, once its file is complete.
void follow_copy(const Ui& ui);

}  // namespace spyctrum::panels
