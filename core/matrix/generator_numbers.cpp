// SPDX-License-Identifier: Apache-2.0
// Matrices whose numbers matter more than their pattern: a random orthogonal circulant (P. J. Davis,
// "Circulant Matrices", 1979), a contact map with power-law decay and blocks as Hi-C experiments give (E.
// Lieberman-Aiden et al., Science 326, 2009), and weights pruned by magnitude (S. Han et al., NeurIPS 2015).
// A value is a function of (seed, row, column).
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "core/matrix/generator_parameters.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

using Outcome = Generator::Outcome;
using Rows = std::vector<PackedEntry>;

constexpr std::uint64_t kDrawsPerEntry = 64;  // counters that belong to one entry

/// A standard normal number from the draws counter, counter + 1, … (G. Marsaglia, T. A. Bray, SIAM Review 6,
/// 1964).
double normal(const CounterRandom& random, std::uint64_t counter) {
  for (std::uint64_t k = 0; k + 2 <= kDrawsPerEntry; k += 2) {
    const double x = 2 * random.unit(counter + k) - 1;
    const double y = 2 * random.unit(counter + k + 1) - 1;
    const double square = x * x + y * y;
    if (square < 1 && square > 0) return x * std::sqrt(-2 * portable_log(square) / square);
  }
  return 0;  // with a probability of 5e-22
}

/// A Poisson number: uniform numbers are multiplied until their product is below e^−mean (D. E. Knuth, TAOCP
/// 2, §3.4.1). For a mean above 8, ⌊mean + U⌋ with U uniform on (0, 1) in place of a Poisson number.
std::uint64_t poisson(const CounterRandom& random, std::uint64_t counter, double mean) {
  if (mean > 8) return static_cast<std::uint64_t>(mean + random.unit(counter));
  const double least = portable_exp(-mean);
  double product = 1;
  for (std::uint64_t k = 0; k < kDrawsPerEntry; ++k) {
    product *= random.unit(counter + k);
    if (product < least) return k;
  }
  return kDrawsPerEntry;
}

/// The first row of C with C Cᵀ = I: Σ_u e^{i(φ_u + 2πuk/n)}/n with random phases φ_{−u} = −φ_u.
std::vector<double> orthogonal_row(std::uint64_t n, std::uint64_t seed, const JobContext& context) {
  const CounterRandom random(seed, 0x6f727468);
  std::vector<double> row(n, random.unit(0) < 0.5 ? -1.0 : 1.0);
  for (std::uint64_t u = 1; 2 * u <= n; ++u) {
    context.check_stop();
    const bool is_real = 2 * u == n;
    const double phase =
        is_real ? (random.unit(u) < 0.5 ? std::numbers::pi : 0.0) : 2 * std::numbers::pi * random.unit(u);
    for (std::uint64_t k = 0; k < n; ++k) {
      const double turn = static_cast<double>(u * k % n) / static_cast<double>(n);
      row[k] += (is_real ? 1 : 2) * std::cos(phase + 2 * std::numbers::pi * turn);
    }
  }
  for (double& value : row) value /= static_cast<double>(n);
  return row;
}

Outcome make_orthogonal(const GeneratorValues& values, JobContext& context) {
  const std::uint64_t n = values.size("n");
  Outcome outcome{.rows = n, .cols = n};
  fill_columns(outcome, values, static_cast<double>(n) * static_cast<double>(n), context,
               [n](std::uint64_t col, Rows& out) {
                 for (std::uint64_t row = 0; row < n; ++row)
                   out.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
               });
  const auto first = std::make_shared<const std::vector<double>>(orthogonal_row(n, values.seed(), context));
  outcome.value = [first, n](std::uint64_t row, std::uint64_t col) { return (*first)[(col + n - row) % n]; };
  return outcome;
}

Outcome make_contacts(const GeneratorValues& values, JobContext& context) {
  const std::uint64_t n = values.size("n");
  const std::uint64_t block = values.size("block");
  const CounterRandom random(values.seed(), 0x68696363);
  std::vector<double> decay(n);
  for (std::uint64_t d = 0; d < n; ++d)
    decay[d] = values.real("depth") * portable_pow(1 + static_cast<double>(d), -values.real("exponent"));
  const auto count = [random, n, block, inside = values.real("inside"),
                      decay = std::make_shared<const std::vector<double>>(std::move(decay))](
                         std::uint64_t i, std::uint64_t j) {
    const std::uint64_t first = std::min(i, j);
    const std::uint64_t last = std::max(i, j);
    const double mean = (*decay)[last - first] * (first / block == last / block ? inside : 1);
    return poisson(random, (first * n + last) * kDrawsPerEntry, mean);
  };
  Outcome outcome{.rows = n, .cols = n};
  fill_columns(outcome, values, static_cast<double>(n) * static_cast<double>(n), context,
               [&](std::uint64_t col, Rows& out) {
                 for (std::uint64_t row = 0; row < n; ++row)
                   if (count(row, col) > 0)
                     out.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
               });
  outcome.value = [count](std::uint64_t row, std::uint64_t col) {
    return static_cast<double>(count(row, col));
  };
  return outcome;
}

