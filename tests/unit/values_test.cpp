// SPDX-License-Identifier: Apache-2.0
// Values of entries: numbers from text and bytes, their statistics, and the array beside the pattern.
#include "core/io/values.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "core/io/matrix_market/lines.hpp"
#include "core/io/single_values.hpp"
#include "core/io/text_reader.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(NumberOf, ReadsWhatProgramsAndFortranWrite) {
  EXPECT_EQ(number_of("1.5e3"), 1500.0);
  EXPECT_EQ(number_of("+2"), 2.0);
  EXPECT_EQ(number_of("-.25"), -0.25);
  EXPECT_EQ(number_of("1.0D-3"), 1e-3);
  EXPECT_EQ(number_of("1.0q+02"), 100.0);
  EXPECT_EQ(number_of("-1.5-103"), -1.5e-103);
  EXPECT_EQ(number_of("1e400"), kInfinity);
  EXPECT_EQ(number_of("-1e400"), -kInfinity);
  EXPECT_EQ(number_of("1e-400"), 0.0);
  EXPECT_EQ(number_of("-0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(number_of(std::string(400, '1')), kInfinity);
  EXPECT_EQ(number_of("-Inf"), -kInfinity);
  EXPECT_TRUE(std::isnan(number_of("NaN")));
  EXPECT_TRUE(std::isnan(number_of("word")));
  EXPECT_TRUE(std::isnan(number_of("")));
}

TEST(BinaryNumbers, AreReadInBothByteOrders) {
  const char single[] = {0, 0, '\xC0', '\x3F'};
  EXPECT_EQ(binary_real(single, 4, false), 1.5);
  const char half[] = {'\xC5', '\x00'};
  EXPECT_EQ(binary_real(half, 2, true), -5.0);
  const char tiny_half[] = {1, 0};
  EXPECT_EQ(binary_real(tiny_half, 2, false), std::ldexp(1, -24));
  char quad[16] = {'\x40', '\x00', '\x80'};
  EXPECT_EQ(binary_real(quad, 16, true), 3.0);
  const char extended[10] = {0, 0, 0, 0, 0, 0, 0, '\xC0', '\x00', '\xC0'};
  EXPECT_EQ(extended_real(extended), -3.0);
  const char number[] = {'\xFE', '\xFF'};
  EXPECT_EQ(binary_integer(number, 2, false, true), -2.0);
  EXPECT_EQ(binary_integer(number, 2, false, false), 65534.0);
  EXPECT_EQ(binary_integer(number, 2, true, false), 65279.0);
}

/// Numbers with few and many digits, with and without an exponent, as strtod() converts them.
TEST(MatrixMarket, NumbersAreRoundedCorrectly) {
  std::mt19937_64 random(1);
  std::vector<std::string> words{"0",
                                 "-0.0",
                                 "+7",
                                 "9007199254740992",
                                 "9007199254740993",
                                 "1e22",
                                 "1e23",
                                 "1e-22",
                                 "1e-23",
                                 "123456789012345678",
                                 "1e-400",
                                 "-1e400",
                                 "1.5E+003",
                                 "00000000000000000000.5"};
  while (words.size() < 5000) {
    std::string digits = std::to_string(random()).substr(0, 1 + random() % 20);
    const std::size_t point = random() % (digits.size() + 1);
    if (random() % 4 != 0) digits.insert(point, ".");
    if (digits == ".") continue;
    if (random() % 2 == 0) digits += "e" + std::to_string(static_cast<int>(random() % 60) - 30);
    words.push_back((random() % 2 == 0 ? "-" : "") + digits);
  }
  const std::uint64_t count = words.size();
  LineRules rules{{}, {}, false};
  rules.header.rows = rules.header.cols = rules.header.entries = count;
  rules.header.field = MarketField::real;
  rules.options.values = ValueUse::keep;
  constexpr std::array kEnds{"\n", "\n", "\r\n", " \n", "\t\r\n"};
  std::string text;
  for (const std::string& word : words) text += "1 1 " + word + kEnds[random() % kEnds.size()];
  LineBlock block;
  parse_lines(text, rules, block);
  ASSERT_EQ(block.reals.size(), count);
  for (std::size_t k = 0; k < count; ++k)
    EXPECT_EQ(block.reals[k], std::strtod(words[k].c_str(), nullptr)) << words[k];
}

/// Numbers of 1 to 20 digits, some of them with a wrong character at any place, alone in a text and after a
/// line.
TEST(MatrixMarket, AFractionIsRefusedAtAnyWrongCharacter) {
  std::mt19937_64 random(1);
  LineRules rules{{}, {}, false};
  rules.header.rows = rules.header.cols = rules.header.entries = 2;
  rules.header.field = MarketField::real;
  for (const ValueUse use : {ValueUse::none, ValueUse::keep})
    for (int round = 0; round < 5000; ++round) {
      rules.options.values = use;
      std::string word = std::to_string(random()).substr(0, 1 + random() % 20);
      word.insert(random() % (word.size() + 1), ".");
      if (random() % 2 == 0) word[random() % word.size()] = static_cast<char>(33 + random() % 94);
      const std::string text = (random() % 2 == 0 ? "1 1 1\n" : "") + std::string("1 1 ") + word + "\n";
      LineBlock block;
      parse_lines(text, rules, block);
      const ValueKind kind = classify_real(word);
      EXPECT_EQ(block.complaint.has_value(), kind == ValueKind::malformed) << word;
      EXPECT_EQ(block.zeros, kind == ValueKind::zero ? 1U : 0U) << word;
      if (use == ValueUse::keep && kind != ValueKind::malformed) {
        EXPECT_EQ(block.reals.back(), number_of(word)) << word;
      }
    }
}

TEST(CompensatedSum, LosesNoDigitOfSmallNumbersBesideLargeOnes) {
  CompensatedSum sum;
  for (const double x : {1e16, 1.0, 1.0, -1e16}) sum.add(x);
  EXPECT_EQ(sum.value(), 2.0);
}

/// Numbers of all sizes, NaN and infinite ones; with the same sums and counts whether they are added one by
/// one or together.
TEST(ValueSums, OfManyNumbersAtOnceAreThoseOfOneAfterTheOther) {
  std::mt19937 random(1);
  const auto number = [&]() -> double {
    switch (random() % 12) {
      case 0:
        return std::ldexp(1.0 + random() % 1000, static_cast<int>(random() % 2000) - 1000);
      case 1:
        return -0.0;
      case 2:
        return random() % 3 == 0 ? std::nan("") : random() % 2 == 0 ? kInfinity : -kInfinity;
      case 3:
        return 1e-46;
      case 4:
        return 3.5e38;
      default:
        return static_cast<double>(random()) / 1e9 - 2;
    }
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<double> numbers(random() % 600);
    ValueSums one_by_one;
    Magnitudes expected{kInfinity, 0};
    for (double& one : numbers) {
      one = number();
      one_by_one.add(one, false);
      if (std::isnan(one)) continue;
      expected.least = std::min(expected.least, std::abs(one));
      expected.largest = std::max(expected.largest, std::abs(one));
    }
    ValueSums together;
    const std::size_t first = random() % (numbers.size() + 1);
    const Magnitudes of_first = together.add(std::span(numbers).first(first));
    const Magnitudes of_others = together.add(std::span(numbers).subspan(first));
    EXPECT_EQ(std::min(of_first.least, of_others.least), expected.least);
    EXPECT_EQ(std::max(of_first.largest, of_others.largest), expected.largest);
    EXPECT_EQ(together.empty(), one_by_one.empty());
    for (const Mirror mirror : {Mirror::none, Mirror::symmetric, Mirror::skew})
      for (const bool is_complex : {false, true}) {
        const ValueStatistics left = together.statistics(mirror, is_complex);
        const ValueStatistics right = one_by_one.statistics(mirror, is_complex);
        EXPECT_EQ(left.sum, right.sum);
        EXPECT_EQ(left.least, right.least);
        EXPECT_EQ(left.largest, right.largest);
        EXPECT_EQ(left.finite, right.finite);
        EXPECT_EQ(left.nan, right.nan);
        EXPECT_EQ(left.infinite, right.infinite);
        EXPECT_EQ(left.beyond_single, right.beyond_single);
      }
  }
}

/// One number of 1000 is unusual, or none; the sums of the others are exact.
TEST(ValueSums, OfManyUsualNumbersAndAnUnusualOneCountEach) {
  std::mt19937 random(1);
  for (const double unusual : {1.0, 0.0, -0.0, 1e-46, -1e-39, 3.5e38, -kInfinity, kInfinity, std::nan("")})
    for (int round = 0; round < 20; ++round) {
      std::vector<double> numbers(700 + random() % 300);
      for (double& number : numbers) number = std::ldexp(static_cast<double>(random()), -10) - 1e6;
      numbers[random() % numbers.size()] = unusual;
      const bool is_finite = std::isfinite(unusual);
      double sum = 0, least = kInfinity, largest = -kInfinity;
      for (const double number : numbers) {
        if (!std::isfinite(number)) continue;
        least = std::min(least, number);
        largest = std::max(largest, number);
        if (number < 1e38) sum += number;
      }
      ValueSums sums;
      sums.add(numbers);
      const ValueStatistics found = sums.statistics(Mirror::none, false);
      EXPECT_EQ(found.sum, unusual > 1e38 && is_finite ? unusual : sum) << unusual;
      EXPECT_EQ(found.least, least) << unusual;
      EXPECT_EQ(found.largest, largest) << unusual;
      EXPECT_EQ(found.finite, numbers.size() - (is_finite ? 0 : 1)) << unusual;
      EXPECT_EQ(found.nan, std::isnan(unusual) ? 1U : 0U);
      EXPECT_EQ(found.infinite, std::isinf(unusual) ? 1U : 0U);
      EXPECT_EQ(found.beyond_single, unusual == 1e-46 || unusual == 3.5e38 ? 1U : 0U) << unusual;
    }
}

/// Groups of usual numbers, with a few that make a group unusual: the statistics have the same bits.
TEST(ValueSums, OfNumbersInSinglePrecisionAreThoseOfTheSameNumbersInDoublePrecision) {
  std::mt19937 random(1);
  const std::vector<float> unusual{0.0F, -0.0F, 1e-45F, -1e-39F, 1e-30F, 3e38F, -3e38F, 7e7F, INFINITY, NAN};
  for (int round = 0; round < 300; ++round) {
    std::vector<float> numbers(random() % 1500);
    for (float& number : numbers)
      number = static_cast<float>(random()) / 4e9F + (round % 2 == 0 ? 0.01F : -0.5F);
    for (auto k = random() % 4; k > 0 && !numbers.empty(); --k)
      numbers[random() % numbers.size()] = unusual[random() % unusual.size()];
    const std::vector<double> doubles(numbers.begin(), numbers.end());
    const std::size_t first = round % 3 == 0 ? random() % (numbers.size() + 1) : 0;
    ValueSums of_singles, of_doubles;
    for (const auto& [begin, end] : {std::pair(std::size_t{0}, first), std::pair(first, numbers.size())}) {
      const Magnitudes left = of_singles.add(std::span<const float>(numbers).subspan(begin, end - begin));
      const Magnitudes right = of_doubles.add(std::span<const double>(doubles).subspan(begin, end - begin));
      EXPECT_EQ(left.least, right.least);
      EXPECT_EQ(left.largest, right.largest);
    }
    const ValueStatistics left = of_singles.statistics(Mirror::none, false);
    const ValueStatistics right = of_doubles.statistics(Mirror::none, false);
    EXPECT_EQ(left.sum, right.sum);
    EXPECT_EQ(left.least, right.least);
    EXPECT_EQ(left.largest, right.largest);
    EXPECT_EQ(left.finite, right.finite);
    EXPECT_EQ(left.finite + left.nan + left.infinite, static_cast<std::int64_t>(numbers.size()));
    EXPECT_EQ(left.nan, right.nan);
    EXPECT_EQ(left.infinite, right.infinite);
    EXPECT_EQ(left.beyond_single, right.beyond_single);
  }
}

/// Equal, or NaN both.
void expect_same(const std::vector<float>& left, const std::vector<float>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t k = 0; k < left.size(); ++k)
    EXPECT_TRUE(left[k] == right[k] || (std::isnan(left[k]) && std::isnan(right[k]))) << k;
}

