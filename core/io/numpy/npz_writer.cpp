// SPDX-License-Identifier: Apache-2.0
// Writes the arrays of scipy.sparse.save_npz() for a csc_matrix, uncompressed: data, indices, indptr, shape
// and format (https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.save_npz.html). The data of a
// pattern are logical, those of whole numbers int32, others in single precision.
#include <array>
#include <limits>

#include "core/io/export.hpp"
#include "core/io/write/binary_pieces.hpp"

namespace spyctrum::npz_writer {
namespace {

constexpr std::array<std::string_view, 1> kEndings{".npz"};
constexpr WriterInfo kInfo{.id = "npz",
                           .name = "NumPy archive",
                           .endings = kEndings,
                           .holds = "every matrix, with real, complex or whole numbers"};

/// An array whose elements are given in pieces.
template <class Give>
NpyArray in_pieces(std::string descr, std::uint64_t count, Give give) {
  NpyArray array{std::move(descr), {count}, {}};
  array.pieces = std::move(give);
  return array;
}

template <class T>
NpyArray rows(const WrittenMatrix& matrix, const char* descr, JobContext& context) {
  const std::span<const Index> numbers = matrix.pattern.row_indices();
  return in_pieces(descr, numbers.size(),
                   [=, &context](const PutBytes& put) { put_converted<T>(numbers, put, context); });
}

template <class T>
NpyArray pointers(const WrittenMatrix& matrix, const char* descr, JobContext& context) {
  return in_pieces(descr, matrix.pattern.cols() + 1, [&matrix, &context](const PutBytes& put) {
    put_column_pointers<T>(matrix.pattern, put, context);
  });
}

NpyArray data(const WrittenMatrix& matrix, JobContext& context) {
  const std::span<const float> values = matrix.values;
  const auto entries = static_cast<std::uint64_t>(matrix.pattern.nonzeros());
  if (matrix.field == WrittenField::pattern)
    return in_pieces("|b1", entries, [entries, &context](const PutBytes& put) {
      Pieces<std::uint8_t> pieces(put, context);
      for (std::uint64_t t = 0; t < entries; ++t)
        if (!pieces.add(1)) return;
      pieces.finish();
    });
  if (matrix.field == WrittenField::integer)
    return in_pieces("<i4", entries, [values, &context](const PutBytes& put) {
      put_converted<std::int32_t>(values, put, context);
    });
  return in_pieces(matrix.field == WrittenField::real ? "<f4" : "<c8", entries,
                   [&matrix, &context](const PutBytes& put) { put_values(matrix, put, context); });
}

/// Whether indices and pointers have 64 bits.
bool is_wide(const SparsePattern& pattern) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  return pattern.rows() > kMost || static_cast<std::uint64_t>(pattern.nonzeros()) > kMost;
}

std::uint64_t bytes_of_columns(const SparsePattern& pattern) {
  return pattern.cols() * (is_wide(pattern) ? 8 : 4);
}

void write(const WrittenMatrix& matrix, std::ostream& out, JobContext& context) {
  const SparsePattern& pattern = matrix.pattern;
  const std::array shape{static_cast<std::int64_t>(pattern.rows()),
                         static_cast<std::int64_t>(pattern.cols())};
  const bool wide = is_wide(pattern);
  write_npz_bytes(out, {{"indices", wide ? rows<std::int64_t>(matrix, "<i8", context)
                                         : rows<std::int32_t>(matrix, "<i4", context)},
                        {"indptr", wide ? pointers<std::int64_t>(matrix, "<i8", context)
                                        : pointers<std::int32_t>(matrix, "<i4", context)},
                        {"format", npy_text("csc")},
                        {"shape", npy_of(std::span<const std::int64_t>(shape), {2})},
                        {"data", data(matrix, context)}});
}

}  // namespace

extern const Writer kWriter{.info = kInfo, .write = write, .bytes_of_columns = bytes_of_columns};

}  // namespace spyctrum::npz_writer
