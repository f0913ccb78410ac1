// SPDX-License-Identifier: Apache-2.0
// A collection as a table: conditions, messages for invalid ones, orders, and the projection of the
// signatures.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/collection/projection.hpp"
#include "core/collection/table.hpp"

namespace spyctrum::test {
namespace {

CollectionTable table_of_four() {
  CollectionTable table;
  for (const char* file : {"/m/band.mtx", "/m/Random.mtx", "/n/band2.mtx", "gen:arrow:n=9"}) {
    IndexedMatrix& matrix = table.matrices.emplace_back();
    matrix.files = {file};
  }
  table.columns = {{"rows", "rows", CollectionColumn::Kind::count, true, {100, 2000, 30'000, 9}},
                   {"entries", "entries", CollectionColumn::Kind::count, true, {500, 600, 700, 800}},
                   {"entropy", "entropy", CollectionColumn::Kind::real, false, {0.9, 0.7, NAN, 0.7}},
                   {"symmetric", "symmetric", CollectionColumn::Kind::flag, false, {1, 0, 1, 1}}};
  return table;
}

using Rows = std::vector<std::uint32_t>;

Rows rows_where(const std::string& text) {
  const CollectionTable table = table_of_four();
  const auto conditions = parse_conditions(text, table);
  EXPECT_TRUE(conditions) << (conditions ? "" : conditions.error().message());
  return conditions ? fulfilling_rows(table, *conditions) : Rows{99};
}

std::string problem_of(const std::string& text) {
  const auto conditions = parse_conditions(text, table_of_four());
  EXPECT_FALSE(conditions) << text;
  return conditions ? "" : conditions.error().message();
}

TEST(Conditions, AllMustHold) {
  EXPECT_EQ(rows_where(""), (Rows{0, 1, 2, 3}));
  EXPECT_EQ(rows_where("rows > 50 rows<=2000"), (Rows{0, 1}));
  EXPECT_EQ(rows_where("rows>=2k and entropy < 0.8"), (Rows{1}));
  EXPECT_EQ(rows_where("rows = 30000"), (Rows{2}));
  EXPECT_EQ(rows_where("rows != 30k, symmetric = yes"), (Rows{0, 3}));
  EXPECT_EQ(rows_where("entropy = 70%"), (Rows{1, 3}));
  EXPECT_EQ(rows_where("nonzeros > 600 entries < 800"), (Rows{2})) << "the name of the JSON field, too";
}

TEST(Conditions, WordsAreSearchedForInNamesOfFiles) {
  EXPECT_EQ(rows_where("BAND"), (Rows{0, 2}));
  EXPECT_EQ(rows_where("file ~ band file !~ /n/"), (Rows{0}));
  EXPECT_EQ(rows_where("\"arrow:n\""), (Rows{3}));
  EXPECT_EQ(rows_where("random rows > 1"), (Rows{1}));
  EXPECT_EQ(rows_where("file ~ \"rows\""), Rows{}) << "in quotes it is a word";
}

TEST(Conditions, WrongOnesAreNamed) {
  EXPECT_NE(problem_of("rowz > 10").find("There is no column rowz"), std::string::npos);
  EXPECT_NE(problem_of("rowz > 10").find("rows"), std::string::npos) << "names what may be meant";
  EXPECT_NE(problem_of("rows").find("After rows"), std::string::npos);
  EXPECT_NE(problem_of("rows >").find("After rows > a value is missing"), std::string::npos);
  EXPECT_NE(problem_of("rows > many").find("many is not a number"), std::string::npos);
  EXPECT_NE(problem_of("rows > 10kk").find("10kk is not a number"), std::string::npos);
  EXPECT_NE(problem_of("symmetric = maybe").find("yes or no"), std::string::npos);
  EXPECT_NE(problem_of("rows <> 10").find("rows <> is not a condition"), std::string::npos);
  EXPECT_NE(problem_of("rows ~ 10").find("< <= > >="), std::string::npos);
  EXPECT_NE(problem_of("file > band").find('~'), std::string::npos);
  EXPECT_NE(problem_of("> 10").find("Before >"), std::string::npos);
  EXPECT_NE(problem_of("1000 < rows").find("The name of a column must come before the number"),
            std::string::npos);
}

TEST(Orders, AreStableAndPutMissingNumbersLast) {
  const CollectionTable table = table_of_four();
  Rows rows{0, 1, 2, 3};
  sort_rows(rows, table, table.column("entropy"), false);
  EXPECT_EQ(rows, (Rows{1, 3, 0, 2}));
  sort_rows(rows, table, table.column("entropy"), true);
  EXPECT_EQ(rows, (Rows{0, 1, 3, 2}));
  sort_rows(rows, table, table.column("file"), false);
  EXPECT_EQ(rows, (Rows{1, 0, 2, 3}));
  sort_rows(rows, table, table.column("file"), true);
  EXPECT_EQ(rows, (Rows{3, 2, 0, 1}));
}

/// Signatures on an ellipse: 3·cos t along one value, sin t along another of the same weight, all else equal.
TEST(Projection, FindsTheDirectionsOfLargestVariance) {
  constexpr std::size_t kCount = 40;
  std::size_t part = 0;
  while (kSignatureParts.at(part).id != "whole") ++part;
  const std::size_t first = kSignatureOffsets.at(part);
  const double scale = std::sqrt(static_cast<double>(kSignatureParts.at(part).weight));
  std::vector<float> signatures(kCount * kSignatureSize, 0.25F);
  for (std::size_t k = 0; k < kCount; ++k) {
    const double t = 2 * std::numbers::pi * static_cast<double>(k) / kCount;
    signatures[k * kSignatureSize] = static_cast<float>(k);  // the size, which is left out
    signatures[k * kSignatureSize + first + 4] = static_cast<float>(3 * std::cos(t));
    signatures[k * kSignatureSize + first + 9] = static_cast<float>(std::sin(t));
  }
  const Projection found = principal_components(signatures, {});
  EXPECT_NEAR(found.shares[0], 0.9, 1e-6);
  EXPECT_NEAR(found.shares[1], 0.1, 1e-6);
  for (std::size_t k = 0; k < kCount; ++k) {
    const double t = 2 * std::numbers::pi * static_cast<double>(k) / kCount;
    EXPECT_NEAR(found.places[0][k], 3 * scale * std::cos(t), 1e-5) << k;
    EXPECT_NEAR(found.places[1][k], scale * std::sin(t), 1e-5) << k;
  }
}

TEST(Projection, IsZeroWhereAllAreEqualOrThereAreNone) {
  const Projection equal = principal_components(std::vector<float>(3 * kSignatureSize, 0.5F), {});
  for (const double share : equal.shares) EXPECT_EQ(share, 0);
  for (const double place : equal.places[0]) EXPECT_EQ(place, 0);
  EXPECT_TRUE(principal_components({}, {}).places[0].empty());
}

}  // namespace
}  // namespace spyctrum::test
