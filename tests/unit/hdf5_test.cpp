// SPDX-License-Identifier: Apache-2.0
// The process that parses HDF5, and what the program makes of its messages; tests/data/hdf5 has the files
// that io_formats_test.cpp and io_malformed_test.cpp read.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/own_files.hpp"
#include "core/io/hdf5/child/sandbox.hpp"
#include "core/io/hdf5/child_matrices.hpp"
#include "core/io/hdf5/messages.hpp"
#include "core/io/hdf5/stored_arrays.hpp"
#include "tests/support/scratch_folder.hpp"

namespace spyctrum {
namespace {

const std::string kFolder = SPYCTRUM_SOURCE_DIR "/tests/data/hdf5/";

/// Children of this process that run the program for HDF5.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string number;
    std::string name;
    std::string state;
    int parent = 0;
    if (stat >> number >> name >> state >> parent && parent == getpid() && name == "(spyctrum-hdf5)")
      found.push_back(static_cast<pid_t>(std::stoi(number)));
  }
  return found;
}

/// Waits for a child and sends it `signal`.
void signal_a_child(int signal) {
  std::vector<pid_t> found;
  while ((found = children()).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(found.front(), signal);
}

/// Sends every child `signal` until the object ends: one that has answered already may end before it arrives.
class SignalsToChildren {
 public:
  explicit SignalsToChildren(int signal)
      : thread_([signal](const std::stop_token& end) {
          for (; !end.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(1)))
            for (const pid_t child : children()) kill(child, signal);
        }) {}

 private:
  std::jthread thread_;
};

class Hdf5Test : public ::testing::Test {
 protected:
  void SetUp() override {
    if (own_file(hdf5::kChildName).path.empty()) GTEST_SKIP() << "NOT TESTED: this build has no HDF5";
  }
  /// The error of a file that takes seconds to read, whose processes get `signal`.
  Error error_after(int signal) {
    JobContext context(pool_);
    const Result<Matrix> matrix = [&] {
      const SignalsToChildren signals(signal);
      return load_matrix(kFolder + "long/endless.h5", {}, context);
    }();
    EXPECT_EQ(context.memory().current(), 0U);
    EXPECT_TRUE(children().empty());
    return matrix ? Error{} : matrix.error();
  }
  /// Reads the same file, with a stop once `wait` has returned.
  void expect_stopped_after(const std::function<void()>& wait) {
    std::stop_source stop;
    JobContext::Options options;
    options.stop = stop.get_token();
    JobContext context(pool_, options);
    std::thread stopper([&] {
      wait();
      stop.request_stop();
    });
    const Result<Matrix> matrix = load_matrix(kFolder + "long/endless.h5", {}, context);
    stopper.join();
    ASSERT_FALSE(matrix.has_value());
    EXPECT_EQ(matrix.error().code, ErrorCode::cancelled);
    EXPECT_TRUE(children().empty());
  }
  ThreadPool pool_{2};
};

TEST_F(Hdf5Test, ACrashOfTheProcessIsAMessage) {
  std::vector<int> signals{SIGABRT, SIGKILL};
#ifndef SPYCTRUM_SANITIZED  // a sanitizer catches it, once it has begun to
  signals.push_back(SIGSEGV);
#endif
  for (const int signal : signals) {
    const Error error = error_after(signal);
    EXPECT_EQ(error.code, ErrorCode::bad_input);
    EXPECT_NE(error.message().find(std::string("endless.h5: the process that reads HDF5 was ended (") +
                                   sigdescr_np(signal) + ")"),
              std::string::npos)
        << error.message();
  }
}

