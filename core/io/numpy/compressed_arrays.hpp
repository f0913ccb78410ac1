// SPDX-License-Identifier: Apache-2.0
// Makes matrices of arrays: compressed rows or columns, as SciPy and AnnData store them, and dense matrices.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/io/compressed_lines.hpp"
#include "core/io/numpy/numpy_array.hpp"
#include "core/io/text_reader.hpp"

namespace spyctrum {

/// The arrays of one matrix by their role: data, indices, indptr, shape, row, col, offsets, format.
using Parts = std::map<std::string, NumpyArray, std::less<>>;

/// The array with this role. Throws Failure{bad_input} if there is none.
[[nodiscard]] const NumpyArray& part(const Parts& parts, std::string_view role);

/// The ends of the compressed rows or columns. Throws Failure{bad_input} unless there are `line_count` + 1
/// pointers that do not decrease and do not exceed `stored`.
[[nodiscard]] BookedVector<std::uint64_t> ends_of(const NumpyArray& pointers, std::uint64_t line_count,
                                                  std::uint64_t stored, JobContext& context);

/// Moves the array with this role out of `parts`. Throws Failure{bad_input} if there is none.
[[nodiscard]] NumpyArray taken(Parts& parts, std::string_view role);

/// The values in an array of numbers with at least as many elements as there are entries.
class ArrayValues : public StoredValues {
 public:
  explicit ArrayValues(NumpyArray array) : array_(std::move(array)) {}
  [[nodiscard]] bool is_complex() const override { return array_.kind == 'c'; }
  [[nodiscard]] bool is_zero(std::uint64_t k) const override { return array_.is_zero(k); }
  [[nodiscard]] std::uint64_t zeros(std::uint64_t begin, std::uint64_t end) const override {
    return array_.zeros(begin, end);
  }
  [[nodiscard]] Value value(std::uint64_t k) const override { return array_.value(k); }
  std::uint64_t take_real(std::uint64_t begin, std::span<double> to) const override {
    return array_.take_real(begin, to);
  }
  [[nodiscard]] bool is_single() const override { return array_.is_single(); }
  void take_singles(std::uint64_t begin, std::span<float> to) const override {
    array_.take_singles(begin, to);
  }
  void release(std::uint64_t begin, std::uint64_t end) const override { array_.release(begin, end); }

 private:
  NumpyArray array_;
};

/// The values in an array whose elements are read in order when they are needed.
class StreamedValues : public StoredValues {
 public:
  /// `array`: the type of the elements. read(bytes) fills `bytes` with those of the next elements, or throws.
  StreamedValues(NumpyArray array, std::function<void(std::span<char>)> read)
      : array_(std::move(array)), read_(std::move(read)) {}
  [[nodiscard]] bool is_streamed() const override { return true; }
  void prepare(std::uint64_t begin, std::uint64_t end) override {
    begin_ = begin;
    array_.bytes.data.resize((end - begin) * array_.width);
    read_(array_.bytes.data);
    array_.examine_type();
  }
  [[nodiscard]] bool is_complex() const override { return array_.kind == 'c'; }
  [[nodiscard]] bool is_zero(std::uint64_t k) const override { return array_.is_zero(k - begin_); }
  [[nodiscard]] std::uint64_t zeros(std::uint64_t begin, std::uint64_t end) const override {
    return array_.zeros(begin - begin_, end - begin_);
  }
  [[nodiscard]] Value value(std::uint64_t k) const override { return array_.value(k - begin_); }
  std::uint64_t take_real(std::uint64_t begin, std::span<double> to) const override {
    return array_.take_real(begin - begin_, to);
  }
  [[nodiscard]] bool is_single() const override { return array_.is_single(); }
  void take_singles(std::uint64_t begin, std::span<float> to) const override {
    array_.take_singles(begin - begin_, to);
  }

 private:
  NumpyArray array_;
  std::function<void(std::span<char>)> read_;
  std::uint64_t begin_ = 0;  // number of the first element in array_
};

/// The matrix of the arrays data and indices, which are moved out of `parts`; a pattern without data. `lines`
/// has the ends, the sides and the direction; `values`, unless null, replace those in data. Throws
/// Failure{bad_input} if an array is too short or an index is out of range.
[[nodiscard]] Matrix compressed_matrix(Parts& parts, CompressedLines lines, const LoadOptions& options,
                                       JobContext& context, std::unique_ptr<StoredValues> values);

/// The least number of rows or columns that the indices first … last−1 allow: one more than the largest, 0 if
/// there are none. Throws Failure{bad_input} if one is negative or too large.
[[nodiscard]] std::uint64_t least_side(const NumpyArray& indices, std::uint64_t first, std::uint64_t last,
                                       JobContext& context);

/// Throws Failure{bad_input}, which names `array`, unless a matrix can have these sides.
void check_sides(const NumpyArray& array, std::uint64_t rows, std::uint64_t cols);

/// The entries of a dense matrix, which are the elements that are not zero.
class DenseEntries {
 public:
  /// `facts`: shape, order and type of the elements. Throws Failure{bad_input} unless a matrix can have this
  /// shape.
  DenseEntries(const NumpyArray& facts, const LoadOptions& options, JobContext& context);
  /// Adds the elements begin … end−1 of `array`; the first one is number `first` of the matrix.
  void add(const NumpyArray& array, std::uint64_t begin, std::uint64_t end, std::uint64_t first);
  [[nodiscard]] Matrix matrix() &&;

 private:
  std::uint64_t rows_, cols_;
  bool fortran_;
  bool is_complex_;
  std::string field_;
  EntryList entries_;
};

/// The matrix of an array of two dimensions, whose memory is returned to the system. Throws
/// Failure{bad_input}.
[[nodiscard]] Matrix dense_matrix(const NumpyArray& array, const LoadOptions& options, JobContext& context);

}  // namespace spyctrum
