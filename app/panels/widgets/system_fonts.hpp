// SPDX-License-Identifier: Apache-2.0
// Characters that the embedded fonts lack, such as those of a file name in Chinese: from the fonts that are
// installed (found by fontconfig), and where none has a character, a box with the digits of its code.
#pragma once

struct ImFontLoader;

namespace spyctrum {

/// A loader for the last source of a font. It has a glyph for every character that can be seen, so no source
/// after it would be asked. Fonts are searched for, and their files read, when the first character needs
/// them.
[[nodiscard]] const ImFontLoader& system_font_loader();

}  // namespace spyctrum
