// SPDX-License-Identifier: Apache-2.0
// Generated matrices against the definitions of their kinds: entry by entry where a rule gives the entries,
// by statistics where they are random. The random numbers, and messages for parameters that are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "core/matrix/generator_parameters.hpp"
#include "core/matrix/generators.hpp"
#include "core/matrix/random.hpp"
#include "core/matrix/sampling.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum {
namespace {

Result<Matrix> make(const std::string& text, unsigned threads = 2, std::uint64_t seed = 1) {
  ThreadPool pool(threads);
  JobContext::Options options;
  options.seed = seed;
  JobContext context(pool, options);
  return generate(text, context);
}

SparsePattern pattern_of(const std::string& text, unsigned threads = 2, std::uint64_t seed = 1) {
  const Result<Matrix> matrix = make(text, threads, seed);
  if (!matrix) throw std::runtime_error(matrix.error().message());
  return *matrix->pattern;
}

using Rule = std::function<bool(std::int64_t row, std::int64_t col)>;

void expect_rule(const std::string& text, std::uint64_t rows, std::uint64_t cols, const Rule& rule) {
  const SparsePattern pattern = pattern_of(text);
  ASSERT_EQ(pattern.rows(), rows) << text;
  ASSERT_EQ(pattern.cols(), cols) << text;
  for (std::uint64_t i = 0; i < rows; ++i) {
    for (std::uint64_t j = 0; j < cols; ++j)
      ASSERT_EQ(pattern.contains(i, j), rule(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)))
          << text << " at row " << i << ", column " << j;
  }
}

std::int64_t modulo(std::int64_t a, std::int64_t n) { return (a % n + n) % n; }

TEST(Generators, DiagonalHoldsTheDiagonalOfItsOffset) {
  expect_rule("gen:diagonal:n=20", 20, 20, [](auto i, auto j) { return i == j; });
  for (const int offset : {-25, -3, 0, 2, 30}) {
    expect_rule("gen:diagonal:rows=15,cols=22,offset=" + std::to_string(offset), 15, 22,
                [=](auto i, auto j) { return j - i == offset; });
  }
}

TEST(Generators, BandHoldsTheDiagonalsFromLowerToUpper) {
  expect_rule("gen:band:n=30,bandwidth=2", 30, 30, [](auto i, auto j) { return std::abs(i - j) <= 2; });
  for (const auto& [lower, upper] : {std::pair{0, 0}, {3, 1}, {0, 5}, {40, 2}, {2, 40}}) {
    for (const auto& [rows, cols] : {std::pair{17, 25}, {25, 17}, {1, 9}, {9, 1}}) {
      expect_rule("gen:band:rows=" + std::to_string(rows) + ",cols=" + std::to_string(cols) +
                      ",lower=" + std::to_string(lower) + ",upper=" + std::to_string(upper),
                  static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(cols),
                  [l = lower, u = upper](auto i, auto j) { return i - j <= l && j - i <= u; });
    }
  }
}

TEST(Generators, BlockDiagonalHoldsFullBlocksWithTheLastOneClipped) {
  for (const int block : {1, 4, 7, 100}) {
    expect_rule("gen:block-diagonal:rows=23,cols=18,block=" + std::to_string(block), 23, 18,
                [=](auto i, auto j) { return i / block == j / block; });
  }
}

TEST(Generators, CheckerboardHoldsEverySecondCell) {
  for (const int cell : {1, 3, 50}) {
    expect_rule("gen:checkerboard:rows=19,cols=26,cell=" + std::to_string(cell), 19, 26,
                [=](auto i, auto j) { return (i / cell + j / cell) % 2 == 0; });
  }
}

TEST(Generators, CirculantRowsAreShiftsOfOneAnother) {
  for (const auto& [degree, stride, offset] :
       {std::tuple{3, 1, 0}, {4, 5, -2}, {6, 4, 7}, {50, 3, 0}, {2, 0, 1}}) {
    constexpr std::int64_t kSide = 24;
    std::set<std::int64_t> offsets;
    for (int k = 0; k < degree; ++k) offsets.insert(modulo(offset + std::int64_t{k} * stride, kSide));
    expect_rule("gen:circulant:n=24,degree=" + std::to_string(degree) + ",stride=" + std::to_string(stride) +
                    ",offset=" + std::to_string(offset),
                24, 24, [&](auto i, auto j) { return offsets.contains(modulo(j - i, kSide)); });
  }
}

