// SPDX-License-Identifier: Apache-2.0
// METIS and Chaco graphs (G. Karypis, METIS 5.1 manual, 2013, §4.1.1; B. Hendrickson, R. Leland, Chaco 2.0,
// 1995): a line "vertices edges [FMT [weights of a vertex]]", then a line for each vertex with its
// neighbours, counted from 1. Every neighbour is an entry; a file lists both directions of an edge. FMT has
// three digits, 1 if the file has sizes of vertices, weights of vertices and weights of edges. In graphs of
// the 10th DIMACS challenge the first digit has another meaning: an edge may be listed twice.
#include <array>

#include "core/io/compressed_lines.hpp"
#include "core/io/digit_runs.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum::metis_reader {
namespace {

constexpr std::array<std::string_view, 3> kEndings{".graph", ".mgraph", ".metis"};
constexpr FormatInfo kFormat{.id = "metis", .name = "METIS graph", .endings = kEndings};
constexpr std::uint64_t kMostWeights = 1000;

struct Header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool sizes = false;
  bool edge_weights = false;
  std::uint64_t vertex_weights = 0;  ///< of each vertex
};

/// Sets `line` to the next line that is not a comment.
bool next_line(TextReader& text, std::string_view& line) {
  while (text.next(line))
    if (!line.starts_with('%')) return true;
  return false;
}

Header read_header(TextReader& text) {
  std::string_view line;
  std::vector<std::string_view> words;
  while (words.empty() && next_line(text, line)) words = words_of(line);
  if (words.size() < 2 || words.size() > 4)
    text.fail("found " + in_quotes(line) +
                  "; expected the numbers of vertices and edges, then possibly FMT and the " +
                  "number of weights of a vertex.",
              "Correct the first line that is not a comment.");
  Header header;
  header.vertices = text.whole_number(words[0], "the number of vertices", 1, kLargestSide);
  header.edges = text.whole_number(words[1], "the number of edges", 0, std::uint64_t{1} << 62U);
  if (words.size() > 2) {
    const std::string_view format = words[2];
    if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos)
      text.fail("found " + in_quotes(format) + " as FMT; expected up to three digits 0 or 1.",
                "Correct the line.");
    const auto is_set = [&](std::size_t from_right) {
      return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
    };
    header.edge_weights = is_set(0);
    header.vertex_weights = is_set(1) ? 1 : 0;
    header.sizes = is_set(2);
    if (words.size() > 3 && header.vertex_weights != 0)
      header.vertex_weights =
          text.whole_number(words[3], "the number of weights of a vertex", 1, kMostWeights);
  }
  return header;
}

