// SPDX-License-Identifier: Apache-2.0
// A picture on the clipboard. GLFW's clipboard holds text only, so the picture goes
// to a temporary PNG and from there through wl-copy or xclip, whichever is installed.
#pragma once

#include "app/panels/widgets/ui.hpp"

namespace spyctrum::panels {

/// Once a frame: hands a picture that was asked for by copy_picture() (commands.hpp) over as soon as
/// its file is whole.
void follow_copy(const Ui& ui);

}  // namespace spyctrum::panels
