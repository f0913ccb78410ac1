// SPDX-License-Identifier: Apache-2.0
// The Matrix Market reader: coordinate and array; pattern, integer, real and complex; general, symmetric,
// skew-symmetric and hermitian. Entry lines are parsed by all threads (core/io/line_blocks.hpp).
#include <array>
#include <utility>

#include "core/io/import_options.hpp"
#include "core/io/line_blocks.hpp"
#include "core/io/matrix_market/header.hpp"
#include "core/io/matrix_market/lines.hpp"
#include "core/io/quote.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kSmallChunk = std::size_t{1} << 16U;  // entries; smaller chunks are joined

constexpr std::array kEndings{std::string_view(".mtx")};
constexpr std::array kOptions{kTriangleOption};
constexpr FormatInfo kFormat{.id = "matrix_market",
                             .name = "Matrix Market",
                             .endings = kEndings,
                             .beginning = "%%MatrixMarket matrix …",
                             .options = kOptions};

// The entry lines of a file, parsed; counts as in LineBlock.
struct Body {
  EntryChunks chunks;
  std::uint64_t count = 0;
  std::uint64_t zeros = 0;
  std::uint64_t above_diagonal = 0;
  std::uint64_t on_diagonal = 0;
  ValueSums sums;
};

// Reads the entry lines on all threads of the job; use once.
class BodyLoader {
 public:
  BodyLoader(LineSource& lines, ByteSource& source, std::string_view name, const LineRules& rules,
             PatternPreview* preview, KeptValues& kept, JobContext& context)
      : lines_(lines),
        source_(source),
        name_(name),
        rules_(rules),
        preview_(preview),
        kept_(kept),
        context_(context),
        line_(lines.lines()) {}

  Body run() {
    if (preview_ != nullptr) {
      const MarketHeader& header = rules_.header;
      preview_->begin(header.rows, header.cols, header.entries,
                      header.symmetry != MarketSymmetry::general && !rules_.as_stored,
                      context_.pool().threads());
    }
    LineBlocks<LineBlock>(lines_, source_, context_)
        .run(
            [&](std::string_view text, unsigned worker) {
              LineBlock block;
              parse_lines(text, rules_, block);
              // Where a value of an array stands depends on the number of values before it: see commit().
              if (preview_ != nullptr && !is_array()) preview_->add(block.entries, worker);
              return block;
            },
            [&](const std::string& text, LineBlock& block) { commit(text, block); });
    if (body_.count < rules_.header.entries) fail_too_few();
    return std::move(body_);
  }

 private:
  // Adds the next block in the order of the file.
  void commit(const std::string& text, LineBlock& block) {
    if (block.count > rules_.header.entries - body_.count) fail_too_many(text);
    if (block.complaint)
      throw line_failure(name_, line_ + block.complaint->line + 1, block.complaint->what,
                         block.complaint->advice);
    if (is_array()) {
      place_values(block);
      for (std::size_t k = 0; k < block.values.size(); ++k)
        body_.sums.add(block.values[k], row_of(block.entries[k]) == col_of(block.entries[k]));
      if (preview_ != nullptr) preview_->add(block.entries, 0);
    }
    body_.sums.add(block.sums);
    if (rules_.values == ValueUse::keep)
      for (std::size_t k = 0; k < block.values.size(); ++k) kept_.add(block.entries[k], block.values[k]);
    keep(std::move(block.entries));
    body_.count += block.count;
    body_.zeros += block.zeros;
    body_.above_diagonal += block.above_diagonal;
    body_.on_diagonal += block.on_diagonal;
    line_ += block.lines;
  }

  void keep(std::vector<PackedEntry>&& entries) {
    if (entries.empty()) return;
    bookings_.emplace_back(context_.memory(), entries.capacity() * sizeof(PackedEntry),
                           "list of matrix entries");
    if (!body_.chunks.empty() && body_.chunks.back().size() < kSmallChunk && entries.size() < kSmallChunk) {
      body_.chunks.back().insert(body_.chunks.back().end(), entries.begin(), entries.end());
    } else {
      body_.chunks.push_back(std::move(entries));
    }
  }

  // Array files list values column by column: of a general matrix every row, of a symmetric or hermitian one
  // the rows from the diagonal downwards, of a skew-symmetric one the rows below the diagonal.
  void place_values(LineBlock& block) {
    const std::uint64_t m = rules_.header.rows;
    const std::uint64_t skip = rules_.header.symmetry == MarketSymmetry::skew_symmetric ? 1 : 0;
    block.entries.reserve(block.nonzeros.size());
    for (const std::uint64_t local : block.nonzeros) {
      const std::uint64_t k = body_.count + local;
      if (rules_.header.symmetry == MarketSymmetry::general) {
        block.entries.push_back(pack_entry(static_cast<Index>(k % m), static_cast<Index>(k / m)));
        continue;
      }
      while (k >= column_begin_ + (m - skip - column_)) {
        column_begin_ += m - skip - column_;
        ++column_;
      }
      block.entries.push_back(
          pack_entry(static_cast<Index>(column_ + skip + (k - column_begin_)), static_cast<Index>(column_)));
    }
  }

  [[noreturn]] void fail_too_many(const std::string& text) const {
    const MarketHeader& header = rules_.header;
    const std::uint64_t line = line_ + line_of_entry(text, header.entries - body_.count) + 1;
    throw line_failure(name_, line,
                       "there are more " + thing() + " than the " + grouped(header.entries) +
                           " that the size line (line " + std::to_string(header.size_line) + ") " +
                           announces() + ".",
                       "Correct the number in the size line, or remove what follows the last entry.");
  }

