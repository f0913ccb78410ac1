// SPDX-License-Identifier: Apache-2.0
// Counts in messages, with commas between groups of three digits. Other numbers as text: text.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spyctrum {

/// 1234567 → "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

/// The number with its noun: "1 entry", "2,000 entries".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

/// The sides of a matrix or picture: "1,000 × 20".
[[nodiscard]] std::string sides_text(std::uint64_t rows, std::uint64_t cols);

}  // namespace spyctrum
