// SPDX-License-Identifier: Apache-2.0
// The Matrix Market reader: coordinate and array; pattern, integer, real and complex; general, symmetric,
// skew-symmetric and hermitian. Entry lines are parsed by all threads (core/io/line_blocks.hpp).
#include <array>
#include <utility>

#include "core/base/text.hpp"
#include "core/io/import_options.hpp"
#include "core/io/matrix_market/header.hpp"
#include "core/io/matrix_market/lines.hpp"
#include "core/io/quote.hpp"

namespace spyctrum::matrix_market_reader {
namespace {

constexpr std::array kEndings{std::string_view(".mtx")};
constexpr std::array kOptions{kTriangleOption};
constexpr FormatInfo kFormat{.id = "matrix_market",
                             .name = "Matrix Market",
                             .endings = kEndings,
                             .beginning = "%%MatrixMarket matrix …",
                             .options = kOptions};

constexpr std::size_t kLongestLine = std::size_t{4} << 20U;

// The entry lines of a file; counts as in LineBlock.
class Body {
 public:
  // Reads the lines on all threads of the job.
  Body(TextReader& text, const LineRules& rules, JobContext& context)
      : entries(rules.options, context), text_(text), header_(rules.header) {
    PatternPreview* const preview = rules.options.preview.get();
    if (preview != nullptr)
      preview->begin(header_.rows, header_.cols, header_.entries,
                     header_.symmetry != Mirror::none && !rules.as_stored, context.pool().threads());
    text.for_blocks<LineBlock>(
        [&](std::string_view lines, unsigned worker) {
          LineBlock block;
          parse_lines(lines, rules, block);
          // The position of a value of an array depends on the number of values before it.
          if (preview != nullptr && !is_array()) preview->add(block.entries, worker);
          return block;
        },
        [&](LineBlock& block) {
          check(block);
          if (is_array()) {
            place_values(block);
            for (std::size_t k = 0; k < block.values.size(); ++k)
              block.sums.add(block.values[k], row_of(block.entries[k]) == col_of(block.entries[k]));
            if (rules.options.values != ValueUse::keep) block.values.clear();
            if (preview != nullptr) preview->add(block.entries, 0);
          }
          text.pass_lines(block.lines);
          zeros += block.zeros;
          above_diagonal += block.above_diagonal;
          on_diagonal += block.on_diagonal;
          entries.add(std::move(block));
        });
    if (entries.count() < header_.entries)
      text.fail(
          "the file ends after " +
              counted(entries.count(), is_array() ? "value" : "entry", is_array() ? "values" : "entries") +
              "; the size line (line " + std::to_string(header_.size_line) + ") " + announces() + " " +
              grouped(header_.entries) + ".",
          "The file may be cut off: get it again, or correct the size line.");
  }

  EntryList entries;
  std::uint64_t zeros = 0;
  std::uint64_t above_diagonal = 0;
  std::uint64_t on_diagonal = 0;

 private:
  void check(const LineBlock& block) const {
    std::uint64_t left = header_.entries - entries.count();
    if (block.count > left) {
      std::string_view line;
      std::uint64_t now = 0;  // entries in the line
      do {
        left -= now;
        (void)text_.next(line);
        now = entries_in(line, header_);
      } while (now <= left);
      text_.fail("there are more " + std::string(is_array() ? "values" : "entries") + " than the " +
                     grouped(header_.entries) + " that the size line (line " +
                     std::to_string(header_.size_line) + ") " + announces() + ".",
                 "Correct the number in the size line, or remove what follows the last entry.");
    }
    if (!block.complaint) return;
    text_.pass_lines(block.complaint->line + 1);
    text_.fail(block.complaint->what, block.complaint->advice);
  }

