// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180): every table that the program writes goes through this class.
// Fields are separated by ',', lines end in '\n', a field is put in quotes, with its quotes doubled, where it
// holds a comma, a quote or a line break, or where its writer asks for quotes.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace spyctrum {

class CsvWriter {
 public:
  /// What becomes of line breaks inside a field: kept (inside quotes), or spaces, so that every record is a
  /// line.
  enum class LineBreaks { keep, space };

  explicit CsvWriter(std::ostream& out, LineBreaks breaks = LineBreaks::keep) : out_(out), breaks_(breaks) {}

  /// Quoted only where it must be.
  CsvWriter& field(std::string_view text);
  CsvWriter& quoted(std::string_view text);
  /// printf's %.*g; "nan", "inf" and "-inf" where the value is none.
  CsvWriter& number(double value, int digits);
  /// Ends the record; a record without fields is an empty line.
  void end_row();
  void row(std::span<const std::string> fields);

 private:
  void separate();
  std::ostream& out_;
  LineBreaks breaks_;
  bool begun_ = false;  // the record has a field
};

}  // namespace spyctrum
