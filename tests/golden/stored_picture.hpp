// SPDX-License-Identifier: Apache-2.0
// Pictures stored in tests/golden/pictures as PNG, and the comparison with them by structural
// similarity. A picture that is missing or too different fails, and what was drawn is left as
// <name>.drawn.png in the working folder. With SPYCTRUM_STORE_PICTURES=1 in the environment what was
// drawn is stored instead: look at it before it is committed.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "render/readback.hpp"
#include "tests/golden/ssim.hpp"

namespace spyctrum::testing {

/// What is still the same picture: rounding and anti-aliasing differ between drivers, structure does not.
struct Likeness {
  double mean = 0.99;
  double worst_block = 0.95;
};

/// 8-bit RGB whatever the file holds. Throws std::runtime_error naming the file.
[[nodiscard]] render::Picture read_png(const std::string& path);

/// `name` without folder and ending.
[[nodiscard]] ::testing::AssertionResult like_stored(const render::Picture& drawn, const std::string& name,
                                                     const Likeness& least = {});

}  // namespace spyctrum::testing
