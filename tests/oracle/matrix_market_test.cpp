// SPDX-License-Identifier: Apache-2.0
// The Matrix Market reader against fast_matrix_market, an independent library: the same pattern from the same
// files, symmetric storage expanded. Not in the list are variants that the library refuses or reads otherwise
// (banners outside the standard, duplicates of array files).
#include <gtest/gtest.h>

#include <fast_matrix_market/fast_matrix_market.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "core/io/reader.hpp"
#include "core/io/writer.hpp"
#include "core/matrix/generators.hpp"
#include "tests/support/test_pool.hpp"

namespace spyctrum {
namespace {

namespace fmm = fast_matrix_market;

/// The pattern that fast_matrix_market reads: every stored entry, both triangles.
SparsePattern by_peer(std::istream& file) {
  fmm::matrix_market_header header;
  std::vector<Index> row;
  std::vector<Index> col;
  std::vector<double> values;
  fmm::read_options options;
  options.generalize_symmetry = true;
  options.num_threads = 2;
  fmm::read_matrix_market_triplet(file, header, row, col, values, options);
  return *SparsePattern::from_coordinates(static_cast<std::uint64_t>(header.nrows),
                                          static_cast<std::uint64_t>(header.ncols), row, col);
}

class AgainstPeer : public ::testing::TestWithParam<const char*> {};

TEST_P(AgainstPeer, ReadsTheSamePattern) {
  const std::string path = std::string(SPYCTRUM_SOURCE_DIR "/tests/data/matrix_market/good/") + GetParam();
  JobContext context(test::pool());
  const auto ours = load_matrix(path, {}, context);
  ASSERT_TRUE(ours) << ours.error().message();
  std::ifstream file(path);
  ASSERT_TRUE(file);
  const SparsePattern peer = by_peer(file);
  EXPECT_EQ(ours->pattern->rows(), peer.rows());
  EXPECT_EQ(ours->pattern->cols(), peer.cols());
  EXPECT_EQ(ours->pattern->nonzeros(), peer.nonzeros());
  EXPECT_TRUE(*ours->pattern == peer);
}

INSTANTIATE_TEST_SUITE_P(Corpus, AgainstPeer,
                         ::testing::Values("small.mtx", "real.mtx", "integer.mtx", "symmetric.mtx",
                                           "skew.mtx", "duplicates.mtx", "full.mtx", "no_entries.mtx",
                                           "one_by_one.mtx", "one_column.mtx", "one_row.mtx",
                                           "no_last_line_end.mtx"));

TEST(AgainstPeer, ReadsALargeGeneratedFileAlike) {
  JobContext context(test::pool());
  const auto made = generate("gen:random:n=20000,nnz=300000,seed=5", context);
  ASSERT_TRUE(made);
  const std::string path = ::testing::TempDir() + "spyctrum_peer.mtx";
  ASSERT_TRUE(write_matrix(*made, *find_writer("matrix_market"), path, "peer", context));
  std::ifstream file(path);
  EXPECT_TRUE(*made->pattern == by_peer(file));
  const auto ours = load_matrix(path, {}, context);
  ASSERT_TRUE(ours);
  EXPECT_TRUE(*ours->pattern == *made->pattern);
  // The control: one entry fewer is another pattern.
  const SparsePattern fewer = made->pattern->restricted_to(0, 0, 19000, 20000);
  EXPECT_FALSE(*ours->pattern == fewer);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace spyctrum
