// SPDX-License-Identifier: Apache-2.0
// Lists of edges, as written by SNAP, KONECT, Graph Challenge and spreadsheets: one line per edge with two
// vertices and optionally a weight, separated by blanks, tabs, commas, semicolons, | or two colons. Lines
// that begin with # or % are comments; the first line may contain column names, or the number of vertices
// alone, and the second that of edges. Vertices are numbers, which are zero-based if 0 occurs, else
// one-based; or, if the user chooses so, names, which are numbered in the order in which they first occur. A
// weight may be complex (complex_number()), may be in a Python dictionary, {'weight': 3.5}, as NetworkX
// writes it, and may have a decimal comma unless commas separate the columns. Edges have the direction in
// which they are listed, unless a column "Type" says Undirected, as Gephi writes it. A KONECT file begins
// with "% KIND" and optionally "% edges rows columns" (J. Kunegis, KONECT, WWW 2013): its numbers are
// one-based, sym means undirected edges, bip that rows and columns are different sets of vertices.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/text.hpp"
#include "core/io/byte_source.hpp"
#include "core/io/decimal_sign.hpp"
#include "core/io/graphs/edge_columns.hpp"
#include "core/io/graphs/edge_lines.hpp"
#include "core/io/graphs/numbered_texts.hpp"
#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::edge_list_reader {
namespace {

constexpr std::array<std::string_view, 4> kEndings{".edges", ".edgelist", ".el", ".konect"};
constexpr std::array<std::string_view, 3> kSharedEndings{".txt", ".csv", ".tsv"};
constexpr std::array<std::string_view, 6> kDelimiters{"blank", "comma", "semicolon", "bar", "tab", "colons"};
constexpr std::string_view kDelimiterCharacters = " ,;|\t:";
constexpr std::array<std::string_view, 2> kVertices{"numbers", "names"};
constexpr std::array kOptions{
    ImportOption{"base", kBases, "the number of the first vertex"},
    ImportOption{"directed", kYesNo, "whether an edge leads only from its first vertex to its second"},
    ImportOption{"square", kYesNo, "whether both columns name the same vertices"},
    ImportOption{"delimiter", kDelimiters, "what separates the columns"},
    ImportOption{"header", kYesNo, "whether the first line names the columns"},
    ImportOption{"columns", {}, "ROW,COLUMN or ROW,COLUMN,WEIGHT: numbers of the columns, from 1"},
    ImportOption{"vertices", kVertices, "whether vertices have numbers, or names of any kind"},
    kDecimalOption};
constexpr FormatInfo kFormat{.id = "edge_list",
                             .name = "edge list",
                             .endings = kEndings,
                             .beginning = "VERTEX VERTEX",
                             .shared_endings = kSharedEndings,
                             .options = kOptions};

/// The delimiter of a line, one of kDelimiterCharacters; ' ' means any number of blanks and tabs. It is found
/// between the first two words, or, if `has_names`, anywhere before a dictionary, since names may contain
/// blanks.
char delimiter_of(std::string_view line, bool has_names) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  line.remove_prefix(end_of_quotes(line));
  if (has_names) {
    for (const char delimiter : {'\t', ';', '|', ','})
      if (line.substr(0, line.find('{')).find(delimiter) != std::string_view::npos) return delimiter;
    return ' ';
  }
  line.remove_prefix(std::min(line.find_first_of(" \t\v\f\r,;|:"), line.size()));
  line = trimmed(line, kBlanks);
  if (line.starts_with("::")) return kColon;
  return line.starts_with(',') || line.starts_with(';') || line.starts_with('|') ? line.front() : ' ';
}

Columns columns_of(const LoadOptions& options) {
  Columns columns;
  const std::string_view text = import_choice(options, "columns");
  if (text.empty()) return columns;
  columns.chosen = columns.by_fields = true;
  columns.numbers.clear();
  bool good = true;
  for (const std::string_view word : words_of(text, ",")) {
    std::uint64_t number = 0;
    if (is_digits(word) && word.size() <= 4) number = std::stoull(std::string(word));
    good = good && number != 0 && number <= kMostColumns;
    columns.numbers.push_back(number - 1);
  }
  if (!good || columns.numbers.size() < 2 || columns.numbers.size() > 3)
    throw Failure(ErrorCode::wrong_use, "The option columns cannot be " + in_quotes(text) + ".",
                  "Write the numbers of the columns, from 1: columns=1,2 or columns=1,2,3 with a weight.");
  return columns;
}

