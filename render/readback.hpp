// SPDX-License-Identifier: Apache-2.0
// Frames back from the GPU: for PNG export and for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "render/context.hpp"

namespace spyctrum::render {

/// Row 0 is the top; 3·height·width bytes.
struct Picture {
  std::uint32_t height = 0, width = 0;
  std::vector<std::uint8_t> rgb;
};

/// The frame that was drawn since Context::begin_frame(), to be called before swap(). Waits for the GPU.
/// Errors: wrong_use for an empty frame, internal.
[[nodiscard]] Result<Picture> read_frame(const Context& context);

/// Writes a picture as PNG with text chunks (provenance). Errors: output.
[[nodiscard]] Result<void> save_picture(const std::string& path, const Picture& picture,
                                        const std::vector<std::pair<std::string, std::string>>& text = {});

}  // namespace spyctrum::render
