// SPDX-License-Identifier: Apache-2.0
// The fonts of the interface, embedded in the program.
#pragma once

struct ImFont;

namespace spyctrum {

/// Valid between load_fonts() and forget_fonts(). Icons of Font Awesome 6 (solid) are merged into `text` and
/// `bold`.
struct Fonts {
  ImFont* text = nullptr;  ///< 14 points, default
  ImFont* bold = nullptr;  ///< 16 points
  ImFont* mono = nullptr;  ///< 13 points, fixed width: numbers in tables
};
[[nodiscard]] const Fonts& fonts();

/// Loads them into the current ImGui context: Roboto for text, Cousine for numbers, Font Awesome for icons,
/// installed fonts for characters that these lack. A font that cannot be read is replaced by ImGui's own.
/// Sizes scale without loading again (style.FontScaleDpi).
void load_fonts();
/// Clears the pointers; call it before the ImGui context is destroyed.
void forget_fonts();

}  // namespace spyctrum
