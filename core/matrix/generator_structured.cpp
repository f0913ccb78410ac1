// SPDX-License-Identifier: Apache-2.0
// Patterns defined by a rule for their entries; most have a spectrum in closed form (circulants: P. J. Davis,
// "Circulant Matrices", 1979). F is the forward 2-D DFT, unnormalised: F[u,v] = Σ e^{−2πi(ui/m + vj/n)} over
// the entries (i, j).
#include <algorithm>

#include "core/matrix/generator_parameters.hpp"

namespace spyctrum {

namespace {

using Outcome = Generator::Outcome;
using Rows = std::vector<PackedEntry>;

void append_run(std::uint64_t begin, std::uint64_t end, std::uint64_t col, Rows& out) {
  for (std::uint64_t row = begin; row < end; ++row)
    out.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
}

// max(a − b, 0).
std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

Outcome make_diagonal(const GeneratorValues& values, JobContext& context) {
  Outcome outcome{.rows = values.side("rows"), .cols = values.side("cols")};
  const std::int64_t offset = values.integer("offset");
  const auto entries = static_cast<double>(std::min(outcome.rows, outcome.cols));
  fill_columns(outcome, values, entries, context, [&](std::uint64_t col, Rows& out) {
    const std::int64_t row = static_cast<std::int64_t>(col) - offset;
    if (row >= 0 && row < static_cast<std::int64_t>(outcome.rows))
      append_run(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(row) + 1, col, out);
  });
  return outcome;
}

Outcome make_band(const GeneratorValues& values, JobContext& context) {
  Outcome outcome{.rows = values.side("rows"), .cols = values.side("cols")};
  const std::uint64_t lower = values.size(values.given("lower") ? "lower" : "bandwidth");
  const std::uint64_t upper = values.size(values.given("upper") ? "upper" : "bandwidth");
  const auto cols = static_cast<double>(std::min(outcome.cols, outcome.rows + upper));
  const double entries = cols * static_cast<double>(std::min(outcome.rows, lower + upper + 1));
  fill_columns(outcome, values, entries, context, [&](std::uint64_t col, Rows& out) {
    append_run(minus(col, upper), std::min(outcome.rows, col + lower + 1), col, out);
  });
  return outcome;
}

Outcome make_block_diagonal(const GeneratorValues& values, JobContext& context) {
  Outcome outcome{.rows = values.side("rows"), .cols = values.side("cols")};
  const std::uint64_t block = values.size("block");
  const double entries =
      static_cast<double>(outcome.cols) * static_cast<double>(std::min(block, outcome.rows));
  fill_columns(outcome, values, entries, context, [&](std::uint64_t col, Rows& out) {
    const std::uint64_t begin = col / block * block;
    append_run(begin, std::min(outcome.rows, begin + block), col, out);
  });
  return outcome;
}

Outcome make_checkerboard(const GeneratorValues& values, JobContext& context) {
  Outcome outcome{.rows = values.side("rows"), .cols = values.side("cols")};
  const std::uint64_t cell = values.size("cell");
  const double entries = static_cast<double>(outcome.cols) * static_cast<double>(outcome.rows) / 2;
  fill_columns(outcome, values, entries, context, [&](std::uint64_t col, Rows& out) {
    for (std::uint64_t row = col / cell % 2 * cell; row < outcome.rows; row += 2 * cell)
      append_run(row, std::min(outcome.rows, row + cell), col, out);
  });
  return outcome;
}

Outcome make_circulant(const GeneratorValues& values, JobContext& context) {
  Outcome outcome;
  const std::uint64_t n = outcome.rows = outcome.cols = values.size("n");
  const std::uint64_t degree = values.size("degree");
  const std::uint64_t stride = values.size("stride") % n;
  const auto offset = static_cast<std::uint64_t>(values.integer("offset") % static_cast<std::int64_t>(n) +
                                                 static_cast<std::int64_t>(n)) %
                      n;
  const double entries = static_cast<double>(n) * static_cast<double>(std::min(degree, n));
  fill_columns(outcome, values, entries, context, [&](std::uint64_t col, Rows& out) {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    // Row i holds columns i + offset + k·stride: column j holds rows j − offset − k·stride.
    std::uint64_t row = (col + n - offset) % n;
    for (std::uint64_t k = 0; k < std::min(degree, n); ++k) {
      out.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
      row = (row + n - stride) % n;
    }
    std::sort(out.begin() + first, out.end());
    out.erase(std::unique(out.begin() + first, out.end()), out.end());
  });
  return outcome;
}

Outcome make_arrow(const GeneratorValues& values, JobContext& context) {
  Outcome outcome{.rows = values.side("rows"), .cols = values.side("cols")};
  const std::uint64_t head = values.size("head");
  const auto rows = static_cast<double>(outcome.rows);
  const auto cols = static_cast<double>(outcome.cols);
  const auto width = static_cast<double>(head);
  const double entries = std::min(width, rows) * cols + std::min(width, cols) * rows + std::min(rows, cols);
  fill_columns(outcome, values, entries, context, [&](std::uint64_t col, Rows& out) {
    if (col < head) return append_run(0, outcome.rows, col, out);
    append_run(0, std::min(head, outcome.rows), col, out);
    if (col < outcome.rows) append_run(col, col + 1, col, out);
  });
  return outcome;
}

std::vector<GeneratorParameter> with_rectangle(double n, std::vector<GeneratorParameter> more) {
  std::vector<GeneratorParameter> all = rectangle_parameters(n);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

void add_structured_generators(std::vector<Generator>& table) {
  table.push_back(
      {{"diagonal", "Diagonal",
        "One diagonal, entries (i, i + offset). Look for a line at right angles to it, u = −v: in a square "
        "matrix |F| is n on it where offset is 0, and 0 elsewhere.",
        with_rectangle(1000, {{"offset", "columns to the right of the main diagonal; negative below it",
                               -kMostRows, kMostRows, 0, true}}),
        false, "gen:diagonal:n=256", "gen:diagonal:n=32"},
       &make_diagonal});
  table.push_back(
      {{"band", "Band",
        "All entries from `lower` diagonals below to `upper` above the main one. Look at the line u = −v: "
        "the more diagonals, the shorter is its bright part.",
        with_rectangle(1000, {{"bandwidth", "diagonals on either side", 0, kMostRows, 1, true},
                              {"lower", "diagonals below; default: bandwidth", 0, kMostRows, 1, true},
                              {"upper", "diagonals above; default: bandwidth", 0, kMostRows, 1, true}}),
        false, "gen:band:n=512,bandwidth=12", "gen:band:n=32,bandwidth=2"},
       &make_band});
  table.push_back({{"block-diagonal", "Block diagonal",
                    "Full square blocks along the diagonal, the last one clipped. Look for parallel lines, "
                    "n/block indices apart; where block divides n, F is 0 between them.",
                    with_rectangle(1000, {{"block", "side of a block", 1, kMostRows, 10, true}}), false,
                    "gen:block-diagonal:n=512,block=32", "gen:block-diagonal:n=32,block=8"},
                   &make_block_diagonal});
  table.push_back({{"checkerboard", "Checkerboard",
                    "Every other cell is full: a period of 2·cell in rows and columns. Look for single "
                    "peaks: those nearest "
                    "to DC are n/(2·cell) indices away from it.",
                    with_rectangle(256, {{"cell", "side of a cell", 1, kMostRows, 1, true}}), false,
                    "gen:checkerboard:n=256,cell=16", "gen:checkerboard:n=32,cell=4"},
                   &make_checkerboard});
  table.push_back(
      {{"circulant",
        "Circulant",
        "Diagonals `stride` columns apart, wrapped around at the edges. Look at the line u = −v: its "
        "bright places are n/stride indices apart, and elsewhere F is 0.",
        {side_parameter(1000),
         {"degree", "entries in a row", 1, kMostRows, 3, true},
         {"stride", "columns from one diagonal to the next", 0, kMostRows, 1, true},
         {"offset", "columns of the first diagonal to the right of the main one", -kMostRows, kMostRows, 0,
          true}},
        false,
        "gen:circulant:n=512,degree=7,stride=37",
        "gen:circulant:n=32,degree=4,stride=7"},
       &make_circulant});
  table.push_back(
      {{"arrow", "Arrow",
        "The first `head` rows and columns and the main diagonal. Look for the cross u = 0, v = 0 "
        "of the full rows and columns, and for the line u = −v of the diagonal.",
        with_rectangle(1000, {{"head", "full rows and columns", 1, kMostRows, 1, true}}), false,
        "gen:arrow:n=512,head=8", "gen:arrow:n=32,head=2"},
       &make_arrow});
}

}  // namespace spyctrum
