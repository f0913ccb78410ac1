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
/// The value of (j, i) if (i, j) has `value`.
[[nodiscard]] Value mirrored(Value value, Mirror mirror);

/// Converts a word as classify_value() accepts it: 1e3, 1.0d-103, 1.0-103, inf, nan. Numbers beyond double
/// precision become infinite or zero. Returns NaN if the word is not a number.
[[nodiscard]] double number_of(std::string_view word);
/// Converts an IEEE 754 number of 2, 4, 8 or 16 bytes (16 bytes rounded towards zero); NaN for other widths.
[[nodiscard]] double binary_real(const char* bytes, std::size_t width, bool big_endian);
/// Converts an 80-bit extended number of x87 in 10 bytes, little-endian (Intel SDM, volume 1, 4.2.2),
/// rounded.
[[nodiscard]] double extended_real(const char* bytes);
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

/// Stores entries with their values until the pattern is known.
class KeptValues {
 public:
  explicit KeptValues(JobContext& context) : context_(context) {}
  void add(PackedEntry place, Value value);
  void count_from_one();
  /// Sets values and imaginary of `matrix`: for each entry of its pattern the sum of the values at its
  /// position, mirrored ones included. Throws Failure{out_of_memory}; Failure{internal} if positions and
  /// pattern disagree.
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
