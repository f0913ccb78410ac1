// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes are read by a reader, in one block and cut into blocks of 7 bytes, one input in four with
// its values. Both must end in the same valid matrix or in the same error with a message, and all booked
// memory must be given back. The environment's SPYCTRUM_FUZZ_TARGET is one of
//   <id>             the reader of this id; the bytes may be packed, as a file's may
//   <id>_text        the same without the unpackers, which are a hundred times slower than the reader
//   <id>_in_process  likewise, and read once, in one block: the program has its own
//   core/io/hdf5/child_process.cpp
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/io/byte_source.hpp"
#include "core/io/formats.hpp"
#include "core/io/unpack.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/memory_source.hpp"

namespace {

using namespace spyctrum;
using test::require;

// Limits for wrong sizes in a header, and for small files that unpack to very large ones.
constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20U;
constexpr std::size_t kBlockBytes = std::size_t{1} << 14U;
constexpr std::uint64_t kUnpackedBytes = std::uint64_t{8} << 20U;

struct Target {
  const Reader* reader = nullptr;
  bool may_be_packed = true;
  bool is_cut = true;
};

const Target& target() {
  static const Target found = [] {
    const char* const given = std::getenv("SPYCTRUM_FUZZ_TARGET");
    require(given != nullptr, "SPYCTRUM_FUZZ_TARGET is not set");
    std::string_view id = given;
    Target named;
    for (const std::string_view ending : {"_text", "_in_process"}) {
      if (!id.ends_with(ending)) continue;
      id.remove_suffix(ending.size());
      named.may_be_packed = false;
      named.is_cut = ending == "_text";
    }
    named.reader = find_reader(id);
    require(named.reader != nullptr, "no reader is registered under the id in SPYCTRUM_FUZZ_TARGET");
    return named;
  }();
  return found;
}

class LimitedSource : public ByteSource {
 public:
  explicit LimitedSource(ByteSource& upstream) : upstream_(upstream) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = upstream_.read(buffer);
    given_ += count;
    if (given_ > kUnpackedBytes)
      throw Failure(ErrorCode::out_of_memory, "unpacks to too much for a fuzz run");
    return count;
  }
  [[nodiscard]] std::uint64_t consumed() const override { return upstream_.consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return upstream_.total(); }

 private:
  ByteSource& upstream_;
  std::uint64_t given_ = 0;
};

void check_pattern(const SparsePattern& pattern, const LoadReport& report) {
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  const auto rows = pattern.row_indices();
  require(pattern.rows() >= 1 && pattern.cols() >= 1, "a side is 0");
  require(starts.size() == ids.size() + 1 && starts.back() == pattern.nonzeros(), "offsets are wrong");
  for (std::size_t k = 0; k < ids.size(); ++k) {
    require(ids[k] < pattern.cols() && (k == 0 || ids[k - 1] < ids[k]), "column ids are wrong");
    require(starts[k] < starts[k + 1], "an empty column is listed");
    for (auto t = static_cast<std::size_t>(starts[k]); t < static_cast<std::size_t>(starts[k + 1]); ++t) {
      require(rows[t] < pattern.rows(), "a row is out of range");
      require(t == static_cast<std::size_t>(starts[k]) || rows[t - 1] < rows[t], "rows are not ascending");
    }
  }
  require(report.entries_in_file >= 0 && report.duplicates >= 0 && report.explicit_zeros >= 0,
          "a count is negative");
  require(pattern.nonzeros() <= 2 * report.entries_in_file, "more entries than the file can mean");
  require(report.symmetry == "general" || pattern.symmetric(), "a symmetric file gave another pattern");
}

void check_values(const Matrix& matrix) {
  for (const auto& values : {matrix.values, matrix.imaginary})
    require(values == nullptr || values->size() == static_cast<std::size_t>(matrix.pattern->nonzeros()),
            "there is not one value for each entry");
  require(matrix.imaginary == nullptr || matrix.values != nullptr, "imaginary parts without real ones");
}

Result<Matrix> load(std::span<const char> bytes, std::size_t block_bytes, ValueUse values, ThreadPool& pool) {
  JobContext::Options allowance;
  allowance.memory_bytes = kMemoryBytes;
  JobContext context(pool, allowance);
  LoadOptions options;
  options.block_bytes = block_bytes;
  options.values = values;
  Result<Matrix> matrix = run_guarded([&] {
    const Reader& reader = *target().reader;
    const std::string name = "input" + std::string(reader.format.endings.front());
    std::unique_ptr<ByteSource> source = test::memory_source(bytes);
    if (target().may_be_packed) {
      const Reopen reopen = [bytes] { return test::memory_source(bytes); };
      source = unpack(std::move(source), name, reopen, [&](std::span<const char> head) {
        return reader.recognise(head) == Recognition::certain;
      });
    }
    LimitedSource limited(*source);
    return reader.read(limited, name, options, context);
  });
  require(context.memory().current() == 0, "memory stays booked");
  return matrix;
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const char*>(data), size);
  // One input in 64, chosen by its bytes, is cut by two threads. Starting threads for every input, and blocks
  // of a megabyte for a hundred bytes, would take twenty times as long as reading.
  static ThreadPool one(1);
  static ThreadPool two(2);
  std::uint64_t hash = size;
  for (const std::uint8_t byte : std::span(data, size)) hash = hash * 31 + byte;
  const ValueUse values = hash % 4 == 0 ? ValueUse::keep : ValueUse::none;
  const Result<Matrix> whole = load(bytes, kBlockBytes, values, one);
  const Result<Matrix> cut = target().is_cut ? load(bytes, 7, values, hash % 64 == 0 ? two : one) : whole;
  require(whole.has_value() == cut.has_value(), "the outcome depends on where the text is cut");
  if (!whole) {
    const bool expected_kind =
        whole.error().code == ErrorCode::bad_input || whole.error().code == ErrorCode::out_of_memory;
    require(expected_kind, whole.error().what.c_str());
    require(!whole.error().what.empty(), "an error without a message");
    const std::string message = whole.error().message();
    const std::string other = cut.error().message();
    require(whole.error().code != ErrorCode::bad_input || message == other,
            ("the message depends on where the text is cut: " + message + "\nand: " + other).c_str());
    return 0;
  }
  check_pattern(*whole->pattern, whole->report);
  check_values(*whole);
  require(*whole->pattern == *cut->pattern, "the pattern depends on where the text is cut");
  return 0;
}
