// SPDX-License-Identifier: Apache-2.0
// Text cut at line ends: single lines for a header, blocks of whole lines for
// what is parsed in parallel.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "core/io/reader.hpp"

namespace spyctrum {

class LineSource {
 public:
  LineSource(ByteSource& source, std::string_view name, std::size_t block_bytes)
      : source_(source), name_(name), block_bytes_(block_bytes == 0 ? 1 : block_bytes) {}

  /// The next line without its line end (LF or CR LF); valid until the next
  /// call. False at the end of the file.
  bool next_line(std::string_view& line);
  /// Number of lines given out by next_line().
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

  /// About block_bytes of whole lines; the last line of the file gets the line
  /// end that it may lack. False at the end of the file. Throws
  /// Failure{bad_input} where a line is longer than 64 MB, and what the source
  /// threw, after the whole lines that came before.
  bool next_block(std::string& text);

 private:
  bool fill();
  void check_length(std::size_t bytes) const;

  ByteSource& source_;
  std::string name_;
  std::size_t block_bytes_;
  std::string buffer_;
  std::size_t position_ = 0;
  std::uint64_t lines_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;  // of the source, thrown once the lines before it are given out
};

}  // namespace spyctrum
