// SPDX-License-Identifier: Apache-2.0
// Reading: Matrix Market against a naive parser, wherever blocks are cut; its reports; its writer; standard
// input and pipes; stopping; and the real files of ../shared/data where they are present. io_formats_test.cpp
// and io_malformed_test.cpp read the files of tests/data.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

#include "core/io/byte_source.hpp"
#include "core/io/digit_runs.hpp"
#include "core/io/formats.hpp"
#include "core/io/line_blocks.hpp"
#include "core/io/line_source.hpp"
#include "core/io/numpy/numpy_array.hpp"
#include "core/io/quote.hpp"
#include "core/io/reader.hpp"
#include "core/io/values.hpp"
#include "core/io/writer.hpp"
#include "tests/support/file_bytes.hpp"
#include "tests/support/memory_source.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/test_pool.hpp"
#include "tests/unit/format_files.hpp"

namespace spyctrum {
namespace {

const std::filesystem::path kGood = SPYCTRUM_SOURCE_DIR "/tests/data/matrix_market/good";
const std::filesystem::path kShared = SPYCTRUM_SOURCE_DIR "/../shared/data";

using test::bytes_of;
using test::load;
using test::memory_source;
using test::Places;
using test::places_of;

// By the Matrix Market reader from memory, at most `most_at_once` bytes at a time (0: no limit).
Result<Matrix> load_text(std::string_view text, LoadOptions options = {}, std::size_t most_at_once = 0,
                         unsigned threads = 2) {
  return run_guarded([&] {
    ThreadPool pool(threads);
    JobContext context(pool);
    const auto source = memory_source(text, most_at_once);
    return find_reader("matrix_market")->read(*source, "text.mtx", options, context);
  });
}

/// An element of a MATLAB file: its type, the number of its bytes, and the bytes.
std::string matlab_element(std::uint32_t type, const std::string& content) {
  const std::array<std::uint32_t, 2> tag{type, static_cast<std::uint32_t>(content.size())};
  const std::string padding((8 - content.size() % 8) % 8, '\0');
  return std::string(reinterpret_cast<const char*>(tag.data()), sizeof tag) + content + padding;
}
/// An element of 32-bit numbers.
std::string matlab_numbers(std::uint32_t type, const std::vector<std::uint32_t>& numbers) {
  return matlab_element(
      type, {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t)});
}

TEST(Matlab, TheLastOfManyCellsIsRead) {
  constexpr std::uint32_t kBytes = 1, kInt32 = 5, kUint32 = 6, kReal = 9, kMatrix = 14, kCell = 1,
                          kSparse = 5;
  const std::array<double, 2> values{4, 5};
  const std::string sparse =
      matlab_element(kMatrix, matlab_numbers(kUint32, {kSparse, 2}) + matlab_numbers(kInt32, {2, 3}) +
                                  matlab_element(kBytes, "") + matlab_numbers(kInt32, {1, 0}) +
                                  matlab_numbers(kInt32, {0, 1, 1, 2}) +
                                  matlab_element(kReal, {reinterpret_cast<const char*>(values.data()), 16}));
  const test::ScratchFolder folder;
  ThreadPool pool(1);
  // The product of the last sides is 2^64.
  for (const std::vector<std::uint32_t>& sides : std::vector<std::vector<std::uint32_t>>{
           {70'000, 1}, {2, 1, 35'000, 1, 1}, {65'536, 65'536, 65'536, 65'536}}) {
    std::string cells;
    for (int k = 1; k < 70'000; ++k) cells += matlab_element(kMatrix, "");
    const std::string path = folder.write(
        "cells.mat",
        std::string("MATLAB 5.0 MAT-file").append(105, ' ') + std::string("\0\1IM", 4) +
            matlab_element(kMatrix, matlab_numbers(kUint32, {kCell, 0}) + matlab_numbers(kInt32, sides) +
                                        matlab_element(kBytes, "C") + cells + sparse));
    JobContext context(pool);
    const Result<Matrix> matrix = load_matrix(path, {}, context);
    ASSERT_TRUE(matrix) << matrix.error().message();
    EXPECT_EQ(matrix->report.matrix, "C{70000}");
    EXPECT_EQ(*matrix->pattern, or_throw(SparsePattern::from_coordinates(2, 3, {1, 0}, {0, 2})));
  }
}

TEST(NumpyArray, TheLargestIndexIsFoundAtEveryPlace) {
  ThreadPool pool(1);
  JobContext context(pool);
  for (const std::size_t width : {4, 8})
    for (std::size_t count = 1; count < 20; ++count)
      for (std::size_t place = 0; place < count; ++place) {
        NumpyArray array;
        array.kind = 'i';
        array.width = width;
        array.set_keep(Keep::indices);
        array.grow(count, context);
        std::vector<char> bytes(count * width);
        for (std::size_t k = 0; k < count; ++k) bytes[k * width] = k == place ? 100 : 99;
        std::mutex mutex;
        array.take(0, bytes, mutex);
        EXPECT_EQ(array.largest, 100U) << width << " " << count << " " << place;
        bytes[place * width + width - 1] = '\x80';
        array.take(0, bytes, mutex);
        EXPECT_EQ(array.invalid.begin()->first, place) << "a negative index";
      }
}

TEST(DigitRuns, AreFoundAndConvertedAtEveryPlaceOfAText) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    // The text, and what one character after the other gives: places of others than digits, and numbers.
    std::string text;
    while (text.size() < random() % 300) {
      text += std::string(random() % 3, static_cast<char>(random() % 256));
      for (auto digits = random() % 21; digits > 0; --digits) text += static_cast<char>('0' + random() % 10);
    }
    text += '\n';
    std::vector<std::size_t> expected;
    for (std::size_t k = 0; k < text.size(); ++k)
      if (text[k] < '0' || text[k] > '9') expected.push_back(k);
    std::vector<std::size_t> found;
    const char* first = text.data();
    for_non_digits(text, [&](const char* at) {
      found.push_back(static_cast<std::size_t>(at - text.data()));
      const std::string digits(first, at);
      std::uint64_t number = 0;
      const bool is_number = number_of_digits(first, at, text.data() + text.size(), number);
      EXPECT_EQ(is_number, !digits.empty() && digits.size() <= 18) << digits;
      if (is_number) {
        EXPECT_EQ(number, std::stoull(digits)) << text;
      }
      first = at + 1;
      return true;
    });
    EXPECT_EQ(found, expected) << text;
  }
  int calls = 0;
  for_non_digits("a,b\n", [&](const char*) { return ++calls < 2; });
  EXPECT_EQ(calls, 2);
}