TEST(SingleValues, AreTheSameWhetherSetOneByOneOrTogether) {
  ThreadPool pool(1);
  JobContext context(pool);
  std::mt19937 random(1);
  for (const double unusual :
       {1.0, 0.0, -0.0, 1e-46, -1e-39, 1e-38, 3.40282347e38, 3.5e38, -1e300, kInfinity, std::nan("")}) {
    std::vector<double> numbers(random() % 50 + 1);
    for (double& number : numbers) number = static_cast<double>(random()) / 1e9 - 2;
    numbers[random() % numbers.size()] = unusual;
    SingleValues one_by_one(1, numbers.size(), context);
    SingleValues together(1, numbers.size(), context);
    one_by_one.make_room(numbers.size());
    together.make_room(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) one_by_one.set(k, 0, numbers[k]);
    together.set(0, 0, std::span<const double>(numbers));
    Matrix left, right;
    std::move(one_by_one).finish(left);
    std::move(together).finish(right);
    expect_same(*left.values, *right.values);
    EXPECT_EQ(left.report.notes, right.report.notes) << unusual;
    for (const float value : *right.values) EXPECT_FALSE(value == 0 && std::signbit(value)) << unusual;
    // The same numbers in single precision, which are put into place first.
    for (double& number : numbers) number = to_single(number);
    SingleValues expected(1, numbers.size(), context);
    SingleValues in_place(1, numbers.size(), context);
    expected.make_room(numbers.size());
    in_place.make_room(numbers.size());
    expected.set(0, 0, std::span<const double>(numbers));
    std::ranges::copy(numbers, in_place.at(0, numbers.size()).begin());
    in_place.normalise(in_place.at(0, numbers.size()), magnitudes(numbers));
    std::move(expected).finish(left = {});
    std::move(in_place).finish(right = {});
    expect_same(*left.values, *right.values);
    EXPECT_EQ(left.report.notes, right.report.notes) << unusual;
    for (const float value : *right.values) EXPECT_FALSE(value == 0 && std::signbit(value)) << unusual;
  }
}