TEST(Generators, ArrowHoldsItsHeadAndTheDiagonal) {
  for (const int head : {1, 4, 40}) {
    expect_rule("gen:arrow:rows=21,cols=16,head=" + std::to_string(head), 21, 16,
                [=](auto i, auto j) { return i < head || j < head || i == j; });
  }
  EXPECT_EQ(pattern_of("gen:arrow:n=46500").nonzeros(), 139498) << "as SuiteSparse counts its arrow";
}

TEST(Generators, Laplacian2dHoldsItsStencil) {
  for (const int points : {5, 9}) {
    for (const int periodic : {0, 1}) {
      for (const auto& [nx, ny] : {std::pair{5, 4}, {1, 6}, {2, 3}, {1, 1}}) {
        const auto near = [=](std::int64_t a, std::int64_t b, std::int64_t side) {
          const std::int64_t away = std::abs(a - b);
          return static_cast<int>(periodic != 0 ? std::min(away, side - away) : away);
        };
        const auto side = static_cast<std::uint64_t>(nx) * static_cast<std::uint64_t>(ny);
        expect_rule("gen:laplacian-2d:nx=" + std::to_string(nx) + ",ny=" + std::to_string(ny) +
                        ",points=" + std::to_string(points) + ",periodic=" + std::to_string(periodic),
                    side, side, [&, w = nx, h = ny](auto i, auto j) {
                      const int dx = near(i % w, j % w, w);
                      const int dy = near(i / w, j / w, h);
                      return points == 5 ? dx + dy <= 1 : std::max(dx, dy) <= 1;
                    });
      }
    }
  }
  EXPECT_EQ(pattern_of("gen:laplacian-2d:n=30").nonzeros(), 5 * 900 - 4 * 30);
}

TEST(Generators, Laplacian3dHoldsItsStencil) {
  for (const int points : {7, 27}) {
    expect_rule("gen:laplacian-3d:nx=3,ny=4,nz=2,points=" + std::to_string(points), 24, 24,
                [=](auto i, auto j) {
                  const std::int64_t dx = std::abs(i % 3 - j % 3);
                  const std::int64_t dy = std::abs(i / 3 % 4 - j / 3 % 4);
                  const std::int64_t dz = std::abs(i / 12 - j / 12);
                  return points == 7 ? dx + dy + dz <= 1 : std::max({dx, dy, dz}) <= 1;
                });
  }
  const SparsePattern torus = pattern_of("gen:laplacian-3d:n=5,periodic=1");
  EXPECT_EQ(torus.nonzeros(), 7 * 125);
  EXPECT_TRUE(torus.symmetric());
}

TEST(Generators, RandomHoldsExactlyTheRequestedNumberOfEntriesFromNoneToAll) {
  for (const std::int64_t count : {0, 1, 60, 599, 600, 601, 1100, 1199, 1200})
    EXPECT_EQ(pattern_of("gen:random:rows=30,cols=40,nnz=" + std::to_string(count)).nonzeros(), count);
  EXPECT_EQ(pattern_of("gen:random:rows=30,cols=40,density=0.25").nonzeros(), 300);
  EXPECT_EQ(pattern_of("gen:random:n=100").nonzeros(), 500);
  const SparsePattern huge = pattern_of("gen:random:rows=1e9,cols=4294967295,nnz=1e6");
  EXPECT_EQ(huge.rows(), 1000000000U);
  EXPECT_EQ(huge.cols(), 4294967295U);
  EXPECT_EQ(huge.nonzeros(), 1000000);
}

TEST(Generators, RandomPlacesAreUniform) {
  // χ² over 100 cells of a 10×10 partition with 10^5 entries: mean 99, standard deviation 14.
  const SparsePattern pattern = pattern_of("gen:random:rows=1000,cols=3000,nnz=1e5");
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> cells;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k) {
    for (std::int64_t t = pattern.column_starts()[k]; t < pattern.column_starts()[k + 1]; ++t)
      cells[{pattern.row_indices()[static_cast<std::size_t>(t)] / 100, pattern.column_ids()[k] / 300}] += 1;
  }
  double chi = 0;
  for (const auto& [cell, count] : cells) chi += (count - 1000) * (count - 1000) / 1000;
  EXPECT_EQ(cells.size(), 100U);
  EXPECT_LT(chi, 99 + 6 * 14);
  EXPECT_GT(chi, 99 - 6 * 14);
}

