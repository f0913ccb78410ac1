// SPDX-License-Identifier: Apache-2.0
// Finding a label from a few of its letters.
#pragma once

#include <string_view>

namespace spyctrum::panels {

/// How well `typed` fits `label`: −1 where the letters of a word of `typed` do not occur in `label` in this
/// order (case aside), else 1 for each letter, 4 more where it begins a word of the label and 5 more where it
/// follows the letter before it. The words may be in any order. An empty `typed` fits everything, with 0.
[[nodiscard]] int fuzzy_match(std::string_view typed, std::string_view label);

}  // namespace spyctrum::panels
