// SPDX-License-Identifier: Apache-2.0
// Makes a matrix of a generator's text, or opens, unpacks, recognises and reads a file.
#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/stopwatch.hpp"
#include "core/base/text.hpp"
#include "core/io/formats.hpp"
#include "core/io/import_options.hpp"
#include "core/io/quote.hpp"
#include "core/io/reader.hpp"
#include "core/io/text_reader.hpp"
#include "core/io/unpack.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace {

// This many real values take 4 MB more in double precision than in single precision, complex ones 8 MB.
constexpr std::uint64_t kExactEntries = std::uint64_t{1} << 20U;

// How well a reader fits a file: certain recognition ranks above the file's ending, which ranks above
// possible recognition; 0: not at all. If only the ending fits, the reader's messages say what is wrong with
// the beginning of the file.
int rank(const Reader& reader, std::span<const char> head, const std::string& file) {
  const Recognition recognition = reader.recognise(head);
  if (recognition == Recognition::certain) return 3;
  if (is_named_like(file, reader.format)) return 2;
  return recognition == Recognition::possible ? 1 : 0;
}

// "%%MatrixMarket matrix …", in quotes; "or" between those of several formats.
std::string expected_beginnings() {
  std::string text;
  for (const auto& reader : readers()) {
    if (reader->format.beginning.empty()) continue;
    text += (text.empty() ? "\"" : " or \"") + std::string(reader->format.beginning) + '"';
  }
  return text;
}

/// Throws Failure{bad_input} for a tensor of more than two indices, as FROSTT writes them in .tns files: its
/// lines could be those of edges with a weight and a time.
void refuse_tensor(std::span<const char> head, std::string_view file, const std::string& name) {
  while (const std::size_t packed = ending_of(file, packed_endings()).size()) file.remove_suffix(packed);
  constexpr std::array<std::string_view, 1> kEndings{".tns"};
  if (ending_of(file, kEndings).empty()) return;
  std::size_t words = 0;  // of the first line behind comments
  WordCursor lines({head.data(), head.size()}, "\r\n");
  for (std::string_view line; words == 0 && lines.next(line);)
    if (!line.starts_with('#')) words = words_of(line).size();
  if (words < 4) return;
  throw Failure(ErrorCode::bad_input,
                name + ": this is a tensor of " + grouped(words - 1) + " indices; expected a matrix.",
                "Choose two of its indices and the value: --import format=edge_list --import columns=1,2," +
                    grouped(words) + ".");
}

/// Throws Failure{bad_input} for graphs in text that is not a list of edges, though its lines may look so.
void refuse_other_graphs(std::string_view file, const std::string& name) {
  struct Other {
    std::string_view ending;
    const char* what;
  };
  constexpr std::array kOthers{Other{".adjlist", "a list of neighbours of each vertex"},
                               Other{".lgl", "a graph in LGL's format"}, Other{".tgf", "a graph in TGF"},
                               Other{".hgr", "a hypergraph"}};
  while (const std::size_t packed = ending_of(file, packed_endings()).size()) file.remove_suffix(packed);
  for (const Other& other : kOthers)
    if (!ending_of(file, std::span(&other.ending, 1)).empty())
      throw Failure(ErrorCode::bad_input,
                    name + ": this is " + other.what + ", according to the ending of its name.",
                    "Write a list of edges or GraphML; --import format=edge_list reads it as edges.");
}

/// Throws Failure{bad_input} for a text with one number in each line, perhaps below a word.
void refuse_vector(std::span<const char> head, const std::string& name) {
  std::size_t numbers = 0;
  std::size_t line = 0;
  WordCursor lines(without_byte_order_mark({head.data(), head.size()}), "\r\n");
  for (std::string_view text; lines.next(text);) {
    if (text.starts_with('#') || text.starts_with('%')) continue;
    const std::vector<std::string_view> words = words_of(text, " \t,;");
    const bool is_number = words.size() == 1 && classify_real(words[0]) != ValueKind::malformed;
    if (words.size() > 1 || (!is_number && line != 0)) return;
    numbers += is_number ? 1 : 0;
    ++line;
  }
  if (numbers != 0)
    throw Failure(Error{ErrorCode::bad_input,
                        name + ": each line has one number, as of a vector; expected a matrix, or edges, " +
                            "which are at least two numbers on a line.",
                        "--import format=table reads a matrix of one column.",
                        0,
                        {{"format", "table"}}});
}