/// Whether a word is a number, real or complex; 2j alone may as well be a name.
bool is_number(std::string_view word) {
  return classify_real(word) != ValueKind::malformed ||
         (word.find_first_of("+-(") != std::string_view::npos && complex_number(word));
}
/// Whether a line before the first edge may hold the number of vertices or of edges.
bool is_number_alone(std::string_view line) { return is_digits(trimmed(line, kBlanks)); }
constexpr std::size_t kMostNumbersAlone = 2;
bool is_of_binary_data(char c) { return c >= 0 && c < ' ' && kBlanks.find(c) == std::string_view::npos; }

/// Whether a line has two columns that may be names of vertices, and perhaps a weight or a dictionary.
bool joins_names(std::string_view line) {
  std::vector<std::string_view> columns;
  const char delimiter = delimiter_of(line, true);
  ColumnCursor cursor(line, delimiter);
  for (std::string_view column; columns.size() < 4 && cursor.next(column);) columns.push_back(column);
  DecimalSign sign;
  if (columns.size() == 3 && delimiter != ',' && !sign.take(columns[2])) return false;
  const bool has_dictionary = columns.size() > 2 && columns[2].starts_with('{');
  const bool has_weight = columns.size() == 3 && is_number(columns[2]);
  const auto may_be_name = [](std::string_view word) {
    return !word.empty() && (is_digits(word) || !is_number(word));
  };
  return (columns.size() == 2 || has_weight || has_dictionary) && may_be_name(columns[0]) &&
         may_be_name(columns[1]);
}

/// Information from the comments of a KONECT file.
struct Konect {
  bool is_konect = false;  ///< whether the file is a KONECT file
  bool undirected = false;
  bool bipartite = false;
  std::uint64_t rows = 0;  ///< 0: unknown
  std::uint64_t cols = 0;
};

/// Adds the information of a comment; `number` counts comments from 0.
void read_comment(std::string_view line, std::uint64_t number, Konect& konect) {
  const std::vector<std::string_view> words = words_of(line, " \t%\r");
  if (number == 0 && line.starts_with('%') && !words.empty()) {
    konect.undirected = words[0] == "sym";
    konect.bipartite = words[0] == "bip";
    konect.is_konect = konect.undirected || konect.bipartite || words[0] == "asym";
  }
  if (number != 1 || !konect.is_konect || words.size() != 3 || !std::ranges::all_of(words, is_digits)) return;
  if (words[1].size() < 19 && words[2].size() < 19) {
    konect.rows = std::stoull(std::string(words[1]));
    konect.cols = std::stoull(std::string(words[2]));
  }
}

/// The largest number of a vertex if the file announces `announced` of them; 0: it does not.
std::uint64_t most(std::uint64_t announced) {
  return announced == 0 ? kLargestSide : std::min(announced, kLargestSide);
}

