// SPDX-License-Identifier: Apache-2.0
// A hash of text that is the same on every machine and in every version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spyctrum {

/// The 64-bit FNV-1a hash of the bytes (draft-eastlake-fnv), as 16 hexadecimal digits.
[[nodiscard]] inline std::string fnv_text(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash >> shift & 15U];
  return digits;
}

}  // namespace spyctrum
