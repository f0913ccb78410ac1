// SPDX-License-Identifier: Apache-2.0
// Spellings outside the standard that have only one meaning (one %, "double", "coord", which CHOLMOD reads,
// capitals) are accepted; every other deviation is an error that names the line.
#include "core/io/matrix_market/header.hpp"

#include <algorithm>
#include <array>

#include "core/base/text.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"
#include "core/io/unpack.hpp"

namespace spyctrum {

namespace {

constexpr std::string_view kBannerExample = "%%MatrixMarket matrix coordinate real general";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower_case);
  return out;
}

template <class Value>
struct Spelling {
  std::string_view word;
  Value value;
};

constexpr std::array kFormats{Spelling<MarketFormat>{"coordinate", MarketFormat::coordinate},
                              Spelling<MarketFormat>{"array", MarketFormat::array},
                              Spelling<MarketFormat>{"coord", MarketFormat::coordinate}};
constexpr std::array kFields{Spelling<MarketField>{"pattern", MarketField::pattern},
                             Spelling<MarketField>{"integer", MarketField::integer},
                             Spelling<MarketField>{"real", MarketField::real},
                             Spelling<MarketField>{"complex", MarketField::complex},
                             Spelling<MarketField>{"double", MarketField::real},
                             Spelling<MarketField>{"unsigned-integer", MarketField::integer}};
constexpr std::array kSymmetries{
    Spelling<Mirror>{"general", Mirror::none}, Spelling<Mirror>{"symmetric", Mirror::symmetric},
    Spelling<Mirror>{"skew-symmetric", Mirror::skew}, Spelling<Mirror>{"hermitian", Mirror::hermitian}};

template <class Table>
auto look_up(const Table& table, std::string_view word, std::string_view what, const TextReader& text,
             const std::string& advice) {
  const std::string lowered = lower(word);
  for (const auto& one : table)
    if (one.word == lowered) return one.value;
  std::string possible;
  for (const auto& one : table) {
    if (one.word == "double" || one.word == "unsigned-integer" || one.word == "coord") continue;
    possible += (possible.empty() ? "" : ", ") + std::string(one.word);
  }
  text.fail(
      "the banner's " + std::string(what) + " is " + in_quotes(word) + "; expected one of " + possible + ".",
      advice);
}

void read_banner(MarketHeader& header, std::string_view line, const TextReader& text) {
  if (!begins_with_banner(line)) {
    const std::string known = describe_content(std::span(line.data(), line.size()));
    const bool near_miss = lower(line.substr(0, 16)).find("matrix") != std::string::npos;
    text.fail((known.empty() ? "found " + in_quotes(line)
                             : "this is " + known + ", beginning with " + in_quotes(line, 12)) +
                  "; expected the banner \"" + std::string(kBannerExample) + "\" or one like it.",
              !known.empty() ? "Open a Matrix Market file instead."
              : near_miss
                  ? "Correct the first line of the file."
                  : "If this is a Matrix Market file without its banner, put one in as the first line.");
  }
  const std::vector<std::string_view> words = words_of(line);
  if (words[0].substr(0, 2) != "%%")
    header.notes.emplace_back("The banner begins with one % instead of two.");
  static constexpr std::array<std::string_view, 5> kParts{"", "object", "format", "field", "symmetry"};
  if (words.size() < kParts.size()) {
    text.fail("found " + in_quotes(line, 60) + "; the banner lacks its " +
                  std::string(kParts.at(words.size())) +
                  ": expected \"%%MatrixMarket matrix FORMAT FIELD SYMMETRY\".",
              "Complete the first line, for example \"" + std::string(kBannerExample) + "\".");
  }
  if (lower(words[1]) != "matrix") {
    text.fail("the banner's object is " + in_quotes(words[1]) + "; expected matrix.",
              "Other objects (vector, graph) cannot be opened.");
  }
  header.format = look_up(kFormats, words[2], "format", text, "Correct the first line.");
  header.field = look_up(kFields, words[3], "field", text,
                         "Correct the first line; for values that are fractions write real.");
  header.symmetry = look_up(kSymmetries, words[4], "symmetry", text,
                            "Correct the first line; where every entry is stored, write general.");
  if (words.size() > 5 && words[5][0] != '%')
    header.notes.push_back("Words after the symmetry in the banner were ignored: " + in_quotes(words[5]) +
                           ".");
  if (header.format == MarketFormat::array && header.field == MarketField::pattern) {
    text.fail("the banner says array and pattern, but an array has a value for every element.",
              "Write coordinate instead of array, or the field of the values instead of pattern.");
  }
}

