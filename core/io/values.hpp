// SPDX-License-Identifier: Apache-2.0
// Values of entries while a file is read: numbers from text and bytes, statistics for `info`, and on request
// one single-precision number for every entry of the pattern. Sums are compensated (A. Neumaier, ZAMM 54,
// 1974, 39–51), so that sums of 10⁹ values are exact in all digits shown.
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
/// negative; too_large is beyond 64 bits, other is no whole number.
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
  /// Adds the statistics of a later part of the file.
  void add(const ValueSums& later);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Statistics of the whole matrix: entries off the diagonal count together with their mirrored ones. For
  /// complex values least and largest are magnitudes.
  [[nodiscard]] ValueStatistics statistics(Mirror mirror, bool is_complex) const;

 private:
  std::uint64_t count_ = 0;
  CompensatedSum diagonal_real_, diagonal_imaginary_, real_, imaginary_;
  ValueStatistics facts_;
  double least_size_ = 0;  // |a|
  double largest_size_ = 0;
};

/// The values of the entries of a pattern: for each entry the sum of those at its position, in single
/// precision.
class PatternValues {
 public:
  /// `matrix`: its pattern and its report are complete; `mirror`: whether add_mirrored() will be called.
  PatternValues(const Matrix& matrix, Mirror mirror, bool is_complex, JobContext& context);
  /// Throws Failure{internal} if the position is not an entry.
  void add(PackedEntry place, Value value);
  /// Adds the value of (j, i) that follows from `value` of (i, j); nothing on the diagonal.
  void add_mirrored(PackedEntry place, Value value) {
    if (row_of(place) != col_of(place))
      add(pack_entry(col_of(place), row_of(place)), mirrored(value, mirror_));
  }
  /// Sets values and imaginary of `matrix`, and adds to its notes how many of them became zero or lost digits
  /// because single precision has no smaller numbers.
  void finish(Matrix& matrix) &&;

 private:
  std::size_t find(PackedEntry place);
  float rounded(double part);
  std::shared_ptr<const std::vector<float>> rounded(const BookedVector<double>& sums);

  const SparsePattern& pattern_;
  Mirror mirror_;
  bool is_complex_;
  bool is_single_;  // one value for each entry: no sums are needed
  JobContext& context_;
  BookedVector<std::int64_t> next_;  // of each column: behind the entry that was found last
  std::size_t column_ = 0;
  BookedVector<float> single_real_, single_imaginary_;
  BookedVector<double> real_, imaginary_;  // sums
  std::int64_t lost_ = 0;
  std::int64_t coarse_ = 0;
};

/// Stores entries with their values until the pattern is known.
class KeptValues {
 public:
  explicit KeptValues(JobContext& context) : context_(context) {}
  void add(PackedEntry place, Value value);
  void count_from_one();
  /// Sets values and imaginary of `matrix`, mirrored values included. Throws Failure{out_of_memory};
  /// Failure{internal} if positions and pattern disagree.
  void finish(Matrix& matrix, Mirror mirror, bool is_complex) &&;

 private:
  struct Chunk {
    std::vector<PackedEntry> places;
    std::vector<double> real;
    std::vector<double> imaginary;  // shorter than `real`, or empty: the other imaginary parts are 0
    [[nodiscard]] Value value(std::size_t k) const {
      return {real[k], k < imaginary.size() ? imaginary[k] : 0.0};
    }
  };
  JobContext& context_;
  std::vector<Chunk> chunks_;
  std::vector<Booking> bookings_;  // of the chunks
};

}  // namespace spyctrum