/// The matrix of `text`, read with its values in blocks of every size, rounded when they are read or at the
/// end.
Matrix read(const std::string& text, LoadOptions options = {}) {
  const std::string file = ::testing::TempDir() + "spyctrum_values.mtx";
  std::ofstream(file) << text;
  options.values = ValueUse::keep;
  Matrix matrix;
  for (const std::size_t block : {std::size_t{1}, std::size_t{1} << 20U}) {
    options.block_bytes = block;
    options.exact_entries = block == 1 ? 0 : LoadOptions::kAllEntries;
    const Result<Matrix> read = test::load(file, options, 3);
    EXPECT_TRUE(read.has_value()) << read.error().message();
    if (!read) return {};
    if (matrix.values != nullptr) expect_same(*read->values, *matrix.values);
    if (matrix.report.values) {
      EXPECT_EQ(read->report.values->sum, matrix.report.values->sum);
    }
    matrix = *read;
  }
  return matrix;
}

using Floats = std::vector<float>;

TEST(Values, StandInTheOrderOfThePatternWithDuplicatesAdded) {
  const Matrix matrix =
      read("%%MatrixMarket matrix coordinate real general\n2 2 5\n2 2 4\n1 2 3\n1 1 1.5\n2 2 -1\n2 1 0\n");
  EXPECT_EQ(*matrix.values, (Floats{1.5F, 0, 3, 3}));
  EXPECT_EQ(matrix.imaginary, nullptr);
  const ValueStatistics& facts = *matrix.report.values;
  EXPECT_EQ(facts.sum, 7.5);
  EXPECT_EQ(facts.least, -1.0);
  EXPECT_EQ(facts.largest, 4.0);
  EXPECT_EQ(facts.finite, 5U);
}