/// Vertices of one to twelve digits, with leading zeros, so that lines lie at all places of a text.
TEST(GraphLines, InEveryFormAreTheSameEdges) {
  std::mt19937 random(1);
  const auto number = [&](std::uint64_t vertex) {
    return std::string(random() % 8 == 0 ? random() % 9 : 0, '0') + std::to_string(vertex);
  };
  const auto any_of = [&](const std::vector<std::string>& texts) { return texts[random() % texts.size()]; };
  const auto read = [](const std::string& reader, const std::string& text) {
    ThreadPool pool(2);
    JobContext context(pool);
    LoadOptions options;
    options.block_bytes = 512;
    const auto source = memory_source(text, 0);
    const Result<Matrix> matrix =
        run_guarded([&] { return find_reader(reader)->read(*source, "text", options, context); });
    return matrix ? places_of(*matrix->pattern) : Places();
  };
  for (int round = 0; round < 20; ++round) {
    std::map<std::uint64_t, std::vector<std::uint64_t>> graph;
    std::string edges;
    for (int k = 0; k < 400; ++k) {
      std::uint64_t sides[2] = {1 + random() % 9999, 1 + random() % 9999};
      if (k == 0) sides[0] = 1, sides[1] = 9999;
      edges += any_of({"", "", "", " "}) + number(sides[0]) + any_of({" ", "\t", "\t", "  ", " \t "}) +
               number(sides[1]) + any_of({"\n", "\n", "\n", "\r\n", " \n"});
      graph[sides[0]].push_back(sides[1]);
      graph[sides[1]].push_back(sides[0]);
    }
    Places places;
    Places symmetric;
    std::string metis = "9999 400\n";
    for (std::uint64_t vertex = 1; vertex <= 9999; ++vertex) {
      for (const std::uint64_t other : graph[vertex]) {
        metis += any_of({" ", "", "\t"}) + number(other) + " ";
        symmetric.insert({vertex, other});
      }
      metis += any_of({"\n", "\n", "\r\n"});
    }
    std::istringstream lines(edges);
    for (std::uint64_t row = 0, col = 0; lines >> row >> col;) places.insert({row, col});
    EXPECT_EQ(read("edge_list", edges), places);
    EXPECT_EQ(read("metis", metis), symmetric);
  }
}

const Places kSmall{{1, 1}, {2, 3}};  // of small.mtx and its packed copies

