// SPDX-License-Identifier: Apache-2.0
// Patterns without structure: a given number of distinct entries, every set equally likely. For a square
// matrix the directed G(n, M) model of P. Erdős and A. Rényi, Publ. Math. Debrecen 6, 1959, with loops.
#include <algorithm>
#include <cmath>

#include "core/base/counts_text.hpp"
#include "core/matrix/generator_parameters.hpp"
#include "core/matrix/sampling.hpp"

namespace spyctrum {

namespace {

std::uint64_t requested_entries(const GeneratorValues& values, std::uint64_t rows, std::uint64_t cols) {
  const std::uint64_t area = rows * cols;
  if (values.given("density")) {
    if (values.given("nnz")) throw values.bad("nnz and density are both given.", "Give one of them.");
    return std::min(
        area, static_cast<std::uint64_t>(std::llround(values.real("density") * static_cast<double>(area))));
  }
  // without nnz and density: five entries per row
  const std::uint64_t count = values.given("nnz") ? values.size("nnz") : std::min(area, 5 * rows);
  if (count > area)
    throw values.bad("nnz=" + std::to_string(count) + " entries do not fit into " + grouped(rows) + "×" +
                         grouped(cols) + " = " + grouped(area) + " positions.",
                     "Choose a smaller nnz or larger sides.");
  return count;
}

Generator::Outcome make_random(const GeneratorValues& values, JobContext& context) {
  const std::uint64_t rows = values.side("rows");
  const std::uint64_t cols = values.side("cols");
  const double area = static_cast<double>(rows) * static_cast<double>(cols);
  if (values.given("density") && values.real("density") * area > kMostEntries)
    values.check_memory(values.real("density") * area, context);
  const std::uint64_t count = requested_entries(values, rows, cols);
  values.check_memory(static_cast<double>(count), context);
  std::vector<std::uint64_t> places =
      sample_distinct(count, rows * cols, CounterRandom(values.seed(), 1), context);
  for_blocks(&context, places.size(), std::size_t{1} << 19U, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      places[t] = pack_entry(static_cast<Index>(places[t] % rows), static_cast<Index>(places[t] / rows));
  });
  return {.rows = rows, .cols = cols, .chunks = {std::move(places)}};
}

}  // namespace

void add_random_generators(std::vector<Generator>& table) {
  std::vector<GeneratorParameter> parameters = rectangle_parameters(1000);
  parameters.push_back(
      {"nnz", "number of entries; default without density: 5 per row", 0, kMostEntries, 5000, true});
  parameters.push_back(
      {"density", "share of the positions that are entries, instead of nnz", 0, 1, 0, false});
  table.push_back(
      {{"random", "Random",
        "Exactly nnz entries at distinct, uniformly random positions. Look for what is not there: "
        "beside DC the mean power is K(1 − K/mn) everywhere.",
        std::move(parameters), true, "gen:random:n=512,nnz=4000", "gen:random:n=32,nnz=110"},
       &make_random});
}

}  // namespace spyctrum