std::string expected_size_line(MarketFormat format) {
  return format == MarketFormat::coordinate ? "the size line \"ROWS COLUMNS ENTRIES\""
                                            : "the size line \"ROWS COLUMNS\"";
}

std::uint64_t size_number(std::string_view word, std::string_view what, const TextReader& text) {
  const WholeNumber number = parse_whole_number(word);
  if (number.kind == WholeNumber::Kind::number) return number.value;
  text.fail("the size line gives " + in_quotes(word) + " as number of " + std::string(what) + "; " +
                (number.kind == WholeNumber::Kind::negative    ? "it is negative."
                 : number.kind == WholeNumber::Kind::too_large ? "it is beyond 64 bits."
                                                               : "expected a whole number."),
            "Correct the size line.");
}

std::uint64_t side(std::string_view word, std::string_view what, const TextReader& text) {
  const std::uint64_t value = size_number(word, what, text);
  if (value >= 1 && value <= kLargestSide) return value;
  text.fail("the size line gives " + grouped(value) + " as number of " + std::string(what) +
                "; expected 1 to " + grouped(kLargestSide) + ".",
            value == 0 ? "A matrix without " + std::string(what) + " has nothing to show."
                       : "Larger matrices cannot be opened; take a part of it.");
}

std::uint64_t implied_values(const MarketHeader& header) {
  const std::uint64_t n = header.cols;
  if (header.symmetry == Mirror::none) return header.rows * n;
  const std::uint64_t other = header.symmetry == Mirror::skew ? n - 1 : n + 1;  // n·other is even
  return n % 2 == 0 ? n / 2 * other : other / 2 * n;
}

void read_size_line(MarketHeader& header, TextReader& text) {
  std::string_view line;
  std::vector<std::string_view> words;
  while (words.empty() || words[0][0] == '%') {
    if (!text.next(line)) {
      text.fail("the file ends before " + expected_size_line(header.format) + ".",
                "The file is cut off or was never finished; get it again.");
    }
    words = words_of(line);
  }
  header.size_line = text.line();
  const std::size_t expected = header.format == MarketFormat::coordinate ? 3 : 2;
  if (words.size() != expected) {
    text.fail("found " + in_quotes(line) + " (" + counted(words.size(), "word", "words") + "); expected " +
                  expected_size_line(header.format) + ": " + std::to_string(expected) + " whole numbers.",
              words.size() == 5 - expected
                  ? std::string("If the size line is right, the banner should say ") +
                        (expected == 3 ? "array" : "coordinate") + "."
                  : std::string("Correct this line, or put the size line in before it."));
  }
  header.rows = side(words[0], "rows", text);
  header.cols = side(words[1], "columns", text);
  if (header.symmetry != Mirror::none && header.rows != header.cols) {
    text.fail("the matrix is " + grouped(header.rows) + "×" + grouped(header.cols) +
                  ", but the banner says " + std::string(to_string(header.symmetry)) +
                  ", which only square matrices can be.",
              "Write general in the banner, or correct the size line.");
  }
  header.entries = expected == 3 ? size_number(words[2], "entries", text) : implied_values(header);
}

}  // namespace

std::string_view to_string(MarketFormat format) { return kFormats.at(static_cast<std::size_t>(format)).word; }
std::string_view to_string(MarketField field) { return kFields.at(static_cast<std::size_t>(field)).word; }

bool begins_with_banner(std::string_view text) {
  text = without_byte_order_mark(text);
  while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
  if (text.starts_with('%')) text.remove_prefix(1);
  if (text.starts_with('%'))
    text.remove_prefix(1);
  else if (text.empty())
    return false;
  constexpr std::string_view kWord = "matrixmarket";
  if (lower(text.substr(0, kWord.size())) != kWord) return false;
  text.remove_prefix(kWord.size());
  return text.empty() || is_blank(text[0]) || text[0] == '\n';
}

MarketHeader read_market_header(TextReader& text) {
  MarketHeader header;
  std::string_view line;
  if (!text.next(line)) {
    throw Failure(ErrorCode::bad_input,
                  std::string(text.name()) + " is empty; a Matrix Market file was expected.",
                  "Get the file again.");
  }
  read_banner(header, line, text);
  read_size_line(header, text);
  return header;
}

}  // namespace spyctrum