TEST(MatrixMarket, DropsStoredZerosOnRequestAndCountsThem) {
  LoadOptions options;
  options.drop_zeros = true;
  const Result<Matrix> complex = load((kGood / "complex.mtx").string(), options);
  ASSERT_TRUE(complex.has_value());
  EXPECT_EQ(places_of(*complex->pattern), (Places{{2, 2}, {1, 2}}));
  EXPECT_EQ(complex->report.explicit_zeros, 1);
  EXPECT_TRUE(complex->report.zeros_dropped);
  const Result<Matrix> odd = load((kGood / "odd_numbers.mtx").string(), options);
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->pattern->nonzeros(), 7) << "-0.0 and 0e5 are zero, 1e-400 is not";
  const Result<Matrix> none = load((kGood / "real.mtx").string(), options);
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->report.zeros_dropped) << "there was none to drop";
  // An explicit zero and a nonzero entry at the same place: only the zero is dropped.
  const Result<Matrix> both =
      load_text("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0\n1 1 5\n2 2 0\n", options);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(places_of(*both->pattern), (Places{{1, 1}}));
}

TEST(MatrixMarket, ReportsFormatAndField) {
  const auto format = [](const std::string& banner, const std::string& body) {
    const Result<Matrix> matrix = load_text("%%MatrixMarket matrix " + banner + "\n" + body);
    return matrix ? matrix->report.format + "/" + matrix->report.field : matrix.error().message();
  };
  EXPECT_EQ(format("coordinate pattern general", "1 1 1\n1 1\n"), "Matrix Market coordinate pattern/pattern");
  EXPECT_EQ(format("array double general", "1 1\n2\n"), "Matrix Market array real/real");
  EXPECT_EQ(format("coordinate unsigned-integer general", "1 1 1\n1 1 3\n"),
            "Matrix Market coordinate integer/integer");
  EXPECT_EQ(format("coordinate COMPLEX hermitian", "1 1 1\n1 1 3 0\n"),
            "Matrix Market coordinate complex/complex");
}

TEST(MatrixMarket, ClassifiesNumbers) {
  using enum ValueKind;
  const std::map<std::string, ValueKind> real{
      {"0", zero},          {"-0", zero},          {"+0.000", zero},     {".0", zero},
      {"0.", zero},         {"0e99", zero},        {"0.0D+00", zero},    {"1", nonzero},
      {"-1.5", nonzero},    {"1e400", nonzero},    {"1e-400", nonzero},  {"1.0d+03", nonzero},
      {"1.0-103", nonzero}, {"1.0+103", nonzero},  {"5.e3", nonzero},    {"NaN", nonzero},
      {"-inf", nonzero},    {"Infinity", nonzero}, {"1q5", nonzero},     {"", malformed},
      {"-", malformed},     {".", malformed},      {"e5", malformed},    {"1e", malformed},
      {"1e+", malformed},   {"1-", malformed},     {"0x1", malformed},   {"1,5", malformed},
      {"--1", malformed},   {"1e5e5", malformed},  {"1.2.3", malformed}, {"nano", malformed},
      {"in", malformed},    {"1_000", malformed}};
  for (const auto& [text, kind] : real) EXPECT_EQ(classify_real(text), kind) << text;
  const std::map<std::string, ValueKind> integer{{"0", zero},
                                                 {"-0", zero},
                                                 {"+7", nonzero},
                                                 {"-9223372036854775808", nonzero},
                                                 {"-9223372036854775809", beyond_64_bits},
                                                 {"18446744073709551615", nonzero},
                                                 {"18446744073709551616", beyond_64_bits},
                                                 {"1.0", malformed},
                                                 {"1e3", malformed},
                                                 {"", malformed}};
  for (const auto& [text, kind] : integer) EXPECT_EQ(classify_integer(text), kind) << text;
}

TEST(MatrixMarket, ReadsVeryLongLines) {
  std::string text =
      "%%MatrixMarket matrix coordinate real general\n%" + std::string(3000000, 'x') + "\n2 2 2\n";
  text += std::string(2500000, ' ') + "1 " + std::string(100000, '\t') + "1 0." + std::string(1500000, '0') +
          "1\n";
  text += "%" + std::string(2000000, 'y') + "\n2 2 1" + std::string(1100000, ' ') + "\n";
  const Result<Matrix> matrix = load_text(text);
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  EXPECT_EQ(places_of(*matrix->pattern), (Places{{1, 1}, {2, 2}}));
  EXPECT_EQ(matrix->report.explicit_zeros, 0);
}

TEST(MatrixMarket, RefusesALineWithoutEndBeforeItFillsTheMemory) {
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  std::string endless;
  while (endless.size() < (std::size_t{5} << 20U)) endless += "1 ";
  for (const std::string& text : {banner + endless, banner + "2 2 1\n" + endless}) {
    const Result<Matrix> matrix = load_text(text);
    ASSERT_FALSE(matrix.has_value());
    EXPECT_EQ(matrix.error().code, ErrorCode::bad_input);
    EXPECT_NE(matrix.error().what.find("a line is longer than 4,194,304 bytes"), std::string::npos)
        << matrix.error().what;
  }
}

