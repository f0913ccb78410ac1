// SPDX-License-Identifier: Apache-2.0
// Writes many numbers as text, independently of the locale, through a buffer; there is a checkpoint of the
// job each time that the buffer is full.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "core/base/job_context.hpp"

namespace spyctrum {

class TextOutput {
 public:
  /// `total`: entries that will be written, for the progress.
  TextOutput(std::ostream& out, JobContext& context, std::uint64_t total)
      : out_(out), context_(context), total_(total) {}

  void add(std::string_view text) { buffer_ += text; }
  void add(char c) { buffer_ += c; }
  void add_number(std::uint64_t number);
  /// Writes `comment`, of one line or more, as lines that begin with "% ".
  void add_comment(std::string_view comment);
  /// Writes the fewest digits that give the same number in single precision; "nan", "inf", "-inf".
  void add_value(float value);
  /// Writes a value that is a whole number.
  void add_whole(float value);
  /// Writes `number` right-aligned in `width` characters.
  void add_padded(std::uint64_t number, std::size_t width);
  void add_padded(std::string_view text, std::size_t width);

  /// To be called after each line or entry. Returns false once the stream has failed. Throws
  /// Failure{cancelled}.
  [[nodiscard]] bool next_entry() {
    ++done_;
    return buffer_.size() < kBufferBytes || flush();
  }
  /// As next_entry(), for a line that is not counted as an entry.
  [[nodiscard]] bool end_line() { return buffer_.size() < kBufferBytes || flush(); }
  /// Writes the buffer to the stream. Returns false once the stream has failed. Throws Failure{cancelled}.
  bool flush();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18U;
  std::ostream& out_;
  JobContext& context_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::string buffer_;
};

}  // namespace spyctrum