TEST(Generators, PowerLawDrawsWithItsWeights) {
  const SparsePattern graph = pattern_of("gen:power-law:n=5000,nnz=60000,exponent=2.5");
  EXPECT_EQ(graph.nonzeros(), 60000);
  EXPECT_TRUE(graph.symmetric());
  for (std::uint64_t i = 0; i < 5000; ++i) ASSERT_FALSE(graph.contains(i, i)) << "self-loop";
  // Weights (i+1)^(−2/3), so the first half of the ends lies on the first eighth of the rows.
  std::int64_t in_first_eighth = 0;
  for (std::size_t k = 0; k < graph.column_ids().size(); ++k)
    in_first_eighth += graph.column_ids()[k] < 625 ? graph.column_counts().counts[k] : 0;
  EXPECT_NEAR(static_cast<double>(in_first_eighth) / 60000.0, 0.5, 0.05);
  const SparsePattern directed =
      pattern_of("gen:power-law:rows=300,cols=900,nnz=4000,symmetric=0,exponent=2");
  EXPECT_EQ(directed.nonzeros(), 4000);
  EXPECT_EQ(directed.rows(), 300U);
  EXPECT_EQ(directed.cols(), 900U);
}

TEST(Generators, ShuffleKeepsTheDegreesAndScattersThem) {
  const auto sorted_degrees = [](const SparsePattern& pattern) {
    std::vector<std::int64_t> degrees = pattern.row_counts().counts;
    std::sort(degrees.begin(), degrees.end());
    return degrees;
  };
  const SparsePattern plain = pattern_of("gen:power-law:n=777,nnz=4000,symmetric=0");
  const SparsePattern shuffled = pattern_of("gen:power-law:n=777,nnz=4000,symmetric=0,shuffle=1");
  EXPECT_EQ(sorted_degrees(plain), sorted_degrees(shuffled));
  EXPECT_FALSE(plain == shuffled);
}

TEST(Generators, RmatFillsItsQuadrantsByTheirProbabilities) {
  const SparsePattern graph = pattern_of("gen:rmat:n=4096,nnz=50000,a=0.5,b=0.25,c=0.15");
  EXPECT_EQ(graph.nonzeros(), 50000);
  std::array<double, 4> quadrants{};
  for (std::size_t k = 0; k < graph.column_ids().size(); ++k) {
    for (std::int64_t t = graph.column_starts()[k]; t < graph.column_starts()[k + 1]; ++t)
      quadrants.at(2 * (graph.row_indices()[static_cast<std::size_t>(t)] / 2048) +
                   graph.column_ids()[k] / 2048) += 1.0 / 50000;
  }
  // Repeated entries are drawn again, which lowers the share of the densest quadrant a little.
  EXPECT_NEAR(quadrants[0], 0.5, 0.03);
  EXPECT_NEAR(quadrants[1], 0.25, 0.02);
  EXPECT_NEAR(quadrants[2], 0.15, 0.02);
  EXPECT_NEAR(quadrants[3], 0.10, 0.02);
  const SparsePattern odd = pattern_of("gen:rmat:n=1000,nnz=3000,symmetric=1");
  EXPECT_EQ(odd.rows(), 1000U);
  EXPECT_EQ(odd.nonzeros(), 3000);
  EXPECT_TRUE(odd.symmetric());
  // With probability 1 for the first quadrant at every level there is a single cell.
  const Result<Matrix> corner = make("gen:rmat:n=8,nnz=5,a=1,b=0,c=0");
  ASSERT_TRUE(corner.has_value());
  EXPECT_EQ(corner->pattern->nonzeros(), 1);
  ASSERT_FALSE(corner->report.notes.empty());
  EXPECT_NE(corner->report.notes.front().find("Only 1 of 5"), std::string::npos)
      << corner->report.notes.front();
}

