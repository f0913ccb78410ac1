// SPDX-License-Identifier: Apache-2.0
// From a name to a matrix: generator text, or file → unpacked → recognised → read.
#include <filesystem>
#include <utility>

#include "core/base/stopwatch.hpp"
#include "core/io/matrix_market_reader.hpp"
#include "core/io/quote.hpp"
#include "core/io/reader.hpp"
#include "core/io/unpack.hpp"
#include "core/matrix/generators.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kHeadBytes = 4096;

std::string short_name(const std::string& file) {
  if (file == "-") return "standard input";
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending :
       {".gz", ".bz2", ".xz", ".zst", ".lz4", ".Z", ".zip", ".tgz", ".tar", ".mtx"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

const Reader& choose_reader(std::span<const char> head, const std::string& file, const std::string& name) {
  const Reader* best = nullptr;
  int best_score = 0;
  for (const auto& reader : readers()) {
    const int score = reader->recognises(head, file);
    if (score <= best_score) continue;
    best = reader.get();
    best_score = score;
  }
  if (best != nullptr) return *best;
  const std::string known = describe_content(head);
  throw Failure(ErrorCode::bad_input,
                name + ", line 1: this is no matrix file that can be read" +
                    (known.empty() ? std::string() : " but " + known) + "; it begins with " +
                    quoted(std::string_view(head.data(), head.size()), 24) +
                    ", expected \"%%MatrixMarket matrix …\".",
                "Open a Matrix Market file (.mtx), plain or compressed.");
}

Matrix read_file(const std::string& file, const LoadOptions& options, JobContext& context) {
  const std::string name = display_name(file);
  const auto open = [file, stop = context.stop_token()] { return open_file_source(file, stop); };
  std::unique_ptr<ByteSource> raw = open();
  // Only a regular file has a size and a beginning to return to.
  const bool repeatable = raw->total() != 0;
  const std::unique_ptr<PeekedSource> source =
      unpack(std::move(raw), name, repeatable ? Reopen(open) : Reopen());
  const std::span<const char> head = source->peek(kHeadBytes);
  if (head.empty()) {
    const std::string packed = source->compression();
    throw Failure(ErrorCode::bad_input,
                  name + " is empty" + (packed.empty() ? "" : " once unpacked (" + packed + ")") +
                      ", 0 bytes; a matrix file was expected.",
                  "Get the file again, or check the program that wrote it.");
  }
  Matrix matrix = choose_reader(head, file, name).read(*source, name, options, context);
  matrix.name = short_name(file);
  matrix.report.file = file;
  matrix.report.compression = source->compression();
  for (std::string& note : source->notes()) matrix.report.notes.push_back(std::move(note));
  return matrix;
}

}  // namespace

const std::vector<std::unique_ptr<Reader>>& readers() {
  static const std::vector<std::unique_ptr<Reader>> all = [] {
    std::vector<std::unique_ptr<Reader>> list;
    list.push_back(make_matrix_market_reader());
    return list;
  }();
  return all;
}

Result<Matrix> load_matrix(const std::string& file, const LoadOptions& options, JobContext& context) {
  if (is_generator_text(file)) return generate(file, context);
  const Stopwatch watch;
  Result<Matrix> matrix = run_guarded([&] { return read_file(file, options, context); });
  if (!matrix) {
    Error error = matrix.error();
    if (error.code == ErrorCode::out_of_memory)
      error.advice =
          "The matrix of " + display_name(file) +
          " is too large for this allowance: raise --memory, close other programs, or open a part of it.";
    return tl::unexpected<Error>(std::move(error));
  }
  matrix->report.seconds = watch.seconds();
  return matrix;
}

}  // namespace spyctrum