Recognition recognise(std::span<const char> head) {
  std::string_view text = without_byte_order_mark({head.data(), head.size()});
  Konect konect;
  std::uint64_t comments = 0;
  std::uint64_t edges = 0;
  std::uint64_t named_edges = 0;
  std::size_t numbers_alone = 0;
  bool has_names = false;
  std::optional<Columns> named;
  // The last line of the head may be incomplete.
  for (std::size_t end = text.find('\n'); !text.empty(); end = text.find('\n')) {
    if (end == std::string_view::npos && edges > 0) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (is_comment(line)) {
      read_comment(line, comments++, konect);
      continue;
    }
    if (std::ranges::any_of(line, is_of_binary_data)) return Recognition::none;
    const char delimiter = delimiter_of(line, false);
    // Numbers in groups of digits, 1,000, are recognised as well: the message of read() explains the fault.
    std::vector<std::string_view> words = words_of(line, std::string(kBlanks) + delimiter);
    if (words.empty()) continue;
    std::ranges::transform(words, words.begin(), unquoted);
    const auto is_id = [&](std::string_view word) {
      return is_digits(word) || (words.size() <= kMostColumnsOfReals && vertex_number(word));
    };
    if (std::array<std::string_view, 3> ids{};
        named ? pick(line, delimiter, *named, ids) >= 2 && is_id(ids[0]) && is_id(ids[1])
              : words.size() >= 2 && is_id(words[0]) && is_id(words[1])) {
      ++edges;
    } else if (edges == 0 && !has_names && named_edges == 0 && is_number_alone(line) &&
               numbers_alone < kMostNumbersAlone) {
      ++numbers_alone;
    } else if (edges == 0 && !has_names && words.size() >= 2 && std::ranges::none_of(words, is_number)) {
      has_names = true;
      named = named_columns(line, delimiter);
    } else if (edges == 0 && (named ? pick(line, delimiter, *named, ids) >= 2 : joins_names(line))) {
      ++named_edges;
    } else {
      return Recognition::none;
    }
  }
  // Edges may follow comments that fill the head.
  const bool has_comments_alone = comments != 0 && !has_names && head.size() == kHeadBytes;
  if (edges == 0) return named_edges != 0 || has_comments_alone ? Recognition::possible : Recognition::none;
  return konect.is_konect ? Recognition::certain : Recognition::possible;
}