TEST(Generators, StochasticBlocksHoldExactShares) {
  for (const int symmetric : {0, 1}) {
    for (const auto& [n, blocks] : {std::pair{60, 4}, {61, 7}, {50, 1}, {12, 12}}) {
      const SparsePattern graph =
          pattern_of("gen:stochastic-blocks:n=" + std::to_string(n) + ",blocks=" + std::to_string(blocks) +
                     ",p_in=0.4,p_out=0.1,symmetric=" + std::to_string(symmetric));
      const auto block_of = [n = n, blocks = blocks](std::int64_t i) {
        std::int64_t b = 0;
        while ((b + 1) * n / blocks <= i) ++b;
        return b;
      };
      std::int64_t places_in = 0;
      std::int64_t places_out = 0;
      std::int64_t in = 0;
      std::int64_t out = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          const bool stored = graph.contains(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
          if (symmetric == 1 && j >= i) {
            ASSERT_FALSE(i == j && stored) << "self-loop";
            continue;
          }
          const bool inside = block_of(i) == block_of(j);
          (inside ? places_in : places_out) += 1;
          (inside ? in : out) += stored ? 1 : 0;
        }
      }
      EXPECT_EQ(in, std::llround(0.4 * static_cast<double>(places_in)))
          << n << ' ' << blocks << ' ' << symmetric;
      EXPECT_EQ(out, std::llround(0.1 * static_cast<double>(places_out)))
          << n << ' ' << blocks << ' ' << symmetric;
      EXPECT_EQ(graph.symmetric(), symmetric == 1);
    }
  }
  EXPECT_EQ(pattern_of("gen:stochastic-blocks:n=20,blocks=3,p_in=1,p_out=1,symmetric=0").nonzeros(), 400);
  EXPECT_EQ(pattern_of("gen:stochastic-blocks:n=20,blocks=3,p_in=1,p_out=1").nonzeros(), 380);
}

TEST(Generators, DependOnTheSeedAndNotOnTheNumberOfThreads) {
  for (const std::string text : {"gen:random:n=500,nnz=40000", "gen:power-law:n=500,nnz=4000,shuffle=1",
                                 "gen:rmat:n=700,nnz=5000", "gen:stochastic-blocks:n=400"}) {
    const SparsePattern one = pattern_of(text, 1, 7);
    for (const unsigned threads : {2U, 5U}) EXPECT_TRUE(pattern_of(text, threads, 7) == one) << text;
    EXPECT_TRUE(pattern_of(text + ",seed=7", 2, 1) == one) << "seed= stands above the job's seed";
    EXPECT_FALSE(pattern_of(text, 2, 8) == one) << text;
  }
}

TEST(Generators, AreTheSameOnEveryMachine) {
  // Recorded values: any other value changes what stored sessions and pictures show.
  const std::map<std::string, std::uint64_t> recorded{
      {"gen:random:n=500,nnz=4000", 0x81cd727a9bd4eef7U},
      {"gen:random:rows=1e9,cols=4294967295,nnz=1e5", 0xfa34d29327afe222U},
      {"gen:power-law:n=5000,nnz=60000,shuffle=1", 0x46344d8c738c13cfU},
      {"gen:rmat:n=1000,nnz=5000", 0x2112463a9322cdefU},
      {"gen:stochastic-blocks:n=400", 0x8a113049a9ac2f98U},
  };
  EXPECT_EQ(recorded.size(), 5U);
  for (const auto& [text, fingerprint] : recorded)
    EXPECT_EQ(pattern_of(text).fingerprint(), fingerprint) << text;
}

TEST(Generators, EveryKindHasAWorkingExampleAndDefaults) {
  std::set<std::string> kinds;
  for (const GeneratorInfo& info : generators()) {
    kinds.insert(info.kind);
    EXPECT_FALSE(info.label.empty());
    EXPECT_FALSE(info.help.empty());
    for (const std::string& text : {info.example, info.sketch, "gen:" + info.kind}) {
      const Result<Matrix> matrix = make(text);
      ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
      EXPECT_GT(matrix->pattern->nonzeros(), 0) << text;
      EXPECT_EQ(matrix->report.file, text);
      EXPECT_EQ(matrix->report.format, "generated " + info.kind);
      EXPECT_EQ(matrix->report.entries_in_file, matrix->pattern->nonzeros());
    }
    for (const GeneratorParameter& parameter : info.parameters) {
      EXPECT_LE(parameter.minimum, parameter.default_value) << info.kind << ' ' << parameter.name;
      EXPECT_GE(parameter.maximum, parameter.default_value) << info.kind << ' ' << parameter.name;
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"diagonal", "band", "block-diagonal", "checkerboard", "circulant",
                                          "arrow", "laplacian-2d", "laplacian-3d", "random", "power-law",
                                          "rmat", "stochastic-blocks", "convection-diffusion",
                                          "orthogonal-circulant", "contact-map", "pruned-weights"}));
}

