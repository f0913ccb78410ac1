// SPDX-License-Identifier: Apache-2.0
// Loads the fonts that the program carries into the current ImGui context.
#pragma once

#include "app/app_frame.hpp"

namespace spyctrum {

/// Roboto for text, Cousine for numbers, Font Awesome's icons merged into the text. What cannot be
/// read is replaced by ImGui's own font. Sizes scale without loading again (style.FontScaleDpi).
[[nodiscard]] Fonts load_fonts();

}  // namespace spyctrum