/// Removing each line from the front of the buffer took time in the square of the number of lines.
TEST(LineSource, ReturnsTheLinesOfABlockWithoutMovingThem) {
  const std::string text = "one\n\n\r\nfour\nfive";
  const auto bytes = memory_source(text);
  LineSource lines(*bytes, "text", std::size_t{1} << 20U);
  std::string_view line;
  ASSERT_TRUE(lines.next_line(line));
  const char* const begin = line.data();
  std::vector<std::string> found{std::string(line)};
  while (lines.lines() < 4 && lines.next_line(line)) {
    found.emplace_back(line);
    constexpr std::array kBegins{4, 5, 7};
    EXPECT_EQ(line.data() - begin, kBegins.at(found.size() - 2));
  }
  TextBlock rest;
  ASSERT_TRUE(lines.next_block(rest));
  EXPECT_EQ(found, (std::vector<std::string>{"one", "", "", "four"}));
  EXPECT_EQ(std::string(rest.begin(), rest.end()), "five\n");
}

/// A thread that waited for the lock committed the failed block again, from the line after the wrong one on.
TEST(LineBlocks, NoBlockIsCommittedAfterAFailure) {
  std::string text;
  for (int line = 0; line < 64; ++line) text += "a line\n";
  ThreadPool pool(4);
  for (int run = 0; run < 20; ++run) {
    JobContext context(pool);
    const auto bytes = memory_source(text);
    LineSource lines(*bytes, "text", 1);
    std::atomic<int> parsed = 0;
    std::atomic<int> committed = 0;
    const auto parse = [&](std::string_view, unsigned) { return ++parsed; };
    const auto commit = [&](std::string_view, int&) {
      ++committed;
      for (int k = 0; k < 1000 && parsed < 4; ++k) std::this_thread::yield();  // others may come to wait
      throw Failure(ErrorCode::bad_input, "wrong");
    };
    EXPECT_THROW(LineBlocks<int>(lines, *bytes, context).run(parse, commit), Failure);
    ASSERT_EQ(committed, 1) << run;
  }
}

// A file with every kind of line, and the entries written into it.
struct Written {
  std::string text;
  Places places;
  std::int64_t zeros = 0;
};

Written write_random_file(unsigned seed, std::size_t entries, bool crlf) {
  std::mt19937_64 engine(seed);
  Written written;
  const std::string end = crlf ? "\r\n" : "\n";
  std::ostringstream out;
  out << "%%MatrixMarket matrix coordinate real general" << end << "%comment" << end << "5000 7000 "
      << entries << end;
  static constexpr std::array kValues{
      "1", "0", "-2.5e-3", "0.000", "+7.", "1D4", "nan", "-0e7", "123456789012345678901234567890", "1.0-300"};
  for (std::size_t t = 0; t < entries; ++t) {
    if (engine() % 50 == 0) out << "% noise 1 2 3" << end;
    if (engine() % 50 == 0) out << "  " << end;
    const std::uint64_t row = engine() % 5000 + 1;
    const std::uint64_t col = engine() % 7000 + 1;
    const std::size_t value = engine() % kValues.size();
    out << (engine() % 9 == 0 ? "  " : "") << row << (engine() % 9 == 0 ? "\t" : " ") << col << ' '
        << kValues.at(value) << (engine() % 9 == 0 ? " " : "") << end;
    written.places.emplace(row, col);
    written.zeros += value == 1 || value == 3 || value == 7 ? 1 : 0;
  }
  written.text = out.str();
  return written;
}

TEST(MatrixMarket, AgreesWithANaiveParserOnRandomFilesHoweverTheyAreCut) {
  for (const bool crlf : {false, true}) {
    const Written written = write_random_file(crlf ? 3 : 4, 60000, crlf);
    for (const std::size_t block_bytes :
         {std::size_t{1}, std::size_t{97}, std::size_t{4096}, std::size_t{1} << 20U}) {
      LoadOptions options;
      options.block_bytes = block_bytes;
      const Result<Matrix> matrix = load_text(written.text, options, block_bytes == 97 ? 31 : 0, 3);
      ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
      EXPECT_EQ(places_of(*matrix->pattern), written.places) << block_bytes;
      EXPECT_EQ(matrix->report.entries_in_file, 60000);
      EXPECT_EQ(matrix->report.duplicates, 60000 - static_cast<std::int64_t>(written.places.size()));
      EXPECT_EQ(matrix->report.explicit_zeros, written.zeros);
    }
  }
}

