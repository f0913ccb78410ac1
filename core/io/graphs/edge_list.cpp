// SPDX-License-Identifier: Apache-2.0
// Lists of edges, as written by SNAP, KONECT, Graph Challenge and spreadsheets: one line per edge with two
// vertices and optionally a weight, separated by blanks, tabs, commas, semicolons or |. Lines that begin with
// # or % are comments; the first line may contain column names. Ids are kept: they are zero-based if 0
// occurs, else one-based. Edges have the direction in which they are listed. A KONECT file begins with "%
// KIND …" and optionally "% edges rows columns" (J. Kunegis, KONECT, WWW 2013): its ids are one-based, sym
// means undirected edges, bip that rows and columns are different sets of vertices.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/text.hpp"
#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace edge_list_reader {
namespace {

constexpr std::array<std::string_view, 4> kEndings{".edges", ".edgelist", ".el", ".konect"};
constexpr std::array<std::string_view, 3> kSharedEndings{".txt", ".csv", ".tsv"};
constexpr std::array<std::string_view, 4> kDelimiters{"blank", "comma", "semicolon", "bar"};
constexpr std::array kOptions{
    ImportOption{"base", kBases, "what the first vertex is called"},
    ImportOption{"directed", kYesNo, "whether an edge leads only from its first vertex to its second"},
    ImportOption{"square", kYesNo, "whether both columns name the same vertices"},
    ImportOption{"delimiter", kDelimiters, "what stands between the columns"},
    ImportOption{"header", kYesNo, "whether the first line names the columns"},
    ImportOption{"columns", {}, "ROW,COLUMN or ROW,COLUMN,WEIGHT: numbers of the columns, from 1"}};
constexpr FormatInfo kFormat{.id = "edge_list",
                             .name = "edge list",
                             .endings = kEndings,
                             .beginning = "VERTEX VERTEX",
                             .shared_endings = kSharedEndings,
                             .options = kOptions};
constexpr std::string_view kBlanks = " \t\v\f\r";
constexpr std::array<std::string_view, 4> kSeparators{kBlanks, ",\t \r", ";\t \r", "|\t \r"};
constexpr std::uint64_t kMostColumns = 1000;

bool is_comment(std::string_view line) { return line.starts_with('#') || line.starts_with('%'); }

/// The separator between the words of a file whose first line with numbers is `line`.
std::string_view separators_of(std::string_view line) {
  for (const std::string_view all : std::span(kSeparators).subspan(1))
    if (line.find(all[0]) != std::string_view::npos) return all;
  return kBlanks;
}

/// The columns, from 0, that contain row, column and weight.
struct Columns {
  bool chosen = false;     ///< by the user: every line has all of them
  bool by_fields = false;  ///< fields may be empty: they are counted by what stands between them
  std::vector<std::size_t> numbers{0, 1, 2};
};

Columns columns_of(const LoadOptions& options) {
  Columns columns;
  const std::string_view text = import_choice(options, "columns");
  if (text.empty()) return columns;
  columns.chosen = columns.by_fields = true;
  columns.numbers.clear();
  bool good = true;
  for (const std::string_view word : words_of(text, ",")) {
    std::uint64_t number = 0;
    const bool is_whole = word.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_whole && word.size() <= 4) number = std::stoull(std::string(word));
    good = good && number != 0 && number <= kMostColumns;
    columns.numbers.push_back(number - 1);
  }
  if (!good || columns.numbers.size() < 2 || columns.numbers.size() > 3)
    throw Failure(ErrorCode::wrong_use, "The option columns cannot be " + in_quotes(text) + ".",
                  "Write the numbers of the columns, from 1: columns=1,2 or columns=1,2,3 with a weight.");
  return columns;
}

/// The word without quotation marks around it.
std::string_view unquoted(std::string_view word) {
  const bool is_quoted =
      word.size() >= 2 && word.front() == word.back() && (word.front() == '"' || word.front() == '\'');
  return is_quoted ? word.substr(1, word.size() - 2) : word;
}

/// Removes the next field from `rest`, up to the separator `between`, and sets `word` to it without
/// surrounding blanks and quotation marks; false if no field is left.
bool next_field(std::string_view& rest, char between, std::string_view& word) {
  if (rest.data() == nullptr) return false;
  const std::size_t end = rest.find(between);
  word = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  const std::size_t begin = std::min(word.find_first_not_of(kBlanks), word.size());
  word = unquoted(word.substr(begin, word.find_last_not_of(kBlanks) + 1 - begin));
  return true;
}