TEST(Generators, NumbersMayBeWrittenInThreeWays) {
  const std::map<std::string, double> good{{"1000", 1000},    {"1e6", 1e6},   {"2.5e3", 2500},
                                           {"2^20", 1048576}, {"-3", -3},     {"+4", 4},
                                           {"0.01", 0.01},    {"10^3", 1000}, {"2^0", 1}};
  for (const auto& [text, value] : good) EXPECT_EQ(parse_generator_number(text).value(), value) << text;
  for (const std::string text :
       {"", "x", "1k", "1 000", "2^", "^2", "2^-1", "2^0.5", "nan", "inf", "0x10", "1e", "2^99", "1,5"})
    EXPECT_FALSE(parse_generator_number(text).has_value()) << text;
  EXPECT_EQ(pattern_of("gen:diagonal:n=2^10").nonzeros(), 1024);
  EXPECT_EQ(pattern_of("gen:diagonal:n=1e3").nonzeros(), 1000);
}

TEST(Generators, RefuseWrongParametersWithWhatIsPossible) {
  struct Bad {
    std::string text;
    ErrorCode code;
    std::vector<std::string> words;
  };
  const std::vector<Bad> requests{
      {"gen:", ErrorCode::wrong_use, {"''", "Possible kinds", "band"}},
      {"gen:bnad", ErrorCode::wrong_use, {"'bnad'", "Possible kinds", "band", "rmat"}},
      {"gen:band:widht=3", ErrorCode::wrong_use, {"'widht'", "Possible keys", "n, rows, cols, bandwidth"}},
      {"gen:band:n", ErrorCode::wrong_use, {"'n' lacks its '='", "key=value"}},
      {"gen:band:n=ten", ErrorCode::wrong_use, {"n: 'ten'", "2^20"}},
      {"gen:band:n=", ErrorCode::wrong_use, {"n: ''", "1e6"}},
      {"gen:band:n=1.5", ErrorCode::wrong_use, {"n=1.5", "whole number"}},
      {"gen:band:n=0", ErrorCode::wrong_use, {"n=0", "1 to 4294967295"}},
      {"gen:band:n=2^32", ErrorCode::wrong_use, {"n=2^32", "1 to 4294967295"}},
      {"gen:band:n=5,n=6", ErrorCode::wrong_use, {"'n' is given twice"}},
      {"gen:band:n=5,seed=6", ErrorCode::wrong_use, {"'seed'", "Possible keys"}},
      {"gen:random:nnz=-1", ErrorCode::wrong_use, {"nnz=-1", "0 to"}},
      {"gen:random:density=1.5", ErrorCode::wrong_use, {"density=1.5", "0 to 1"}},
      {"gen:random:n=10,nnz=101", ErrorCode::wrong_use, {"nnz=101", "10×10 = 100 positions"}},
      {"gen:random:n=10,nnz=1,density=1", ErrorCode::wrong_use, {"nnz and density", "one of them"}},
      {"gen:random:n=4e9,density=1", ErrorCode::out_of_memory, {"entries", "allowance", "--memory"}},
      {"gen:checkerboard:n=1e6",
       ErrorCode::out_of_memory,
       {"500,000,000,000 entries", "allowance", "smaller side"}},
      {"gen:power-law:rows=4,cols=5", ErrorCode::wrong_use, {"4×5", "symmetric=0"}},
      {"gen:power-law:n=4,nnz=13", ErrorCode::wrong_use, {"nnz=13", "12 positions"}},
      {"gen:rmat:a=0.9,b=0.9", ErrorCode::wrong_use, {"above 1"}},
      {"gen:laplacian-2d:points=6", ErrorCode::wrong_use, {"points=6", "5 and 9"}},
      {"gen:laplacian-2d:n=1e6", ErrorCode::wrong_use, {"more than 4294967295 points"}},
      {"gen:stochastic-blocks:n=3,blocks=4", ErrorCode::wrong_use, {"blocks=4", "3 rows"}},
  };
  for (const Bad& request : requests) {
    const Result<Matrix> matrix = make(request.text);
    ASSERT_FALSE(matrix.has_value()) << request.text;
    const std::string message = matrix.error().message();
    EXPECT_EQ(matrix.error().code, request.code) << message;
    EXPECT_NE(message.find(request.text), std::string::npos) << message;
    for (const std::string& word : request.words)
      EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks: " << word;
  }
}

