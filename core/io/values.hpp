// SPDX-License-Identifier: Apache-2.0
// Values of entries while a file is read: numbers from text and bytes, and statistics for `info`. Sums are
// compensated (A. Neumaier, ZAMM 54, 1974, 39–51), so that sums of 10⁹ values are exact in all digits shown.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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
/// A complex number in text. `is_zero`: whether all digits of both parts are 0.
struct ComplexNumber {
  Value value;
  bool is_zero = false;
};
/// Converts a complex number as Python and NumPy write it: (1.0e+00-2.0e+00j), (1.0+-2.0j), 2j; MATLAB,
/// Octave and R: 1+2i, 1 + 2i; Julia: 1.0 + 2.0im, NaN*im; Mathematica: 1. + 2.*I; Octave's text files, C++
/// and Fortran: (1,2). Nothing if the text is none.
[[nodiscard]] std::optional<ComplexNumber> complex_number(std::string_view text);
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
  CompensatedSum() = default;
  CompensatedSum(double sum, double error) : sum_(sum), error_(error) {}
  void add(double x);
  void add(const CompensatedSum& other);
  [[nodiscard]] double value() const { return sum_ + error_; }

 private:
  double sum_ = 0;
  double error_ = 0;
};

/// The least and the largest magnitude among numbers that are not NaN; infinity and 0 if there are none.
struct Magnitudes {
  double least, largest;
};
[[nodiscard]] Magnitudes magnitudes(std::span<const double> numbers);

/// Statistics of values added in the order of the file. The result does not depend on the number of threads
/// if the parts that are added do not; sums of other parts may differ in the last bit of double precision.
class ValueSums {
 public:
  void add(Value value, bool on_diagonal) {
    ++count_;
    if (value.imag() != 0 || on_diagonal) return add_now(value, on_diagonal);
    waiting_[waiting_count_++] = value.real();
    if (waiting_count_ == kGroup) flush();
  }
  /// Adds real numbers of entries off the diagonal (or, without a mirror, of any). Returns
  /// magnitudes(numbers).
  Magnitudes add(std::span<const double> numbers);
  /// The same for numbers in single precision.
  Magnitudes add(std::span<const float> numbers);
  /// Adds the statistics of a later part of the file.
  void add(ValueSums later);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Statistics of the whole matrix: entries off the diagonal count together with their mirrored ones. For
  /// complex values least and largest are magnitudes.
  [[nodiscard]] ValueStatistics statistics(Mirror mirror, bool is_complex) const;

 private:
  /// Real numbers off the diagonal are added in groups of this size: most groups need no branch for a number.
  static constexpr std::size_t kGroup = 256;
  void flush();
  Magnitudes add_group(std::span<const double> numbers);
  [[nodiscard]] std::optional<Magnitudes> add_usual(std::span<const double> numbers);
  [[nodiscard]] std::optional<Magnitudes> add_exactly(std::span<const float> numbers);
  void add_now(Value value, bool on_diagonal);
  [[nodiscard]] ValueStatistics flushed_statistics(Mirror mirror, bool is_complex) const;
  void include(const ValueStatistics& facts, double least_size, double largest_size);

  std::uint64_t count_ = 0;
  CompensatedSum diagonal_real_, diagonal_imaginary_, real_, imaginary_;
  ValueStatistics facts_;
  double least_size_ = 0;  // |a|
  double largest_size_ = 0;
  std::array<double, kGroup> waiting_{};  // numbers of the next group, which are in count_ alone
  std::size_t waiting_count_ = 0;
};

/// to_single() of a number whose magnitude is larger than any of single precision.
[[nodiscard]] float large_to_single(double x);
/// `x` rounded to the nearest number of single precision. Unlike a cast, which is undefined there, it also
/// rounds numbers between the largest number of single precision and 2^128; larger ones become infinite.
[[nodiscard]] inline float to_single(double x) {
  return std::abs(x) > std::numeric_limits<float>::max() ? large_to_single(x) : static_cast<float>(x);
}

}  // namespace spyctrum