TEST(MatrixMarket, NamesTheFirstWrongLineOfALargeFile) {
  Written written = write_random_file(8, 60000, false);
  const std::size_t at = written.text.find('\n', written.text.size() / 2) + 1;
  const auto line = static_cast<std::uint64_t>(std::count(
                        written.text.begin(), written.text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
                    1;
  written.text.insert(at, "12 oops 1\n");
  written.text.insert(written.text.size() / 4 * 3, "\nlater\n");
  for (const std::size_t block_bytes : {std::size_t{97}, std::size_t{4096}, std::size_t{1} << 20U}) {
    LoadOptions options;
    options.block_bytes = block_bytes;
    const Result<Matrix> matrix = load_text(written.text, options, 0, 4);
    ASSERT_FALSE(matrix.has_value());
    EXPECT_NE(matrix.error().what.find("line " + std::to_string(line) + ": the column index is \"oops\""),
              std::string::npos)
        << matrix.error().what << " expected line " << line;
  }
}

TEST(MatrixMarket, ArrayValuesLandColumnByColumnInEverySymmetry) {
  std::mt19937 engine(2);
  for (const std::string symmetry : {"general", "symmetric", "skew-symmetric"}) {
    constexpr std::uint64_t kSide = 37;
    std::string text = "%%MatrixMarket matrix array integer " + symmetry + "\n37 37\n";
    Places places;
    for (std::uint64_t j = 1; j <= kSide; ++j) {
      const std::uint64_t first = symmetry == "general" ? 1 : symmetry == "symmetric" ? j : j + 1;
      for (std::uint64_t i = first; i <= kSide; ++i) {
        const bool stored = engine() % 4 == 0;
        text += stored ? "-3\n" : "0\n";
        if (!stored) continue;
        places.emplace(i, j);
        if (symmetry != "general") places.emplace(j, i);
      }
    }
    for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{50}, std::size_t{1} << 20U}) {
      LoadOptions options;
      options.block_bytes = block_bytes;
      const Result<Matrix> matrix = load_text(text, options, 0, 3);
      ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
      EXPECT_EQ(places_of(*matrix->pattern), places) << symmetry;
    }
  }
}

TEST(WriteMatrixMarket, WritesWhatIsReadBack) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("out.mtx");
  for (const std::string text :
       {"gen:random:rows=300,cols=500,nnz=20000", "gen:random:rows=2^31,cols=3e9,nnz=100",
        "gen:random:n=4,nnz=0", "gen:arrow:n=77"}) {
    JobContext context(test::pool());
    const Matrix matrix = load_matrix(text, {}, context).value();
    const Result<void> written =
        write_matrix(matrix, *find_writer("matrix_market"), file, "made by a test\nsecond line", context);
    ASSERT_TRUE(written.has_value()) << written.error().message();
    const Result<Matrix> back = load(file);
    ASSERT_TRUE(back.has_value()) << back.error().message();
    EXPECT_TRUE(*back->pattern == *matrix.pattern) << text;
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "%%MatrixMarket matrix coordinate pattern general");
    std::getline(in, line);
    EXPECT_EQ(line, "% made by a test");
  }
}

TEST(WriteMatrixMarket, LeavesNoFileWhenStopped) {
  const test::ScratchFolder folder;
  ThreadPool pool(1);
  JobContext context(pool);
  const Matrix matrix = load_matrix("gen:random:n=300,nnz=90000", {}, context).value();
  std::stop_source stop;
  JobContext::Options options;
  options.stop = stop.get_token();
  options.on_progress = [&](const Progress&) { stop.request_stop(); };
  JobContext stopped(pool, options);
  const Result<void> written =
      write_matrix(matrix, *find_writer("matrix_market"), folder.file("out.mtx"), "", stopped);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::cancelled);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Loads "-" while `write` runs in a thread on the other end of a pipe that replaces standard input.
Result<Matrix> load_from_standard_input(const std::function<void(int descriptor)>& write,
                                        JobContext& context) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  std::thread writer([&] {
    write(ends[1]);
    close(ends[1]);
  });
  Result<Matrix> matrix = load_matrix("-", {}, context);
  writer.join();
  dup2(saved, STDIN_FILENO);
  close(saved);
  return matrix;
}