/// The values of a kind by place.
std::map<std::pair<Index, Index>, double> values_of(const std::string& text) {
  JobContext context(test::pool());
  const Result<Matrix> matrix = generate(text, context, true);
  std::map<std::pair<Index, Index>, double> values;
  if (!matrix || matrix->values == nullptr) {
    ADD_FAILURE() << text;
    return values;
  }
  const SparsePattern& pattern = *matrix->pattern;
  for (std::size_t k = 0; k < pattern.column_ids().size(); ++k)
    for (std::size_t t = 0; t < pattern.column(k).size(); ++t)
      values[{pattern.column(k)[t], pattern.column_ids()[k]}] =
          static_cast<double>((*matrix->values)[static_cast<std::size_t>(pattern.column_starts()[k]) + t]);
  return values;
}

TEST(GeneratedValues, ComeOnlyOnRequestAndOnlyForKindsThatDefineThem) {
  JobContext context(test::pool());
  EXPECT_EQ(generate("gen:laplacian-2d:n=4", context)->values, nullptr);
  EXPECT_EQ(generate("gen:laplacian-2d:n=4", context)->report.field, "pattern");
  EXPECT_EQ(generate("gen:laplacian-2d:n=4", context, true)->report.field, "real");
  EXPECT_EQ(generate("gen:random:n=20,nnz=40", context, true)->values, nullptr);
}

TEST(GeneratedValues, OfPeriodicLaplaciansAddUpToZeroInEveryRow) {
  for (const std::string kind :
       {"laplacian-2d:n=5,periodic=1", "laplacian-2d:n=5,points=9,periodic=1", "laplacian-3d:n=3,periodic=1",
        "laplacian-3d:n=4,points=27,periodic=1", "laplacian-2d:nx=2,ny=5,periodic=1",
        "laplacian-3d:nx=1,ny=2,nz=3,periodic=1", "convection-diffusion:n=5,wx=0.7,wy=-2,periodic=1"}) {
    std::map<Index, double> rows;
    for (const auto& [place, value] : values_of("gen:" + kind)) rows[place.first] += value;
    for (const auto& [row, sum] : rows) EXPECT_NEAR(sum, 0, 1e-5) << kind << ", row " << row;
  }
  const auto open = values_of("gen:laplacian-2d:n=5");
  EXPECT_EQ(open.at({12, 12}), 4);
  EXPECT_EQ(open.at({12, 11}), -1);
  const auto wind = values_of("gen:convection-diffusion:n=5,wx=0.5,wy=-1");
  EXPECT_EQ(wind.at({12, 13}), -0.75);  // the neighbour at x + 1
  EXPECT_EQ(wind.at({12, 11}), -1.25);
  EXPECT_EQ(wind.at({12, 17}), -1.5);
  EXPECT_EQ(wind.at({12, 7}), -0.5);
}

TEST(GeneratedValues, OfAnOrthogonalCirculantAreOrthogonal) {
  for (const std::uint64_t n : {1U, 2U, 7U, 12U}) {
    const auto values = values_of("gen:orthogonal-circulant:seed=3,n=" + std::to_string(n));
    for (Index a = 0; a < n; ++a)
      for (Index b = 0; b < n; ++b) {
        double product = 0;
        for (Index k = 0; k < n; ++k) product += values.at({a, k}) * values.at({b, k});
        EXPECT_NEAR(product, a == b ? 1 : 0, 1e-6) << n;
        EXPECT_EQ(values.at({a, b}),
                  values.at({(a + 1) % static_cast<Index>(n), (b + 1) % static_cast<Index>(n)}));
      }
  }
}