/// Reads a file: line by line until the first edge has shown the form of the lines, and from there on in
/// blocks; line by line throughout if every delimiter begins a column, or if vertices have names.
class EdgeListFile {
 public:
  EdgeListFile(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : options_(options),
        text_(source, name, options, context),
        entries_(options, context),
        row_names_(context, "names of the vertices"),
        col_names_(context, "names of the vertices"),
        columns_(columns_of(options)) {
    if (chosen_delimiter_.empty()) return;
    const auto place = std::ranges::find(kDelimiters, chosen_delimiter_) - kDelimiters.begin();
    delimiter_ = kDelimiterCharacters.at(static_cast<std::size_t>(place));
  }

  /// The matrix of all lines. To be called once.
  Matrix matrix() {
    for (std::string_view line; (!has_edges() || !comes_in_blocks()) && text_.next(line);) take_line(line);
    if (has_edges() && comes_in_blocks()) take_blocks();
    if (!has_edges())
      text_.fail(numbers_alone_.empty()
                     ? "the file ends without an edge."
                     : "the file ends, and its lines have one column; an edge needs two vertices.",
                 "Check that this is a list of edges.");
    const std::uint64_t base = counts_from_one() ? 1 : 0;
    const auto [rows, cols] = size(base);
    const bool may_begin_with_sizes = begins_with_sizes();
    if (sign_.is_ambiguous()) entries_.leave_values_out();
    if (is_complex_) entries_.set_complex();
    if (base == 1) entries_.count_from_one();
    Matrix matrix =
        std::move(entries_).matrix(rows, cols, is_undirected() ? Mirror::symmetric : Mirror::none);
    report(matrix.report, base);
    if (has_names_ && !has_header_ && header_.empty() && !first_recurs_ && matrix.report.entries_in_file > 2)
      matrix.report.notes.emplace_back(
          "The first line was taken as an edge, although its names occur in no other. If it names the "
          "columns, "
          "leave it out by --import header=yes.");
    if (may_begin_with_sizes)
      matrix.report.notes.emplace_back(
          "The first line was taken as an edge. If it holds the size of the matrix, as its last number "
          "suggests, leave it out by --import header=yes.");
    return matrix;
  }

 private:
  [[nodiscard]] bool has_edges() const { return entries_.count() != 0; }
  [[nodiscard]] bool comes_in_blocks() const { return !columns_.by_fields && !has_names_ && !is_complex_; }
  [[nodiscard]] bool is_undirected() const {
    return direction_.empty() ? konect_.undirected || is_of_undirected_type_ : direction_ == "no";
  }
  /// Whether both columns name the same vertices.
  [[nodiscard]] bool is_square() const {
    return is_undirected() || (sides_.empty() ? !konect_.bipartite : sides_ == "yes");
  }
  /// The smallest number that a vertex may have.
  [[nodiscard]] std::uint64_t least() const {
    return chosen_base_ == "1" || (konect_.is_konect && chosen_base_.empty()) ? 1 : 0;
  }

  void take_line(std::string_view line) {
    if (is_comment(line)) {
      if (!has_edges()) read_comment(line, comments_++, konect_);
      return;
    }
    if (!has_edges() && chosen_delimiter_.empty()) delimiter_ = delimiter_of(line, has_names_);
    if (trimmed(line, kBlanks).find_first_not_of(delimiter_) == std::string_view::npos) return;
    if (take_number_alone(line)) return;
    std::array<std::string_view, 3> words;
    std::size_t count = pick(line, delimiter_, columns_, words);
    if (!has_edges() && !has_header_ && header_ != "no") {
      has_header_ = take_header(line, count >= 2 && !is_number(words[0]) && !is_number(words[1]));
      if (has_header_) return;
    }
    if (columns_.chosen && count < columns_.numbers.size())
      text_.fail(
          "found " + in_quotes(line) + ", which has no column " + grouped(columns_.numbers[count] + 1) + ".",
          "Correct the line, or choose other columns.");
    if (count < 2) {
      const bool is_alone = trimmed(line, kBlanks).find(delimiter_) == std::string_view::npos;
      const std::string fault =
          is_alone ? "one column" : "whose column " + grouped(columns_.numbers[count] + 1) + " is empty";
      text_.fail("found " + in_quotes(line) + ", " + fault + "; an edge needs two vertices.",
                 "Check that this is a list of edges.");
    }
    if (!has_edges() && skip_row_names(line)) count = pick(line, delimiter_, columns_, words);
    take_type(line);
    const bool have_own_names = sides_ == "no" && !is_undirected();  // rows and columns
    const std::uint64_t row = vertex(words[0], konect_.rows, row_names_);
    const std::uint64_t col = vertex(words[1], konect_.cols, have_own_names ? col_names_ : row_names_);
    first_recurs_ =
        first_recurs_ || (has_edges() && (row == first_.row || col == first_.col ||
                                          (!have_own_names && (row == first_.col || col == first_.row))));
    if (count == 3 && words[2].starts_with('{')) {
      const std::string_view weight =
          weight_of(line.substr(static_cast<std::size_t>(words[2].data() - line.data())));
      if (!weight.empty()) words[2] = weight;
      if (weight.empty() && has_edges()) --count;
    }
    add_edge(row, col, count == 3 ? std::optional(words[2]) : std::nullopt);
  }

  /// Whether a line before the first edge holds one number: of vertices, or the second one of edges.
  bool take_number_alone(std::string_view line) {
    if (has_edges() || has_names_ || header_ == "no" || !is_number_alone(line) ||
        numbers_alone_.size() == kMostNumbersAlone)
      return false;
    has_header_ = has_header_ || header_ == "yes";
    numbers_alone_.push_back(text_.whole_number(trimmed(line, kBlanks), "a number of vertices or edges", 0,
                                                std::numeric_limits<std::uint64_t>::max()));
    return true;
  }
  /// The number of vertices that the first line announces; 0: it does not. A number alone that is that of the
  /// edges is not that of the vertices.
  [[nodiscard]] std::uint64_t announced_vertices() const {
    const bool announces = !numbers_alone_.empty() && header_.empty() && is_square();
    const bool is_of_edges = numbers_alone_.size() == 1 && numbers_alone_[0] == entries_.count();
    return announces && !is_of_edges ? numbers_alone_[0] : 0;
  }

  /// Takes the type of the edge, if there is a column for it and the user has not chosen.
  void take_type(std::string_view line) {
    if (!columns_.type || !direction_.empty()) return;
    const std::string word = word_in(line, delimiter_, *columns_.type);
    const bool is_undirected = word == "undirected";
    if (!is_undirected && word != "directed") return;
    if (!has_edges()) is_of_undirected_type_ = is_undirected;
    if (is_undirected != is_of_undirected_type_)
      text_.fail("the edge is of type " + word + ", and those before it are of another.",
                 "Choose one for all edges: --import directed=yes or directed=no.",
                 {{"directed", std::string(kYesNo[0])}});
  }

  /// If the first edge has one column more than have names, the first one is the name of the row, as R writes
  /// it: sets the columns behind it. After two names the last one is rather a weight, unless the name of the
  /// row alone is quoted.
  bool skip_row_names(std::string_view line) {
    if (named_ == 0 || columns_.chosen || has_names_ || columns_of_line(line) != named_ + 1) return false;
    const std::string_view text = trimmed(line, kBlanks);
    const bool is_quoted =
        text.starts_with('"') && text.find('"', end_of_quotes(text)) == std::string_view::npos;
    Columns behind = columns_;
    behind.by_fields = true;
    for (std::size_t& number : behind.numbers) ++number;
    if (behind.type) ++*behind.type;
    std::array<std::string_view, 3> words;
    const std::size_t count = pick(line, delimiter_, behind, words);
    if ((named_ < 3 && !is_quoted) || count < 2 || !is_vertex(words[0]) || !is_vertex(words[1])) return false;
    columns_ = std::move(behind);
    return true;
  }
  [[nodiscard]] std::size_t columns_of_line(std::string_view line) const {
    ColumnCursor cursor(line, delimiter_);
    std::size_t columns = 0;
    std::string_view word;
    for (std::size_t at = 1; cursor.next(word); ++at)
      if (!word.empty()) columns = at;
    return columns;
  }

  /// Whether a line before the first edge is the header; its names then say which columns are read.
  /// `has_words_alone`: both columns of vertices have words that are not numbers.
  bool take_header(std::string_view line, bool has_words_alone) {
    const std::optional<Columns> named = named_columns(line, delimiter_);
    // A first column without a name has line numbers, as pandas writes them.
    const bool numbers_lines =
        delimiter_ != ' ' && line.substr(line.starts_with("\"\"") ? 2 : 0).starts_with(delimiter_);
    if (!columns_.chosen && numbers_lines)
      columns_ = {.by_fields = true, .numbers = {1, 2, 3}};
    else if (!columns_.chosen && named)
      columns_ = *named;
    if (!numbers_lines) named_ = columns_of_line(line);
    return header_ == "yes" || named || numbers_lines || (has_words_alone && !has_names_);
  }

  /// The number of a vertex; if vertices have names, the place of its name in `names`. `announced`: the
  /// number of vertices according to the file; 0: unknown.
  std::uint64_t vertex(std::string_view word, std::uint64_t announced, NumberedTexts& names) {
    if (has_names_) {
      if (names.size() == kLargestSide)
        text_.fail("more than " + grouped(kLargestSide) + " vertices cannot be opened.",
                   "Open a part of the graph.");
      return names.number_of(word);
    }
    const std::optional<std::uint64_t> number = vertex_number(word);
    if (number && *number >= least() && *number <= most(announced)) return *number;
    refuse_vertex(word, number, most(announced));
  }
  [[noreturn]] void refuse_vertex(std::string_view word, std::optional<std::uint64_t> number,
                                  std::uint64_t largest) {
    const std::string found = "found " + in_quotes(word) + " as a vertex; expected a whole number from " +
                              grouped(least()) + " to " + grouped(largest) + ".";
    if (number && *number < least())
      text_.fail(found, "Correct the number; if vertices count from 0, choose --import base=0.",
                 {{"base", std::string(kBases[0])}});
    if (number && largest < kLargestSide)
      text_.fail(found, "Correct the number, or those at the beginning of the file that it contradicts.");
    if (word.find(' ') != std::string_view::npos &&
        word.find_first_not_of(" 0123456789") == std::string_view::npos)
      text_.fail(found,
                 "Write numbers without groups of digits (1000, not 1,000), or choose another delimiter.");
    text_.fail(found, "Correct the line; if the vertices have names, choose --import vertices=names.",
               {{"vertices", std::string(kVertices[1])}});
  }

  /// Adds an edge. `third`: the word behind the vertices, which is a weight or is left out.
  void add_edge(std::uint64_t row, std::uint64_t col, std::optional<std::string_view> third) {
    const bool has_same_sign = !third || delimiter_ == ',' || sign_.take(*third);
    if (!has_edges()) {
      is_weighted_ = third && (columns_.chosen || is_number(*third));
      has_words_ = third && !is_weighted_;
    }
    if (is_weighted_ != third.has_value() && !has_words_)
      text_.fail(is_weighted_ ? "the edge has no weight, and those before it have one."
                              : "the edge has a third column, and those before it have none.",
                 entries_.count() == 1 && !is_weighted_
                     ? "If the first line is no edge, leave it out by --import header=yes."
                     : "Give every line the same columns, or leave weights out by --import columns=1,2.");
    if (!has_edges()) first_ = {row, col, is_weighted_ ? number_of(*third) : static_cast<double>(col)};
    extent_.add(row, col);
    if (!is_weighted_) {
      entries_.add(row, col);
      return;
    }
    if (!has_same_sign)
      text_.fail("found " + in_quotes(*third) + " as a weight; its decimal sign is not that of the others.",
                 "Write all weights with the same decimal sign.");
    if (const auto weight = complex_number(*third)) {
      is_complex_ = true;
      return entries_.add(row, col, weight->is_zero, [&] { return weight->value; });
    }
    const TextReader::Number weight = text_.number(*third, "a weight");
    is_real_ = is_real_ || !weight.is_integer;
    entries_.add(row, col, weight.is_zero, [&] { return Value(number_of(*third)); });
  }

  void take_blocks() {
    // The sides are known only at the end.
    entries_.begin_preview(0, 0, 0, is_undirected() ? Mirror::symmetric : Mirror::none);
    const EdgeForm form{.delimiter = delimiter_,
                        .is_weighted = is_weighted_,
                        .has_words = has_words_,
                        .sign = sign_,
                        .least = least(),
                        .most_row = most(konect_.rows),
                        .most_col = most(konect_.cols)};
    text_.for_blocks<EdgeBlock>(
        [&](std::string_view block, unsigned /*worker*/) { return parse_edges(block, form, options_); },
        [&](EdgeBlock& block) {
          if (!block.edges.is_plain || !sign_.add(block.sign)) {
            for (std::string_view line; text_.next(line);) take_line(line);
            return;
          }
          text_.pass_lines(block.edges.lines);
          entries_.add(std::move(block.edges));
          extent_.add(block.extent);
          is_real_ = is_real_ || block.real;
        });
  }

  /// Whether the first edge looks like a line of sizes: rows, columns and entries, or vertices and edges.
  [[nodiscard]] bool begins_with_sizes() const {
    return !has_header_ && !has_names_ && entries_.count() > 1 && first_.row == extent_.last_row &&
           (!is_weighted_ || first_.col == extent_.last_col) &&
           first_.last == static_cast<double>(entries_.count() - 1);
  }
  /// Whether the first vertex is 1.
  [[nodiscard]] bool counts_from_one() const {
    if (has_names_) return false;
    return chosen_base_.empty() ? konect_.is_konect || extent_.least > 0 : chosen_base_ == "1";
  }
  /// The numbers of rows and columns, for vertices that count from `base`.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> size(std::uint64_t base) {
    const std::uint64_t last = std::max(extent_.last_row, extent_.last_col);
    std::uint64_t rows = std::max(konect_.rows, (is_square() ? last : extent_.last_row) + 1 - base);
    std::uint64_t cols = std::max(konect_.cols, (is_square() ? last : extent_.last_col) + 1 - base);
    if (is_undirected() || (is_square() && !sides_.empty())) rows = cols = std::max(rows, cols);
    announced_ = announced_vertices();
    if (announced_ != 0) {
      if (announced_ < rows)
        text_.fail("the file announces " + counted(announced_, "vertex", "vertices") + "; found " +
                       grouped(last) + " as a vertex.",
                   "Correct the number, or leave it out by --import header=yes.", {{"header", "yes"}});
      rows = cols = announced_;
    }
    if (announced_ > kLargestSide)
      text_.fail("the file announces " + grouped(announced_) + " vertices; at most " + grouped(kLargestSide) +
                     " can be opened.",
                 "Correct the number.");
    if (std::max(rows, cols) > kLargestSide)
      text_.fail("the largest vertex is " + grouped(last) + " and the smallest 0: more than " +
                     grouped(kLargestSide) + " vertices cannot be opened.",
                 "Number the vertices anew.");
    return {rows, cols};
  }

