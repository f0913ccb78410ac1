// SPDX-License-Identifier: Apache-2.0
// What a method takes of the pattern, in words for captions on the screen and in figures.
#pragma once

#include <string>

#include "app/controller/state/columns.hpp"

namespace spyctrum {

/// "counts per 16 × 16 block", of values "sums per 16 × 16 block"; empty for a method of all entries.
[[nodiscard]] std::string method_input_words(const Column& column, bool of_values);

}  // namespace spyctrum