TEST(Values, OfDroppedZerosAreDroppedToo) {
  LoadOptions options;
  options.drop_zeros = true;
  const Matrix matrix =
      read("%%MatrixMarket matrix coordinate real general\n2 2 3\n2 2 4\n1 1 0\n1 2 3\n", options);
  EXPECT_EQ(*matrix.values, (Floats{3, 4}));
}

TEST(Values, AreMirroredWithTheirSign) {
  const std::string entries = " 2 2 2\n1 1 5 1\n2 1 3 4\n";
  const auto text = [&](const std::string& field, const std::string& symmetry, const std::string& body) {
    return "%%MatrixMarket matrix coordinate " + field + " " + symmetry + "\n" + body;
  };
  const Matrix skew = read(text("real", "skew-symmetric", "2 2 1\n2 1 3\n"));
  EXPECT_EQ(*skew.values, (Floats{3, -3}));
  EXPECT_EQ(skew.report.values->sum, 0.0);
  const Matrix above = read(text("real", "skew-symmetric", "2 2 1\n1 2 3\n"));
  EXPECT_EQ(*above.values, (Floats{-3, 3})) << "an entry above the diagonal keeps its sign";
  const Matrix hermitian = read(text("complex", "hermitian", entries));
  EXPECT_EQ(*hermitian.values, (Floats{5, 3, 3}));
  EXPECT_EQ(*hermitian.imaginary, (Floats{1, 4, -4}));
  EXPECT_EQ(hermitian.report.values->sum, 11.0);
  EXPECT_EQ(hermitian.report.values->sum_imaginary, 1.0);
  EXPECT_EQ(hermitian.report.values->largest, std::hypot(5.0, 1.0)) << "magnitudes";
  const Matrix symmetric = read(text("complex", "symmetric", entries));
  EXPECT_EQ(*symmetric.imaginary, (Floats{1, 4, 4}));
}

