// SPDX-License-Identifier: Apache-2.0
// Graphs of the DIMACS challenges (http://archive.dimacs.rutgers.edu/Challenges): comments "c TEXT", one
// problem line "p KIND vertices edges", then lines "a from to [value]" of arcs, which have a direction, or
// "e vertex vertex [value]" of undirected edges. Vertices count from 1. Lines n, v, d and x describe vertices
// and are skipped. The arcs of "p min" have a lower bound, a capacity (the value that is read) and a cost.
// Lines of edges in PACE's graphs (kPlainKinds; https://pacechallenge.org) have no letter.
#include <algorithm>
#include <array>

#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::dimacs_reader {
namespace {

constexpr std::array<std::string_view, 4> kEndings{".col", ".gr", ".max", ".dimacs"};
constexpr FormatInfo kFormat{
    .id = "dimacs", .name = "DIMACS graph", .endings = kEndings, .beginning = "p KIND VERTICES EDGES"};

/// Problems of PACE, whose edges have no letter.
constexpr std::array<std::string_view, 7> kPlainKinds{"tw", "td", "ds", "hs", "fes", "cep", "ocr"};

Recognition recognise(std::span<const char> head) {
  std::string_view text(head.data(), head.size());
  bool has_comment = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() == 4 && words[0] == "p") return Recognition::certain;
    if (!words.empty() && words[0] != "c") return Recognition::none;
    has_comment = has_comment || !words.empty();
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return has_comment ? Recognition::possible : Recognition::none;
}

/// Reads the lines of a graph one by one.
class Graph {
 public:
  Graph(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : text_(source, name, options, context), entries_(options, context) {}

  /// The matrix of all lines. To be called once.
  Matrix matrix() {
    while (text_.next(line_)) {
      const std::vector<std::string_view> words = words_of(line_);
      if (!words.empty() && words[0] != "c") take(words);
    }
    check_end();
    Matrix matrix =
        std::move(entries_).matrix(vertices_, vertices_, has_edges() ? Mirror::symmetric : Mirror::none);
    matrix.report.format = kFormat.name;
    matrix.report.field = !has_values_ ? "pattern" : is_real_ ? "real" : "integer";
    matrix.report.notes.emplace_back(has_edges() ? "Edges have no direction: both were filled in."
                                                 : "Arcs were taken in their direction.");
    return matrix;
  }

 private:
  [[noreturn]] void fail_expecting(const std::string& expected, const std::string& advice) const {
    text_.fail("found " + in_quotes(line_) + "; expected " + expected, advice);
  }
  [[nodiscard]] std::uint64_t vertex(std::string_view word) const {
    return text_.whole_number(word, "a vertex", 1, vertices_) - 1;
  }
  [[nodiscard]] bool has_edges() const { return letter_ == 'e'; }

  void take(const std::vector<std::string_view>& words) {
    if (is_plain_ && words[0] != "p") return take_plain(words);
    if (words[0].size() != 1 || std::string_view("paenvdx").find(words[0][0]) == std::string_view::npos)
      fail_expecting("a line that begins with c, p, a, e or n.", "Check that this is a DIMACS graph.");
    if (words[0] == "p") return take_problem(words);
    if (vertices_ == 0)
      text_.fail("found " + in_quotes(line_) + " before the problem line p KIND VERTICES EDGES.",
                 "Put the problem line in before the first arc or edge.");
    if (words[0] == "a" || words[0] == "e") take_edge(words);
  }

  void take_problem(const std::vector<std::string_view>& words) {
    if (vertices_ != 0) text_.fail("this is a second problem line.", "Open one graph at a time.");
    if (words.size() < 4) fail_expecting("p KIND VERTICES EDGES.", "Complete the line.");
    vertices_ = text_.whole_number(words[2], "the number of vertices", 1, kLargestSide);
    announced_ = text_.whole_number(words[3], "the number of edges", 0, std::uint64_t{1} << 62U);
    value_at_ = words[1] == "min" ? 4 : 3;
    is_plain_ = std::ranges::find(kPlainKinds, words[1]) != kPlainKinds.end();
    const bool is_mirrored = is_plain_ || words[1] == "edge" || words[1] == "col";
    entries_.begin_preview(vertices_, vertices_, announced_, is_mirrored ? Mirror::symmetric : Mirror::none);
  }

  /// An edge without a letter.
  void take_plain(const std::vector<std::string_view>& words) {
    if (words.size() != 2) fail_expecting("two vertices.", "Correct the line.");
    letter_ = 'e';
    const std::uint64_t from = vertex(words[0]);
    entries_.add(from, vertex(words[1]));
  }

  /// An arc or edge with its letter.
  void take_edge(const std::vector<std::string_view>& words) {
    if (letter_ != 0 && letter_ != words[0][0])
      text_.fail("arcs (a) and edges (e) stand in one file.", "Keep one kind of line.");
    letter_ = words[0][0];
    if (words.size() < 3) fail_expecting("two vertices.", "Complete the line.");
    const std::uint64_t from = vertex(words[1]);
    const std::uint64_t to = vertex(words[2]);
    const bool has_value = words.size() > value_at_;
    if (entries_.count() > 0 && has_values_ != has_value)
      text_.fail("some edges have a value and others have none.", "Give each edge a value, or none.");
    has_values_ = has_value;
    if (!has_value) return entries_.add(from, to);
    const TextReader::Number value = text_.number(words[value_at_], "a value");
    is_real_ = is_real_ || !value.is_integer;
    entries_.add(from, to, value.is_zero, [&] { return Value(number_of(words[value_at_])); });
  }

  void check_end() const {
    if (vertices_ == 0)
      text_.fail("the file ends without the problem line p KIND VERTICES EDGES.", "Get the file again.");
    const std::uint64_t found = entries_.count();
    // In colouring problems the announced number, or the list, has some edges once for each direction.
    const bool agrees =
        found == announced_ || (has_edges() && (found == 2 * announced_ || 2 * found == announced_));
    if (!agrees)
      text_.fail("the file holds " + counted(found, "edge", "edges") + "; its problem line announces " +
                     grouped(announced_) + ".",
                 "The file may be cut off: get it again, or correct the problem line.");
  }

  TextReader text_;
  EntryList entries_;
  std::string_view line_;
  std::uint64_t vertices_ = 0;   // 0 before the problem line
  std::uint64_t announced_ = 0;  // edges
  std::size_t value_at_ = 3;     // index of the value among the words of a line
  char letter_ = 0;              // of the lines, a or e; 0 before the first
  bool is_plain_ = false;        // whether lines of edges have no letter
  bool has_values_ = false;
  bool is_real_ = false;  // whether some value is not a whole number
};

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  return Graph(source, name, options, context).matrix();
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::dimacs_reader
