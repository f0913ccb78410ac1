// SPDX-License-Identifier: Apache-2.0
// A stream of text divided at line ends: single lines for a header, blocks of whole lines for parallel
// parsing.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"
#include "core/matrix/index.hpp"

namespace spyctrum {

/// Characters that were read. resize() does not clear them: that would take longer than reading them.
using TextBlock = std::vector<char, UnsetAllocator<char>>;

/// Not thread-safe. `source` must outlive the object; `name` is the file's name in messages. `longest_line`
/// limits memory: with parallel reading every thread may hold several blocks of one line each.
class LineSource {
 public:
  LineSource(ByteSource& source, std::string_view name, std::size_t block_bytes,
             std::size_t longest_line = std::size_t{4} << 20U)
      : source_(source),
        name_(name),
        block_bytes_(block_bytes == 0 ? 1 : block_bytes),
        longest_line_(longest_line) {}

  /// Sets `line`, valid until the next call, to the next line without its line end (LF or CR LF). Returns
  /// false at the end of the file. Throws as next_block() does.
  bool next_line(std::string_view& line);
  /// Number of lines that next_line() returned.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

  /// Sets `text` to whole lines of about block_bytes, each ended by LF, including the last of the file.
  /// Returns false at the end of the file. Throws Failure{bad_input} if a line is longer than `longest_line`.
  /// An exception of the source is thrown after all whole lines before it were returned.
  bool next_block(TextBlock& text);

 private:
  bool fill();
  void check_length(std::size_t bytes) const;
  void forget_returned();
  [[nodiscard]] std::string_view there() const { return {buffer_.data(), size_}; }

  ByteSource& source_;
  std::string name_;
  std::size_t block_bytes_;
  std::size_t longest_line_;
  TextBlock buffer_;
  std::size_t size_ = 0;      // bytes of buffer_ that were read from the source
  std::size_t position_ = 0;  // of the first character that was not returned
  std::uint64_t lines_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;  // of the source, thrown once the lines before it were returned
};

}  // namespace spyctrum
