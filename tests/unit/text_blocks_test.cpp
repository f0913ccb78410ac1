// SPDX-License-Identifier: Apache-2.0
// Lists of edges and METIS graphs are parsed in blocks on all threads, plain lines fast and others one by
// one: matrix, values, report and message are those of any other division into blocks, and of one line at a
// time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

class TextBlocks : public ::testing::Test {
 protected:
  Result<Matrix> load(const std::string& text, const std::string& name, std::size_t block_bytes,
                      unsigned threads, bool drop_zeros = false) {
    const std::string file = scratch_.write(name, text);
    LoadOptions options;
    options.block_bytes = block_bytes;
    options.values = ValueUse::keep;
    options.drop_zeros = drop_zeros;
    return test::load(file, options, threads);
  }

  /// Returns the matrix as read in one block.
  Result<Matrix> expect_same_in_all_blocks(const std::string& text, const std::string& name) {
    SCOPED_TRACE(name);
    Result<Matrix> whole = load(text, name, std::size_t{1} << 20U, 1);
    for (const std::size_t bytes : {1U, 50U, 3000U}) {
      for (const unsigned threads : {1U, 3U}) {
        SCOPED_TRACE(bytes);
        const Result<Matrix> cut = load(text, name, bytes, threads);
        EXPECT_EQ(cut.has_value(), whole.has_value());
        if (!cut || !whole) {
          if (!cut && !whole) {
            EXPECT_EQ(cut.error().message(), whole.error().message());
          }
          continue;
        }
        EXPECT_TRUE(*cut->pattern == *whole->pattern);
        EXPECT_EQ(cut->report.field, whole->report.field);
        EXPECT_EQ(cut->report.entries_in_file, whole->report.entries_in_file);
        EXPECT_EQ(cut->report.explicit_zeros, whole->report.explicit_zeros);
        EXPECT_EQ(cut->report.duplicates, whole->report.duplicates);
        EXPECT_EQ(cut->report.notes, whole->report.notes);
        EXPECT_EQ(cut->values != nullptr, whole->values != nullptr);
        if (cut->values && whole->values) {
          EXPECT_EQ(*cut->values, *whole->values);
        }
      }
    }
    return whole;
  }

  test::ScratchFolder scratch_;
  std::mt19937 random_{11};
};

TEST_F(TextBlocks, AListOfEdgesIsTheSameHoweverItsTextIsCut) {
  for (const std::string separator : {"\t", " ", ",", " ; "}) {
    for (const bool weighted : {false, true}) {
      std::string text;
      std::size_t edges = 0;
      for (int line = 0; line < 3000; ++line) {
        if (random_() % 400 == 0) text += "# a comment\n";
        if (random_() % 400 == 0) text += "\n";
        text += std::to_string(1 + random_() % 200) + separator + std::to_string(1 + random_() % 150);
        static const std::vector<std::string> kWeights{"0", "1", "-2.5", "1e3", "0.0", "7", "+4", "00"};
        if (weighted) text += separator + kWeights.at(random_() % kWeights.size());
        if (weighted && random_() % 9 == 0) text += separator + "1234567890";
        text += random_() % 5 == 0 ? "\r\n" : "\n";
        ++edges;
      }
      const Result<Matrix> matrix = expect_same_in_all_blocks(text, "a.edges");
      ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
      EXPECT_EQ(matrix->report.entries_in_file, static_cast<std::int64_t>(edges));
      EXPECT_EQ(matrix->report.field, weighted ? "real" : "pattern");
      EXPECT_EQ(matrix->pattern->rows(), 200U);
    }
  }
}

TEST_F(TextBlocks, AMistakeInAListOfEdgesHasTheSameMessageHoweverItsTextIsCut) {
  for (const std::string wrong : {"1 2 3", "1", "-1 2", "1 x", "1 99999999999999999999", "1 5000000000"}) {
    std::string text;
    for (int line = 0; line < 700; ++line) text += line == 400 ? wrong + "\n" : "1 2\n";
    const Result<Matrix> matrix = expect_same_in_all_blocks(text, "a.edges");
    ASSERT_FALSE(matrix.has_value()) << wrong;
    EXPECT_NE(matrix.error().what.find("line 401"), std::string::npos) << matrix.error().what;
  }
  std::string text = "% sym\n1 2\n% 5 3 3\n";  // sides that come after the first edge say nothing
  for (int line = 0; line < 300; ++line) text += "4 4\n";
  EXPECT_TRUE(expect_same_in_all_blocks(text, "a.konect").has_value());
}

