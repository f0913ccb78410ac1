// SPDX-License-Identifier: Apache-2.0
// Random graphs as adjacency matrices. Power law: F. Chung, L. Lu, "Connected components in random graphs
// with given expected degree sequences", Annals of Combinatorics 6, 2002. R-MAT: D. Chakrabarti, Y. Zhan, C.
// Faloutsos, SDM 2004. Stochastic blocks: P. W. Holland, K. B. Laskey, S. Leinhardt, Social Networks 5(2),
// 1983, here with fixed numbers of entries.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/base/counts_text.hpp"
#include "core/matrix/generator_parameters.hpp"
#include "core/matrix/sampling.hpp"

namespace spyctrum {

namespace {

using Outcome = Generator::Outcome;

// The number of entries to draw: all, or those of one triangle of a symmetric matrix.
struct DrawPlan {
  bool symmetric = false;
  std::uint64_t draws = 0;
};

DrawPlan plan_draws(const GeneratorValues& values, const Outcome& outcome, JobContext& context) {
  const std::uint64_t rows = outcome.rows;
  const std::uint64_t cols = outcome.cols;
  DrawPlan plan{values.flag("symmetric"), 0};
  if (plan.symmetric && rows != cols)
    throw values.bad(
        "a symmetric matrix is square, but " + grouped(rows) + "×" + grouped(cols) + " was requested.",
        "Add symmetric=0, or make rows and cols equal.");
  // Symmetric matrices have no entries on the diagonal (no self-loops).
  const std::uint64_t places = plan.symmetric ? rows * (rows - 1) : rows * cols;
  const std::uint64_t count = values.given("nnz") ? values.size("nnz") : std::min(places, 8 * rows);
  if (count > places)
    throw values.bad(
        "nnz=" + std::to_string(count) + " entries do not fit into " + grouped(places) + " positions.",
        "Choose a smaller nnz or larger sides.");
  plan.draws = plan.symmetric ? count / 2 : count;
  values.check_memory(static_cast<double>(count), context);
  return plan;
}

// The entry (row, col); for a symmetric matrix the entry in the lower triangle, or kNoEntry for a self-loop.
PackedEntry edge_entry(std::uint64_t row, std::uint64_t col, bool symmetric) {
  if (symmetric && row == col) return kNoEntry;
  if (symmetric && row < col) std::swap(row, col);
  return pack_entry(static_cast<Index>(row), static_cast<Index>(col));
}

void add_drawn(std::vector<PackedEntry> entries, const DrawPlan& plan, Outcome& outcome) {
  const std::uint64_t each = plan.symmetric ? 2 : 1;
  if (entries.size() < plan.draws)
    outcome.notes.push_back("Only " + grouped(each * entries.size()) + " of " + grouped(each * plan.draws) +
                            " entries were found: the likely positions are taken.");
  outcome.mirror = plan.symmetric;
  outcome.chunks.push_back(std::move(entries));
}

// Draws i of 0 … side−1 with probability proportional to ∫ x^(−a) dx over [i+1, i+2), a = 1/(exponent − 1),
// by inverting the integral. Expected degrees then follow a power law with this exponent.
class PowerLaw {
 public:
  PowerLaw(std::uint64_t side, double exponent) : side_(side), one_minus_a_(1.0 - 1.0 / (exponent - 1.0)) {
    const double end = static_cast<double>(side) + 1.0;
    is_log_ = std::abs(one_minus_a_) < 1e-9;
    span_ = is_log_ ? portable_log(end) : portable_pow(end, one_minus_a_) - 1.0;
  }
  [[nodiscard]] std::uint64_t draw(double unit) const {
    const double x =
        is_log_ ? portable_exp(unit * span_) : portable_pow(1.0 + unit * span_, 1.0 / one_minus_a_);
    return std::min(side_ - 1, static_cast<std::uint64_t>(std::max(x, 1.0)) - 1);
  }