/// Sets `found` to the words of the columns; returns how many of the first of them the line has.
std::size_t pick(std::string_view line, std::string_view separators, const Columns& columns,
                 std::array<std::string_view, 3>& found) {
  WordCursor words(line, separators);
  std::string_view word;
  if (!columns.by_fields) {
    std::size_t count = 0;
    for (; count < found.size() && words.next(word); ++count) found.at(count) = unquoted(word);
    return count;
  }
  const bool is_blank = separators == kBlanks;
  const std::size_t last = *std::ranges::max_element(columns.numbers);
  for (std::size_t at = 0; at <= last; ++at) {
    if (!(is_blank ? words.next(word) : next_field(line, separators[0], word))) break;
    for (std::size_t k = 0; k < columns.numbers.size(); ++k)
      if (columns.numbers[k] == at) found.at(k) = unquoted(word);
  }
  std::size_t count = 0;
  while (count < columns.numbers.size() && !found.at(count).empty()) ++count;
  return count;
}

/// The columns that a line of names gives to the vertices and the weight, as in "id,source,target,weight";
/// empty if it does not name both vertices, or if they and the weight are where they usually are.
std::optional<Columns> named_columns(std::string_view line, std::string_view separators) {
  static constexpr std::array<std::array<std::string_view, 3>, 3> kNames{
      {{"source", "src", "from"}, {"target", "dst", "to"}, {"weight", "weight", "weight"}}};
  constexpr std::size_t kNone = kMostColumns;
  std::array<std::size_t, 3> found{kNone, kNone, kNone};
  WordCursor words(line, separators);
  std::string_view word;
  for (std::size_t at = 0; at < kMostColumns; ++at) {
    if (!(separators == kBlanks ? words.next(word) : next_field(line, separators[0], word))) break;
    std::string name(unquoted(word));
    std::ranges::transform(name, name.begin(), lower_case);
    for (std::size_t k = 0; k < found.size(); ++k)
      if (found.at(k) == kNone && std::ranges::find(kNames.at(k), name) != kNames.at(k).end())
        found.at(k) = at;
  }
  if (found[0] == kNone || found[1] == kNone) return std::nullopt;
  const bool has_weight = found[2] != kNone;
  if (found[0] == 0 && found[1] == 1 && (!has_weight || found[2] == 2)) return std::nullopt;
  Columns columns{false, true, {found[0], found[1]}};
  if (has_weight) columns.numbers.push_back(found[2]);
  return columns;
}

bool is_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}
bool is_number(std::string_view word) { return classify_real(word) != ValueKind::malformed; }
/// The digits of a whole number that was written as a real one, "3" for 3.0 or 3.0000000e+00; else the word
/// itself.
std::string whole_text(std::string_view word) {
  if (is_digits(word) || word.find_first_of(".eE") == std::string_view::npos || !is_number(word))
    return std::string(word);
  const double number = number_of(word);
  const bool is_whole = number >= 0 && number <= 9e15 && number == std::floor(number);
  return is_whole ? std::to_string(static_cast<std::uint64_t>(number)) : std::string(word);
}

/// Information from the comments of a KONECT file.
struct Konect {
  bool is_one = false;
  bool undirected = false;
  bool bipartite = false;
  std::uint64_t rows = 0;  ///< 0: not said
  std::uint64_t cols = 0;
};

/// `number`: of the comment, from 0.
void read_comment(std::string_view line, std::uint64_t number, Konect& konect) {
  const std::vector<std::string_view> words = words_of(line, " \t%\r");
  if (number == 0 && line.starts_with('%') && !words.empty()) {
    konect.undirected = words[0] == "sym";
    konect.bipartite = words[0] == "bip";
    konect.is_one = konect.undirected || konect.bipartite || words[0] == "asym";
  }
  if (number != 1 || !konect.is_one || words.size() != 3 || !std::ranges::all_of(words, is_digits)) return;
  if (words[1].size() < 19 && words[2].size() < 19) {
    konect.rows = std::stoull(std::string(words[1]));
    konect.cols = std::stoull(std::string(words[2]));
  }
}

/// What a block of lines adds to an EdgeListReader's counts.
struct PlainBlock {
  EntryBlock edges;
  std::uint64_t least = kLargestSide;
  std::uint64_t last_row = 0;
  std::uint64_t last_col = 0;
  bool real = false;  // a weight is no whole number
};

