// SPDX-License-Identifier: Apache-2.0
// Moving pictures of the comparison as files: animated WebP (developers.google.com/speed/webp), where the
// program was built with libwebp, or numbered PNGs.
#pragma once

#include <memory>
#include <string>

#include "app/controller/files/comparison_figure.hpp"

namespace spyctrum {

/// Begins a moving picture of frames of `pixels` per point that follow each other after `seconds`. `path`
/// ends in .webp: one file, lossless, repeated for ever; in .png: a file for each frame, NAME-001.png and so
/// on. Errors: wrong_use for another ending, and for .webp without libwebp; output where the path cannot be
/// written.
[[nodiscard]] Result<std::shared_ptr<AnimationFile>> open_animation(const std::string& path, double pixels,
                                                                    double seconds);

}  // namespace spyctrum