TEST(Values, OfADenseArrayBelongToItsElementsThatAreNotZero) {
  const Matrix matrix = read("%%MatrixMarket matrix array integer general\n2 2\n7\n0\n-8\n9\n");
  EXPECT_EQ(*matrix.values, (Floats{7, -8, 9}));
  EXPECT_EQ(matrix.report.values->sum, 8.0);
}

TEST(Values, ThatAreNotFiniteOrDoNotFitAreCounted) {
  const Matrix matrix = read(
      "%%MatrixMarket matrix coordinate real general\n1 6 6\n1 1 nan\n1 2 inf\n1 3 -inf\n1 4 1e39\n1 5 "
      "1e-50\n"
      "1 6 2\n");
  const ValueStatistics& facts = *matrix.report.values;
  EXPECT_EQ(facts.nan, 1U);
  EXPECT_EQ(facts.infinite, 2U);
  EXPECT_EQ(facts.beyond_single, 2U);
  EXPECT_EQ(facts.finite, 3U);
  EXPECT_EQ(facts.sum, 1e39);
  EXPECT_EQ(facts.least, 1e-50);
}

TEST(Values, BelowSinglePrecisionAreReported) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 -1e-50\n";
  const Matrix matrix = read(head + "2 1 1e-40\n2 2 1e-37\n");
  ASSERT_EQ(matrix.report.notes.size(), 2U);
  EXPECT_NE(matrix.report.notes[0].find("1 value is below 1.4e-45"), std::string::npos);
  EXPECT_NE(matrix.report.notes[1].find("1 value is below 1.2e-38"), std::string::npos);
  EXPECT_TRUE(read(head + "2 1 0\n2 2 1e-37\n").report.notes.size() == 1);
  // Values below single precision are not counted as explicit zeros.
  const std::string file = ::testing::TempDir() + "spyctrum_small.mtx";
  std::ofstream(file) << head << "2 1 0\n2 2 1e-60\n";
  LoadOptions options;
  options.weights = Weights::value;
  const Result<Matrix> refused = test::load(file, options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message().find("within single precision"), std::string::npos);
}