/// A line in the usual form, once the file's columns are known: two vertices and optionally a weight. Any
/// other line, a comment included, makes the block be read line by line.
class PlainLines {
 public:
  /// `has_words`: words follow the vertices and are left out.
  PlainLines(std::string_view separators, bool weighted, bool has_words, std::uint64_t least,
             std::uint64_t most_row, std::uint64_t most_col, const LoadOptions& options)
      : weighted_(weighted),
        has_words_(has_words),
        least_(least),
        most_row_(most_row),
        most_col_(most_col),
        options_(options) {
    for (const char c : separators) is_separator_.at(static_cast<unsigned char>(c)) = true;
  }

  [[nodiscard]] PlainBlock parsed(std::string_view text) const {
    PlainBlock block;
    block.edges.entries.reserve(expected_lines(text));
    const char* at = text.data();
    const char* const end = at + text.size();
    for (; at != end && block.edges.is_plain; ++at, ++block.edges.lines)
      block.edges.is_plain = take_line(at, block);
    return block;
  }

 private:
  [[nodiscard]] bool separates(char c) const { return is_separator_[static_cast<unsigned char>(c)]; }
  void skip(const char*& at) const {
    while (separates(*at)) ++at;
  }
  /// Sets `at` to the line end where it returns true.
  bool take_line(const char*& at, PlainBlock& block) const {
    skip(at);
    std::uint64_t row = 0;
    std::uint64_t col = 0;
    if (!take_digits(at, row) || !separates(*at)) return false;
    skip(at);
    if (!take_digits(at, col)) return false;
    if (row < least_ || row > most_row_ || col < least_ || col > most_col_) return false;
    if (!weighted_) {
      const char* const end = at;
      skip(at);
      while (has_words_ && at != end && *at != '\n') ++at;
      if (*at != '\n') return false;
      block.edges.add(row, col);
    } else if (!separates(*at) || !take_weight(at, row, col, block)) {
      return false;
    }
    block.least = std::min({block.least, row, col});
    block.last_row = std::max(block.last_row, row);
    block.last_col = std::max(block.last_col, col);
    return true;
  }
  bool take_weight(const char*& at, std::uint64_t row, std::uint64_t col, PlainBlock& block) const {
    skip(at);
    const char* const begin = at;
    std::uint64_t whole = 0;
    bool is_whole = take_digits(at, whole);
    bool is_zero = is_whole && whole == 0;
    is_whole = is_whole && (separates(*at) || *at == '\n');
    while (!separates(*at) && *at != '\n') ++at;
    const std::string_view word(begin, static_cast<std::size_t>(at - begin));
    if (!is_whole) {
      const ValueKind kind = classify_real(word);
      if (kind == ValueKind::malformed) return false;
      is_zero = kind == ValueKind::zero;
      block.real = block.real || classify_integer(word) == ValueKind::malformed;
    }
    block.edges.add(row, col, is_zero, options_, [&] { return Value(number_of(word)); });
    while (*at != '\n') ++at;  // columns behind the weight
    return true;
  }

  std::array<bool, 256> is_separator_{};
  bool weighted_;
  bool has_words_;
  std::uint64_t least_;
  std::uint64_t most_row_;
  std::uint64_t most_col_;
  const LoadOptions& options_;
};

class EdgeListReader : public Reader {
 public:
  [[nodiscard]] const FormatInfo& format() const override { return kFormat; }

  [[nodiscard]] Recognition recognise(std::span<const char> head) const override {
    std::string_view text(head.data(), head.size());
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    Konect konect;
    std::uint64_t comments = 0;
    std::uint64_t edges = 0;
    bool has_names = false;
    std::optional<Columns> named;
    // The last line of the head may be cut.
    for (std::size_t end = text.find('\n'); !text.empty(); end = text.find('\n')) {
      if (end == std::string_view::npos && edges > 0) break;
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (is_comment(line)) {
        read_comment(line, comments++, konect);
        continue;
      }
      const std::string_view separators = separators_of(line);
      std::vector<std::string_view> words = words_of(line, separators);
      if (words.empty()) continue;
      std::ranges::transform(words, words.begin(), unquoted);
      // more than three columns with real numbers are a table of values, not edges
      const auto is_id = [&](std::string_view word) {
        return is_digits(word) || (words.size() <= 3 && is_digits(whole_text(word)));
      };
      if (std::array<std::string_view, 3> ids{};
          named ? pick(line, separators, *named, ids) >= 2 && is_id(ids[0]) && is_id(ids[1])
                : words.size() >= 2 && is_id(words[0]) && is_id(words[1])) {
        ++edges;
      } else if (edges == 0 && !has_names && words.size() >= 2 && std::ranges::none_of(words, is_number)) {
        has_names = true;
        named = named_columns(line, separators);
      } else {
        return Recognition::none;
      }
    }
    if (edges == 0) return Recognition::none;
    return konect.is_one ? Recognition::certain : Recognition::possible;
  }

