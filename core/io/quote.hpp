// SPDX-License-Identifier: Apache-2.0
// Foreign text inside messages: quoted, shortened, and harmless to a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spyctrum {

/// Control characters, and bytes that are not valid UTF-8, as \n, \t, \x1B; the rest as it is.
[[nodiscard]] std::string escaped(std::string_view text);

/// escaped() between double quotes, cut after about `most` bytes with an ellipsis.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t most = 40);

/// A path between single quotes.
[[nodiscard]] std::string quoted_path(std::string_view path);

/// 1234567 → "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "1 entry", "2,000 entries".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

}  // namespace spyctrum
