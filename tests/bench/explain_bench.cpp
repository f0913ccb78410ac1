// SPDX-License-Identifier: Apache-2.0
// How often does explain() name the structures that a matrix was made of, and how often does it say what is
// not true? All kinds of generated matrices with random parameters and random matrices, at K of about 10^3 to
// 10^6. For every kind the structures that it has are known from its definition, with offsets and periods:
// a finding is true if it is one of those. Argument: matrices of each kind and size (default 20).
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/explain/explain.hpp"
#include "core/matrix/generators.hpp"
#include "core/matrix/random.hpp"
#include "tests/bench/bench_matrices.hpp"

namespace spyctrum::bench {
namespace {

using Kind = FindingKind;

/// What is true of a matrix. Offsets of diagonals are intervals [first, last].
struct Truth {
  std::vector<std::pair<double, double>> diagonals{};      ///< where entries gather
  std::vector<std::pair<double, double>> antidiagonals{};  ///< the same of i + j
  std::vector<double> periods{};  ///< of rows, columns or diagonals; and their fractions
  std::set<Kind> allowed{};       ///< findings of these kinds are never counted as wrong
  /// A matrix is explained if there is a finding of at least one kind of each set.
  std::vector<std::set<Kind>> expected{};
};

struct Case {
  std::string text;
  Truth truth;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, 0) {}
  std::int64_t whole(double low, double high) {
    return std::llround(low + (high - low) * random_.unit(next_++));
  }
  double ratio(double low, double high) { return low * std::pow(high / low, random_.unit(next_++)); }

