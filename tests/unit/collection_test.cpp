// SPDX-License-Identifier: Apache-2.0
// Signatures and fingerprints: what they leave unchanged, and the scan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/collection/database.hpp"
#include "core/collection/fingerprint.hpp"
#include "core/collection/nearest.hpp"
#include "core/matrix/reordering.hpp"
#include "tests/support/generated_pattern.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum::test {
namespace {

Fingerprint fingerprint(const PatternPtr& pattern) {
  JobContext context(pool());
  return or_throw(fingerprint_of(pattern, Backend{}, context));
}

const std::vector<std::string> kTexts{"gen:band:n=300,lower=1,upper=5", "gen:random:n=400,nnz=3000",
                                      "gen:arrow:n=350,head=3", "gen:random:rows=90,cols=700,nnz=2000",
                                      "gen:block-diagonal:n=240,block=12"};

TEST(Signature, ChangesUnderTranspositionAsItsPartsState) {
  for (const std::string& text : kTexts) {
    const PatternPtr pattern = generated(text);
    const Signature direct =
        fingerprint(std::make_shared<const SparsePattern>(pattern->transposed())).signature;
    const Signature derived = transposed(fingerprint(pattern).signature);
    for (std::size_t p = 0; p < kSignatureParts.size(); ++p) {
      const SignaturePart& part = kSignatureParts[p];
      // Blocks are drawn anew; the canonical orders break ties by the order of the input.
      if (part.id.starts_with("blocks") || part.view == SignatureView::canonical) continue;
      // Diagonals of a pattern that is not square are counted in its own rows.
      if (part.id == "lines" && pattern->rows() != pattern->cols()) continue;
      for (std::size_t k = kSignatureOffsets[p]; k < kSignatureOffsets[p + 1]; ++k)
        EXPECT_NEAR(direct[k], derived[k], 0.02) << text << ' ' << part.id << ' ' << k - kSignatureOffsets[p];
    }
    EXPECT_EQ(transposed(derived), fingerprint(pattern).signature) << text;
  }
}

TEST(Signature, ItsCountsDoNotDependOnTheOrder) {
  JobContext context(pool());
  const PatternPtr pattern = generated("gen:power-law:n=500,nnz=3000");
  const auto order = compute_permutation(*pattern, Order::random, 3, context);
  const auto moved = std::make_shared<const SparsePattern>(permuted(*pattern, order, context));
  const Signature a = fingerprint(pattern).signature;
  const Signature b = fingerprint(moved).signature;
  for (std::size_t p = 0; p < kSignatureParts.size(); ++p)
    for (std::size_t k = kSignatureOffsets[p]; k < kSignatureOffsets[p + 1]; ++k)
      if (kSignatureParts[p].view == SignatureView::common) {
        EXPECT_EQ(a[k], b[k]) << k;
      }
}

TEST(Signature, IsTheSameForAnyNumberOfThreads) {
  ThreadPool one(1);
  for (const std::string& text : kTexts) {
    const PatternPtr pattern = generated(text);
    JobContext context(one);
    EXPECT_EQ(or_throw(fingerprint_of(pattern, Backend{}, context)).signature, fingerprint(pattern).signature)
        << text;
  }
}

TEST(Signature, IsFiniteForAwkwardPatterns) {
  for (const char* text :
       {"gen:diagonal:n=1", "gen:diagonal:n=2", "gen:random:n=50,nnz=0", "gen:random:rows=1,cols=40,nnz=7",
        "gen:checkerboard:n=64,cell=1", "gen:random:rows=3,cols=3000000,nnz=5"}) {
    const Fingerprint made = fingerprint(generated(text));
    EXPECT_TRUE(std::ranges::all_of(made.signature, [](float value) { return std::isfinite(value); }))
        << text;
    EXPECT_EQ(made.thumbnails.pattern.size(), kThumbnailSide * kThumbnailSide) << text;
    EXPECT_EQ(made.thumbnails.spectrum.size(), kThumbnailSide * kThumbnailSide) << text;
  }
}

TEST(Signature, ScanFindsWhatOneByOneComparisonFinds) {
  std::vector<float> all;
  std::vector<Signature> each;
  for (const std::string& text : kTexts) {
    each.push_back(fingerprint(generated(text)).signature);
    all.insert(all.end(), each.back().begin(), each.back().end());
  }
  for (std::size_t k = 0; k < each.size(); ++k) {
    const auto list = nearest(each[k], all, 3, pool());
    ASSERT_EQ(list.size(), 3U);
    EXPECT_EQ(list[0].row, k);
    EXPECT_EQ(list[0].found.distance, 0);
    for (const Neighbour& neighbour : list)
      EXPECT_EQ(neighbour.found.distance, distance_between(each[k], each[neighbour.row]).distance);
    float second = 1e30F;
    for (std::size_t other = 0; other < each.size(); ++other)
      if (other != k) second = std::min(second, distance_between(each[k], each[other]).distance);
    EXPECT_EQ(list[1].found.distance, second);
  }
}

TEST(Fingerprint, AFullPatternIsEvenInItsThumbnail) {
  const auto picture = [](const char* text) { return fingerprint(generated(text)).thumbnails.pattern; };
  const auto is_even = [](const std::vector<std::uint8_t>& bytes) {
    return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 255; });
  };
  for (const char* full : {"gen:orthogonal-circulant:n=118", "gen:random:rows=70,cols=150,nnz=10500",
                           "gen:random:rows=1,cols=40,nnz=40"})
    EXPECT_TRUE(is_even(picture(full))) << full << ": its sides are no multiples of 64";
  EXPECT_FALSE(is_even(picture("gen:random:rows=70,cols=150,nnz=10499"))) << "control: one entry is missing";
}

TEST(Fingerprint, LargePlanesAreSampledAndHaveErrors) {
  const Fingerprint small = fingerprint(generated("gen:random:n=300,nnz=2000"));
  EXPECT_FALSE(small.errors.has_value());
  const Fingerprint large = fingerprint(generated("gen:random:n=3000,nnz=20000"));
  ASSERT_TRUE(large.errors.has_value());
  EXPECT_GT(large.errors->entropy, 0);
  EXPECT_NE(small.setting.method, large.setting.method);
}

// NOLINTBEGIN(concurrency-mt-unsafe): one thread
TEST(CollectionPath, IgnoresFoldersThatAreRelative) {
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  ::setenv("XDG_DATA_HOME", "data", 1);
  ::setenv("HOME", "/home/ann", 1);
  EXPECT_EQ(default_collection_path(), "/home/ann/.local/share/spyctrum/collection.db");
  ::setenv("HOME", "ann", 1);
  EXPECT_THROW((void)default_collection_path(), Failure);
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", home.c_str(), 1);
}
// NOLINTEND(concurrency-mt-unsafe)

}  // namespace
}  // namespace spyctrum::test
