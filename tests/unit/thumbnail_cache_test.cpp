// SPDX-License-Identifier: Apache-2.0
// Thumbnails of files and of their matrices, and the cache: what is read again, and what is made anew.
#include "core/collection/thumbnail_cache.hpp"
#include "core/collection/database.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace spyctrum::test {
namespace {

namespace fs = std::filesystem;

class ThumbnailCache : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return scratch_.file(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return scratch_.write(name, text);
  }
  /// One entry, in this row of four.
  std::string matrix(const std::string& name, int row) const {
    return write(name,
                 "%%MatrixMarket matrix coordinate pattern general\n4 4 1\n" + std::to_string(row) + " 1\n");
  }
  [[nodiscard]] std::string cache() const { return path("cache/thumbnails.db"); }
  ThumbnailMap find(const std::vector<std::string>& sources) { return find_in(cache(), sources); }
  ThumbnailMap find_in(const std::string& cache, const std::vector<std::string>& sources) {
    JobContext context(pool_);
    return find_or_make_thumbnails(cache, sources, context);
  }
  /// The row of the picture's first column that is not empty.
  static std::size_t row_of(const ThumbnailMap& found, const std::string& source) {
    const std::vector<std::uint8_t>& pattern = found.at(source)->pattern;
    return static_cast<std::size_t>(std::ranges::find(pattern, 255) - pattern.begin()) / kThumbnailSide;
  }

  test::ScratchFolder scratch_;
  ThreadPool pool_{2};
};

TEST_F(ThumbnailCache, MakesOneAndReturnsEverythingKnownTheNextTime) {
  const std::string a = matrix("a.mtx", 1), b = matrix("b.mtx", 3);
  const ThumbnailMap first = find({a, b});
  EXPECT_EQ(first.size(), 1U);
  EXPECT_EQ(row_of(first, a), 0U);
  EXPECT_EQ(row_of(find({b}), b), kThumbnailSide / 2);
  const ThumbnailMap both = find({b, a});
  EXPECT_EQ(both.size(), 2U);
  EXPECT_EQ(row_of(both, b), kThumbnailSide / 2);
}

TEST_F(ThumbnailCache, AChangedFileIsReadAgain) {
  const std::string a = matrix("a.mtx", 1);
  EXPECT_EQ(row_of(find({a}), a), 0U);
  matrix("a.mtx", 3);
  fs::last_write_time(a, fs::last_write_time(a) + std::chrono::seconds(5));
  EXPECT_EQ(row_of(find({a}), a), kThumbnailSide / 2);
}

TEST_F(ThumbnailCache, AMatrixOfSeveralInAFileHasItsOwn) {
  const std::string tar = path("two.tar");
  matrix("a.mtx", 1);
  matrix("b.mtx", 3);
  ASSERT_EQ(std::system(("tar -C " + path("") + " -cf " + tar + " a.mtx b.mtx").c_str()), 0);
  EXPECT_EQ(row_of(find({tar + "::a.mtx"}), tar + "::a.mtx"), 0U);
  EXPECT_EQ(row_of(find({tar + "::b.mtx"}), tar + "::b.mtx"), kThumbnailSide / 2);
  EXPECT_EQ(find({tar + "::a.mtx", tar + "::b.mtx"}).size(), 2U);
}

TEST_F(ThumbnailCache, WhatCannotBeReadHasNone) {
  const std::string bad = write("bad.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 4 9\n1 1\n");
  const std::string large = path("large.mtx");
  std::ofstream(large) << '%';
  fs::resize_file(large, kMostThumbnailFileBytes + 1);  // a hole
  for (const std::string& source : {bad, large, path("none.mtx"), bad + "::x"}) {
    const ThumbnailMap found = find({source});
    ASSERT_TRUE(found.contains(source)) << source;
    EXPECT_EQ(found.at(source), nullptr) << source;
  }
}

TEST_F(ThumbnailCache, ADamagedOrForeignCacheIsMadeAnew) {
  const std::string a = matrix("a.mtx", 3);
  const auto expect_works = [&](const std::string& what) {
    EXPECT_EQ(row_of(find({a}), a), kThumbnailSide / 2) << what;
    EXPECT_TRUE(is_collection(cache())) << what;
  };
  expect_works("new");
  std::ofstream(cache()) << std::string(9000, 'x');
  expect_works("no database");
  {
    std::fstream file(cache(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60);
    file << std::string("\0\0\0\x63", 4);
  }
  expect_works("newer version");
  const auto size = static_cast<std::streamoff>(fs::file_size(cache()));
  for (std::streamoff at = 4096; at < size; at += 512) {
    std::fstream file(cache(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << std::string(256, '\xa5');
  }
  expect_works("damaged pages");
  fs::resize_file(cache(), 5000);
  expect_works("truncated");
  fs::resize_file(cache(), kMostCacheBytes + 1);
  expect_works("too large");
  EXPECT_LT(fs::file_size(cache()), std::uint64_t{1} << 20U);
}

TEST_F(ThumbnailCache, WithoutACacheThumbnailsAreMadeAndNothingIsWritten) {
  const std::string a = matrix("a.mtx", 3);
  EXPECT_EQ(row_of(find_in("", {a}), a), kThumbnailSide / 2);
  write("file", "");
  EXPECT_EQ(row_of(find_in(path("file/below.db"), {a}), a), kThumbnailSide / 2) << "the folder is a file";
  EXPECT_EQ(std::distance(fs::directory_iterator(path("")), {}), 2);
}

TEST_F(ThumbnailCache, StopsOnRequest) {
  std::stop_source stop;
  JobContext context(pool_, {.memory_bytes = 0, .stop = stop.get_token(), .on_progress = {}});
  stop.request_stop();
  try {
    (void)find_or_make_thumbnails(cache(), {matrix("a.mtx", 1)}, context);
    ADD_FAILURE() << "it was not cancelled";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.error().code, ErrorCode::cancelled);
  }
}

}  // namespace
}  // namespace spyctrum::test