TEST_F(Hdf5Test, OneValueOfAllEntriesIsThatOfEach) {
  JobContext context(pool_);
  const Result<Matrix> matrix =
      load_matrix(kFolder + "good/same_complex.bsp.h5", {.values = ValueUse::keep}, context);
  ASSERT_TRUE(matrix) << matrix.error().message();
  EXPECT_EQ(*matrix->values, (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(*matrix->imaginary, (std::vector<float>{-3, -3, -3}));
}

TEST_F(Hdf5Test, TheLimitOfProcessorTimeIsAMessage) {
  const Error error = error_after(SIGXCPU);  // what the system sends at the limit
  EXPECT_EQ(error.code, ErrorCode::bad_input);
  EXPECT_NE(error.message().find("endless.h5: reading it takes more processor time"), std::string::npos)
      << error.message();
}

/// The library, in version 1.10.8 at least, goes from an object of size 0 in a heap to the same object.
TEST_F(Hdf5Test, AListThatTakesTooLongIsAMessage) {
  JobContext context(pool_);
  const Result<Matrix> matrix = load_matrix(kFolder + "long/heap_without_end.h5", {}, context);
  ASSERT_FALSE(matrix.has_value());
  const std::string message = matrix.error().message();
  const std::string limit = "(" + std::to_string(hdf5::most_list_seconds(0)) + " s)";
  const bool is_of_time = message.find("processor time") != std::string::npos;
  EXPECT_TRUE(!is_of_time || message.find(limit) != std::string::npos) << message;
}

/// endless.h5 has as many as are read. With one more the indices are refused before they are read.
TEST_F(Hdf5Test, MoreIndicesThanTheFileCanHoldAreRefused) {
  std::ifstream file(kFolder + "long/endless.h5", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr std::uint64_t kMost = std::uint64_t{1} << 26U;
  constexpr std::uint64_t kMore = kMost + 1;
  const std::string most(reinterpret_cast<const char*>(&kMost), sizeof kMost);
  for (std::size_t at = 0; (at = bytes.find(most, at)) != std::string::npos;)
    std::memcpy(bytes.data() + at, &kMore, sizeof kMore);
  const test::ScratchFolder folder;
  JobContext context(pool_);
  const Result<Matrix> matrix = load_matrix(folder.write("absent.h5", bytes), {}, context);
  ASSERT_FALSE(matrix.has_value());
  EXPECT_NE(matrix.error().message().find("indices: nearly all of its elements are not in the file"),
            std::string::npos)
      << matrix.error().message();
}

TEST_F(Hdf5Test, ARequestRaisesTheLimitOfProcessorTime) {
  const auto has_raised_limit = [](pid_t process) {
    rlimit limit{};
    return prlimit(process, RLIMIT_CPU, nullptr, &limit) == 0 && limit.rlim_cur == hdf5::kMostSeconds;
  };
  expect_stopped_after([&] {
    while (std::ranges::none_of(children(), has_raised_limit))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
}

TEST_F(Hdf5Test, AProcessThatHangsIsEndedByAStop) {
  expect_stopped_after([] { signal_a_child(SIGSTOP); });
}

TEST_F(Hdf5Test, AStopEndsTheProcess) {
  expect_stopped_after([] {
    while (children().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
}

TEST_F(Hdf5Test, EntriesBeyondTheAllowanceEndTheProcess) {
  JobContext::Options options;
  options.memory_bytes = std::uint64_t{64} << 20U;
  JobContext context(pool_, options);
  const Result<Matrix> matrix = load_matrix(kFolder + "long/endless.h5", {}, context);
  ASSERT_FALSE(matrix.has_value());
  EXPECT_EQ(matrix.error().code, ErrorCode::out_of_memory);
  EXPECT_TRUE(children().empty());
}

TEST_F(Hdf5Test, FromTheSecondFileOfAThreadOnAProcessWaitsForTheNext) {
  const std::vector<pid_t> others = children();  // of this thread
  const auto waiting = [&] {
    std::vector<pid_t> found = children();
    std::erase_if(found, [&](pid_t one) { return std::ranges::find(others, one) != others.end(); });
    return found;
  };
  const auto awaited = [&] {  // another thread starts it
    std::vector<pid_t> found;
    while ((found = waiting()).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return found;
  };
  std::thread([&] {
    const auto read = [&] {
      JobContext context(pool_);
      const Result<Matrix> matrix = load_matrix(kFolder + "good/anndata.h5ad::obsp/graph", {}, context);
      EXPECT_TRUE(matrix.has_value()) << matrix.error().message();
    };
    read();
    EXPECT_TRUE(waiting().empty()) << "a program that reads one file starts one process";
    read();
    const std::vector<pid_t> first = awaited();
    ASSERT_EQ(first.size(), 1U);
    read();
    const std::vector<pid_t> second = awaited();
    ASSERT_EQ(second.size(), 1U);
    EXPECT_NE(first, second) << "each reads one file alone";
    kill(second.front(), SIGKILL);
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(second.front()), &ended, WEXITED | WNOWAIT);
    read();
    EXPECT_EQ(awaited().size(), 1U) << "one that was ended is replaced";
  }).join();
  EXPECT_TRUE(waiting().empty()) << "it ends with the thread";
}

TEST_F(Hdf5Test, OneOfSeveralIsReadByItsName) {
  JobContext context(pool_);
  const Result<Matrix> graph = load_matrix(kFolder + "good/anndata.h5ad::obsp/graph", {}, context);
  ASSERT_TRUE(graph.has_value()) << graph.error().message();
  EXPECT_EQ(graph->pattern->rows(), 2U);
  EXPECT_EQ(graph->report.field, "logical");
  EXPECT_EQ(graph->report.matrices.size(), 3U);
}

/// Runs `attempt` in a confined process; what it returns.
int in_the_sandbox(int (*attempt)()) {
  const pid_t process = fork();
  if (process == 0) {
    for (int k = 0; k < hdf5::kSocketDescriptor; ++k) close(k);  // the limit on their number refuses nothing
    hdf5::confine(std::uint64_t{1} << 40U, 30, 600);
    _exit(attempt());
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Hdf5Sandbox, FilesSocketsAndProcessesAreRefused) {
#if defined(SPYCTRUM_SANITIZED) || !(defined(__x86_64__) || defined(__aarch64__))
  GTEST_SKIP() << "NOT TESTED: this build filters no system calls";
#endif
  EXPECT_EQ(in_the_sandbox([] { return open("/etc/passwd", O_RDONLY) < 0 ? errno : 0; }), EPERM);
  EXPECT_EQ(in_the_sandbox([] { return open("/tmp/made", O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0; }),
            EPERM);
  EXPECT_EQ(in_the_sandbox([] { return unlink("/tmp/made") < 0 ? errno : 0; }), EPERM);
  EXPECT_EQ(in_the_sandbox([] { return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; }), EPERM);
  EXPECT_EQ(in_the_sandbox([] { return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0; }), EPERM);
  EXPECT_EQ(in_the_sandbox([] { return fork() < 0 ? errno : 0; }), EPERM);
  EXPECT_EQ(in_the_sandbox([] { return execl("/bin/true", "true", nullptr) < 0 ? errno : 0; }), EPERM);
  EXPECT_EQ(in_the_sandbox([] { return kill(getppid(), SIGCONT) < 0 ? errno : 0; }), EPERM);
}

TEST(Hdf5Sandbox, MemoryReadingAndWritingRemain) {
  EXPECT_EQ(in_the_sandbox([] {
              const std::vector<char> large(std::size_t{64} << 20U, 'x');
              return large.back() == 'x' ? 0 : 1;
            }),
            0);
}

/// Messages as the child writes them.
class Messages {
 public:
  Messages& add(hdf5::Message kind, const std::string& content) {
    const hdf5::MessageHead head{kind, static_cast<std::uint32_t>(content.size())};
    bytes_.append(reinterpret_cast<const char*>(&head), sizeof head).append(content);
    return *this;
  }
  template <class T>
  static std::string bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }
  static std::string matrix(std::uint64_t stored, const std::string& layout = "csr") {
    return bytes_of(hdf5::MatrixHead{2, 3, stored, 0}) + "A" + '\0' + layout + '\0' + "real" + '\0' +
           "general" + '\0';
  }
  static std::string entries(std::uint32_t row, std::uint32_t col) {
    return bytes_of(hdf5::EntriesHead{1, 1}) + bytes_of(row) + bytes_of(col) + bytes_of(1.0);
  }
  /// A socket that gives at most 5 bytes of a short message at once.
  hdf5::ReadChild socket() {
    return [this, at = std::size_t{0}](std::span<char> to) mutable {
      const std::size_t most = to.size() > 1000 ? to.size() : 5;
      const std::size_t count = std::min({to.size(), bytes_.size() - at, most});
      std::memcpy(to.data(), bytes_.data() + at, count);
      at += count;
      return count;
    };
  }

 private:
  std::string bytes_;
};

class Hdf5MessagesTest : public ::testing::Test {
 protected:
  /// What the list and then the entries end with: "" or the message of the error.
  std::string listed(Messages messages) {
    SeveralMatrices all(format_, "f.h5", {});
    const auto ended =
        run_guarded([&] { matrices_ = hdf5::listed_matrices(messages.socket(), "f.h5", all); });
    return ended ? "" : ended.error().message();
  }
  std::string taken(Messages messages, std::uint64_t stored, const std::string& layout = "csr") {
    hdf5::ListedMatrix matrix;
    matrix.facts = {"A", layout, 2, 3, stored};
    JobContext context(pool_);
    EntryList entries({}, context);
    const auto ended =
        run_guarded([&] { hdf5::take_entries(messages.socket(), "f.h5", matrix, entries, {}, context); });
    count_ = entries.count();
    return ended ? "" : ended.error().message();
  }
  ThreadPool pool_{1};
  FormatInfo format_{.id = "hdf5", .name = "HDF5", .endings = {}};
  std::vector<hdf5::ListedMatrix> matrices_;
  std::uint64_t count_ = 0;
};

TEST_F(Hdf5Test, TheChromosomesOfAContactMapAreParts) {
  JobContext context(pool_);
  const auto matrix = load_matrix(kFolder + "good/balanced.cool", {}, context);
  ASSERT_TRUE(matrix.has_value()) << matrix.error().message();
  ASSERT_EQ(matrix->report.parts.size(), 2U);
  EXPECT_EQ(matrix->report.parts[0].name, "one");
  EXPECT_EQ(matrix->report.parts[1].name, "two");
  EXPECT_EQ(matrix->report.parts[1].begin, 2U);
}

/// A file of three arrays: pointers as they are, indices shuffled and packed in two pieces, values.
class StoredArraysTest : public ::testing::Test {
 protected:
  StoredArraysTest() : file_(std::tmpfile()) {
    add(hdf5::Role::indptr, 'u', {0, 2, 2, 3}, 4);
    add(hdf5::Role::indices, 'i', {0, 2, 1}, 2);
    add(hdf5::Role::data, 'i', {5, 0, -1}, 3);
    matrix_.facts = {"A", "csc", 3, 3, 3};
  }
  ~StoredArraysTest() override { std::fclose(file_); }
  void add(hdf5::Role role, char kind, std::vector<std::int32_t> numbers, std::uint64_t piece) {
    const bool is_packed = role == hdf5::Role::indices;
    hdf5::StoredArray array;
    array.head = {role, static_cast<std::uint32_t>(kind), 4, is_packed, is_packed, 0, numbers.size(), piece};
    numbers.resize((numbers.size() + piece - 1) / piece * piece);
    for (std::size_t first = 0; first < numbers.size(); first += piece) {
      std::vector<char> bytes(4 * piece);
      std::memcpy(bytes.data(), numbers.data() + first, bytes.size());
      if (is_packed) {
        std::vector<char> shuffled(bytes.size());
        for (std::size_t k = 0; k < bytes.size(); ++k) shuffled[k % 4 * piece + k / 4] = bytes[k];
        uLongf size = compressBound(bytes.size());
        bytes.resize(size);
        compress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                 reinterpret_cast<const Bytef*>(shuffled.data()), shuffled.size());
        bytes.resize(size);
      }
      array.pieces.push_back({static_cast<std::uint64_t>(std::ftell(file_)), bytes.size()});
      std::fwrite(bytes.data(), 1, bytes.size(), file_);
    }
    stored_.arrays.push_back(std::move(array));
  }
  std::optional<Matrix> read(const LoadOptions& options = {}) {
    std::fflush(file_);
    JobContext context(pool_);
    return hdf5::matrix_of_arrays(fileno(file_), stored_, matrix_, Mirror::none, options, context);
  }

  ThreadPool pool_{2};
  std::FILE* file_;
  hdf5::StoredMatrix stored_;
  hdf5::ListedMatrix matrix_;
};

TEST_F(StoredArraysTest, PiecesAreUnpackedToAMatrix) {
  const auto expected = SparsePattern::from_coordinates(3, 3, {0, 2, 1}, {0, 0, 2});
  for (const ValueUse use : {ValueUse::none, ValueUse::keep}) {
    const std::optional<Matrix> matrix = read({.values = use});
    ASSERT_TRUE(matrix.has_value());
    EXPECT_EQ(*matrix->pattern, *expected);
    EXPECT_EQ(matrix->report.explicit_zeros, 1);
    if (use == ValueUse::keep) {
      EXPECT_EQ(*matrix->values, (std::vector<float>{5, 0, -1}));
    }
  }
  for (hdf5::StoredArray& array : stored_.arrays) array.head.by_rows = 1;
  EXPECT_EQ(*read()->pattern, or_throw(SparsePattern::from_coordinates(3, 3, {0, 0, 2}, {0, 2, 1})));
}

/// Indices and values of 4 bytes that are stored as they are, which are read in pieces of 65,536: two columns
/// of 100,000 entries, in order, or with two indices exchanged within a piece or at the border of two.
TEST_F(StoredArraysTest, PlainArraysOfManyPiecesAreReadInAnyOrderOfTheirIndices) {
  constexpr std::int32_t kRows = 100'000;
  constexpr std::size_t kPiece = 65'536;
  std::vector<std::int32_t> ordered(2 * std::size_t{kRows});
  std::vector<float> values(ordered.size());
  for (std::size_t k = 0; k < ordered.size(); ++k) {
    ordered[k] = static_cast<std::int32_t>(k % kRows);
    values[k] = 0.5F + static_cast<float>(k % 1000);
  }
  values[3] = -0.0F;
  values[kPiece + 1] = 1e-39F;
  matrix_.facts = {"A", "csc", kRows, 2, ordered.size()};
  const auto stored = [&](const std::vector<std::int32_t>& ids, char kind) {
    std::rewind(file_);
    stored_ = {};
    add(hdf5::Role::indptr, 'u', {0, kRows, 2 * kRows}, 3);
    const auto add_plain = [&](hdf5::Role role, char kind_of, const void* data) {
      const auto at = static_cast<std::uint64_t>(std::ftell(file_));
      stored_.arrays.push_back(
          {{role, static_cast<std::uint32_t>(kind_of), 4, 0, 0, 0, ids.size(), ids.size()},
           {{at, 4 * ids.size()}}});
      std::fwrite(data, 4, ids.size(), file_);
    };
    add_plain(hdf5::Role::indices, kind, ids.data());
    add_plain(hdf5::Role::data, 'f', values.data());
  };
  for (const char kind : {'i', 'u'})
    for (const std::size_t exchanged :
         {std::size_t{0}, kPiece - 2, kPiece - 1, kPiece, std::size_t{150'000}}) {
      std::vector<std::int32_t> ids = ordered;
      if (exchanged != 0) std::swap(ids[exchanged], ids[exchanged + 1]);
      stored(ids, kind);
      std::vector<float> expected = values;
      if (exchanged != 0) std::swap(expected[exchanged], expected[exchanged + 1]);
      expected[3] = 0;
      for (const ValueUse use : {ValueUse::none, ValueUse::summary, ValueUse::keep}) {
        const std::optional<Matrix> matrix = read({.values = use});
        ASSERT_TRUE(matrix.has_value());
        EXPECT_EQ(matrix->pattern->nonzeros(), 2 * kRows);
        for (const std::size_t column : {0, 1})
          EXPECT_TRUE(std::ranges::equal(matrix->pattern->column(column),
                                         std::span(ordered).subspan(column * kRows, kRows)))
              << exchanged;
        EXPECT_EQ(matrix->report.explicit_zeros, 1);
        if (use == ValueUse::none) continue;
        double sum = 0;
        for (const float value : values) sum += value;  // exact but for 1e-39
        EXPECT_EQ(matrix->report.values->sum, sum);
        EXPECT_EQ(matrix->report.values->least, 0);
        EXPECT_EQ(matrix->report.values->largest, 999.5);
        if (use == ValueUse::summary) continue;
        EXPECT_EQ(*matrix->values, expected) << exchanged;
        EXPECT_FALSE(std::signbit((*matrix->values)[3]));
        EXPECT_EQ(matrix->report.notes.size(), 1U) << "the value below the normal numbers";
      }
      for (const std::int32_t wrong : {kRows, -1}) {
        ids[kPiece] = wrong;
        stored(ids, kind);
        EXPECT_FALSE(read().has_value()) << wrong;
      }
    }
  // As rows of a matrix with more than 2^31 columns, where a number is negative with a sign alone.
  std::vector<std::int32_t> ids = ordered;
  ids.back() = -1'000'000'000;
  for (const char kind : {'i', 'u'}) {
    stored(ids, kind);
    for (hdf5::StoredArray& array : stored_.arrays) array.head.by_rows = 1;
    matrix_.facts = {"A", "csr", 2, std::uint64_t{4'000'000'000}, ids.size()};
    EXPECT_EQ(read().has_value(), kind == 'u');
  }
}

TEST_F(StoredArraysTest, OneValueOfAllEntriesOrNoneNeedsNoArray) {
  stored_.arrays.pop_back();
  ASSERT_TRUE(read({.values = ValueUse::keep}).has_value());
  EXPECT_EQ(read({.values = ValueUse::keep})->values, nullptr);
  stored_.value = {2.5};
  const std::optional<Matrix> real = read({.values = ValueUse::keep});
  EXPECT_EQ(*real->values, (std::vector<float>{2.5F, 2.5F, 2.5F}));
  EXPECT_EQ(real->report.values->sum, 7.5);
  EXPECT_EQ(real->report.explicit_zeros, 0);
  stored_.value = {1, -1};
  const std::optional<Matrix> complex = read({.values = ValueUse::keep});
  EXPECT_EQ(*complex->imaginary, (std::vector<float>{-1, -1, -1}));
  stored_.value = {0};
  EXPECT_EQ(read()->report.explicit_zeros, 3);
  EXPECT_EQ(read({.drop_zeros = true})->pattern->nonzeros(), 0);
}

TEST_F(StoredArraysTest, ArraysThatAreDamagedOrAreNotThoseOfTheMatrixAreLeftToTheChild) {
  const std::vector<hdf5::StoredArray> good = stored_.arrays;
  const auto is_refused_with = [&](const auto& change) {
    stored_.arrays = good;
    change(stored_.arrays);
    return !read().has_value();
  };
  EXPECT_TRUE(is_refused_with([](auto& all) { all.pop_back(), all.pop_back(); }));
  EXPECT_TRUE(is_refused_with([](auto& all) { all[1].pieces.pop_back(); }));
  EXPECT_TRUE(is_refused_with([](auto& all) { --all[1].pieces[0].bytes; }));
  EXPECT_TRUE(is_refused_with([](auto& all) { all[1].pieces[1].at += 100000; }));
  EXPECT_TRUE(is_refused_with([](auto& all) { all[1].head.piece = 3; }));
  for (const std::size_t array : {0, 1, 2})
    for (const std::uint64_t at : {std::uint64_t{1} << 40U, std::uint64_t{1} << 63U, ~std::uint64_t{0}})
      EXPECT_TRUE(is_refused_with([&](auto& all) { all[array].pieces[0].at = at; })) << array << " " << at;
  EXPECT_TRUE(is_refused_with([](auto& all) { all[2].head.elements = 1U << 30U; }));
  EXPECT_TRUE(is_refused_with([](auto& all) { all[2].pieces[0].bytes = std::uint64_t{1} << 40U; }));
  EXPECT_TRUE(is_refused_with([](auto& all) { all[0].pieces[0] = all[2].pieces[0]; })) << "pointers fall";
  EXPECT_TRUE(is_refused_with([](auto& all) {
    hdf5::StoredHead& head = all[2].head;
    head.width = 8;
    head.elements = head.piece = std::uint64_t{1} << 48U;
    all[2].pieces = {{0, 8 * head.elements}};
  })) << "longer than the file; a list of its pieces would take 34 GB";
  matrix_.facts.rows = 2;
  EXPECT_TRUE(is_refused_with([](auto&) {})) << "an index is too large";
  matrix_.facts.rows = 3;
  EXPECT_FALSE(is_refused_with([](auto&) {}));
}

TEST_F(Hdf5MessagesTest, WhatTheChildSendsIsTaken) {
  using hdf5::Message;
  EXPECT_EQ(listed(Messages().add(Message::matrix, Messages::matrix(1)).add(Message::end, "")), "");
  ASSERT_EQ(matrices_.size(), 1U);
  EXPECT_EQ(matrices_[0].facts.name, "A");
  EXPECT_EQ(matrices_[0].facts.cols, 3U);
  EXPECT_EQ(taken(Messages().add(Message::entries, Messages::entries(1, 2)).add(Message::end, ""), 1), "");
  EXPECT_EQ(count_, 1U);
}

TEST_F(Hdf5MessagesTest, AChildThatCrashesIsAMessage) {
  EXPECT_NE(listed(Messages()).find("f.h5: the process that reads HDF5 ended before its work"),
            std::string::npos);
  EXPECT_NE(taken(Messages().add(hdf5::Message::entries, Messages::entries(1, 2)), 1).find("ended before"),
            std::string::npos);
  EXPECT_NE(
      listed(Messages().add(hdf5::Message::error, "X/indptr: \x1b[2J bad")).find("f.h5: X/indptr: \\x1B"),
      std::string::npos)
      << listed(Messages().add(hdf5::Message::error, "X/indptr: \x1b[2J bad"));
}

TEST_F(Hdf5MessagesTest, InvalidMessagesOfTheChildAreRefused) {
  using hdf5::Message;
  const std::string odd = "f.h5: the process that reads HDF5 sent what it should not";
  const auto is_odd = [&](const std::string& message) { return message.starts_with(odd); };
  const auto list_of = [&](const std::string& matrix) {
    return listed(Messages().add(Message::matrix, matrix).add(Message::end, ""));
  };
  EXPECT_TRUE(is_odd(list_of("")));
  EXPECT_TRUE(is_odd(list_of(Messages::matrix(1).substr(0, 36)))) << "a text without its end";
  EXPECT_TRUE(is_odd(list_of(Messages::matrix(1, "bsr"))));
  EXPECT_TRUE(is_odd(listed(Messages().add(Message::entries, Messages::entries(1, 2)))));
  EXPECT_TRUE(is_odd(listed(Messages().add(static_cast<Message>(99), ""))));
  const auto entries_of = [&](const std::string& entries, std::uint64_t stored,
                              const std::string& layout = "csr") {
    return taken(Messages().add(Message::entries, entries).add(Message::end, ""), stored, layout);
  };
  EXPECT_TRUE(is_odd(entries_of(Messages::entries(2, 0), 1))) << "a row that there is not";
  EXPECT_TRUE(is_odd(entries_of(Messages::entries(0, 3), 1))) << "a column that there is not";
  EXPECT_TRUE(is_odd(entries_of(Messages::entries(0, 0), 2))) << "too few";
  EXPECT_TRUE(is_odd(entries_of(Messages::entries(0, 0), 0))) << "too many";
  EXPECT_EQ(entries_of(Messages::entries(0, 0), 6, "dense"), "") << "elements that are zero are not sent";
  EXPECT_TRUE(is_odd(entries_of(Messages::bytes_of(hdf5::EntriesHead{1U << 30U, 1}), 1U << 30U)));
  EXPECT_TRUE(is_odd(entries_of(Messages::bytes_of(hdf5::EntriesHead{1, 3}), 1)));
  EXPECT_TRUE(is_odd(entries_of(Messages::bytes_of(hdf5::EntriesHead{0, 1}), 1))) << "for ever nothing";
  const auto value_of = [&](unsigned arrays, std::size_t numbers) {
    Messages messages;
    for (unsigned role = 0; role < arrays; ++role)
      messages.add(Message::stored, Messages::bytes_of(hdf5::StoredHead{static_cast<hdf5::Role>(role), 'u', 4,
                                                                        0, 0, 0, 1, 1}));
    messages.add(Message::value, std::string(numbers * sizeof(double), '\0'));
    return taken(messages.add(Message::end, ""), 1);
  };
  EXPECT_EQ(value_of(2, 1), "");
  EXPECT_EQ(value_of(2, 2), "");
  EXPECT_TRUE(is_odd(value_of(2, 0)));
  EXPECT_TRUE(is_odd(value_of(2, 3)));
  EXPECT_TRUE(is_odd(value_of(0, 1))) << "without arrays";
  EXPECT_TRUE(is_odd(value_of(3, 1))) << "beside values of all entries";
  Messages many_names;
  for (int k = 0; k < 9; ++k) {
    many_names.add(Message::left_out, std::string(std::size_t{2} << 20U, 'a') + '\0' + "b" + '\0');
  }
  EXPECT_TRUE(is_odd(listed(many_names.add(Message::end, "")))) << "a list of any length";
  Messages long_one;
  const hdf5::MessageHead head{Message::matrix, 0xFFFFFFFFU};
  long_one.add(Message::left_out, std::string("a\0b\0", 4));
  EXPECT_TRUE(is_odd(listed(Messages().add(Message::left_out, "a"))));
  hdf5::ReadChild huge = [&, at = 0](std::span<char> to) mutable {
    std::memcpy(to.data(), reinterpret_cast<const char*>(&head) + at, to.size());
    at += static_cast<int>(to.size());
    return to.size();
  };
  SeveralMatrices all(format_, "f.h5", {});
  const auto ended = run_guarded([&] { (void)hdf5::listed_matrices(huge, "f.h5", all); });
  EXPECT_TRUE(!ended && is_odd(ended.error().message()));
}

}  // namespace
}  // namespace spyctrum
