// SPDX-License-Identifier: Apache-2.0
// The directory of a ZIP archive whose members are stored as they are, such as NumPy's savez() and this
// program write: their bytes can be read at once, by several threads. (PKWARE APPNOTE 6.3.10, sections 4.3
// and 4.5.3.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spyctrum {

/// A member's bytes in the file, and the CRC-32 that they should have.
struct StoredMember {
  std::string path;
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};

/// The members of the archive in the regular file `descriptor`, in their order, if none is compressed or
/// encrypted and nothing else is before, between or behind them and the directory, which describes them as
/// their own headers do. Empty for every other file, damaged ones included: archive_members() reads these,
/// and its messages say what is damaged.
[[nodiscard]] std::optional<std::vector<StoredMember>> stored_members(int descriptor);

}  // namespace spyctrum
