// SPDX-License-Identifier: Apache-2.0
#include "core/io/write/text_output.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace spyctrum {

namespace {
template <class Number>
void append(std::string& text, Number number) {
  std::array<char, 48> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}
}  // namespace

void TextOutput::add_number(std::uint64_t number) { append(buffer_, number); }

void TextOutput::add_comment(std::string_view comment) {
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    buffer_.append("% ").append(comment.substr(0, end)).append("\n");
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
}

void TextOutput::add_value(float value) {
  if (std::isnan(value))
    buffer_ += "nan";  // to_chars() writes a sign where the bit is set
  else
    append(buffer_, value);
}

void TextOutput::add_whole(float value) { append(buffer_, static_cast<std::int64_t>(value)); }

void TextOutput::add_padded(std::string_view text, std::size_t width) {
  buffer_.append(width - std::min(width, text.size()), ' ').append(text);
}

void TextOutput::add_padded(std::uint64_t number, std::size_t width) {
  add_padded(std::to_string(number), width);
}

bool TextOutput::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  context_.checkpoint(done_, total_);
  return bool{out_};
}

}  // namespace spyctrum