/// Values that single precision does not represent, at places of which every third one repeats an earlier
/// one. The expected values are sums in double precision: at each place first those that the list holds, in
/// its order, then the mirrored ones.
TEST(EntryList, AddsRepeatedValuesInTheOrderOfTheFile) {
  constexpr std::size_t kEntries = 60000;
  for (const Mirror mirror : {Mirror::none, Mirror::symmetric, Mirror::skew, Mirror::hermitian})
    for (const bool is_sorted : {false, true})
      for (const bool is_complex : {false, true})
        for (const unsigned threads : {1U, 3U}) {
          std::mt19937_64 random(7);
          std::vector<std::pair<PackedEntry, Value>> list(kEntries);
          for (std::size_t k = 0; k < kEntries; ++k) {
            const auto part = [&] {
              return std::ldexp(static_cast<double>(random() % 1000003) - 5e5, -9) / 3;
            };
            const bool repeats = k % 3 == 2;
            list[k].first =
                repeats ? list[random() % k].first
                        : pack_entry(static_cast<Index>(random() % 900), static_cast<Index>(random() % 900));
            list[k].second = {part(), is_complex ? part() : 0.0};
          }
          const auto place = [](const auto& entry) { return entry.first; };
          if (is_sorted) std::ranges::stable_sort(list, {}, place);
          std::map<PackedEntry, Value> sums;
          for (const auto& [at, value] : list) sums[at] += value;
          const auto distinct = static_cast<std::int64_t>(sums.size());
          for (const auto& [at, value] : list)
            if (mirror != Mirror::none && row_of(at) != col_of(at))
              sums[pack_entry(col_of(at), row_of(at))] += mirrored(value, mirror);
          ThreadPool pool(threads);
          JobContext context(pool);
          LoadOptions options;
          options.values = ValueUse::keep;
          EntryList entries(options, context);
          for (const auto& [at, value] : list)
            entries.add(row_of(at) + 1, col_of(at) + 1, false, [&v = value] { return v; });
          entries.count_from_one();
          if (is_complex) entries.set_complex();
          const Matrix matrix = std::move(entries).matrix(1000, 1000, mirror);
          EXPECT_EQ(context.memory().current(), 0U);
          EXPECT_EQ(matrix.report.duplicates, static_cast<std::int64_t>(kEntries) - distinct);
          ASSERT_EQ(static_cast<std::size_t>(matrix.pattern->nonzeros()), sums.size());
          EXPECT_EQ(matrix.pattern->symmetric(), mirror != Mirror::none);
          std::size_t k = 0;
          std::size_t differing = 0;
          for (const auto& [at, sum] : sums) {
            differing += matrix.pattern->entry_at(row_of(at), col_of(at)) == k ? 0U : 1U;
            differing += (*matrix.values)[k] == static_cast<float>(sum.real()) ? 0U : 1U;
            if (is_complex) differing += (*matrix.imaginary)[k] == static_cast<float>(sum.imag()) ? 0U : 1U;
            ++k;
          }
          EXPECT_EQ(differing, 0U) << to_string(mirror) << ' ' << is_sorted << is_complex << threads;
        }
}

/// 2^24 + 1 is no number of single precision, and 2^24 is: added in double precision they give 1, else 0.
constexpr const char* kRepeats =
    "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 16777217\n2 1 5\n1 1 -16777216\n";

TEST(EntryList, RefusesToAddValuesThatItHasRounded) {
  ThreadPool pool(1);
  JobContext context(pool);
  EntryList entries({.values = ValueUse::keep, .exact_entries = 0}, context);
  for (const double value : {16777217.0, -16777216.0}) entries.add(0, 0, false, [&] { return Value(value); });
  EXPECT_THROW((void)std::move(entries).matrix(1, 1), RoundedTooEarly);
}

TEST(Values, AtOnePositionAreAddedInDoublePrecisionWhetherOrNotTheFileCanBeReadAgain) {
  EXPECT_EQ(*read(kRepeats).values, (Floats{1, 5}));
  const std::string pipe = ::testing::TempDir() + "spyctrum_values.fifo";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << kRepeats; });
  const Result<Matrix> once = test::load(pipe, {.values = ValueUse::keep, .exact_entries = 0});
  writer.join();
  std::filesystem::remove(pipe);
  ASSERT_TRUE(once.has_value()) << once.error().message();
  EXPECT_EQ(*once->values, (Floats{1, 5}));
}

TEST(Values, AreNeitherReadNorKeptUnlessRequested) {
  const std::string file = ::testing::TempDir() + "spyctrum_values.mtx";
  std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n";
  LoadOptions options;
  const Result<Matrix> pattern = test::load(file, options);
  EXPECT_FALSE(pattern->report.values.has_value());
  EXPECT_EQ(pattern->values, nullptr);
  options.values = ValueUse::summary;
  const Result<Matrix> summary = test::load(file, options);
  EXPECT_EQ(summary->report.values->sum, 2.0);
  EXPECT_EQ(summary->values, nullptr);
}

