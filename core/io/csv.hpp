// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180); every table of the program is written by this class. Fields are
// separated by ',', lines end in '\n'. A field is quoted, with its quotes doubled, if it contains a comma, a
// quote or a line break, or on request.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace spyctrum {

class CsvWriter {
 public:
  /// How line breaks within a field are written: as they are (in quotes), or as spaces, so that every record
  /// is one line.
  enum class LineBreaks { keep, space };

  explicit CsvWriter(std::ostream& out, LineBreaks breaks = LineBreaks::keep) : out_(out), breaks_(breaks) {}

  /// Writes the text, quoted only if necessary.
  CsvWriter& field(std::string_view text);
  CsvWriter& quoted(std::string_view text);
  /// Writes the number as printf's %.*g; "nan", "inf" or "-inf" if it is not finite.
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