  [[nodiscard]] Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options,
                            JobContext& context) const override {
    context.begin_stage("read");
    TextReader text(source, name, options, context);
    EntryList entries(options, context);
    Columns columns = columns_of(options);
    const std::string_view header = import_choice(options, "header");
    const std::string_view delimiter = import_choice(options, "delimiter");
    const std::string_view chosen_base = import_choice(options, "base");
    Konect konect;
    std::uint64_t comments = 0;
    std::string_view separators;
    if (!delimiter.empty())
      separators = kSeparators.at(
          static_cast<std::size_t>(std::ranges::find(kDelimiters, delimiter) - kDelimiters.begin()));
    bool has_names = false;
    bool weighted = false;
    bool has_words = false;  // in the column of the weights
    bool real = false;
    std::uint64_t least = kLargestSide;
    std::uint64_t last_row = 0;
    std::uint64_t last_col = 0;
    std::string_view line;
    const auto first = [&] { return chosen_base == "1" || (konect.is_one && chosen_base.empty()) ? 1U : 0U; };
    const auto take_line = [&] {
      if (is_comment(line)) {
        if (entries.count() == 0) read_comment(line, comments++, konect);
        return;
      }
      if (entries.count() == 0 && delimiter.empty()) separators = separators_of(line);
      if (line.find_first_not_of(separators) == std::string_view::npos) return;
      if (const std::size_t end = line.find('\r'); entries.count() == 0 && end < line.find_last_not_of('\r'))
        text.fail(
            "found a carriage return within the line, as in old Macintosh files; lines end with LF or CR LF.",
            "Convert the line ends.");
      std::array<std::string_view, 3> word;
      const std::size_t count = pick(line, separators, columns, word);
      const bool may_be_names = entries.count() == 0 && !has_names && header != "no";
      if (may_be_names && (header == "yes" || (count >= 2 && !is_number(word[0]) && !is_number(word[1])))) {
        has_names = true;
        // A first column without a name numbers the lines, as pandas writes it.
        const std::string_view names = line.substr(line.starts_with("\"\"") ? 2 : 0);
        if (!columns.chosen && separators != kBlanks && names.starts_with(separators[0]))
          columns = {false, true, {1, 2, 3}};
        else if (const auto named = named_columns(line, separators); named && !columns.chosen)
          columns = *named;
        return;
      }
      if (columns.chosen && count < columns.numbers.size())
        text.fail(
            "found " + in_quotes(line) + ", which has no column " + grouped(columns.numbers[count] + 1) + ".",
            "Correct the line, or choose other columns.");
      if (count < 2)
        text.fail("found " + in_quotes(line) + ", one column; an edge needs two vertices.",
                  "Check that this is a list of edges.");
      const auto vertex = [&](std::string_view one, std::uint64_t announced) {
        const bool is_plain = is_digits(one);
        const std::string whole = is_plain ? std::string() : whole_text(one);
        return text.whole_number(is_plain ? one : whole, "a vertex", first(), most(announced));
      };
      const std::uint64_t row = vertex(word[0], konect.rows);
      const std::uint64_t col = vertex(word[1], konect.cols);
      if (entries.count() == 0) {
        weighted = count == 3 && (columns.chosen || is_number(word[2]));
        has_words = count == 3 && !weighted;
      }
      if (weighted != (count == 3) && !has_words)
        text.fail(weighted ? "the edge has no weight, and those before it have one."
                           : "the edge has a third column, and those before it have none.",
                  "Give every line the same columns.");
      const auto weight = weighted ? text.number(word[2], "a weight") : TextReader::Number{false, true};
      real = real || !weight.is_integer;
      least = std::min({least, row, col});
      last_row = std::max(last_row, row);
      last_col = std::max(last_col, col);
      if (weighted)
        entries.add(row, col, weight.is_zero, [&] { return Value(number_of(word[2])); });
      else
        entries.add(row, col);
    };
    // after the first edge the form of the lines is known
    while ((entries.count() == 0 || columns.by_fields) && text.next(line)) take_line();
    if (entries.count() != 0 && !columns.by_fields) {
      // The sides are known at the end.
      const bool fills_in = import_choice(options, "directed") == "no" || konect.undirected;
      entries.begin_preview(0, 0, 0, fills_in ? Mirror::symmetric : Mirror::none);
      PlainLines plain(separators, weighted, has_words, first(), most(konect.rows), most(konect.cols),
                       options);
      text.for_blocks<PlainBlock>(
          [&](std::string_view block, unsigned /*worker*/) { return plain.parsed(block); },
          [&](PlainBlock& block) {
            if (!block.edges.is_plain) {
              while (text.next(line)) take_line();
              return;
            }
            text.pass_lines(block.edges.lines);
            entries.add(std::move(block.edges));
            least = std::min(least, block.least);
            last_row = std::max(last_row, block.last_row);
            last_col = std::max(last_col, block.last_col);
            real = real || block.real;
          });
    }
    if (entries.count() == 0)
      text.fail("the file ends without an edge.", "Check that this is a list of edges.");
    const bool counts_from_one = chosen_base.empty() ? konect.is_one || least > 0 : chosen_base == "1";
    const std::uint64_t base = counts_from_one ? 1 : 0;
    const std::string_view direction = import_choice(options, "directed");
    const bool undirected = direction.empty() ? konect.undirected : direction == "no";
    const std::string_view sides = import_choice(options, "square");
    const bool square = undirected || (sides.empty() ? !konect.bipartite : sides == "yes");
    if (square) last_row = last_col = std::max(last_row, last_col);
    std::uint64_t rows = std::max(konect.rows, last_row + 1 - base);
    std::uint64_t cols = std::max(konect.cols, last_col + 1 - base);
    if (undirected || (square && !sides.empty())) rows = cols = std::max(rows, cols);
    if (std::max(rows, cols) > kLargestSide)
      text.fail("the largest vertex is " + grouped(std::max(last_row, last_col)) +
                    " and the smallest 0: more than " + grouped(kLargestSide) + " vertices cannot be opened.",
                "Number the vertices anew.");
    if (base == 1) entries.count_from_one();
    Matrix matrix = std::move(entries).matrix(rows, cols, undirected ? Mirror::symmetric : Mirror::none);
    const auto separator = std::ranges::find(kSeparators, separators) - kSeparators.begin();
    std::string numbers;
    for (std::size_t k = 0; k < (weighted ? 3 : 2); ++k)
      numbers += (k == 0 ? "" : ",") + std::to_string(columns.numbers[k] + 1);
    note_assumption(matrix.report, options, "base", base == 1 ? "1" : "0");
    note_assumption(matrix.report, options, "directed", undirected ? "no" : "yes");
    note_assumption(matrix.report, options, "square", square ? "yes" : "no");
    note_assumption(matrix.report, options, "delimiter", kDelimiters.at(static_cast<std::size_t>(separator)));
    note_assumption(matrix.report, options, "header", has_names ? "yes" : "no");
    note_assumption(matrix.report, options, "columns", numbers);
    matrix.report.format = std::string(kFormat.name) + (konect.is_one ? ", KONECT" : "");
    matrix.report.field = !weighted ? "pattern" : real ? "real" : "integer";
    std::vector<std::string>& notes = matrix.report.notes;
    const std::string from = chosen_base.empty() && konect.is_one ? "KONECT: vertices count from 1. "
                             : chosen_base.empty() && base == 1
                                 ? "No vertex is 0: vertices were taken to count from 1. "
                                 : "Vertices count from " + std::to_string(base) + ". ";
    notes.push_back(from + (undirected ? "Edges have no direction: both were filled in."
                            : square   ? "Edges were taken in their direction."
                                       : "Rows and columns are different things."));
    if (has_names) notes.emplace_back("The first line names the columns.");
    if (has_words) notes.emplace_back("The column behind the vertices holds words and was left out.");
    if (columns.by_fields && !columns.chosen && columns.numbers == std::vector<std::size_t>{1, 2, 3})
      notes.emplace_back("The first column has no name and was taken as line numbers.");
    return matrix;
  }

 private:
  /// The largest id where `announced` vertices are; 0: any.
  static std::uint64_t most(std::uint64_t announced) {
    return announced == 0 ? kLargestSide : std::min(announced, kLargestSide);
  }
};

}  // namespace
}  // namespace edge_list_reader

std::unique_ptr<Reader> make_edge_list_reader() {
  return std::make_unique<edge_list_reader::EdgeListReader>();
}

}  // namespace spyctrum