/// The reader of a file, and why it was chosen if several could read it; `why` is empty if only one could.
struct ChosenReader {
  const Reader* reader = nullptr;
  std::string why;
};

ChosenReader choose_reader(std::span<const char> head, const std::string& file, const std::string& name,
                           const LoadOptions& options) {
  if (const std::string_view requested = import_choice(options, "format"); !requested.empty())
    return {find_reader(requested), {}};
  head = head.last(without_byte_order_mark({head.data(), head.size()}).size());
  refuse_tensor(head, file, name);
  refuse_other_graphs(file, name);
  const Reader* best = nullptr;
  int best_rank = 0;
  for (const auto& reader : readers()) {
    const int this_rank = rank(*reader, head, file);
    if (this_rank <= best_rank) continue;
    best = reader;
    best_rank = this_rank;
  }
  if (best != nullptr && best_rank < 3) {
    std::string others;
    for (const auto& reader : readers()) {
      const Recognition other = reader == best ? Recognition::none : reader->recognise(head);
      // The file's name decides against a format that is unlikely.
      if (other == Recognition::possible || (other == Recognition::unlikely && best_rank == 1))
        others.append(others.empty() ? "" : " or ")
            .append(reader->format.name)
            .append(" (--import format=")
            .append(reader->format.id)
            .append(")");
    }
    if (!others.empty())
      return {best, "The file was taken as " + std::string(best->format.name) +
                        (best_rank == 2 ? " because of its name" : " because of its first lines") +
                        "; it could be " + others + "."};
  }
  if (best != nullptr) return {best, {}};
  refuse_vector(head, name);
  const std::string known = describe_content(head);
  throw Failure(ErrorCode::bad_input,
                name + ", line 1: this is not a matrix file that can be read" +
                    (known.empty() ? std::string() : " but " + known) + "; it begins with " +
                    in_quotes(std::string_view(head.data(), head.size()), 24) + ", expected " +
                    expected_beginnings() + ".",
                "Files that can be read, plain or compressed: " + format_names() + ".");
}

bool is_certain_format(std::span<const char> head) {
  return std::ranges::any_of(
      readers(), [&](const auto& reader) { return reader->recognise(head) == Recognition::certain; });
}

/// Returns `file` if it names a file or contains no ::. Else returns PATH of PATH::NAME and sets
/// `options.matrix` to NAME, to MEMBER::NAME for PATH::MEMBER::NAME.
std::string without_matrix_name(const std::string& file, LoadOptions& options) {
  std::error_code problem;
  std::size_t at = file.rfind("::");
  if (at == std::string::npos || at == 0 || std::filesystem::exists(file, problem)) return file;
  for (std::size_t first = file.find("::", 1); first < at; first = file.find("::", first + 1))
    if (std::filesystem::exists(file.substr(0, first), problem)) at = first;
  options.matrix = file.substr(at + 2);
  return file.substr(0, at);
}

/// The values of the entries of a pattern in the order of the entries of its transpose.
std::shared_ptr<const std::vector<float>> transposed_values(
    const std::shared_ptr<const std::vector<float>>& values, const SparsePattern& from,
    const SparsePattern& to) {
  if (values == nullptr) return nullptr;
  std::vector<std::int64_t> next(to.column_starts().begin(), to.column_starts().end() - 1);
  std::vector<float> moved(values->size());
  const std::span<const Index> ids = to.column_ids();
  for (std::size_t k = 0; k < values->size(); ++k) {
    const auto column = std::ranges::lower_bound(ids, from.row_indices()[k]) - ids.begin();
    moved[static_cast<std::size_t>(next[static_cast<std::size_t>(column)]++)] = (*values)[k];
  }
  return std::make_shared<const std::vector<float>>(std::move(moved));
}

void transpose(Matrix& matrix, JobContext& context) {
  context.begin_stage("transpose");
  auto pattern = std::make_shared<const SparsePattern>(matrix.pattern->transposed(&context));
  matrix.values = transposed_values(matrix.values, *matrix.pattern, *pattern);
  matrix.imaginary = transposed_values(matrix.imaginary, *matrix.pattern, *pattern);
  matrix.pattern = std::move(pattern);
}