  [[noreturn]] void fail_too_few() const {
    const MarketHeader& header = rules_.header;
    throw line_failure(
        name_, line_,
        "the file ends after " +
            counted(body_.count, is_array() ? "value" : "entry", is_array() ? "values" : "entries") +
            "; the size line (line " + std::to_string(header.size_line) + ") " + announces() + " " +
            grouped(header.entries) + ".",
        "The file may be cut off: get it again, or correct the size line.");
  }

  [[nodiscard]] bool is_array() const { return rules_.header.format == MarketFormat::array; }
  [[nodiscard]] std::string thing() const { return is_array() ? "values" : "entries"; }
  [[nodiscard]] std::string announces() const { return is_array() ? "implies" : "announces"; }

  LineSource& lines_;
  ByteSource& source_;
  std::string name_;
  const LineRules& rules_;
  PatternPreview* preview_;
  KeptValues& kept_;
  JobContext& context_;
  std::uint64_t line_ = 0;          // lines of the file before the next block
  std::uint64_t column_ = 0;        // symmetric arrays: the column of the last value placed,
  std::uint64_t column_begin_ = 0;  // and the number of values before that column
  Body body_;
  std::vector<Booking> bookings_;  // of the chunks
};

std::string verb(std::uint64_t count) { return count == 1 ? " was " : " were "; }

void write_notes(const MarketHeader& header, const Body& body, bool expands, LoadReport& report) {
  report.notes = header.notes;
  const std::string kind(to_string(header.symmetry));
  if (header.format == MarketFormat::array) {
    report.notes.push_back("Array file: of " + counted(body.count, "value", "values") + ", " +
                           grouped(body.zeros) + verb(body.zeros) + "zero and left out of the pattern.");
  }
  if (header.symmetry == MarketSymmetry::general) return;
  report.notes.push_back("The file stores one triangle (" + kind + "); the other one was " +
                         (expands ? "filled in." : "left out, as chosen."));
  if (expands && body.above_diagonal != 0) {
    report.notes.push_back(counted(body.above_diagonal, "entry", "entries") +
                           " above the diagonal, where a " + kind + " file stores none, " +
                           (body.above_diagonal == 1 ? "was" : "were") + " mirrored as well.");
  }
  if (header.symmetry == MarketSymmetry::skew_symmetric && body.on_diagonal != 0) {
    report.notes.push_back(counted(body.on_diagonal, "entry", "entries") +
                           " on the diagonal, which is zero in a skew-symmetric matrix," +
                           verb(body.on_diagonal) + "kept as stored.");
  }
  if (header.symmetry == MarketSymmetry::hermitian && header.field != MarketField::complex)
    report.notes.emplace_back(
        "The banner says hermitian, but the values are not complex: read as symmetric.");
}

class MatrixMarketReader : public Reader {
 public:
  [[nodiscard]] const FormatInfo& format() const override { return kFormat; }

  [[nodiscard]] Recognition recognise(std::span<const char> head) const override {
    if (begins_with_banner(std::string_view(head.data(), head.size()))) return Recognition::certain;
    // Something like the banner: this reader's message says what is wrong with it.
    return head.size() > 1 && head[0] == '%' && head[1] == '%' ? Recognition::possible : Recognition::none;
  }

  [[nodiscard]] Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options,
                            JobContext& context) const override {
    context.begin_stage("read");
    LineSource lines(source, name, options.block_bytes);
    LineRules rules;
    rules.header = read_market_header(lines, name);
    rules.drop_zeros = options.drop_zeros;
    rules.values = options.values;
    rules.as_stored = import_choice(options, "triangle") == "stored";
    Body body;
    KeptValues kept(context);
    {
      BodyLoader loader(lines, source, name, rules, options.preview.get(), kept, context);
      body = loader.run();
    }
    context.begin_stage("sort");
    Matrix matrix;
    LoadReport& report = matrix.report;
    const MarketHeader& header = rules.header;
    const bool is_array = header.format == MarketFormat::array;
    report.format = std::string(kFormat.name) + " " + std::string(to_string(header.format)) + " " +
                    std::string(to_string(header.field));
    report.field = to_string(header.field);
    report.symmetry = to_string(header.symmetry);
    report.entries_in_file = static_cast<std::int64_t>(body.count);
    report.explicit_zeros = is_array ? 0 : static_cast<std::int64_t>(body.zeros);
    report.zeros_dropped = options.drop_zeros && report.explicit_zeros != 0;
    const bool expands = header.symmetry != MarketSymmetry::general && !rules.as_stored;
    write_notes(header, body, expands, report);
    if (header.symmetry != MarketSymmetry::general)
      note_assumption(report, options, "triangle", expands ? "expand" : "stored");
    auto pattern = SparsePattern::from_packed(header.rows, header.cols, std::move(body.chunks), context,
                                              &report.duplicates);
    if (expands) pattern = pattern.symmetrised(&context);
    matrix.pattern = std::make_shared<const SparsePattern>(std::move(pattern));
    if (!body.sums.empty()) {
      const Mirror mirror = expands ? mirror_of(header.symmetry) : Mirror::none;
      const bool is_complex = header.field == MarketField::complex;
      report.values = body.sums.statistics(mirror, is_complex);
      if (options.values == ValueUse::keep) std::move(kept).finish(matrix, mirror, is_complex);
    }
    return matrix;
  }
};

}  // namespace

std::unique_ptr<Reader> make_matrix_market_reader();  // for the registry, core/io/formats.cpp
std::unique_ptr<Reader> make_matrix_market_reader() { return std::make_unique<MatrixMarketReader>(); }

}  // namespace spyctrum
