// SPDX-License-Identifier: Apache-2.0
#include "core/io/numpy/compressed_arrays.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/io/quote.hpp"

namespace spyctrum {

const NumpyArray& part(const Parts& parts, std::string_view role) {
  const auto found = parts.find(role);
  if (found == parts.end())
    parts.begin()->second.fail("the array " + std::string(role) + " that belongs to it is missing.");
  return found->second;
}

namespace {

/// Sets ends[k] to number k + 1 of type T in `bytes`; returns whether numbers ascend up to at most `stored`.
template <class T>
bool take_ends(const char* bytes, std::uint64_t stored, std::span<std::uint64_t> ends) {
  T before = 0;
  std::memcpy(&before, bytes, sizeof(T));
  bool is_good = true;
  for (std::uint64_t& end : ends) {
    T pointer = 0;
    std::memcpy(&pointer, bytes += sizeof(T), sizeof(T));
    is_good &= pointer >= before;
    end = static_cast<std::uint64_t>(before = pointer);
  }
  return is_good && static_cast<std::uint64_t>(before) <= stored;
}

}  // namespace

BookedVector<std::uint64_t> ends_of(const NumpyArray& pointers, std::uint64_t line_count,
                                    std::uint64_t stored, JobContext& context) {
  if (pointers.size() != line_count + 1)
    pointers.fail("it has " + counted(pointers.size(), "element", "elements") + "; expected " +
                  grouped(line_count + 1) + ".");
  BookedVector<std::uint64_t> ends(context, line_count, "pointers");
  std::uint64_t before = pointers.index(0, 0);
  if (std::endian::native == std::endian::little && pointers.keep == Keep::bytes && !pointers.big_endian) {
    const char* const bytes = pointers.bytes.data.data();
    if (pointers.width == 4 && take_ends<std::int32_t>(bytes, stored, ends.data)) return ends;
    if (pointers.width == 8 && take_ends<std::int64_t>(bytes, stored, ends.data)) return ends;
  }
  // The slow loop converts other types, and throws the message about the first wrong pointer.
  for (std::uint64_t major = 0; major < line_count; ++major) {
    if (major % (std::uint64_t{1} << 20U) == 0) context.check_stop();
    const std::uint64_t end = pointers.index(major + 1, stored);
    if (end < before)
      pointers.fail_element(major + 1,
                            "found " + grouped(end) + " after " + grouped(before) + "; pointers never fall.");
    ends.data[major] = before = end;
  }
  return ends;
}

NumpyArray taken(Parts& parts, std::string_view role) {
  (void)part(parts, role);
  return std::move(parts.find(role)->second);
}

Matrix compressed_matrix(Parts& parts, CompressedLines lines, const LoadOptions& options, JobContext& context,
                         std::unique_ptr<StoredValues> values) {
  const bool has_data = parts.contains("data");
  NumpyArray data = has_data ? taken(parts, "data") : NumpyArray{};
  const std::uint64_t count = lines.ends.data.back();
  if (has_data && count > data.size())
    data.fail("it has " + counted(data.size(), "element", "elements") + "; expected " + grouped(count) + ".");
  lines.ids = taken(parts, "indices").indices((lines.by_rows ? lines.cols : lines.rows) - 1, context);
  lines.ids.data.resize(count);
  show_lines(lines, options, context);
  if (has_data && values == nullptr) values = std::make_unique<ArrayValues>(std::move(data));
  return matrix_of_lines(std::move(lines), std::move(values), options, context);
}

std::uint64_t least_side(const NumpyArray& indices, std::uint64_t first, std::uint64_t last,
                         JobContext& context) {
  std::uint64_t side = 0;
  for (std::uint64_t k = first; k < last; ++k) {
    if (k % (std::uint64_t{1} << 16U) == 0) context.check_stop();
    side = std::max(side, indices.index(k, kLargestSide - 1) + 1);
  }
  return side;
}

void check_sides(const NumpyArray& array, std::uint64_t rows, std::uint64_t cols) {
  if (rows == 0 || cols == 0 || std::max(rows, cols) > kLargestSide)
    array.fail("the matrix has " + grouped(rows) + " rows and " + grouped(cols) +
               " columns; each may be 1 to " + grouped(kLargestSide) + ".");
}

DenseEntries::DenseEntries(const NumpyArray& facts, const LoadOptions& options, JobContext& context)
    : rows_(facts.shape[0]),
      cols_(facts.shape[1]),
      fortran_(facts.fortran),
      is_complex_(facts.kind == 'c'),
      field_(facts.field()),
      entries_(options, context) {
  check_sides(facts, rows_, cols_);
  entries_.begin_preview(rows_, cols_, 0);
}

void DenseEntries::add(const NumpyArray& array, std::uint64_t begin, std::uint64_t end, std::uint64_t first) {
  const std::uint64_t fast = fortran_ ? rows_ : cols_;
  for (std::uint64_t k = begin; k < end; ++k) {
    if (array.is_zero(k)) continue;
    const std::uint64_t place = first + (k - begin);
    const std::uint64_t row = fortran_ ? place % fast : place / fast;
    const std::uint64_t col = fortran_ ? place / fast : place % fast;
    entries_.add(row, col, false, [&] { return array.value(k); });
  }
}

Matrix DenseEntries::matrix() && {
  if (is_complex_) entries_.set_complex();
  Matrix matrix = std::move(entries_).matrix(rows_, cols_);
  matrix.report.field = field_;
  report_dense(matrix, rows_ * cols_);
  return matrix;
}

Matrix dense_matrix(const NumpyArray& array, const LoadOptions& options, JobContext& context) {
  DenseEntries entries(array, options, context);
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 16U;
  for (std::uint64_t k = 0; k < array.size(); k += kPiece) {
    context.checkpoint(k, array.size());
    const std::uint64_t end = std::min(array.size(), k + kPiece);
    entries.add(array, k, end, k);
    array.release(k, end);
  }
  return std::move(entries).matrix();
}

}  // namespace spyctrum
