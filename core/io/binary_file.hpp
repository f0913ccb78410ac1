// SPDX-License-Identifier: Apache-2.0
// The bytes of a binary file, one after the other, with their positions for messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/booked_list.hpp"
#include "core/io/reader.hpp"

namespace spyctrum {

/// Each function that reads reports progress, returns fewer bytes than requested only at the end of the file,
/// and throws as ByteSource::read() does.
class BinaryFile {
 public:
  /// `source` must outlive the object, which reads ahead; `name` is the file's name in messages.
  BinaryFile(ByteSource& source, std::string_view name, JobContext& context)
      : source_(source), name_(name), context_(context), buffer_(kBuffer) {}

  /// Fills `bytes`; returns the number of bytes read.
  std::size_t read(std::span<char> bytes);
  /// Appends `count` bytes to `list`, which grows as they are read; returns the number of bytes read.
  std::uint64_t append(BookedList<char>& list, std::uint64_t count);
  /// Reads `count` bytes without keeping them; returns the number of bytes read.
  std::uint64_t pass(std::uint64_t count);
  /// Number of bytes read.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] JobContext& context() const { return context_; }
  /// Throws Failure{bad_input}: "NAME, byte BYTE: WHAT".
  [[noreturn]] void fail(std::uint64_t byte, const std::string& what, const std::string& advice) const;

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 14U;
  ByteSource& source_;
  std::string name_;
  JobContext& context_;
  std::vector<char> buffer_;
  std::span<const char> ahead_;  // bytes of buffer_ that were not returned
  std::uint64_t position_ = 0;
};

}  // namespace spyctrum
