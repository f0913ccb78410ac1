// SPDX-License-Identifier: Apache-2.0
// Text from files inside messages: in quotes, shortened, without control characters, which would act on a
// terminal. Numbers with separators of thousands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spyctrum {

/// The text with control characters and bytes that are not valid UTF-8 replaced by \n, \t, \x1B and the like.
[[nodiscard]] std::string escaped(std::string_view text);

/// escaped() between double quotes. Of a text longer than `most` bytes its beginning (whole characters), and
/// …
[[nodiscard]] std::string quoted(std::string_view text, std::size_t most = 40);

/// escaped() between single quotes, for paths.
[[nodiscard]] std::string quoted_path(std::string_view path);

/// 1234567 → "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

/// The number with its noun: "1 entry", "2,000 entries".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

}  // namespace spyctrum
