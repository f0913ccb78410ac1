// SPDX-License-Identifier: Apache-2.0
// Quoting by RFC 4180, section 2.
#include "core/io/csv.hpp"

#include <array>
#include <cstdio>

namespace spyctrum {

void CsvWriter::separate() {
  if (begun_) out_ << ',';
  begun_ = true;
}

CsvWriter& CsvWriter::field(std::string_view text) {
  if (text.find_first_of(",\"\n") != std::string_view::npos) return quoted(text);
  separate();
  out_ << text;
  return *this;
}

CsvWriter& CsvWriter::quoted(std::string_view text) {
  separate();
  out_ << '"';
  for (const char letter : text) {
    if (letter == '"') out_ << '"';
    out_ << (letter == '\n' && breaks_ == LineBreaks::space ? ' ' : letter);
  }
  out_ << '"';
  return *this;
}

CsvWriter& CsvWriter::number(double value, int digits) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return field(text.data());
}

void CsvWriter::end_row() {
  out_ << '\n';
  begun_ = false;
}

void CsvWriter::row(std::span<const std::string> fields) {
  for (const std::string& text : fields) field(text);
  end_row();
}

}  // namespace spyctrum