 private:
  std::uint64_t side_;
  double one_minus_a_;
  double span_ = 0;
  bool is_log_ = false;
};

Outcome make_power_law(const GeneratorValues& values, JobContext& context) {
  Outcome outcome{.rows = values.side("rows"), .cols = values.side("cols")};
  const DrawPlan plan = plan_draws(values, outcome, context);
  const PowerLaw row_law(outcome.rows, values.real("exponent"));
  const PowerLaw col_law(outcome.cols, values.real("exponent"));
  const CounterRandom random(values.seed(), 2);
  const bool shuffled = values.flag("shuffle");
  const Shuffle row_shuffle(outcome.rows, values.seed());
  const Shuffle col_shuffle(outcome.cols, plan.symmetric ? values.seed() : ~values.seed());
  add_drawn(draw_distinct(plan.draws, context,
                          [&](std::uint64_t counter) {
                            const std::uint64_t row = row_law.draw(random.unit(2 * counter));
                            const std::uint64_t col = col_law.draw(random.unit(2 * counter + 1));
                            return shuffled ? edge_entry(row_shuffle(row), col_shuffle(col), plan.symmetric)
                                            : edge_entry(row, col, plan.symmetric);
                          }),
            plan, outcome);
  return outcome;
}

// The sums a, a + b, a + b + c of the quadrants' probabilities, in units of 2^−32.
struct Quadrants {
  std::array<std::uint64_t, 3> below{};
};

Quadrants quadrants_of(const GeneratorValues& values) {
  const double a = values.real("a");
  const double b = values.real("b");
  const double c = values.real("c");
  if (a + b + c > 1.0 + 1e-12)
    throw values.bad("a + b + c is above 1, so nothing is left for the fourth quadrant.",
                     "Choose smaller shares.");
  constexpr double kParts = 4294967296.0;
  return {{static_cast<std::uint64_t>(a * kParts), static_cast<std::uint64_t>((a + b) * kParts),
           static_cast<std::uint64_t>((a + b + c) * kParts)}};
}

Outcome make_rmat(const GeneratorValues& values, JobContext& context) {
  Outcome outcome;
  const std::uint64_t n = outcome.rows = outcome.cols = values.size("n");
  const DrawPlan plan = plan_draws(values, outcome, context);
  const Quadrants quadrants = quadrants_of(values);
  const auto levels = static_cast<unsigned>(std::bit_width(n - 1));
  const CounterRandom random(values.seed(), 3);
  const Shuffle shuffle(n, values.seed());
  const bool shuffled = values.flag("shuffle");
  add_drawn(draw_distinct(plan.draws, context,
                          [&](std::uint64_t counter) {
                            std::uint64_t row = 0;
                            std::uint64_t col = 0;
                            std::uint64_t bits = 0;
                            for (unsigned level = 0; level < levels; ++level) {
                              // Two levels share 64 random bits: 16 draws are enough for 32 levels.
                              bits = level % 2 == 0 ? random.bits(counter * 16 + level / 2) : bits >> 32U;
                              const std::uint64_t part = bits & 0xffffffffU;
                              const std::uint64_t lower = part >= quadrants.below[1] ? 1 : 0;
                              const std::uint64_t right = lower == 1 ? (part >= quadrants.below[2] ? 1 : 0)
                                                                     : (part >= quadrants.below[0] ? 1 : 0);
                              row = 2 * row + lower;
                              col = 2 * col + right;
                            }
                            if (row >= n || col >= n) return kNoEntry;
                            return shuffled ? edge_entry(shuffle(row), shuffle(col), plan.symmetric)
                                            : edge_entry(row, col, plan.symmetric);
                          }),
            plan, outcome);
  return outcome;
}

// The positions inside the diagonal blocks, or those outside, numbered block by block; for a symmetric matrix
// those of the lower triangle.
class BlockPlaces {
 public:
  BlockPlaces(std::uint64_t n, std::uint64_t blocks, bool inside, bool symmetric)
      : n_(n), inside_(inside), symmetric_(symmetric) {
    begins_.reserve(blocks + 1);
    first_.reserve(blocks + 1);
    std::uint64_t places = 0;
    for (std::uint64_t b = 0; b <= blocks; ++b) {
      begins_.push_back(b * n / blocks);
      first_.push_back(places);
      if (b == blocks) break;
      const std::uint64_t side = (b + 1) * n / blocks - begins_[b];
      places += symmetric ? (inside ? side * (side - (side > 0 ? 1 : 0)) / 2 : side * begins_[b])
                          : (inside ? side * side : side * (n - side));
    }
  }
  [[nodiscard]] std::uint64_t count() const { return first_.back(); }

  [[nodiscard]] PackedEntry operator()(std::uint64_t place) const {
    const auto b =
        static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), place) - first_.begin()) - 1;
    const std::uint64_t begin = begins_[b];
    const std::uint64_t side = begins_[b + 1] - begin;
    const std::uint64_t t = place - first_[b];
    if (symmetric_ && inside_) return below_diagonal(t, begin);
    if (symmetric_) return packed(begin + t / begin, t % begin);  // rows of the block, columns before it
    if (inside_) return packed(begin + t % side, begin + t / side);
    const std::uint64_t row = t % (n_ - side);
    return packed(row < begin ? row : row + side, begin + t / (n_ - side));
  }

 private:
  static PackedEntry packed(std::uint64_t row, std::uint64_t col) {
    return pack_entry(static_cast<Index>(row), static_cast<Index>(col));
  }
  // Position t below the diagonal, row by row: row i has i positions.
  static PackedEntry below_diagonal(std::uint64_t t, std::uint64_t begin) {
    auto i = static_cast<std::uint64_t>((1.0 + std::sqrt(1.0 + 8.0 * static_cast<double>(t))) / 2.0);
    while (i * (i - 1) / 2 > t) --i;
    while ((i + 1) * i / 2 <= t) ++i;
    return packed(begin + i, begin + (t - i * (i - 1) / 2));
  }

  std::uint64_t n_;
  bool inside_;
  bool symmetric_;
  std::vector<std::uint64_t> begins_;  // of the blocks
  std::vector<std::uint64_t> first_;   // place of each block
};

