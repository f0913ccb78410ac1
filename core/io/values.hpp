// SPDX-License-Identifier: Apache-2.0
// Values of entries while a file is read: numbers from text and bytes, and statistics for `info`. Sums are
// compensated (A. Neumaier, ZAMM 54, 1974, 39–51), so that sums of 10⁹ values are exact in all digits shown.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

using Value = std::complex<double>;

/// The entries that a file omits because they follow from stored ones: (j, i) has the value of (i, j), its
/// negative, or its conjugate.
enum class Mirror { none, symmetric, skew, hermitian };
/// "general", "symmetric", "skew-symmetric", "hermitian".
[[nodiscard]] const char* to_string(Mirror mirror);
/// The mirror of this name; none for any other text.
[[nodiscard]] Mirror mirror_named(std::string_view name);
/// The value of (j, i) if (i, j) has `value`.
[[nodiscard]] Value mirrored(Value value, Mirror mirror);

/// A whole number in decimal digits with an optional sign. `value` is its magnitude for the kinds number and
/// negative; too_large: beyond 64 bits; other: not a whole number.
struct WholeNumber {
  enum class Kind { number, negative, too_large, other } kind = Kind::other;
  std::uint64_t value = 0;
};
[[nodiscard]] WholeNumber parse_whole_number(std::string_view word);

/// Classification of a word: the number zero, another number, an integer beyond 64 bits, or not a number.
enum class ValueKind { zero, nonzero, beyond_64_bits, malformed };
/// A sign and digits within 64 bits.
[[nodiscard]] ValueKind classify_integer(std::string_view word);
/// Digits, optionally with a sign, a point and an exponent (after e, d or q, or after its sign alone, as
/// Fortran writes 1.0-103), inf, infinity and nan, in any case.
[[nodiscard]] ValueKind classify_real(std::string_view word);
/// Converts a word as classify_real() accepts it: 1e3, 1.0d-103, 1.0-103, inf, nan. Numbers beyond double
/// precision become infinite or zero. Returns NaN if the word is not a number.
[[nodiscard]] double number_of(std::string_view word);
/// Converts an IEEE 754 number of 2, 4, 8 or 16 bytes (16 bytes rounded towards zero); NaN for other widths.
[[nodiscard]] double binary_real(const char* bytes, std::size_t width, bool big_endian);
/// Converts an 80-bit extended number of x87 in 10 bytes, little-endian (Intel SDM, volume 1, 4.2.2),
/// rounded.
[[nodiscard]] double extended_real(const char* bytes);
/// Converts a whole number of at most 8 bytes without a sign.
[[nodiscard]] std::uint64_t binary_whole(const char* bytes, std::size_t width, bool big_endian);
/// Whether a value of `width` bytes, which consists of `parts` numbers, is 0; a number whose sign bit alone
/// is set is 0 as well if it `has_sign`, which is true of floating-point numbers.
[[nodiscard]] bool is_binary_zero(const char* bytes, std::size_t width, std::size_t parts, bool has_sign,
                                  bool big_endian);
/// Converts a whole number of 1 to 8 bytes, in two's complement if it has a sign.
[[nodiscard]] double binary_integer(const char* bytes, std::size_t width, bool big_endian, bool has_sign);

/// A sum that also accumulates the rounding errors of its additions.
class CompensatedSum {
 public:
  void add(double x);
  void add(const CompensatedSum& other);
  [[nodiscard]] double value() const { return sum_ + error_; }

 private:
  double sum_ = 0;
  double error_ = 0;
};

/// Statistics of values added in the order of the file. The result does not depend on how the file was
/// divided into parts.
class ValueSums {
 public:
  void add(Value value, bool on_diagonal);
  /// The same for real numbers, of which those at the ascending indices `on_diagonal` are on the diagonal.
  void add(std::span<const double> numbers, std::span<const std::size_t> on_diagonal);
  /// Adds the statistics of a later part of the file.
  void add(const ValueSums& later);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Statistics of the whole matrix: entries off the diagonal count together with their mirrored ones. For
  /// complex values least and largest are magnitudes.
  [[nodiscard]] ValueStatistics statistics(Mirror mirror, bool is_complex) const;

 private:
  void add_off_diagonal(std::span<const double> numbers);

  std::uint64_t count_ = 0;
  CompensatedSum diagonal_real_, diagonal_imaginary_, real_, imaginary_;
  ValueStatistics facts_;
  double least_size_ = 0;  // |a|
  double largest_size_ = 0;
};

/// to_single() of a number whose magnitude is larger than any of single precision.
[[nodiscard]] float large_to_single(double x);
/// `x` rounded to the nearest number of single precision. Unlike a cast, which is undefined there, it also
/// rounds numbers between the largest number of single precision and 2^128; larger ones become infinite.
[[nodiscard]] inline float to_single(double x) {
  return std::abs(x) > std::numeric_limits<float>::max() ? large_to_single(x) : static_cast<float>(x);
}

}  // namespace spyctrum
