// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as what the process that parses HDF5 writes into its socket: a list of matrices, then the
// entries of the first. However the socket cuts them, they must end in the same pattern, all of whose entries
// lie inside the matrix, or in the same error, and all booked memory must be given back.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/io/hdf5/child_matrices.hpp"
#include "core/matrix/index.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace spyctrum;
using test::require;

constexpr std::uint64_t kMemoryBytes = std::uint64_t{64} << 20U;
constexpr FormatInfo kFormat{.id = "hdf5", .name = "HDF5", .endings = {}};

Result<Matrix> receive(std::span<const std::uint8_t> bytes, std::size_t at_once) {
  static ThreadPool pool(1);
  JobContext::Options allowance;
  allowance.memory_bytes = kMemoryBytes;
  JobContext context(pool, allowance);
  const hdf5::ReadChild read = [&](std::span<char> to) {
    const std::size_t count = std::min({to.size(), bytes.size(), at_once});
    if (count > 0) std::memcpy(to.data(), bytes.data(), count);
    bytes = bytes.subspan(count);
    return count;
  };
  Result<Matrix> matrix = run_guarded([&] {
    SeveralMatrices all(kFormat, "f.h5", {});
    const std::vector<hdf5::ListedMatrix> listed = hdf5::listed_matrices(read, "f.h5", all);
    (void)all.choose();
    const hdf5::ListedMatrix& first = listed.front();
    // The reader refuses other numbers of rows and columns before it requests entries.
    if (first.facts.rows == 0 || first.facts.cols == 0 ||
        std::max(first.facts.rows, first.facts.cols) > kLargestSide)
      throw Failure(ErrorCode::bad_input, "sides", "");
    EntryList entries({}, context);
    hdf5::take_entries(read, "f.h5", first, entries, {}, context);
    return std::move(entries).matrix(first.facts.rows, first.facts.cols);
  });
  require(context.memory().current() == 0, "memory stays booked");
  return matrix;
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Matrix> whole = receive({data, size}, size + 1);
  const Result<Matrix> cut = receive({data, size}, 7);
  require(whole.has_value() == cut.has_value(), "the outcome depends on where the socket cuts");
  if (!whole) {
    require(!test::must_accept, whole.error().what.c_str());
    const bool expected_kind =
        whole.error().code == ErrorCode::bad_input || whole.error().code == ErrorCode::out_of_memory;
    require(expected_kind, whole.error().what.c_str());
    require(whole.error().message() == cut.error().message(), "the message depends on where the socket cuts");
    return 0;
  }
  require(*whole->pattern == *cut->pattern, "the pattern depends on where the socket cuts");
  for (const Index id : whole->pattern->column_ids())
    require(id < whole->pattern->cols(), "a column is out of range");
  for (const Index row : whole->pattern->row_indices())
    require(row < whole->pattern->rows(), "a row is out of range");
  return 0;
}
