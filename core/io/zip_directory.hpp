// SPDX-License-Identifier: Apache-2.0
// The directory of a ZIP archive whose members are not compressed, such as NumPy's savez() and this program
// write, so that several threads can read them directly (PKWARE APPNOTE 6.3.10, sections 4.3 and 4.5.3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spyctrum {

/// A member's bytes in the file, and the CRC-32 that they should have.
struct StoredMember {
  std::string path;
  std::uint64_t at = 0;  ///< offset in the file
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};

/// The members of the archive in the regular file `descriptor`, in their order. Empty unless no member is
/// compressed or encrypted, the file has no bytes besides members and directory, and the directory agrees
/// with the headers of the members: archive_members() reads all other files, and its messages say what is
/// damaged.
[[nodiscard]] std::optional<std::vector<StoredMember>> stored_members(int descriptor);

}  // namespace spyctrum