TEST_F(TextBlocks, AMetisGraphIsTheSameHoweverItsTextIsCut) {
  for (const bool weighted : {false, true}) {
    std::string body;
    std::uint64_t neighbours = 0;
    for (int vertex = 0; vertex < 900; ++vertex) {
      if (random_() % 200 == 0) body += "% a comment\n";
      for (std::size_t k = random_() % 6; k > 0; --k, ++neighbours) {
        body += std::to_string(1 + random_() % 900) + " ";
        if (weighted) body += std::to_string(random_() % 4) + (random_() % 7 == 0 ? "\t" : " ");
      }
      body += random_() % 3 == 0 ? "\r\n" : "\n";
    }
    if (neighbours % 2 != 0) {
      body += weighted ? "1 1\n" : "1\n";
      ++neighbours;
    } else {
      body += "\n";
    }
    const std::string text =
        "901 " + std::to_string(neighbours / 2) + (weighted ? " 1\n" : "\n") + body + "\n % not a comment";
    const std::string good = text.substr(0, text.rfind('\n'));
    const Result<Matrix> matrix = expect_same_in_all_blocks(good, "a.graph");
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(matrix->report.entries_in_file, static_cast<std::int64_t>(neighbours));
    EXPECT_FALSE(expect_same_in_all_blocks(text, "a.graph").has_value());
    for (const std::string wrong : {"902", "0", "x", "-1", "1 2 3"}) {
      std::string damaged = good;
      damaged.insert(damaged.size() / 2, "\n" + wrong + "\n");
      EXPECT_FALSE(expect_same_in_all_blocks(damaged, "a.graph").has_value()) << wrong;
    }
  }
}

TEST_F(TextBlocks, ALineOfAMetisGraphIsARowAlsoWhereEdgesHaveADirection) {
  for (const std::string text : {"3 1\n2\n3\n\n", "3 1 1\n2 5\n3 5\n\n", "3 1 10\n1 2\n1 3\n1\n"}) {
    const Result<Matrix> matrix = expect_same_in_all_blocks(text, "a.graph");
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_TRUE(matrix->pattern->contains(0, 1) && matrix->pattern->contains(1, 2)) << text;
    EXPECT_EQ(matrix->pattern->nonzeros(), 2) << text;
  }
}

TEST_F(TextBlocks, TheFirstPictureOfAGraphCountsEveryEntry) {
  const std::string file = scratch_.file("a.graph");
  std::ofstream(file) << "3 2\n2\n1 3\n2\n";
  LoadOptions options;
  options.preview = std::make_shared<PatternPreview>();
  ASSERT_TRUE(test::load(file, options).has_value());
  const PatternPreview::Snapshot snapshot = options.preview->snapshot();
  EXPECT_EQ(snapshot.declared_entries, 4U);
  EXPECT_EQ(snapshot.counts, (std::vector<std::uint64_t>{0, 1, 0, 1, 0, 1, 0, 1, 0}));
}

TEST_F(TextBlocks, TheFirstPictureOfAListOfEdgesGrowsWithItsVertices) {
  const std::string file = scratch_.file("a.edges");
  {
    std::ofstream out(file);
    for (int k = 0; k < 100'000; ++k) out << k << ' ' << k / 2 << '\n';
  }
  LoadOptions options;
  options.block_bytes = 4096;
  options.preview = std::make_shared<PatternPreview>();
  ASSERT_TRUE(test::load(file, options).has_value());
  const PatternPreview::Snapshot snapshot = options.preview->snapshot();
  ASSERT_EQ(snapshot.rows, 131'072U);  // 512·2^8
  ASSERT_EQ(snapshot.cols, 131'072U);
  EXPECT_EQ(snapshot.entries, 100'000U);
  std::vector<std::uint64_t> expected(std::size_t{512} * 512);
  for (std::size_t k = 0; k < 100'000; ++k) ++expected[k / 256 * 512 + k / 2 / 256];
  EXPECT_EQ(snapshot.counts, expected);
}

TEST_F(TextBlocks, TheFirstPictureOfARutherfordBoeingFileCountsEveryEntry) {
  const std::string file = scratch_.file("a.rb");
  std::ofstream(file) << "title                                                                   key\n"
                         "2 1 1 0\npsa 3 3 3 0\n(4I3) (3I3)\n  1  3  4  4\n  1  3  2\n";
  LoadOptions options;
  options.preview = std::make_shared<PatternPreview>();
  const auto matrix = test::load(file, options);
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(options.preview->snapshot().counts, (std::vector<std::uint64_t>{1, 0, 1, 0, 1, 0, 1, 0, 0}));
}

}  // namespace
}  // namespace spyctrum