void write_all(int descriptor, std::string_view text, std::size_t at_once) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), std::min(at_once, text.size()));
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// libarchive hands lrzip's format to a program of that name, also where it lies inside another compression.
TEST(CompressedFiles, NeverStartAProgram) {
  const test::ScratchFolder scratch;
  const std::filesystem::path& folder = scratch.path();
  const std::filesystem::path started = folder / "started";
  std::ofstream(folder / "lrzip") << "#!/bin/sh\ntouch '" << started.string() << "'\n";
  std::filesystem::permissions(folder / "lrzip", std::filesystem::perms::owner_all);
  // "LRZI\0\6" and zeros, through bzip2.
  constexpr unsigned char kBytes[] = {
      0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x9e, 0x85, 0xc6, 0xd9, 0x00, 0x00, 0x04,
      0x4e, 0x00, 0x41, 0x00, 0x01, 0x00, 0x00, 0x24, 0x10, 0x10, 0x20, 0x00, 0x22, 0x1e, 0xa6, 0x10, 0x86,
      0x00, 0x31, 0x1b, 0x5c, 0xbe, 0x2e, 0xe4, 0x8a, 0x70, 0xa1, 0x21, 0x3d, 0x0b, 0x8d, 0xb2};
  std::ofstream(folder / "matrix.mtx.bz2", std::ios::binary)
      .write(reinterpret_cast<const char*>(kBytes), sizeof kBytes);
  const std::string path = std::getenv("PATH");                 // NOLINT(concurrency-mt-unsafe): one thread
  ::setenv("PATH", (folder.string() + ":" + path).c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  ThreadPool pool(1);
  JobContext context(pool);
  const Result<Matrix> matrix = load_matrix((folder / "matrix.mtx.bz2").string(), {}, context);
  ::setenv("PATH", path.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  ASSERT_FALSE(matrix.has_value());
  EXPECT_EQ(matrix.error().code, ErrorCode::bad_input);
  EXPECT_FALSE(std::filesystem::exists(started));
}

TEST(StandardInput, IsReadPlainCompressedAndInPieces) {
  for (const std::string file :
       {"small.mtx", "small.mtx.gz", "small.mtx.xz", "small.zip", "plain.tar", "two_members.tgz"}) {
    const std::string bytes = bytes_of(kGood / file);
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{1000}}) {
      JobContext context(test::pool());
      const Result<Matrix> matrix =
          load_from_standard_input([&](int end) { write_all(end, bytes, at_once); }, context);
      ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
      EXPECT_EQ(places_of(*matrix->pattern), kSmall) << file;
      EXPECT_EQ(matrix->report.file, "-");
    }
  }
}

/// A pipe cannot be read twice: its archives are checked while they are read.
TEST(StandardInput, IsCheckedToItsEndAndUnpackedOnlySoDeep) {
  const std::filesystem::path bad = kGood.parent_path() / "bad";
  for (const std::string file : {"wrong_crc.tgz", "last_byte_missing.tar.lz4", "last_byte_missing.zip",
                                 "bzipped_five_times.mtx.bz2", "deep_member.tar"}) {
    const std::string bytes = bytes_of(bad / file);
    JobContext context(test::pool());
    const Result<Matrix> matrix =
        load_from_standard_input([&](int end) { write_all(end, bytes, 1000); }, context);
    ASSERT_FALSE(matrix.has_value()) << file;
    EXPECT_EQ(matrix.error().code, ErrorCode::bad_input) << file;
  }
}

/// The pipe is the drop of a window, or of a program that writes without end: what follows a tar archive's
/// end is read, and a stop ends that.
TEST(StandardInput, StopsWhileWhatFollowsAnArchiveIsRead) {
  const std::string bytes = bytes_of(kGood / "plain.tar");
  std::stop_source stop;
  JobContext::Options options;
  options.stop = stop.get_token();
  JobContext context(test::pool(), options);
  const Result<Matrix> matrix = load_from_standard_input(
      [&](int end) {
        write_all(end, bytes, bytes.size());
        write_all(end, std::string(20000, '\0'), 20000);
        stop.request_stop();
      },
      context);
  ASSERT_FALSE(matrix.has_value());
  EXPECT_EQ(matrix.error().code, ErrorCode::cancelled);
}

TEST(StandardInput, IsNamedInMessages) {
  JobContext context(test::pool());
  const Result<Matrix> matrix =
      load_from_standard_input([](int end) { write_all(end, "nonsense\n", 9); }, context);
  ASSERT_FALSE(matrix.has_value());
  EXPECT_EQ(matrix.error().code, ErrorCode::bad_input);
  EXPECT_NE(matrix.error().what.find("standard input, line 1"), std::string::npos) << matrix.error().what;
}