  /// Writes what was found and assumed.
  void report(LoadReport& report, std::uint64_t base) const {
    const std::string numbers = joined(
        std::span(columns_.numbers).first(is_weighted_ ? 3 : 2),
        [](std::size_t column) { return std::to_string(column + 1); }, ",");
    if (!has_names_) note_assumption(report, options_, "base", base == 1 ? "1" : "0");
    note_assumption(report, options_, "directed", is_undirected() ? "no" : "yes");
    note_assumption(report, options_, "square", is_square() ? "yes" : "no");
    note_assumption(report, options_, "delimiter", kDelimiters.at(kDelimiterCharacters.find(delimiter_)));
    note_assumption(report, options_, "header", has_header_ ? "yes" : "no");
    note_assumption(report, options_, "columns", numbers);
    note_assumption(report, options_, "vertices", kVertices.at(has_names_ ? 1 : 0));
    note_assumption(report, options_, "format", kFormat.id);  // a table may look the same
    if (is_weighted_) sign_.report(report, options_);
    report.format = std::string(kFormat.name) + (konect_.is_konect ? ", KONECT" : "");
    report.field = !is_weighted_ || sign_.is_ambiguous() ? "pattern"
                   : is_complex_                         ? "complex"
                   : is_real_                            ? "real"
                                                         : "integer";
    const std::string from =
        has_names_ ? "Vertices are numbered in the order in which their names first occur. "
        : chosen_base_.empty() && konect_.is_konect ? "KONECT: vertices count from 1. "
        : chosen_base_.empty() && base == 1         ? "No vertex is 0: vertices were taken to count from 1. "
                                                    : "Vertices count from " + std::to_string(base) + ". ";
    report.notes.push_back(from + (is_undirected() ? "Edges have no direction: both were filled in."
                                   : is_square()   ? "Edges were taken in their direction."
                                                   : "Rows and columns are different sets of vertices."));
    if (has_header_ && numbers_alone_.empty()) report.notes.emplace_back("The first line names the columns.");
    if (!numbers_alone_.empty())
      report.notes.push_back(
          "The first line, " + grouped(numbers_alone_[0]) +
          (announced_ != 0 ? ", was taken for the number of vertices; --import header=yes leaves it out."
                           : ", is no edge and was left out."));
    if (has_words_) report.notes.emplace_back("The column behind the vertices holds words and was left out.");
    if (columns_.by_fields && !columns_.chosen && columns_.numbers == std::vector<std::size_t>{1, 2, 3})
      report.notes.emplace_back("The first column has no name and was taken as line numbers.");
  }