 private:
  CounterRandom random_;
  std::uint64_t next_ = 0;
};

std::string format(const char* form, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* form, ...) {
  std::array<char, 256> text{};
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(text.data(), text.size(), form, arguments);
  va_end(arguments);
  return text.data();
}

Case diagonal(double entries, Draw& draw) {
  const auto n = static_cast<std::int64_t>(entries);
  const std::int64_t offset = draw.whole(-entries / 4, entries / 4);
  const auto d = static_cast<double>(offset);
  return {
      format("gen:diagonal:n=%lld,offset=%lld", static_cast<long long>(n), static_cast<long long>(offset)),
      {.diagonals = {{d, d}},
       .allowed = {Kind::uneven_rows, Kind::uneven_columns},
       .expected = {{Kind::diagonals}}}};
}

Case band(double entries, Draw& draw) {
  const double width = draw.ratio(3, std::sqrt(entries) / 2);
  const auto n = std::llround(entries / width);
  const long long lower = draw.whole(0, width - 1), upper = std::llround(width) - 1 - lower;
  return {format("gen:band:n=%lld,lower=%lld,upper=%lld", n, static_cast<long long>(lower),
                 static_cast<long long>(upper)),
          {.diagonals = {{-static_cast<double>(lower), static_cast<double>(upper)}},
           .allowed = {Kind::uneven_rows, Kind::uneven_columns},
           .expected = {{Kind::diagonals}}}};
}

Case block_diagonal(double entries, Draw& draw) {
  const double block = draw.ratio(4, std::sqrt(entries) / 3);
  const auto b = std::llround(block);
  const auto n = std::llround(entries / block);
  const auto d = static_cast<double>(b - 1);
  return {format("gen:block-diagonal:n=%lld,block=%lld", n, b),
          {.diagonals = {{-d, d}},
           .periods = {static_cast<double>(b)},
           .allowed = {Kind::uneven_rows, Kind::uneven_columns, Kind::centre},
           .expected = {{Kind::diagonals}, {Kind::parallel_lines, Kind::period}}}};
}

Case checkerboard(double entries, Draw& draw) {
  const auto n = std::llround(std::sqrt(2 * entries));
  const auto cell = draw.whole(1, static_cast<double>(n) / 12);
  return {format("gen:checkerboard:n=%lld,cell=%lld", n, static_cast<long long>(cell)),
          {.diagonals = {{-1e18, 1e18}},
           .antidiagonals = {{-1e18, 1e18}},
           .periods = {2.0 * static_cast<double>(cell)},
           .allowed = {Kind::uneven_rows, Kind::uneven_columns},
           .expected = {{Kind::period, Kind::peak, Kind::parallel_lines}}}};
}

Case circulant(double entries, Draw& draw) {
  const auto degree = draw.whole(2, 24);
  const auto n = std::llround(entries / static_cast<double>(degree));
  const auto stride = draw.whole(2, static_cast<double>(n) / static_cast<double>(degree) / 2);
  Truth truth{.allowed = {}, .expected = {{Kind::diagonals, Kind::period}}};
  for (std::int64_t k = 0; k < degree; ++k)
    for (const double turn : {0.0, static_cast<double>(n)}) {
      const double d = static_cast<double>(k * stride) - turn;
      truth.diagonals.emplace_back(d, d);
    }
  truth.periods = {static_cast<double>(stride)};
  return {format("gen:circulant:n=%lld,degree=%lld,stride=%lld", n, static_cast<long long>(degree),
                 static_cast<long long>(stride)),
          truth};
}

Case arrow(double entries, Draw& draw) {
  const auto head = draw.whole(1, 6);
  const auto n = std::llround(entries / (2.0 * static_cast<double>(head) + 1));
  const auto h = static_cast<double>(head);
  return {format("gen:arrow:n=%lld,head=%lld", n, static_cast<long long>(head)),
          {.diagonals = {{-h, h}},
           .allowed = {Kind::uneven_rows, Kind::uneven_columns, Kind::centre},
           .expected = {{Kind::uneven_rows}, {Kind::uneven_columns}, {Kind::diagonals}}}};
}

/// Stencils of a grid of nx × ny × nz points. Rows at its edges hold fewer entries: periods nx and nx·ny.
Case stencil(const char* kind, double entries, Draw& draw, bool solid) {
  const double points = solid ? 7 : 5;
  const double size = entries / points;
  const double side = solid ? std::cbrt(size) : std::sqrt(size);
  const auto nx = std::llround(side * draw.ratio(0.6, 1.6));
  const auto ny = std::llround(solid ? side * draw.ratio(0.7, 1.4) : size / static_cast<double>(nx));
  const auto nz = solid ? std::llround(size / static_cast<double>(nx * ny)) : 1;
  Truth truth{.periods = {static_cast<double>(nx), static_cast<double>(nx * ny)},
              .allowed = {Kind::uneven_rows, Kind::uneven_columns},
              .expected = {{Kind::diagonals}}};
  for (const double d : {0.0, 1.0, static_cast<double>(nx), static_cast<double>(nx * ny)})
    for (const double sign : {-1.0, 1.0}) truth.diagonals.emplace_back(sign * d, sign * d);
  return {solid ? format("gen:%s:nx=%lld,ny=%lld,nz=%lld", kind, nx, ny, nz)
                : format("gen:%s:nx=%lld,ny=%lld", kind, nx, ny),
          truth};
}

Case random_matrix(double entries, Draw& draw) {
  const double density = draw.ratio(1e-4, 0.05), shape = draw.ratio(0.3, 3);
  const double side = std::sqrt(entries / density);
  return {format("gen:random:rows=%lld,cols=%lld,nnz=%.0f,seed=%lld", std::llround(side * shape),
                 std::llround(side / shape), entries, static_cast<long long>(draw.whole(1, 1e9))),
          {.expected = {{Kind::nothing}}}};
}

Case power_law(double entries, Draw& draw) {
  const bool symmetric = draw.whole(0, 1) == 1, shuffle = draw.whole(0, 1) == 1;
  Truth truth{.allowed = {Kind::uneven_rows, Kind::uneven_columns},
              .expected = {{Kind::uneven_rows}, {Kind::uneven_columns}}};
  // Edges drawn twice are one entry: among the hubs in front the density is less than a product.
  if (!shuffle) truth.allowed.insert(Kind::centre);
  return {format("gen:power-law:n=%lld,nnz=%.0f,exponent=%.2f,symmetric=%d,shuffle=%d,seed=%lld",
                 std::llround(entries / draw.ratio(4, 20)), entries, draw.ratio(2.1, 3.2), symmetric ? 1 : 0,
                 shuffle ? 1 : 0, static_cast<long long>(draw.whole(1, 1e9))),
          truth};
}

Case rmat(double entries, Draw& draw) {
  // Quadrants of unequal density: a·d ≠ b·c.
  Truth truth{.allowed = {Kind::uneven_rows, Kind::uneven_columns, Kind::centre},
              .expected = {{Kind::uneven_rows}, {Kind::uneven_columns}}};
  const auto bits = std::llround(std::log2(entries / 8));
  // Rows whose bit is 0 hold more than those whose bit is 1: a period at every power of two.
  for (int bit = 1; bit <= bits; ++bit) truth.periods.push_back(std::ldexp(1.0, bit));
  return {format("gen:rmat:n=%lld,nnz=%.0f,seed=%lld", 1LL << bits, entries,
                 static_cast<long long>(draw.whole(1, 1e9))),
          truth};
}

Case contact_map(double entries, Draw& draw) {
  const auto n = std::llround(std::sqrt(entries) * 2);
  const auto block = draw.whole(8, static_cast<double>(n) / 8);
  const auto near = static_cast<double>(n) / 2;
  return {format("gen:contact-map:n=%lld,block=%lld,depth=%.1f,seed=%lld", n, static_cast<long long>(block),
                 draw.ratio(2, 20), static_cast<long long>(draw.whole(1, 1e9))),
          {.diagonals = {{-near, near}},
           .periods = {static_cast<double>(block)},
           .allowed = {Kind::uneven_rows, Kind::uneven_columns, Kind::centre},
           .expected = {{Kind::diagonals}}}};
}

Case stochastic_blocks(double entries, Draw& draw) {
  const auto blocks = draw.whole(2, 12);
  const double n = std::sqrt(entries / 0.01) * draw.ratio(0.7, 1.5);
  const double mean = entries / n / n, contrast = draw.ratio(3, 30);
  const double p_out = mean / (1 + (contrast - 1) / static_cast<double>(blocks));
  const double reach = n / static_cast<double>(blocks);
  return {format("gen:stochastic-blocks:n=%lld,blocks=%lld,p_in=%.5f,p_out=%.5f,seed=%lld", std::llround(n),
                 static_cast<long long>(blocks), p_out * contrast, p_out,
                 static_cast<long long>(draw.whole(1, 1e9))),
          {.diagonals = {{-reach, reach}},
           .periods = {reach},
           .allowed = {Kind::centre, Kind::uneven_rows, Kind::uneven_columns},
           .expected = {{Kind::diagonals, Kind::centre, Kind::parallel_lines}}}};
}

struct Family {
  const char* name;
  std::function<Case(double, Draw&)> make;
};

const std::vector<Family> kFamilies{
    {"random", random_matrix},
    {"diagonal", diagonal},
    {"band", band},
    {"block-diagonal", block_diagonal},
    {"checkerboard", checkerboard},
    {"circulant", circulant},
    {"arrow", arrow},
    {"laplacian-2d", [](double k, Draw& draw) { return stencil("laplacian-2d", k, draw, false); }},
    {"laplacian-3d", [](double k, Draw& draw) { return stencil("laplacian-3d", k, draw, true); }},
    {"convection-diffusion",
     [](double k, Draw& draw) { return stencil("convection-diffusion", k, draw, false); }},
    {"power-law", power_law},
    {"rmat", rmat},
    {"contact-map", contact_map},
    {"stochastic-blocks", stochastic_blocks},
};

/// Whether most of [first, last] lies within one of the intervals, widened by one on either side.
bool lies_in(double first, double last, const std::vector<std::pair<double, double>>& intervals) {
  return std::ranges::any_of(intervals, [&](const auto& interval) {
    const double low = std::max(first, interval.first - 1), high = std::min(last, interval.second + 1);
    return high - low + 1 >= 0.5 * (last - first + 1);
  });
}

/// Whether the length is a period of the list or a whole fraction of one, within 2 % or the resolution of the
/// spectrum, 0.6 indices at the index side/length.
bool is_period(double length, double side, const std::vector<double>& periods) {
  return length == 0 || std::ranges::any_of(periods, [&](double period) {
           const double times = period / length, off = std::max(0.02, 0.6 * length / side);
           return times > 1 - off && std::abs(times - std::round(times)) < off * times;
         });
}

bool is_true(const Finding& finding, const Truth& truth, const SparsePattern& pattern) {
  const auto m = static_cast<double>(pattern.rows()), n = static_cast<double>(pattern.cols());
  const auto first = static_cast<double>(finding.first), last = static_cast<double>(finding.last);
  switch (finding.kind) {
    case Kind::diagonals:
      return lies_in(first, last, truth.diagonals);
    case Kind::antidiagonals:
      return lies_in(first, last, truth.antidiagonals);
    case Kind::period:
    case Kind::parallel_lines:
    case Kind::peak:
      return is_period(finding.period_rows, m, truth.periods) &&
             is_period(finding.period_cols, n, truth.periods);
    case Kind::nothing:
      return truth.expected.front().contains(Kind::nothing);
    default:
      return truth.allowed.contains(finding.kind);
  }
}

struct Score {
  int matrices = 0, expected = 0, named = 0, said = 0, wrong = 0;
  double seconds = 0;
};

void judge(const Case& one, Score& score, bool tell) {
  JobContext context(pool());
  const auto matrix = generate(one.text, context);
  if (!matrix) {
    std::printf("%s: %s\n", one.text.c_str(), matrix.error().message().c_str());
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto found = explain(matrix->pattern, {}, context);
  score.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!found) {
    std::printf("%s: %s\n", one.text.c_str(), found.error().message().c_str());
    return;
  }
  ++score.matrices;
  for (const Finding& finding : found->findings) {
    ++score.said;
    if (is_true(finding, one.truth, *matrix->pattern)) continue;
    ++score.wrong;
    if (tell) std::printf("  wrong, %s: %s\n", one.text.c_str(), finding.sentence.c_str());
  }
  for (const auto& expected : one.truth.expected) {
    ++score.expected;
    const bool is_named = std::ranges::any_of(found->findings, [&](const Finding& finding) {
      return expected.contains(finding.kind) && is_true(finding, one.truth, *matrix->pattern);
    });
    if (is_named)
      ++score.named;
    else if (tell)
      std::printf("  not named, %s\n", one.text.c_str());
  }
}

int run(int rounds, bool tell) {
  std::printf("| matrices | K | matrices | structures named | sentences | false | seconds each |\n");
  std::printf("|---|---:|---:|---:|---:|---:|---:|\n");
  Score all;
  for (std::size_t f = 0; f < kFamilies.size(); ++f)
    for (const double entries : {1e3, 1e4, 1e5, 1e6}) {
      Score score;
      for (int round = 0; round < rounds; ++round) {
        Draw draw(1000 * f + 200 + static_cast<std::uint64_t>(round) +
                  static_cast<std::uint64_t>(entries) * 7919);
        judge(kFamilies[f].make(entries, draw), score, tell);
      }
      std::printf("| %s | %.0e | %d | %.1f %% | %d | %d (%.1f %%) | %.3f |\n", kFamilies[f].name, entries,
                  score.matrices, 100.0 * score.named / std::max(1, score.expected), score.said, score.wrong,
                  100.0 * score.wrong / std::max(1, score.said), score.seconds / std::max(1, score.matrices));
      std::fflush(stdout);
      all.expected += score.expected;
      all.named += score.named;
      all.said += score.said;
      all.wrong += score.wrong;
      all.matrices += score.matrices;
    }
  std::printf("| all | | %d | %.1f %% | %d | %d (%.2f %%) | |\n", all.matrices,
              100.0 * all.named / std::max(1, all.expected), all.said, all.wrong,
              100.0 * all.wrong / std::max(1, all.said));
  return 0;
}

}  // namespace
}  // namespace spyctrum::bench

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  return spyctrum::bench::run(std::max(1, rounds), argc > 2);
}