/// Every good file of every format, with and without its values.
TEST(Values, ChangeNothingOfThePattern) {
  for (const test::ExpectedFile& file : test::expected_files("good")) {
    if (file.format == "hdf5" && own_file("spyctrum-hdf5").path.empty()) continue;
    const Result<Matrix> pattern = test::load(file.path.string());
    LoadOptions options;
    options.values = ValueUse::keep;
    const Result<Matrix> matrix = test::load(file.path.string(), options);
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(*matrix->pattern, *pattern->pattern) << file.path;
    const bool has_values = matrix->report.field != "pattern" && matrix->report.entries_in_file != 0;
    if (matrix->values == nullptr) {
      EXPECT_TRUE(!has_values || matrix->pattern->nonzeros() == 0) << file.path;
      continue;
    }
    EXPECT_EQ(matrix->values->size(), static_cast<std::size_t>(matrix->pattern->nonzeros())) << file.path;
    options.exact_entries = 0;
    const Result<Matrix> rounded = test::load(file.path.string(), options);
    ASSERT_TRUE(rounded.has_value()) << rounded.error().message();
    expect_same(*rounded->values, *matrix->values);
    if (matrix->imaginary != nullptr) expect_same(*rounded->imaginary, *matrix->imaginary);
    EXPECT_EQ(rounded->report.notes, matrix->report.notes) << file.path;
  }
}

TEST(Values, OfComplexNumbersInTextHaveTwoParts) {
  for (const auto& [text, value] :
       std::vector<std::pair<std::string_view, Value>>{{"(1.5e+00-2.0e+00j)", {1.5, -2}},
                                                       {"(-1e-3+-4j)", {-1e-3, -4}},
                                                       {"1+2i", {1, 2}},
                                                       {"1 - 2I", {1, -2}},
                                                       {"-2e-5j", {0, -2e-5}},
                                                       {"1.0 - 2.0e-5im", {1, -2e-5}},
                                                       {"3im", {0, 3}},
                                                       {"1. + 2.*I", {1, 2}},
                                                       {"(1,-2)", {1, -2}},
                                                       {"( 1.0E+00, -2.0D+00 )", {1, -2}}}) {
    const auto number = complex_number(text);
    ASSERT_TRUE(number.has_value()) << text;
    EXPECT_EQ(number->value, value) << text;
    EXPECT_FALSE(number->is_zero) << text;
  }
  for (const std::string_view text : {"(nan+infj)", "NaN + Inf*im"}) {
    const auto number = complex_number(text);
    ASSERT_TRUE(number.has_value()) << text;
    EXPECT_TRUE(std::isnan(number->value.real()) && std::isinf(number->value.imag())) << text;
  }
  EXPECT_TRUE(complex_number("(0,-0.0)")->is_zero);
  EXPECT_FALSE(complex_number("(0,1e-400)")->is_zero);
  for (const std::string_view text :
       {"", "j", "i", "im", "2i", "1+j", "1 + im", "a+2j", "(1+2)", "1+2", "1++2j", "1--2j", "e-2j", "()",
        "(1,)", "(,2)", "(1,2", "1,2", "(1,2,3)"})
    EXPECT_FALSE(complex_number(text).has_value()) << text;
}

TEST(Values, AreTheSameFromAFileThatIsReadTwiceAndFromOneThatIsReadOnce) {
  for (const std::string name :
       {"npz/good/coo.npz", "npz/good/coo_duplicates.npz", "npz/good/coordinates_in_one_array.npz",
        "npz/good/complex.npz", "petsc/good/complex_by_its_size.petsc"}) {
    const std::string file = SPYCTRUM_SOURCE_DIR "/tests/data/" + name;
    const Result<Matrix> twice = test::load(file, {.values = ValueUse::keep});
    ASSERT_TRUE(twice.has_value()) << twice.error().message();
    const std::string packed = ::testing::TempDir() + "spyctrum_read_once.gz";
    ASSERT_EQ(std::system(("gzip -c '" + file + "' > '" + packed + "'").c_str()), 0);  // NOLINT
    const Result<Matrix> once = test::load(packed, {.values = ValueUse::keep});
    ASSERT_TRUE(once.has_value()) << once.error().message();
    EXPECT_TRUE(*once->pattern == *twice->pattern);
    ASSERT_NE(twice->values, nullptr);
    expect_same(*once->values, *twice->values);
    EXPECT_EQ(once->imaginary == nullptr, twice->imaginary == nullptr);
    if (twice->imaginary != nullptr) expect_same(*once->imaginary, *twice->imaginary);
    EXPECT_EQ(once->report.values->sum, twice->report.values->sum);
    EXPECT_EQ(once->report.duplicates, twice->report.duplicates);
  }
}

}  // namespace
}  // namespace spyctrum
