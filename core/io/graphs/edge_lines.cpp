// SPDX-License-Identifier: Apache-2.0
// Most lines are two numbers with one character between them, which for_non_digits() finds; all others are
// parsed character by character.
#include "core/io/graphs/edge_lines.hpp"

#include <utility>

#include "core/io/digit_runs.hpp"

namespace spyctrum::edge_list_reader {
namespace {

class EdgeLines {
 public:
  EdgeLines(EdgeForm form, const LoadOptions& options) : form_(std::move(form)), options_(options) {}

  [[nodiscard]] EdgeBlock parsed(std::string_view text) const {
    EdgeBlock block;
    block.sign = form_.sign;
    block.edges.entries.reserve(expected_lines(text));
    Grouped<PackedEntry> entries(block.edges.entries);
    // Local variables stay in registers; members of the block would be stored for every line.
    Extent extent;
    bool is_plain = true;
    std::uint64_t lines = 0;
    const char* const end = text.data() + text.size();
    const char* line = text.data();  // where the next line begins
    const char* second = nullptr;    // where its second number begins, once its first one is known
    std::uint64_t row = 0;
    // Lines of two numbers with one character between them, as most lines are, do not need take_line().
    for_non_digits(text, [&](const char* at) {
      if (at < line) return true;  // within a line that take_line() has taken
      if (second == nullptr && !form_.is_weighted && is_delimiter(*at) &&
          number_of_digits(line, at, end, row)) {
        second = at + 1;
        return true;
      }
      std::uint64_t col = 0;
      const char* const line_end = *at == '\r' ? at + 1 : at;
      const bool is_usual = second != nullptr && *line_end == '\n' && number_of_digits(second, at, end, col);
      second = nullptr;
      if (is_usual) {
        add(row, col, extent, entries);  // the extent shows at the end whether all are inside
        line = line_end;
      } else {
        // take_line() gets copies, since variables whose address is passed on are not kept in registers.
        const char* of_line = line;
        Extent with_line = extent;
        is_plain = take_line(of_line, block, with_line, entries);
        line = of_line;
        extent = with_line;
      }
      ++line;
      ++lines;
      return is_plain;
    });
    block.extent = extent;
    block.edges.is_plain =
        is_plain &&
        (lines == 0 || (extent.least >= form_.least && is_inside(extent.last_row, extent.last_col)));
    block.edges.lines = lines;
    entries.flush();
    if (!form_.is_weighted) block.edges.count = block.edges.entries.size();
    return block;
  }

 private:
  /// Whether `c` is one of kBlanks; takes two comparisons for a digit.
  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }
  static void skip_blanks(const char*& at) {
    while (is_blank(*at)) ++at;
  }
  /// Skips the delimiter between two columns; returns false if there is another character.
  [[nodiscard]] bool skip_delimiter(const char*& at) const {
    const char* const begin = at;
    skip_blanks(at);
    if (form_.delimiter == ' ') return at != begin;
    if (*at != form_.delimiter || (form_.delimiter == kColon && *++at != kColon)) return false;
    skip_blanks(++at);
    return true;
  }
  /// Whether skip_delimiter() skips this character alone.
  [[nodiscard]] bool is_delimiter(char c) const {
    return is_blank(c) ? form_.delimiter == ' ' : c == form_.delimiter;
  }
  [[nodiscard]] bool ends_column(char c) const { return is_blank(c) || c == form_.delimiter || c == '\n'; }
  /// Parses a line from `at` on. Returns false if it has another form; else sets `at` to its line end.
  /// `entries`: those of the block, if they have no weights.
  bool take_line(const char*& at, EdgeBlock& block, Extent& extent, Grouped<PackedEntry>& entries) const {
    skip_blanks(at);
    std::uint64_t row = 0;
    std::uint64_t col = 0;
    if (!take_digits(at, row) || !skip_delimiter(at) || !take_digits(at, col)) return false;
    if (!is_inside(row, col)) return false;
    if (form_.is_weighted) {
      if (!skip_delimiter(at) || !take_weight(at, row, col, block)) return false;
    } else {
      if (form_.has_words && skip_delimiter(at)) {
        while (*at != '\n') ++at;
      }
      skip_blanks(at);
      if (*at != '\n') return false;
      add(row, col, extent, entries);
      return true;
    }
    extent.add(row, col);
    return true;
  }
  [[nodiscard]] bool is_inside(std::uint64_t row, std::uint64_t col) const {
    return row >= form_.least && row <= form_.most_row && col >= form_.least && col <= form_.most_col;
  }
  static void add(std::uint64_t row, std::uint64_t col, Extent& extent, Grouped<PackedEntry>& entries) {
    extent.add(row, col);
    entries.add(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
  }
  bool take_weight(const char*& at, std::uint64_t row, std::uint64_t col, EdgeBlock& block) const {
    const char* const begin = at;
    std::uint64_t whole = 0;
    bool is_whole = take_digits(at, whole);
    bool is_zero = is_whole && whole == 0;
    is_whole = is_whole && ends_column(*at);
    while (!ends_column(*at)) ++at;
    std::string_view word(begin, static_cast<std::size_t>(at - begin));
    if (!is_whole) {
      if (form_.delimiter != ',' && !block.sign.take(word)) return false;
      const ValueKind kind = classify_real(word);
      if (kind == ValueKind::malformed) return false;
      is_zero = kind == ValueKind::zero;
      block.real = block.real || classify_integer(word) == ValueKind::malformed;
    }
    block.edges.add(row, col, is_zero, options_, [&] { return Value(number_of(word)); });
    skip_blanks(at);
    if (form_.delimiter != ' ' && *at != form_.delimiter && *at != '\n') return false;
    if (*at == '+' || *at == '-') return false;  // perhaps a complex weight, 1 + 2i
    while (*at != '\n') ++at;                    // columns behind the weight
    return true;
  }

  const EdgeForm form_;  // a copy: members of another object would be read again for every line
  const LoadOptions& options_;
};

}  // namespace

EdgeBlock parse_edges(std::string_view text, const EdgeForm& form, const LoadOptions& options) {
  return EdgeLines(form, options).parsed(text);
}

}  // namespace spyctrum::edge_list_reader
