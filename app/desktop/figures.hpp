// SPDX-License-Identifier: Apache-2.0
// Draws the figures of a study as PNG files without a window, by the code that draws them in the window.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace spyctrum {

class AppFrame;
class Controller;

/// Opens the study in `folder`, draws every figure for every group of matrices and, where a matrix of it can
/// be opened, pictures of pattern, spectrum and reconstruction by method, into DIR/figures. Returns the
/// files. `frame` draws into an offscreen context. Errors: bad_input, output.
[[nodiscard]] Result<std::vector<std::string>> draw_figures(AppFrame& frame, Controller& controller,
                                                            const std::string& folder);

}  // namespace spyctrum
