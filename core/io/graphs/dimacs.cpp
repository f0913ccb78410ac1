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

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  TextReader text(source, name, options, context);
  EntryList entries(options, context);
  std::uint64_t vertices = 0;
  std::uint64_t announced = 0;
  bool has_values = false;
  bool real = false;         // whether some value is not a whole number
  std::size_t value_at = 3;  // index of the value among the words of a line
  bool is_plain = false;     // whether lines of edges have no letter
  char kind = 0;             // letter of the lines, a or e; 0 before the first
  std::string_view line;
  while (text.next(line)) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words[0] == "c") continue;
    if (is_plain && words[0] != "p") {
      if (words.size() != 2)
        text.fail("found " + in_quotes(line) + "; expected two vertices.", "Correct the line.");
      kind = 'e';
      const std::uint64_t from = text.whole_number(words[0], "a vertex", 1, vertices);
      entries.add(from - 1, text.whole_number(words[1], "a vertex", 1, vertices) - 1);
      continue;
    }
    if (words[0].size() != 1 || std::string_view("paenvdx").find(words[0][0]) == std::string_view::npos)
      text.fail("found " + in_quotes(line) + "; expected a line that begins with c, p, a, e or n.",
                "Check that this is a DIMACS graph.");
    if (words[0] == "p") {
      if (vertices != 0) text.fail("this is a second problem line.", "Open one graph at a time.");
      if (words.size() < 4)
        text.fail("found " + in_quotes(line) + "; expected p KIND VERTICES EDGES.", "Complete the line.");
      vertices = text.whole_number(words[2], "the number of vertices", 1, kLargestSide);
      announced = text.whole_number(words[3], "the number of edges", 0, std::uint64_t{1} << 62U);
      value_at = words[1] == "min" ? 4 : 3;
      is_plain = std::ranges::find(kPlainKinds, words[1]) != kPlainKinds.end();
      const bool has_edges = is_plain || words[1] == "edge" || words[1] == "col";
      entries.begin_preview(vertices, vertices, announced, has_edges ? Mirror::symmetric : Mirror::none);
      continue;
    }
    if (vertices == 0)
      text.fail("found " + in_quotes(line) + " before the problem line p KIND VERTICES EDGES.",
                "Put the problem line in before the first arc or edge.");
    if (words[0] != "a" && words[0] != "e") continue;
    if (kind != 0 && kind != words[0][0])
      text.fail("arcs (a) and edges (e) stand in one file.", "Keep one kind of line.");
    kind = words[0][0];
    if (words.size() < 3)
      text.fail("found " + in_quotes(line) + "; expected two vertices.", "Complete the line.");
    const std::uint64_t from = text.whole_number(words[1], "a vertex", 1, vertices);
    const std::uint64_t to = text.whole_number(words[2], "a vertex", 1, vertices);
    bool is_zero = false;
    const bool has_value = words.size() > value_at;
    if (entries.count() > 0 && has_values != has_value)
      text.fail("some edges have a value and others have none.", "Give each edge a value, or none.");
    if (has_value) {
      const TextReader::Number value = text.number(words[value_at], "a value");
      real = real || !value.is_integer;
      has_values = true;
      is_zero = value.is_zero;
    }
    if (has_value)
      entries.add(from - 1, to - 1, is_zero, [&] { return Value(number_of(words[value_at])); });
    else
      entries.add(from - 1, to - 1);
  }
  if (vertices == 0)
    text.fail("the file ends without the problem line p KIND VERTICES EDGES.", "Get the file again.");
  const std::uint64_t found = entries.count();
  // In colouring problems the announced number, or the list, has some edges once for each direction.
  const bool agrees =
      found == announced || (kind == 'e' && (found == 2 * announced || 2 * found == announced));
  if (!agrees)
    text.fail("the file holds " + counted(found, "edge", "edges") + "; its problem line announces " +
                  grouped(announced) + ".",
              "The file may be cut off: get it again, or correct the problem line.");
  Matrix matrix =
      std::move(entries).matrix(vertices, vertices, kind == 'e' ? Mirror::symmetric : Mirror::none);
  matrix.report.format = kFormat.name;
  matrix.report.field = !has_values ? "pattern" : real ? "real" : "integer";
  matrix.report.notes.emplace_back(kind == 'e' ? "Edges have no direction: both were filled in."
                                               : "Arcs were taken in their direction.");
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::dimacs_reader