  const LoadOptions& options_;
  TextReader text_;
  EntryList entries_;
  NumberedTexts row_names_;  ///< of the columns as well, unless both are different sets of vertices
  NumberedTexts col_names_;
  // What the user has chosen; empty: it is found in the file.
  const std::string_view header_ = import_choice(options_, "header");
  const std::string_view chosen_delimiter_ = import_choice(options_, "delimiter");
  const std::string_view chosen_base_ = import_choice(options_, "base");
  const std::string_view direction_ = import_choice(options_, "directed");
  const std::string_view sides_ = import_choice(options_, "square");
  const bool has_names_ = import_choice(options_, "vertices") == kVertices[1];
  // What was found.
  Konect konect_;
  std::uint64_t comments_ = 0;  ///< before the first edge
  Columns columns_;
  char delimiter_ = ' ';
  bool has_header_ = false;
  std::size_t named_ = 0;  ///< columns that the header names; 0: none, or the first one without a name
  std::vector<std::uint64_t> numbers_alone_;  ///< each in a line before the first edge
  std::uint64_t announced_ = 0;               ///< number of vertices; 0: unknown
  bool is_of_undirected_type_ = false;
  bool is_weighted_ = false;
  bool has_words_ = false;                                          ///< in the column of the weights
  bool is_real_ = false;                                            ///< some weight is not a whole number
  bool is_complex_ = false;                                         ///< some weight is complex
  DecimalSign sign_{import_choice(options_, kDecimalOption.name)};  ///< of the weights
  Extent extent_;
  /// The first edge. `last`: the last number of its line.
  struct First {
    std::uint64_t row = 0;
    std::uint64_t col = 0;
    double last = 0;
  } first_;
  bool first_recurs_ = false;  ///< whether a vertex of the first edge is one of another edge
};

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  return EdgeListFile(source, name, options, context).matrix();
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::edge_list_reader