Outcome make_pruned(const GeneratorValues& values, JobContext& context) {
  Outcome outcome{.rows = values.side("rows"), .cols = values.side("cols")};
  const std::uint64_t block = values.size("block");
  const std::uint64_t rows = outcome.rows;
  const std::uint64_t block_rows = (rows + block - 1) / block;
  const CounterRandom random(values.seed(), 0x7072756e);
  const CounterRandom scales(values.seed(), 0x7363616c);
  const auto weight = [=, spread = values.real("spread")](std::uint64_t i, std::uint64_t j) {
    const double scale =
        portable_exp(spread * normal(scales, (j / block * block_rows + i / block) * kDrawsPerEntry));
    return scale * normal(random, (j * rows + i) * kDrawsPerEntry);
  };
  // the threshold is the quantile of 2^16 weights at random positions
  constexpr std::uint64_t kSampled = std::uint64_t{1} << 16U;
  const CounterRandom places(values.seed(), 0x706c6163);
  std::vector<double> sizes;
  for (std::uint64_t k = 0; k < kSampled; ++k)
    sizes.push_back(std::abs(weight(places.below(2 * k, rows), places.below(2 * k + 1, outcome.cols))));
  const double density = values.real("density");
  const auto at =
      sizes.begin() + static_cast<std::ptrdiff_t>(std::min(static_cast<double>(kSampled - 1),
                                                           (1 - density) * static_cast<double>(kSampled)));
  std::nth_element(sizes.begin(), at, sizes.end());
  const double threshold = density < 1 ? *at : 0;
  const double cells = static_cast<double>(rows) * static_cast<double>(outcome.cols);
  fill_columns(outcome, values, std::max(1.0, density * cells), context, [&](std::uint64_t col, Rows& out) {
    for (std::uint64_t row = 0; row < rows; ++row)
      if (std::abs(weight(row, col)) >= threshold)
        out.push_back(pack_entry(static_cast<Index>(row), static_cast<Index>(col)));
    context.check_stop();
  });
  outcome.value = weight;
  return outcome;
}

}  // namespace

void add_number_generators(std::vector<Generator>& table) {
  constexpr double kMostSide = 65536;
  table.push_back(
      {{"orthogonal-circulant",
        "Orthogonal circulant",
        "A full circulant with random phases. Compare: by value |F| is n on the line u = −v and 0 "
        "elsewhere; by pattern it is n² at DC alone.",
        {{"n", "rows and columns", 1, 16384, 256, true}},
        true,
        "gen:orthogonal-circulant:n=256",
        "gen:orthogonal-circulant:n=32"},
       &make_orthogonal});
  table.push_back({{"contact-map",
                    "Contact map",
                    "Poisson counts of mean depth·(1 + |i − j|)^−exponent, times `inside` within diagonal "
                    "blocks. Look at the line u = −v and, by value, at lines n/block indices beside it.",
                    {{"n", "rows and columns", 1, kMostSide, 512, true},
                     {"depth", "mean count on the diagonal", 1e-6, 1e9, 60, false},
                     {"exponent", "decay with the distance", 0, 10, 1, false},
                     {"block", "side of a block", 1, kMostSide, 48, true},
                     {"inside", "mean count within a block over that outside", 0, 1e6, 3, false}},
                    true,
                    "gen:contact-map:n=384,block=48",
                    "gen:contact-map:n=32,block=8,depth=20"},
                   &make_contacts});
  std::vector<GeneratorParameter> pruned = rectangle_parameters(512);
  for (GeneratorParameter& parameter : pruned) parameter.maximum = kMostSide;
  pruned.push_back({"density", "share of the weights that is kept", 1e-6, 1, 0.1, false});
  pruned.push_back({"block", "side of the blocks with a scale of their own", 1, kMostSide, 64, true});
  pruned.push_back({"spread", "standard deviation of the logarithm of the scales", 0, 10, 0.7, false});
  table.push_back(
      {{"pruned-weights", "Pruned weights",
        "Normal numbers, scaled block by block, of which those of the largest magnitude are kept. Look near "
        "DC: blocks of unequal density make the middle bright.",
        std::move(pruned), true, "gen:pruned-weights:n=384,density=0.1",
        "gen:pruned-weights:n=32,density=0.2,block=8"},
       &make_pruned});
}

}  // namespace spyctrum
