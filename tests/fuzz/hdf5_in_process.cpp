// SPDX-License-Identifier: Apache-2.0
// Stands in for core/io/hdf5/child_process.cpp in the fuzz target hdf5_in_process: the function that the
// child process calls answers in this process, some thirty times as often. Memory is limited
// as the child's is, here by an option of the address sanitizer. An answer longer than kMostAnswered, and a
// file in which the library would read without end, end as if the child had been ended.
#include "core/io/hdf5/child_process.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "core/io/hdf5/child/answers.hpp"

namespace {

constexpr std::size_t kMostAnswered = std::size_t{8} << 20U;
/// The library forgets objects that it could not close.
constexpr int kAnswersUntilRestart = 100;

std::vector<char> answered;
std::size_t taken = 0;

struct TooLong {};

/// Whether the file has a collection of texts (a global heap, signature GCOL) with an object that is empty,
/// from which the library, in version 1.10.8 at least, goes on to the same object, or that is longer than the
/// rest.
bool reads_without_end(int descriptor) {
  std::vector<char> file(std::size_t{1} << 16U);
  file.resize(static_cast<std::size_t>(std::max<ssize_t>(0, pread(descriptor, file.data(), file.size(), 0))));
  const std::string_view text(file.data(), file.size());
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, file.data() + at, bytes);
    return value;
  };
  constexpr std::uint64_t kHead = 16;  // bytes: of the collection's head, and of an object's
  for (std::size_t at = 0; (at = text.find("GCOL", at)) != std::string_view::npos; ++at) {
    std::uint64_t next = at + kHead;
    if (next > file.size()) return false;
    const std::uint64_t end =
        std::min<std::uint64_t>(file.size(), at + std::min(number(at + 8, 8), file.size()));
    while (next + kHead <= end) {
      const std::uint64_t size = number(next + 8, 8);
      const std::uint64_t step = number(next, 2) == 0 ? size : kHead + (size + 7) / 8 * 8;
      if (step == 0 || size > end - next) return true;
      next += step;
    }
  }
  return false;
}

}  // namespace

// The names are the sanitizer's, and its own operator delete remains.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,misc-new-delete-overloads)

/// What the library leaves allocated after an error ends with the child.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:max_allocation_size_mb=64:alloc_dealloc_mismatch=0:detect_leaks=0";
}

/// Copies and searches that the library makes beyond its own arrays end no run: they end the child at most.
extern "C" const char* __asan_default_suppressions() { return "interceptor_via_lib:libhdf5"; }

/// The sanitizer's own ends the program where memory is refused.
void* operator new(std::size_t bytes) {
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,misc-new-delete-overloads)

namespace spyctrum::hdf5 {

namespace {

/// The file and the argument of the last ChildProcess.
int file = -1;
bool is_balanced = false;

/// Answers `request`; without one, only lists.
void answer(const std::string& request) {
  static int answers = 0;
  if (answers == 0) H5dont_atexit();
  if (++answers % kAnswersUntilRestart == 0) H5close();
  answered.clear();
  taken = 0;
  if (reads_without_end(file)) return;
  bool is_answered = request.empty();
  const auto next = [&]() -> std::string {
    if (is_answered) return {};
    is_answered = true;
    answered.clear();  // the list
    return request;
  };
  try {
    answer_requests(file, is_balanced, next, [](const void* data, std::size_t bytes) {
      if (answered.size() + bytes > kMostAnswered) throw TooLong();
      const char* const first = static_cast<const char*>(data);
      answered.insert(answered.end(), first, first + bytes);
    });
  } catch (const TooLong&) {
  }
}

}  // namespace

// As declared in child_process.hpp.
// NOLINTNEXTLINE(modernize-pass-by-value)
ChildProcess::ChildProcess(int descriptor, bool balanced, const std::string& name, JobContext& context)
    : name_(name), context_(context) {
  file = descriptor;
  is_balanced = balanced;
  answer({});
}

void ChildProcess::request(const std::string& words) { answer(words); }

ChildProcess::~ChildProcess() = default;

void ChildProcess::dismiss() const {}

void ChildProcess::start_next() {}

std::size_t ChildProcess::read(std::span<char> bytes) {
  context_.check_stop();
  const std::size_t count = std::min(bytes.size(), answered.size() - taken);
  std::copy_n(answered.begin() + static_cast<std::ptrdiff_t>(taken), count, bytes.begin());
  taken += count;
  return count;
}

}  // namespace spyctrum::hdf5