/// A block of lines of vertices, up to the first that does not consist of whole numbers and blanks.
struct VertexBlock {
  bool is_plain = true;  ///< there is no such line
  IndexList neighbours{};
  std::vector<std::uint64_t> ends{};   ///< for each line the number of neighbours up to its end
  std::vector<std::uint64_t> zeros{};  ///< indices of weights that are 0
  std::vector<double> weights{};       ///< if requested
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

template <bool weighted>
VertexBlock parsed(std::string_view text, std::uint64_t vertices, bool with_numbers) {
  VertexBlock block{.is_plain = false};
  // At most this many: a number has at least a digit and the character after it. Memory is taken as
  // elements are set.
  block.neighbours.resize(text.size() / (weighted ? 4 : 2) + 1);
  Index* const first = block.neighbours.data();
  Index* next = first;
  const auto count = [&] { return static_cast<std::uint64_t>(next - first); };
  bool has_weight = false;  // the next number is the weight of the last neighbour
  const char* word = text.data();
  const char* const end = word + text.size();
  for_non_digits(text, [&](const char* at) {
    if (at != word) {
      std::uint64_t number = 0;
      if (!number_of_digits(word, at, end, number)) return false;
      if (!has_weight) {
        if (number - 1 >= vertices) return false;
        *next++ = static_cast<Index>(number - 1);
      } else {
        if (number == 0) block.zeros.push_back(count() - 1);
        if (with_numbers) block.weights.push_back(static_cast<double>(number));
      }
      has_weight = weighted && !has_weight;
    }
    word = at + 1;
    if (*at != '\n') return *at == ' ' || is_blank(*at);  // most often a space
    if (!has_weight) block.ends.push_back(count());
    return !has_weight;
  });
  block.neighbours.resize(count());
  block.is_plain = word == end && !has_weight;
  return block;
}

/// Makes the first number of each line its first neighbour.
void put_first(const TextReader& text, const Header& header, const BookedList<std::uint64_t>& first_numbers,
               BookedList<Index>& neighbours, BookedList<std::uint64_t>& ends, JobContext& context) {
  BookedList<Index> all(context, "neighbours", neighbours.size() + first_numbers.size());
  for (std::uint64_t vertex = 0, begin = 0; vertex < first_numbers.size(); ++vertex) {
    const std::uint64_t first = first_numbers[vertex];
    if (first > header.vertices)
      text.fail("vertex " + grouped(vertex + 1) + " begins with " + grouped(first) +
                    ", which is neither its size nor a neighbour from 1 to " + grouped(header.vertices) + ".",
                "Correct FMT at the beginning of the file.");
    if (first != 0) all.add(static_cast<Index>(first - 1));
    const std::uint64_t end = ends[vertex];
    all.append(std::span<const Index>(neighbours.data()).subspan(begin, end - begin));
    ends.data()[vertex] = all.size();
    begin = end;
  }
  neighbours = std::move(all);
}

/// The format has no signature. A file is possible if it contains only whole numbers, if its lines differ
/// in length (those of a list of edges do not), and, in a graph without weights, if no number exceeds the
/// number of vertices.
Recognition recognise(std::span<const char> head) {
  std::string_view text(head.data(), head.size());
  std::vector<std::string_view> header;
  std::uint64_t vertices = 0;
  std::size_t lines = 0;
  std::size_t length = 0;  // words of the first line of a vertex
  bool differs = false;
  // The last line of the head may be incomplete.
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.starts_with('%')) continue;
    const std::vector<std::string_view> words = words_of(line);
    const auto is_number = [](std::string_view word) { return word.size() <= 10 && is_digits(word); };
    if (!std::ranges::all_of(words, is_number)) return Recognition::none;
    if (header.empty()) {
      if (words.size() < 2 || words.size() > 4) return Recognition::none;
      header = words;
      vertices = std::stoull(std::string(words[0]));
      continue;
    }
    const auto is_vertex = [&](std::string_view word) {
      const std::uint64_t number = std::stoull(std::string(word));
      return number != 0 && number <= vertices;
    };
    if (header.size() == 2 && !std::ranges::all_of(words, is_vertex)) return Recognition::none;
    if (words.empty() && lines == vertices) continue;
    if (lines++ == 0) length = words.size();
    differs = differs || words.size() != length;
  }
  return differs && lines <= vertices ? Recognition::possible : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  TextReader text(source, name, options, context);
  const Header header = read_header(text);
  const std::uint64_t most_words = text.most_words();
  BookedList<Index> neighbours(context, "neighbours", std::min(2 * header.edges, most_words));
  BookedList<std::uint64_t> ends(context, "ends of the neighbours", std::min(header.vertices, most_words));
  const bool with_numbers = options.values != ValueUse::none;
  auto weights = std::make_unique<ListedValues>(
      false, context, header.edge_weights && with_numbers ? std::min(2 * header.edges, most_words / 2) : 0);
  PreviewFeed preview(options, header.vertices, header.vertices, 2 * header.edges);
  // The first number of each vertex: its size, or a neighbour if there are too few neighbours otherwise.
  BookedList<std::uint64_t> first_numbers(context, "first numbers of the vertices");
  std::uint64_t vertex = 0;
  bool real = false;  // whether some weight is not a whole number
  std::string_view line;
  const auto take_vertex = [&] {
    WordCursor words(line);
    std::string_view word;
    if (header.sizes)
      first_numbers.add(words.next(word) ? text.whole_number(word, "a size or a neighbour", 0, kLargestSide)
                                         : 0);
    for (std::uint64_t k = 0; k < header.vertex_weights; ++k)
      if (!words.next(word))
        text.fail("found " + counted(k, "weight", "weights") + " of vertex " + grouped(vertex + 1) +
                      "; expected " + grouped(header.vertex_weights) + ".",
                  "Correct the line, or FMT at the beginning of the file.");
    while (words.next(word)) {
      const std::uint64_t neighbour = text.whole_number(word, "a neighbour", 1, header.vertices);
      neighbours.add(static_cast<Index>(neighbour - 1));
      preview.add(vertex, neighbour - 1);
      if (!header.edge_weights) continue;
      if (!words.next(word))
        text.fail("the last neighbour of vertex " + grouped(vertex + 1) + " has no weight.",
                  "Correct the line, or FMT at the beginning of the file.");
      const TextReader::Number weight = text.number(word, "the weight of an edge");  // Chaco's may be real
      real = real || !weight.is_integer;
      constexpr std::uint64_t kFirst = 0;
      const double number = with_numbers ? number_of(word) : 0;
      weights->add(1, {&kFirst, weight.is_zero ? 1U : 0U}, {&number, with_numbers ? 1U : 0U});
    }
    ++vertex;
    ends.add(neighbours.size());
  };
  const auto take_line = [&] {
    if (vertex < header.vertices) return take_vertex();
    if (!words_of(line).empty())
      text.fail("found " + in_quotes(line) + " after the last of " + grouped(header.vertices) + " vertices.",
                "Correct the number of vertices at the beginning of the file.");
  };
  if (header.sizes || header.vertex_weights != 0) {
    while (next_line(text, line)) take_line();
  } else {
    text.for_blocks<VertexBlock>(
        [&](std::string_view block, unsigned /*worker*/) {
          return header.edge_weights ? parsed<true>(block, header.vertices, with_numbers)
                                     : parsed<false>(block, header.vertices, with_numbers);
        },
        [&](VertexBlock& block) {
          const std::uint64_t lines = block.ends.size();
          if (!block.is_plain || lines > header.vertices - vertex) {
            while (next_line(text, line)) take_line();
            return;
          }
          text.pass_lines(lines);
          for (std::uint64_t k = 0; const std::uint64_t end : block.ends) {
            for (; preview.is_requested() && k < end; ++k) preview.add(ends.size(), block.neighbours[k]);
            k = end;
            ends.add(neighbours.size() + end);
          }
          if (header.edge_weights) weights->add(block.neighbours.size(), block.zeros, block.weights);
          neighbours.append(block.neighbours);
          vertex += lines;
        });
  }
  std::vector<std::string> notes;
  if (header.sizes && neighbours.size() != 2 * header.edges && !header.edge_weights &&
      header.vertex_weights == 0) {
    put_first(text, header, first_numbers, neighbours, ends, context);
    notes.emplace_back(
        "The first digit of FMT was read as \"an edge may be listed twice\": as sizes, it would leave "
        "too few neighbours.");
  }
  if (neighbours.size() != 2 * header.edges)
    text.fail("the file has " + counted(vertex, "vertex", "vertices") + " and " +
                  counted(neighbours.size(), "neighbour", "neighbours") + "; its beginning announces " +
                  grouped(header.vertices) + " and 2 × " + grouped(header.edges) + ".",
              "The file may be cut off: get it again, or correct the numbers at its beginning.");
  if (vertex < header.vertices)
    notes.push_back("The file ends after vertex " + grouped(vertex) + "; the others have no neighbours.");
  preview.flush();
  // A graph is symmetric: without values its lines are read as columns, which need not be transposed.
  const bool by_rows = header.edge_weights;
  CompressedLines lines{.rows = header.vertices, .cols = header.vertices, .by_rows = by_rows};
  lines.ends = std::move(ends).take();
  lines.ids = std::move(neighbours).take();
  if (!header.edge_weights) weights.reset();
  Matrix matrix = matrix_of_lines(std::move(lines), std::move(weights), options, context);
  matrix.pattern->determine_properties(context);
  if (!by_rows && !matrix.pattern->symmetric())
    matrix.pattern = std::make_shared<const SparsePattern>(matrix.pattern->transposed(&context));
  matrix.report.format = kFormat.name;
  matrix.report.field = !header.edge_weights ? "pattern" : real ? "real" : "integer";
  if (header.vertex_weights != 0 || header.sizes)
    notes.emplace_back("Weights and sizes of vertices were left out.");
  matrix.report.notes.insert(matrix.report.notes.begin(), notes.begin(), notes.end());
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::metis_reader
