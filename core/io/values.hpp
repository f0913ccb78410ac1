// SPDX-License-Identifier: Apache-2.0
// Values of entries while a file is read: their numbers from text and from bytes, what info says of them, and
// on request one number in single precision for every entry of the pattern. Sums are compensated
// (A. Neumaier, ZAMM 54, 1974, 39–51), so that 10⁹ values lose no digit that a reader of the sum would see.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/matrix/packed_entries.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

using Value = std::complex<double>;

/// Which entries a file leaves out because they follow from those that it stores: (j, i) of (i, j) has the
/// same value, the negative one, or the conjugate.
enum class Mirror { none, symmetric, skew, hermitian };
/// "general", "symmetric", "skew-symmetric", "hermitian".
[[nodiscard]] const char* to_string(Mirror mirror);
/// The value of (j, i) where (i, j) has `value`.
[[nodiscard]] Value mirrored(Value value, Mirror mirror);

/// The number that a word of a text means, as classify_value() accepts it: 1e3, 1.0d-103, 1.0-103, inf, nan.
/// Numbers beyond double precision become infinite or zero; what is no number becomes NaN.
[[nodiscard]] double number_of(std::string_view word);
/// IEEE 754 numbers of 2, 4, 8 or 16 bytes (16 is rounded towards zero); NaN for other widths.
[[nodiscard]] double binary_real(const char* bytes, std::size_t width, bool big_endian);
/// The 80-bit extended numbers of x87 in 10 bytes, little-endian (Intel SDM, volume 1, 4.2.2), rounded.
[[nodiscard]] double extended_real(const char* bytes);
/// Whole numbers of 1 to 8 bytes, two's complement where they have a sign.
[[nodiscard]] double binary_integer(const char* bytes, std::size_t width, bool big_endian, bool has_sign);

/// Σx with the rounding errors of its additions.
class CompensatedSum {
 public:
  void add(double x);
  void add(const CompensatedSum& other);
  [[nodiscard]] double value() const { return sum_ + error_; }

 private:
  double sum_ = 0;
  double error_ = 0;
};

/// What is known of the values that were added, in the order of the file: the result does not depend on how
/// the file was cut into parts.
class ValueSums {
 public:
  void add(Value value, bool on_diagonal);
  /// Those of a later part of the file.
  void add(const ValueSums& later);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Of the whole matrix: entries off the diagonal count with their mirrored ones. Of complex values least
  /// and largest are magnitudes.
  [[nodiscard]] ValueStatistics statistics(Mirror mirror, bool is_complex) const;

 private:
  std::uint64_t count_ = 0;
  CompensatedSum diagonal_real_, diagonal_imaginary_, real_, imaginary_;
  ValueStatistics facts_;
  double least_size_ = 0;  // |a|
  double largest_size_ = 0;
};

/// Entries with their values, kept for the array beside the pattern.
class KeptValues {
 public:
  explicit KeptValues(JobContext& context) : context_(context) {}
  void add(PackedEntry place, Value value);
  void count_from_one();
  /// Sets values and imaginary of `matrix`: for each entry of its pattern the sum of the values at its place,
  /// mirrored ones included. Throws Failure{out_of_memory}, Failure{internal} where the places are others.
  void finish(Matrix& matrix, Mirror mirror, bool is_complex) &&;

 private:
  struct Entry {
    PackedEntry place;
    Value value;
  };
  JobContext& context_;
  std::vector<std::vector<Entry>> chunks_;
  std::vector<Booking> bookings_;  // of the chunks
};

}  // namespace spyctrum