std::uint64_t rounded_share(double share, std::uint64_t places) {
  return std::min(places, static_cast<std::uint64_t>(std::floor(share * static_cast<double>(places) + 0.5)));
}

void add_places(const BlockPlaces& places, std::uint64_t count, const CounterRandom& random, Outcome& outcome,
                JobContext& context) {
  std::vector<std::uint64_t> chosen = sample_distinct(count, places.count(), random, context);
  for_blocks(&context, chosen.size(), std::size_t{1} << 17U, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) chosen[t] = places(chosen[t]);
  });
  outcome.chunks.push_back(std::move(chosen));
}

Outcome make_stochastic_blocks(const GeneratorValues& values, JobContext& context) {
  Outcome outcome;
  const std::uint64_t n = outcome.rows = outcome.cols = values.size("n");
  const std::uint64_t blocks = values.size("blocks");
  if (blocks > n)
    throw values.bad("blocks=" + std::to_string(blocks) + " is more than the " + grouped(n) + " rows.",
                     "Choose fewer blocks.");
  outcome.mirror = values.flag("symmetric");
  const BlockPlaces inside(n, blocks, true, outcome.mirror);
  const BlockPlaces outside(n, blocks, false, outcome.mirror);
  const double each = outcome.mirror ? 2.0 : 1.0;
  values.check_memory(each * (values.real("p_in") * static_cast<double>(inside.count()) +
                              values.real("p_out") * static_cast<double>(outside.count())),
                      context);
  add_places(inside, rounded_share(values.real("p_in"), inside.count()), CounterRandom(values.seed(), 4),
             outcome, context);
  add_places(outside, rounded_share(values.real("p_out"), outside.count()), CounterRandom(values.seed(), 5),
             outcome, context);
  return outcome;
}

GeneratorParameter entries_parameter() {
  return {"nnz", "number of entries; default: 8 per row", 0, kMostEntries, 8000, true};
}
GeneratorParameter symmetric_parameter(double by_default) {
  return {"symmetric", "1: undirected and without self-loops; 0: directed", 0, 1, by_default, true};
}
GeneratorParameter shuffle_parameter() {
  return {"shuffle", "1 scatters the hubs over the rows; 0 leaves them in front", 0, 1, 0, true};
}

}  // namespace

void add_graph_generators(std::vector<Generator>& table) {
  std::vector<GeneratorParameter> parameters = rectangle_parameters(1000);
  parameters.push_back(entries_parameter());
  parameters.push_back({"exponent", "of the power law of the degrees", 1.2, 20, 2.5, false});
  parameters.push_back(symmetric_parameter(1));
  parameters.push_back(shuffle_parameter());
  table.push_back({{"power-law", "Power law (Chung–Lu)",
                    "A graph whose numbers of neighbours follow a power law. Look for the cross u = 0, v = 0 "
                    "of its hubs, and, unless shuffled, a bright middle.",
                    std::move(parameters), true, "gen:power-law:n=1024,nnz=12000,exponent=2.3,shuffle=1",
                    "gen:power-law:n=32,nnz=120"},
                   &make_power_law});
  table.push_back({{"rmat",
                    "R-MAT (Kronecker)",
                    "Each entry takes a quadrant of the matrix with probability a, b, c or d = 1 − a − b − "
                    "c, a quadrant of "
                    "that, and so on. Look for lines at u and v of n/2, n/4, n/8, and so on.",
                    {side_parameter(1024),
                     entries_parameter(),
                     {"a", "share of the upper left quadrant", 0, 1, 0.57, false},
                     {"b", "share of the upper right quadrant", 0, 1, 0.19, false},
                     {"c", "share of the lower left quadrant", 0, 1, 0.19, false},
                     symmetric_parameter(0),
                     shuffle_parameter()},
                    true,
                    "gen:rmat:n=1024,nnz=12000",
                    "gen:rmat:n=32,nnz=140"},
                   &make_rmat});
  table.push_back(
      {{"stochastic-blocks",
        "Stochastic blocks",
        "Blocks of equal sides on the diagonal hold entries at the share p_in of their positions, the "
        "rest at p_out. Look near DC: the more blocks, the longer the short line u = −v.",
        {side_parameter(1000),
         {"blocks", "number of blocks", 1, 1e6, 4, true},
         {"p_in", "share of the positions inside the blocks", 0, 1, 0.05, false},
         {"p_out", "share of the positions outside", 0, 1, 0.002, false},
         symmetric_parameter(1)},
        true,
        "gen:stochastic-blocks:n=600,blocks=6,p_in=0.15,p_out=0.005",
        "gen:stochastic-blocks:n=32,p_in=0.5,p_out=0.03"},
       &make_stochastic_blocks});
}

}  // namespace spyctrum
