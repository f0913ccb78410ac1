// SPDX-License-Identifier: Apache-2.0
// Comparison with pictures stored in tests/golden/pictures as PNG, by structural similarity. Where the stored
// picture is missing or too different the comparison fails and leaves the drawn picture as <name>.drawn.png
// in the working folder. With SPYCTRUM_STORE_PICTURES=1 in the environment the drawn picture is stored
// instead: look at it before you commit it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "render/readback.hpp"
#include "tests/golden/ssim.hpp"

namespace spyctrum::testing {

/// Least similarity of equal pictures: rounding and anti-aliasing differ between drivers, structure does not.
struct Likeness {
  double mean = 0.99;
  double worst_block = 0.95;
};

/// Reads a file of any pixel format as 8-bit RGB. Throws std::runtime_error naming the file.
[[nodiscard]] render::Picture read_png(const std::string& path);

/// Compares with the stored picture `name`, given without folder and ending.
[[nodiscard]] ::testing::AssertionResult like_stored(const render::Picture& drawn, const std::string& name,
                                                     const Likeness& least = {});

}  // namespace spyctrum::testing
