// SPDX-License-Identifier: Apache-2.0
// Writes a ZIP archive of members that are not compressed from front to back, so that it may go to a pipe.
// Every size and offset has 64 bits (Zip64): PKWARE APPNOTE 6.3.10, sections 4.3 and 4.5.3. libarchive is not
// used, since its writer of ZIP archives (3.6) writes through a null pointer when an allocation is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>

namespace spyctrum {

/// Call begin_member(), put() and end_member() for each member, then finish(). Nothing is written once the
/// stream has failed; callers check its state. Equal members give equal bytes: every date is 1980-01-01.
class StoredZip {
 public:
  explicit StoredZip(std::ostream& out) : out_(out) {}

  /// The next member holds `bytes` bytes.
  void begin_member(const std::string& name, std::uint64_t bytes);
  /// Writes further bytes of the member. Returns false once the stream has failed.
  bool put(std::span<const std::byte> bytes);
  /// Throws Failure{internal} if the member got another number of bytes than announced.
  void end_member();
  /// Writes the directory.
  void finish();

 private:
  void write(const std::string& record);

  std::ostream& out_;
  std::uint64_t written_ = 0;  // bytes
  std::string directory_;
  std::uint64_t members_ = 0;
  // Of the member:
  std::string name_;
  std::uint64_t place_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t missing_ = 0;  // bytes that put() was not given yet
  std::uint32_t crc_ = 0;
};

}  // namespace spyctrum