TEST(NamedPipe, EndsAfterAStopWhileNothingArrives) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("pipe.mtx");
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  for (const std::string_view begun :
       {"", "%%MatrixMarket matrix coordinate pattern general\n5 5 5\n1 1\n", "\x1F\x8B\x08"}) {
    const int end = open(file.c_str(), O_RDWR | O_CLOEXEC);  // stays open: the reader meets no end of file
    ASSERT_GE(end, 0);
    write_all(end, begun, begun.size());
    ThreadPool pool(3);
    std::stop_source stop;
    JobContext::Options options;
    options.stop = stop.get_token();
    JobContext context(pool, options);
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      stop.request_stop();
    });
    const Result<Matrix> matrix = load_matrix(file, {}, context);
    stopper.join();
    close(end);
    ASSERT_FALSE(matrix.has_value());
    EXPECT_EQ(matrix.error().code, ErrorCode::cancelled) << matrix.error().message();
  }
}

TEST(LoadMatrix, StopsAtAnyMomentOfALoadAndFreesItsMemory) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("large.mtx");
  std::ofstream(file) << write_random_file(5, 100000, false).text;
  int cancelled = 0;
  for (int reads = 0; reads < 60; reads += 4) {
    std::stop_source stop;
    JobContext::Options options;
    options.stop = stop.get_token();
    JobContext context(test::pool(), options);
    LoadOptions small;
    small.block_bytes = 40000;
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(400 * reads));
      stop.request_stop();
    });
    const Result<Matrix> matrix = load_matrix(file, small, context);
    stopper.join();
    EXPECT_EQ(context.memory().current(), 0U);
    if (matrix) {
      EXPECT_EQ(matrix->report.entries_in_file, 100000) << "a matrix that is returned is whole";
    } else {
      EXPECT_EQ(matrix.error().code, ErrorCode::cancelled) << matrix.error().message();
      ++cancelled;
    }
  }
  EXPECT_GT(cancelled, 0) << "stopping at once must cancel";
}

TEST(LoadMatrix, ReportsProgressInBytesOfTheFile) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("large.mtx");
  std::ofstream(file) << write_random_file(5, 20000, false).text;
  std::mutex mutex;
  std::vector<Progress> seen;
  JobContext::Options options;
  options.on_progress = [&](const Progress& progress) {
    const std::lock_guard lock(mutex);
    seen.push_back(progress);
  };
  JobContext context(test::pool(), options);
  ASSERT_TRUE(load_matrix(file, {}, context).has_value());
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().stage, "read");
  EXPECT_EQ(seen.front().total, std::filesystem::file_size(file));
  EXPECT_GT(seen.front().done, 0U);
  EXPECT_LE(seen.front().done, seen.front().total);
}

TEST(LoadMatrix, ReportsProgressOfSortingWithAndWithoutValues) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("descending.edges");
  std::ofstream out(file);
  for (int k = 20000; k > 0; --k) out << k << ' ' << (k * 7919) % 20000 + 1 << " 0.5\n";
  out.close();
  for (const ValueUse use : {ValueUse::none, ValueUse::keep}) {
    std::mutex mutex;
    std::vector<Progress> seen;
    JobContext::Options options;
    options.on_progress = [&](const Progress& progress) {
      const std::lock_guard lock(mutex);
      if (progress.stage == "sort") seen.push_back(progress);
    };
    JobContext context(test::pool(), options);
    LoadOptions load_options;
    load_options.values = use;
    ASSERT_TRUE(load_matrix(file, load_options, context).has_value());
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back().done, seen.back().total);
    EXPECT_GE(seen.back().total, 20000U);
  }
}

TEST(LoadMatrix, CountsTheSortingOfASymmetricFileWithValuesOnce) {
  const test::ScratchFolder folder;
  const std::string file = folder.file("symmetric.mtx");
  std::ofstream out(file);
  out << "%%MatrixMarket matrix coordinate real symmetric\n20000 20000 20000\n";
  for (int k = 20000; k > 0; --k) out << k << ' ' << (k * 7919) % k + 1 << " 0.5\n";
  out.close();
  std::mutex mutex;
  std::uint64_t least = 0;
  std::vector<Progress> seen;
  JobContext::Options options;
  options.on_progress = [&](const Progress& progress) {
    const std::lock_guard lock(mutex);
    if (progress.stage != "sort") return;
    EXPECT_GE(progress.done, least) << "of " << progress.total;
    least = progress.done;
    seen.push_back(progress);
  };
  ThreadPool pool(1);  // of several threads, a report may overtake another one
  JobContext context(pool, options);
  LoadOptions load_options;
  load_options.values = ValueUse::keep;
  ASSERT_TRUE(load_matrix(file, load_options, context).has_value());
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().done, seen.back().total);
  EXPECT_EQ(seen.front().total, seen.back().total);
}

TEST(LoadMatrix, NamesTheMatrixAfterItsFile) {
  EXPECT_EQ(load((kGood / "small.mtx.gz").string())->name, "small");
  EXPECT_EQ(load((kGood / "suitesparse.tar.gz").string())->name, "suitesparse");
  EXPECT_EQ(load("gen:band:n=5")->name, "band:n=5");
}