TEST(GeneratedValues, OfAContactMapAreSymmetricCountsThatDecay) {
  const auto values = values_of("gen:contact-map:n=300,block=30,depth=40");
  double near = 0;
  double far = 0;
  for (const auto& [place, value] : values) {
    EXPECT_EQ(value, values.at({place.second, place.first}));
    EXPECT_GE(value, 1);
    EXPECT_EQ(value, std::floor(value));
    const auto distance = std::abs(static_cast<int>(place.first) - static_cast<int>(place.second));
    if (distance < 10) near += value;
    if (distance >= 100 && distance < 110) far += value;
  }
  EXPECT_GT(near, 10 * far);
}

TEST(GeneratedValues, OfPrunedWeightsAreTheLargestOfTheirMatrix) {
  const auto values = values_of("gen:pruned-weights:rows=200,cols=150,density=0.1,block=25");
  EXPECT_NEAR(static_cast<double>(values.size()), 0.1 * 200 * 150, 0.01 * 200 * 150);
  const auto all = values_of("gen:pruned-weights:rows=200,cols=150,density=1,block=25");
  EXPECT_EQ(all.size(), 200U * 150U);
  double least = 1e9;
  for (const auto& [place, value] : values) {
    EXPECT_EQ(value, all.at(place));
    least = std::min(least, std::abs(value));
  }
  for (const auto& [place, value] : all) EXPECT_TRUE(values.contains(place) || std::abs(value) <= least);
}

TEST(Generators, EndAfterAStop) {
  std::stop_source stop;
  stop.request_stop();
  JobContext::Options options;
  options.stop = stop.get_token();
  for (const GeneratorInfo& info : generators()) {
    JobContext context(test::pool(), options);
    const Result<Matrix> matrix = generate("gen:" + info.kind, context);
    ASSERT_FALSE(matrix.has_value());
    EXPECT_EQ(matrix.error().code, ErrorCode::cancelled);
  }
}

TEST(Random, ElementaryFunctionsAgreeWithTheLibrary) {
  for (double x = 1e-9; x < 1e12; x *= 1.37) {
    EXPECT_NEAR(portable_log(x), std::log(x), 1e-14 * std::max(1.0, std::abs(std::log(x)))) << x;
    EXPECT_NEAR(portable_pow(x, 0.37) / std::pow(x, 0.37), 1.0, 1e-13) << x;
  }
  for (double x = -600; x < 600; x += 0.731) EXPECT_NEAR(portable_exp(x) / std::exp(x), 1.0, 1e-13) << x;
  EXPECT_EQ(portable_log(1.0), 0.0);
  EXPECT_EQ(portable_exp(0.0), 1.0);
}

TEST(Random, DrawsStayInRangeAndCoverIt) {
  const CounterRandom random(3, 1);
  std::map<std::uint64_t, int> seen;
  for (std::uint64_t t = 0; t < 60000; ++t) ++seen[random.below(t, 6)];
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& [value, count] : seen) EXPECT_NEAR(count, 10000, 600) << value;
  for (std::uint64_t t = 0; t < 1000; ++t) {
    EXPECT_EQ(random.below(t, 1), 0U);
    EXPECT_GT(random.unit(t), 0.0);
    EXPECT_LT(random.unit(t), 1.0);
  }
  // The upper half of a 128-bit product, for factors whose partial products carry.
  constexpr auto kAll = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  for (std::uint64_t t = 0; t < 1000; ++t) largest = std::max(largest, random.below(t, kAll));
  EXPECT_GT(largest, kAll / 100 * 99);
  EXPECT_NE(CounterRandom(3, 1).bits(5), CounterRandom(3, 2).bits(5));
  EXPECT_NE(CounterRandom(3, 1).bits(5), CounterRandom(4, 1).bits(5));
}

TEST(Random, ShuffleIsABijectionOfAnySide) {
  for (const std::uint64_t side : {1U, 2U, 3U, 17U, 256U, 1000U, 5000U}) {
    const Shuffle shuffle(side, 9);
    std::set<std::uint64_t> images;
    for (std::uint64_t value = 0; value < side; ++value) images.insert(shuffle(value));
    EXPECT_EQ(images.size(), side);
    EXPECT_EQ(*images.rbegin(), side - 1);
  }
}

}  // namespace
}  // namespace spyctrum
