// SPDX-License-Identifier: Apache-2.0
// A MATLAB file while it is read: its bytes in order, messages that name the place, and the interface that
// the readers of version 4 and of versions 5 to 7 have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/binary_file.hpp"
#include "core/io/numpy/numpy_array.hpp"
#include "core/io/several_matrices.hpp"

namespace spyctrum::matlab_reader {

using Bytes = std::span<const char>;

/// Bytes, or entries, between two checks for a stop.
inline constexpr std::size_t kPiece = std::size_t{1} << 16U;

/// A number of at most 64 bits.
inline std::uint64_t number_at(Bytes bytes, std::size_t at, std::size_t width, bool big_endian) {
  return binary_whole(bytes.data() + at, width, big_endian);
}

class MatFile {
 public:
  /// `source` and `options` must outlive the object.
  MatFile(ByteSource& source, std::string_view name, const LoadOptions& options, JobContext& context)
      : source_(source), bytes_(source, name, context), name_(name), options_(options) {}

  [[nodiscard]] ByteSource& source() const { return source_; }
  [[nodiscard]] BinaryFile& bytes() { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const LoadOptions& options() const { return options_; }
  [[nodiscard]] bool keeps_values() const { return options_.values != ValueUse::none; }
  [[nodiscard]] JobContext& context() const { return bytes_.context(); }
  [[nodiscard]] bool big_endian() const { return big_endian_; }
  void set_big_endian(bool is_big) { big_endian_ = is_big; }

  /// The place that messages name, behind the file: "byte 128", "variable "A"".
  [[nodiscard]] const std::string& place() const { return place_; }
  void set_place(std::string place) { place_ = std::move(place); }
  void set_place(std::uint64_t byte);
  [[noreturn]] void fail(const std::string& what) const;
  /// Fails if `missing` bytes of `what` are missing at the end of the file.
  void check_end(std::uint64_t missing, const char* what);
  /// Fills `bytes` with the next bytes, which are `what`.
  void take(std::span<char> bytes, const char* what) { check_end(bytes.size() - bytes_.read(bytes), what); }
  /// Fails unless the variable has a row and a column.
  void check_sides(const MatrixInFile& variable) const;

 private:
  ByteSource& source_;
  BinaryFile bytes_;
  std::string name_;
  const LoadOptions& options_;
  bool big_endian_ = false;
  std::string place_ = "byte 0";
};

/// A dense variable of two dimensions, whose elements are listed column by column.
struct Dense {
  MatrixInFile facts;
  std::string field;
  NumpyArray real;
  std::optional<NumpyArray> imaginary;
};
/// Its elements that are not zero. Throws Failure{bad_input} unless there are as many elements as cells.
[[nodiscard]] Matrix matrix_of_dense(const Dense& dense, const MatFile& file);

/// The sparse variables of a file, and the dense one that the options name. Functions throw
/// Failure{bad_input} with the place, {cancelled}.
class Variables {
 public:
  virtual ~Variables() = default;
  /// Reads the file to its end and adds its sparse variables, those within structures and cells too, and the
  /// requested dense one to `all`.
  virtual void read(SeveralMatrices& all) = 0;
  /// The matrix of a variable that read() added. To be called once.
  [[nodiscard]] virtual Matrix matrix(const MatrixInFile& variable) = 0;
};

/// `header`: the first four bytes, which were taken from the file.
[[nodiscard]] std::unique_ptr<Variables> variables_of_version_4(MatFile& file, std::vector<char> header);
/// The header of the file was taken.
[[nodiscard]] std::unique_ptr<Variables> variables_of_version_5(MatFile& file);

/// Whether the file begins with the header of a variable of version 4: a number whose decimal digits state
/// the types, rows, columns, 0 or 1 (complex), the length of the name, and the name ended by a zero byte.
[[nodiscard]] bool is_version_4(Bytes head);

}  // namespace spyctrum::matlab_reader
