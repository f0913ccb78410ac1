// SPDX-License-Identifier: Apache-2.0
#include "core/io/zip_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace spyctrum {

namespace {

constexpr std::size_t kEndBytes = 22;      // 4.3.16, without a comment
constexpr std::size_t kLocatorBytes = 20;  // 4.3.15
constexpr std::size_t kEnd64Bytes = 56;    // 4.3.14, version 1
constexpr std::size_t kEntryBytes = 46;    // 4.3.12, without name and extra fields
constexpr std::size_t kHeaderBytes = 30;   // 4.3.7, the same
constexpr std::uint64_t kMostDirectoryBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kInExtraField = 0xFFFFFFFF;  // the number is in an extra field of 64 bits
constexpr std::uint64_t kDescriptorFollows = 8;      // flag: checksum and sizes follow the member's bytes
constexpr std::uint64_t kNamesInUtf8 = 0x800;        // flag

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  while (width-- > 0) value = 256 * value + static_cast<unsigned char>(bytes[at + width]);
  return value;
}

/// `count` bytes of the file from byte `at` on; fewer if it ends before.
std::string bytes_at(int descriptor, std::uint64_t at, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = pread(descriptor, bytes.data() + done, count - done, static_cast<off_t>(at + done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

struct Directory {
  std::uint64_t members = 0;
  std::uint64_t at = 0;
  std::string bytes;
};

std::optional<Directory> directory_of(int descriptor, std::uint64_t file_bytes) {
  if (file_bytes < kEndBytes) return std::nullopt;
  std::uint64_t end = file_bytes - kEndBytes;
  const std::string last = bytes_at(descriptor, end, kEndBytes);
  if (!last.starts_with("PK\5\6") || last.size() < kEndBytes || number(last, 20, 2) != 0) return std::nullopt;
  Directory directory{number(last, 10, 2), number(last, 16, 4), {}};
  std::uint64_t size = number(last, 12, 4);
  if (end >= kLocatorBytes + kEnd64Bytes) {
    const std::string locator = bytes_at(descriptor, end - kLocatorBytes, kLocatorBytes);
    if (locator.starts_with("PK\6\7")) {
      end -= kLocatorBytes + kEnd64Bytes;
      const std::string end64 = bytes_at(descriptor, end, kEnd64Bytes);
      if (number(locator, 8, 8) != end || !end64.starts_with("PK\6\6") || end64.size() < kEnd64Bytes)
        return std::nullopt;
      directory.members = number(end64, 32, 8);
      directory.at = number(end64, 48, 8);
      size = number(end64, 40, 8);
    }
  }
  if (size > kMostDirectoryBytes || directory.at > end || directory.at + size != end) return std::nullopt;
  directory.bytes = bytes_at(descriptor, directory.at, static_cast<std::size_t>(size));
  if (directory.bytes.size() < size) return std::nullopt;
  return directory;
}

/// If `value` is kInExtraField, replaces it by the next number of 64 bits in `extra`. Returns false if there
/// is none.
bool widen(std::uint64_t& value, std::string_view& extra) {
  if (value != kInExtraField) return true;
  if (extra.size() < 8) return false;
  value = number(extra, 0, 8);
  extra.remove_prefix(8);
  return true;
}

/// The extra field of this kind, without its head; empty if there is none.
std::string_view extra_field(std::string_view extra, std::uint64_t kind) {
  while (extra.size() >= 4) {
    const std::size_t size = std::min<std::size_t>(number(extra, 2, 2), extra.size() - 4);
    if (number(extra, 0, 2) == kind) return extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  return {};
}

}  // namespace

std::optional<std::vector<StoredMember>> stored_members(int descriptor) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  const std::optional<Directory> directory =
      directory_of(descriptor, static_cast<std::uint64_t>(facts.st_size));
  if (!directory) return std::nullopt;
  std::vector<StoredMember> members;
  std::string_view rest = directory->bytes;
  std::uint64_t end = 0;  // of the member before
  std::uint64_t most_between = 0;
  while (!rest.empty()) {
    if (!rest.starts_with("PK\1\2") || rest.size() < kEntryBytes) return std::nullopt;
    const std::uint64_t flags = number(rest, 8, 2);
    const std::uint64_t method = number(rest, 10, 2);
    const auto name_bytes = static_cast<std::size_t>(number(rest, 28, 2));
    const auto extra_bytes = static_cast<std::size_t>(number(rest, 30, 2));
    const std::size_t entry_bytes =
        kEntryBytes + name_bytes + extra_bytes + static_cast<std::size_t>(number(rest, 32, 2));
    if (entry_bytes > rest.size() || method != 0 || (flags & ~(kDescriptorFollows | kNamesInUtf8)) != 0)
      return std::nullopt;
    StoredMember member{std::string(rest.substr(kEntryBytes, name_bytes)), number(rest, 42, 4),
                        number(rest, 24, 4), static_cast<std::uint32_t>(number(rest, 16, 4))};
    std::uint64_t packed_bytes = number(rest, 20, 4);
    std::string_view wide = extra_field(rest.substr(kEntryBytes + name_bytes, extra_bytes), 1);
    if (!widen(member.bytes, wide) || !widen(packed_bytes, wide) || !widen(member.at, wide) ||
        packed_bytes != member.bytes || member.at < end || member.at - end > most_between)
      return std::nullopt;
    const std::string header = bytes_at(descriptor, member.at, kHeaderBytes + name_bytes);
    const bool has_descriptor = (flags & kDescriptorFollows) != 0;
    if (!header.starts_with("PK\3\4") || header.size() < kHeaderBytes + name_bytes ||
        number(header, 6, 2) != flags || number(header, 8, 2) != method ||
        (!has_descriptor && number(header, 14, 4) != member.crc) || number(header, 26, 2) != name_bytes ||
        header.compare(kHeaderBytes, name_bytes, member.path) != 0)
      return std::nullopt;
    member.at += kHeaderBytes + name_bytes + number(header, 28, 2);
    if (member.at > directory->at || member.bytes > directory->at - member.at) return std::nullopt;
    end = member.at + member.bytes;
    most_between = has_descriptor ? 24 : 0;
    members.push_back(std::move(member));
    rest.remove_prefix(entry_bytes);
  }
  if (members.size() != directory->members || directory->at - end > most_between) return std::nullopt;
  return members;
}

}  // namespace spyctrum