  // Sets the positions of the values of an array file, which are listed column by column: of a general matrix
  // every row, of a symmetric or hermitian one the rows from the diagonal downwards, of a skew-symmetric one
  // the rows below the diagonal.
  void place_values(LineBlock& block) {
    const std::uint64_t m = header_.rows;
    const std::uint64_t skip = header_.symmetry == Mirror::skew ? 1 : 0;
    block.entries.reserve(block.nonzeros.size());
    for (const std::uint64_t local : block.nonzeros) {
      const std::uint64_t k = entries.count() + local;
      if (header_.symmetry == Mirror::none) {
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

  [[nodiscard]] bool is_array() const { return header_.format == MarketFormat::array; }
  [[nodiscard]] std::string announces() const { return is_array() ? "implies" : "announces"; }

  TextReader& text_;
  const MarketHeader& header_;
  std::uint64_t column_ = 0;        // symmetric arrays: the column of the last value
  std::uint64_t column_begin_ = 0;  // the number of values before that column
};

std::string verb(std::uint64_t count) { return count == 1 ? " was " : " were "; }

std::vector<std::string> notes_of(const MarketHeader& header, const Body& body, bool expands) {
  std::vector<std::string> notes = header.notes;
  const std::string kind(to_string(header.symmetry));
  if (header.format == MarketFormat::array) {
    notes.push_back("Array file: of " + counted(body.entries.count(), "value", "values") + ", " +
                    grouped(body.zeros) + verb(body.zeros) + "zero and left out of the pattern.");
  }
  if (header.symmetry == Mirror::none) return notes;
  notes.push_back("The file stores one triangle (" + kind + "); the other one was " +
                  (expands ? "filled in." : "left out, as chosen."));
  if (expands && body.above_diagonal != 0) {
    notes.push_back(counted(body.above_diagonal, "entry", "entries") + " above the diagonal, where a " +
                    kind + " file stores none, " + (body.above_diagonal == 1 ? "was" : "were") +
                    " mirrored as well.");
  }
  if (header.symmetry == Mirror::skew && body.on_diagonal != 0) {
    notes.push_back(counted(body.on_diagonal, "entry", "entries") +
                    " on the diagonal, which is zero in a skew-symmetric matrix," + verb(body.on_diagonal) +
                    "kept as stored.");
  }
  if (header.symmetry == Mirror::hermitian && header.field != MarketField::complex)
    notes.emplace_back("The banner says hermitian, but the values are not complex: read as symmetric.");
  return notes;
}

Recognition recognise(std::span<const char> head) {
  if (begins_with_banner(std::string_view(head.data(), head.size()))) return Recognition::certain;
  // The first line resembles the banner: this reader's message explains what is wrong with it.
  const std::string_view text(head.data(), head.size());
  const bool is_like_it =
      text.starts_with("%%") && contains_ignoring_case(text.substr(0, text.find('\n')), "matrix");
  return is_like_it ? Recognition::possible : Recognition::none;
}

Matrix read(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context) {
  TextReader text(source, name, options, context, kLongestLine);
  const LineRules rules{read_market_header(text), options, import_choice(options, "triangle") == "stored"};
  const MarketHeader& header = rules.header;
  Body body(text, rules, context);
  if (header.field == MarketField::complex) body.entries.set_complex();
  const bool expands = header.symmetry != Mirror::none && !rules.as_stored;
  std::vector<std::string> notes = notes_of(header, body, expands);
  Matrix matrix =
      std::move(body.entries).matrix(header.rows, header.cols, expands ? header.symmetry : Mirror::none);
  LoadReport& report = matrix.report;
  report.format = std::string(kFormat.name) + " " + std::string(to_string(header.format)) + " " +
                  std::string(to_string(header.field));
  report.field = to_string(header.field);
  report.symmetry = to_string(header.symmetry);
  if (header.format == MarketFormat::array) {
    report.explicit_zeros = 0;
    report.zeros_dropped = false;
  }
  report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
  if (header.symmetry != Mirror::none)
    note_assumption(report, options, "triangle", expands ? "expand" : "stored");
  return matrix;
}

}  // namespace

extern const Reader kReader{kFormat, recognise, read};

}  // namespace spyctrum::matrix_market_reader
