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

/// Reads a file: in blocks of lines where these consist of neighbours and their weights alone, else line by
/// line.
class MetisFile {
 public:
  MetisFile(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : options_(options),
        context_(context),
        text_(source, name, options, context),
        header_(read_header(text_)),
        neighbours_(context, "neighbours", std::min(2 * header_.edges, text_.most_words())),
        ends_(context, "ends of the neighbours", std::min(header_.vertices, text_.most_words())),
        weights_(std::make_unique<ListedValues>(false, context,
                                                header_.edge_weights && keeps_weights()
                                                    ? std::min(2 * header_.edges, text_.most_words() / 2)
                                                    : 0)),
        preview_(options, header_.vertices, header_.vertices, 2 * header_.edges),
        first_numbers_(context, "first numbers of the vertices") {}

  /// The matrix of all lines. To be called once.
  Matrix matrix() {
    if (header_.sizes || header_.vertex_weights != 0)
      take_lines();
    else
      take_blocks();
    std::vector<std::string> notes;
    if (header_.sizes && neighbours_.size() != 2 * header_.edges && !header_.edge_weights &&
        header_.vertex_weights == 0) {
      take_first_numbers();
      notes.emplace_back(
          "The first digit of FMT was read as \"an edge may be listed twice\": as sizes, it would leave "
          "too few neighbours.");
    }
    if (neighbours_.size() != 2 * header_.edges)
      text_.fail("the file has " + counted(vertex_, "vertex", "vertices") + " and " +
                     counted(neighbours_.size(), "neighbour", "neighbours") + "; its beginning announces " +
                     grouped(header_.vertices) + " and 2 × " + grouped(header_.edges) + ".",
                 neighbours_.size() == header_.edges
                     ? "Halve the number of edges at its beginning: each edge is counted for both vertices."
                     : "The file may be cut off: get it again, or correct the numbers at its beginning.");
    if (vertex_ < header_.vertices)
      notes.push_back("The file ends after vertex " + grouped(vertex_) + "; the others have no neighbours.");
    if (header_.vertex_weights != 0 || header_.sizes)
      notes.emplace_back("Weights and sizes of vertices were left out.");
    preview_.flush();
    Matrix matrix = matrix_of_neighbours();
    matrix.report.format = kFormat.name;
    matrix.report.field = !header_.edge_weights ? "pattern" : is_real_ ? "real" : "integer";
    matrix.report.notes.insert(matrix.report.notes.begin(), notes.begin(), notes.end());
    return matrix;
  }

 private:
  [[nodiscard]] bool keeps_weights() const { return options_.values != ValueUse::none; }

  void take_lines() {
    for (std::string_view line; next_line(text_, line);) {
      if (vertex_ < header_.vertices)
        take_vertex(line);
      else if (!words_of(line).empty())
        text_.fail(
            "found " + in_quotes(line) + " after the last of " + grouped(header_.vertices) + " vertices.",
            "Correct the number of vertices at the beginning of the file.");
    }
  }
  void take_vertex(std::string_view line) {
    WordCursor words(line);
    std::string_view word;
    if (header_.sizes)
      first_numbers_.add(words.next(word) ? text_.whole_number(word, "a size or a neighbour", 0, kLargestSide)
                                          : 0);
    for (std::uint64_t k = 0; k < header_.vertex_weights; ++k)
      if (!words.next(word))
        text_.fail("found " + counted(k, "weight", "weights") + " of vertex " + grouped(vertex_ + 1) +
                       "; expected " + grouped(header_.vertex_weights) + ".",
                   "Correct the line, or FMT at the beginning of the file.");
    while (words.next(word)) {
      const std::uint64_t neighbour = text_.whole_number(word, "a neighbour", 1, header_.vertices);
      neighbours_.add(static_cast<Index>(neighbour - 1));
      preview_.add(vertex_, neighbour - 1);
      if (!header_.edge_weights) continue;
      if (!words.next(word))
        text_.fail("the last neighbour of vertex " + grouped(vertex_ + 1) + " has no weight.",
                   "Correct the line, or FMT at the beginning of the file.");
      const TextReader::Number weight = text_.number(word, "the weight of an edge");  // Chaco's may be real
      is_real_ = is_real_ || !weight.is_integer;
      constexpr std::uint64_t kFirst = 0;
      const double number = keeps_weights() ? number_of(word) : 0;
      weights_->add(1, {&kFirst, weight.is_zero ? 1U : 0U}, {&number, keeps_weights() ? 1U : 0U});
    }
    ++vertex_;
    ends_.add(neighbours_.size());
  }

  void take_blocks() {
    text_.for_blocks<VertexBlock>(
        [&](std::string_view block, unsigned /*worker*/) {
          return header_.edge_weights ? parsed<true>(block, header_.vertices, keeps_weights())
                                      : parsed<false>(block, header_.vertices, keeps_weights());
        },
        [&](VertexBlock& block) {
          const std::uint64_t lines = block.ends.size();
          if (!block.is_plain || lines > header_.vertices - vertex_) {
            take_lines();
            return;
          }
          text_.pass_lines(lines);
          for (std::uint64_t k = 0; const std::uint64_t end : block.ends) {
            for (; preview_.is_requested() && k < end; ++k) preview_.add(ends_.size(), block.neighbours[k]);
            k = end;
            ends_.add(neighbours_.size() + end);
          }
          if (header_.edge_weights) weights_->add(block.neighbours.size(), block.zeros, block.weights);
          neighbours_.append(block.neighbours);
          vertex_ += lines;
        });
  }

  /// Makes the first number of each line its first neighbour.
  void take_first_numbers() {
    BookedList<Index> all(context_, "neighbours", neighbours_.size() + first_numbers_.size());
    for (std::uint64_t vertex = 0, begin = 0; vertex < first_numbers_.size(); ++vertex) {
      const std::uint64_t first = first_numbers_[vertex];
      if (first > header_.vertices)
        text_.fail("vertex " + grouped(vertex + 1) + " begins with " + grouped(first) +
                       ", which is neither its size nor a neighbour from 1 to " + grouped(header_.vertices) +
                       ".",
                   "Correct FMT at the beginning of the file.");
      if (first != 0) all.add(static_cast<Index>(first - 1));
      const std::uint64_t end = ends_[vertex];
      all.append(std::span<const Index>(neighbours_.data()).subspan(begin, end - begin));
      ends_.data()[vertex] = all.size();
      begin = end;
    }
    neighbours_ = std::move(all);
  }

  Matrix matrix_of_neighbours() {
    // A graph is symmetric: without values its lines are read as columns, which need not be transposed.
    const bool by_rows = header_.edge_weights;
    CompressedLines lines{.rows = header_.vertices, .cols = header_.vertices, .by_rows = by_rows};
    lines.ends = std::move(ends_).take();
    lines.ids = std::move(neighbours_).take();
    if (!header_.edge_weights) weights_.reset();
    Matrix matrix = matrix_of_lines(std::move(lines), std::move(weights_), options_, context_);
    matrix.pattern->determine_properties(context_);
    if (!by_rows && !matrix.pattern->symmetric())
      matrix.pattern = std::make_shared<const SparsePattern>(matrix.pattern->transposed(&context_));
    return matrix;
  }

  const LoadOptions& options_;
  JobContext& context_;
  TextReader text_;
  const Header header_;
  BookedList<Index> neighbours_;           ///< of all vertices, one after the other
  BookedList<std::uint64_t> ends_;         ///< for each vertex the number of neighbours up to its last one
  std::unique_ptr<ListedValues> weights_;  ///< of the edges
  PreviewFeed preview_;
  /// The first number of each vertex: its size, or a neighbour if there are too few neighbours otherwise.
  BookedList<std::uint64_t> first_numbers_;
  std::uint64_t vertex_ = 0;  ///< vertices read so far
  bool is_real_ = false;      ///< some weight is not a whole number
};

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  return MetisFile(source, name, options, context).matrix();
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::metis_reader