TEST(Quote, EscapesControlCharactersAndShortens) {
  EXPECT_EQ(in_quotes("a\tb\x1b[1m\x7f"), "\"a\\tb\\x1B[1m\\x7F\"");
  EXPECT_EQ(in_quotes("é ≤ 𝄞"), "\"é ≤ 𝄞\"") << "valid UTF-8 stays";
  EXPECT_EQ(in_quotes("\xff\xc3"), "\"\\xFF\\xC3\"");
  EXPECT_EQ(in_quotes("\xc2\x9b"
                      "2J"),
            "\"\\xC2\\x9B2J\"")
      << "C1 control characters drive terminals too";
  EXPECT_EQ(in_quotes("abcdef", 3), "\"abc…\"");
  EXPECT_EQ(in_quotes("aé", 2), "\"a…\"") << "no half characters";
  EXPECT_EQ(range_text(0, 1000), "0 to 1,000");
  EXPECT_EQ(range_text(7, 7), "7");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

// Every entry is counted in its cell; in symmetric files (i, j) off the diagonal also as (j, i).
TEST(Preview, CountsTheEntriesReadInTheCellsOfACoarseGrid) {
  constexpr std::uint64_t kRows = 1500, kCols = 700;
  std::mt19937 random(5);
  for (const std::string symmetry : {"general", "symmetric"}) {
    const bool mirrored = symmetry == "symmetric";
    const std::uint64_t cols = mirrored ? kRows : kCols;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> expected;  // by cell
    std::string text = "%%MatrixMarket matrix coordinate pattern " + symmetry + "\n" + std::to_string(kRows) +
                       " " + std::to_string(cols) + " 4000\n";
    for (int k = 0; k < 4000; ++k) {
      std::uint64_t i = random() % kRows, j = random() % cols;
      if (mirrored && j > i) std::swap(i, j);
      text += std::to_string(i + 1) + " " + std::to_string(j + 1) + "\n";
      ++expected[{i * 512 / kRows, j * 512 / cols}];
      if (mirrored && i != j) ++expected[{j * 512 / cols, i * 512 / kRows}];
    }
    LoadOptions options;
    options.block_bytes = 300;
    options.preview = std::make_shared<PatternPreview>();
    ASSERT_TRUE(options.preview->snapshot().counts.empty());
    ASSERT_TRUE(load_text(text, options).has_value());
    const PatternPreview::Snapshot snapshot = options.preview->snapshot();
    EXPECT_EQ(snapshot.rows, kRows);
    EXPECT_EQ(snapshot.cols, cols);
    EXPECT_EQ(snapshot.entries, 4000U);
    EXPECT_EQ(snapshot.declared_entries, 4000U);
    ASSERT_EQ(snapshot.counts.size(), 512U * 512U);
    for (std::uint64_t cell = 0; cell < snapshot.counts.size(); ++cell) {
      const auto at = expected.find({cell / 512, cell % 512});
      ASSERT_EQ(snapshot.counts[cell], at == expected.end() ? 0 : at->second) << symmetry << " " << cell;
    }
  }
}

TEST(Preview, OfAnArrayFileHoldsItsNonzeroValues) {
  LoadOptions options;
  options.preview = std::make_shared<PatternPreview>();
  ASSERT_TRUE(
      load_text("%%MatrixMarket matrix array integer general\n2 3\n1\n0\n0\n4\n5\n0\n", options).has_value());
  EXPECT_EQ(options.preview->snapshot().counts, (std::vector<std::uint64_t>{1, 0, 1, 0, 1, 0}));
}

// Counts of the files as MANIFEST.tsv gives them: name, rows, cols, nnz.
TEST(SharedData, HasTheSizesThatItsManifestGives) {
  std::ifstream manifest(kShared / "MANIFEST.tsv");
  if (!manifest) GTEST_SKIP() << "no ../shared/data beside the repository";
  std::string line;
  std::getline(manifest, line);
  int matrices = 0;
  while (std::getline(manifest, line)) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    std::int64_t nonzeros = 0;
    words >> name >> rows >> cols >> nonzeros;
    const Result<Matrix> matrix = load((kShared / (name + ".mtx.gz")).string());
    ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
    EXPECT_EQ(matrix->pattern->rows(), rows) << name;
    EXPECT_EQ(matrix->pattern->cols(), cols) << name;
    EXPECT_EQ(matrix->pattern->nonzeros(), nonzeros) << name;
    EXPECT_EQ(matrix->name, name);
    ++matrices;
  }
  EXPECT_GT(matrices, 0);
}

}  // namespace
}  // namespace spyctrum