/// If `may_round` and the file can be read again, values may be rounded to single precision as they are read;
/// throws RoundedTooEarly if this changes the matrix.
Matrix read_file(const std::string& text, LoadOptions options, bool may_round, JobContext& context) {
  const std::string file = without_matrix_name(text, options);
  const std::string name = display_name(file);
  const auto open = [file, stop = context.stop_token()] { return open_file_source(file, stop); };
  std::unique_ptr<ByteSource> raw = open();
  // Only a regular file has a size, and a beginning that can be read again.
  const bool repeatable = raw->total() != 0;
  if (options.matrix.empty()) options.matrix = import_choice(options, "layer");
  const std::string requested = options.matrix;
  MemberChoice member{requested, {}, false};
  const std::unique_ptr<PeekedSource> source =
      unpack(std::move(raw), name, repeatable ? Reopen(open) : Reopen(), is_certain_format, &member);
  const std::span<const char> head = source->peek(kHeadBytes);
  if (head.empty()) {
    const std::string packed = source->compression();
    throw Failure(ErrorCode::bad_input,
                  name + " is empty" + (packed.empty() ? "" : " once unpacked (" + packed + ")") +
                      ", 0 bytes; a matrix file was expected.",
                  "Get the file again, or check the program that wrote it.");
  }
  options.matrix = member.requested;
  const ChosenReader chosen = choose_reader(head, file, name, options);
  const Reader& reader = *chosen.reader;
  check_import_options(options, reader.format, name);
  options.exact_entries =
      may_round && repeatable ? std::min(options.exact_entries, kExactEntries) : LoadOptions::kAllEntries;
  context.begin_stage("read");
  Matrix matrix = reader.read(*source, name, options, context);
  context.begin_stage("verify");
  source->finish(context);
  const bool is_layer = !requested.empty() && requested == import_choice(options, "layer");
  if (!options.matrix.empty() && matrix.report.matrix.empty() && !(is_layer && options.import_where_known))
    throw Failure(is_layer ? ErrorCode::wrong_use : ErrorCode::bad_input,
                  name + " holds one matrix without a name, not " + in_quotes(options.matrix) + ".",
                  is_layer ? "Leave --import layer out." : "Leave ::NAME out.");
  matrix.name = file == "-" ? name : escaped(matrix_name(file));
  if (!requested.empty() && !(is_layer && matrix.report.matrix.empty()))
    matrix.name += "::" + escaped(requested);
  matrix.report.file = text;
  if (!chosen.why.empty()) matrix.report.notes.push_back(chosen.why);
  if (!chosen.why.empty() || !import_choice(options, "format").empty())
    note_assumption(matrix.report, options, "format", reader.format.id);
  if (import_choice(options, "orientation") == "transposed") {
    transpose(matrix, context);
    note_assumption(matrix.report, options, "orientation", "transposed");
  }
  matrix.report.compression = source->compression();
  if (std::vector<MatrixInFile> members = source->members();
      matrix.report.matrix.empty() && (members.size() > 1 || member.named)) {
    matrix.report.matrix = member.taken;
    matrix.report.matrices = std::move(members);
  }
  for (std::string& note : source->notes()) matrix.report.notes.push_back(std::move(note));
  return matrix;
}

Matrix read_file(const std::string& text, const LoadOptions& options, JobContext& context) {
  try {
    return read_file(text, options, true, context);
  } catch (const RoundedTooEarly&) {
  }
  return read_file(text, options, false, context);
}

}  // namespace

std::string path_of_matrix(const std::string& file) {
  LoadOptions ignored;
  return without_matrix_name(file, ignored);
}

Result<Matrix> load_matrix(const std::string& file, const LoadOptions& options, JobContext& context) {
  const Stopwatch watch;
  Result<Matrix> matrix = run_guarded([&] {
    const bool is_weighted = options.weights != Weights::pattern;
    LoadOptions read = options;
    if (is_weighted) read.values = ValueUse::keep;
    Matrix found = is_generator_text(file) ? or_throw(generate(file, context, read.values == ValueUse::keep))
                                           : read_file(file, read, context);
    if (is_weighted) apply_weights(found, options.weights, context);
    return found;
  });
  if (is_generator_text(file)) return matrix;
  if (!matrix) {
    Error error = matrix.error();
    if (error.code == ErrorCode::out_of_memory)
      error.advice = "The matrix of " + display_name(file) +
                     " is too large for this allowance: raise it (--memory, or Preferences in the window), "
                     "close other programs, or open a part of it.";
    return tl::unexpected<Error>(std::move(error));
  }
  matrix->report.seconds = watch.seconds();
  return matrix;
}

}  // namespace spyctrum
