// SPDX-License-Identifier: Apache-2.0
// Writes METIS graphs (core/io/graphs/metis.cpp): the neighbours of vertex i are the rows of the entries in
// column i of the matrix, which must be symmetric. Values are written as weights of edges, which are whole
// numbers from 1 in METIS.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/io/quote.hpp"
#include "core/io/write/text_output.hpp"
#include "core/io/writer.hpp"

namespace spyctrum::metis_writer {
namespace {

constexpr std::array<std::string_view, 3> kEndings{".graph", ".mgraph", ".metis"};
constexpr WriterInfo kInfo{
    .id = "metis",
    .name = "METIS graph",
    .endings = kEndings,
    .is_text = true,
    .holds = "symmetric matrices without entries on the diagonal, with whole numbers from 1"};

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
  throw Failure(ErrorCode::wrong_use, "A METIS graph cannot hold this matrix: " + what + ".", advice);
}

std::string place(Index row, Index col) {
  return "(" + grouped(std::uint64_t{row} + 1) + ", " + grouped(std::uint64_t{col} + 1) + ")";
}

constexpr const char* kOtherFormat = "Write .mtx, .npz, .rb or .bsp.h5, which hold every matrix.";

/// Calls use(row, col, t) for each entry t; checks for a stop between columns.
template <class Use>
void for_entries(const SparsePattern& pattern, JobContext& context, const Use& use) {
  std::size_t t = 0;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    if (k % 4096 == 0) context.check_stop();
    for (const Index row : pattern.column(k)) use(row, pattern.column_ids()[k], t++);
  }
}

void check_pattern(const SparsePattern& pattern, JobContext& context) {
  if (pattern.rows() != pattern.cols())
    refuse("it has " + grouped(pattern.rows()) + " rows and " + grouped(pattern.cols()) +
               " columns, and a graph has as many of both",
           kOtherFormat);
  std::uint64_t on_diagonal = 0;
  for_entries(pattern, context, [&](Index row, Index col, std::size_t) {
    on_diagonal += row == col ? 1 : 0;
    if (!pattern.symmetric() && !pattern.contains(col, row))
      refuse(
          place(row, col) + " is an entry and " + place(col, row) + " is none, and edges have no direction",
          kOtherFormat);
  });
  if (on_diagonal != 0)
    refuse(counted(on_diagonal, "entry lies", "entries lie") +
               " on the diagonal, and an edge joins two vertices",
           kOtherFormat);
}

/// Since columns are read in ascending order, the k-th entry found in row i mirrors the k-th of column i.
void check_values(const WrittenMatrix& matrix, JobContext& context) {
  const SparsePattern& pattern = matrix.pattern;
  if (matrix.field == WrittenField::complex)
    refuse("its values are complex, and weights of edges are whole numbers", "Write the pattern alone.");
  std::vector<std::int64_t> next(pattern.column_starts().begin(), pattern.column_starts().end());
  for_entries(pattern, context, [&](Index row, Index col, std::size_t t) {
    const float value = matrix.values[t];
    if (!(value >= 1) || std::trunc(value) != value || value > 16777216)
      refuse("the value of " + place(row, col) + " is " + std::to_string(value) +
                 ", and weights of edges are whole numbers from 1, of at most 16,777,216 in single precision",
             "Write the pattern alone.");
    const auto column = std::ranges::lower_bound(pattern.column_ids(), row) - pattern.column_ids().begin();
    const auto mirrored = static_cast<std::size_t>(next[static_cast<std::size_t>(column)]++);
    if (matrix.values[mirrored] != value)
      refuse("the values of " + place(row, col) + " and " + place(col, row) + " differ",
             "Write the pattern alone.");
  });
}

void check(const WrittenMatrix& matrix, JobContext& context) {
  check_pattern(matrix.pattern, context);
  if (matrix.field != WrittenField::pattern) check_values(matrix, context);
}

void write(const WrittenMatrix& matrix, std::ostream& out, JobContext& context) {
  const SparsePattern& pattern = matrix.pattern;
  const bool has_weights = matrix.field != WrittenField::pattern;
  const auto entries = static_cast<std::uint64_t>(pattern.nonzeros());
  TextOutput text(out, context, entries);
  text.add_comment(matrix.comment);
  text.add_number(pattern.rows());
  text.add(' ');
  text.add_number(entries / 2);
  text.add(has_weights ? " 1\n" : "\n");
  std::size_t k = 0;
  std::size_t t = 0;
  for (std::uint64_t vertex = 0; vertex < pattern.rows(); ++vertex) {
    if (k < pattern.column_ids().size() && pattern.column_ids()[k] == vertex) {
      bool is_first = true;
      for (const Index neighbour : pattern.column(k)) {
        if (!is_first) text.add(' ');
        is_first = false;
        text.add_number(std::uint64_t{neighbour} + 1);
        if (has_weights) {
          text.add(' ');
          text.add_whole(matrix.values[t]);
        }
        ++t;
        if (!text.next_entry()) return;
      }
      ++k;
    }
    text.add('\n');
    if (!text.end_line()) return;
  }
  text.flush();
}

}  // namespace

/// A line for each vertex.
extern const Writer kWriter{kInfo, write, check, [](const SparsePattern& pattern) { return pattern.cols(); }};

}  // namespace spyctrum::metis_writer
