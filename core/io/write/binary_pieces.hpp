// SPDX-License-Identifier: Apache-2.0
// Converts the arrays of a matrix in compressed columns to bytes, little-endian, in pieces, so that no array
// is in memory as a whole.
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/io/writer.hpp"

namespace spyctrum {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

/// Takes the next bytes. Returns false if writing failed.
using PutBytes = std::function<bool(std::span<const std::byte>)>;

/// Collects numbers of type T into pieces.
template <class T>
class Pieces {
 public:
  Pieces(const PutBytes& put, JobContext& context) : put_(put), context_(context) {
    numbers_.reserve(kNumbers);
  }
  /// Returns false if writing failed. Throws Failure{cancelled}.
  [[nodiscard]] bool add(T number) {
    numbers_.push_back(number);
    return numbers_.size() < kNumbers || finish();
  }
  bool finish() {
    context_.check_stop();
    const bool more = put_(std::as_bytes(std::span<const T>(numbers_)));
    numbers_.clear();
    return more;
  }

 private:
  static constexpr std::size_t kNumbers = (std::size_t{1} << 20U) / sizeof(T);
  const PutBytes& put_;
  JobContext& context_;
  std::vector<T> numbers_;
};

/// Puts the pointers of all columns, cols + 1 numbers: column j has the entries pointers[j] …
/// pointers[j+1] − 1.
template <class T>
void put_column_pointers(const SparsePattern& pattern, const PutBytes& put, JobContext& context) {
  Pieces<T> pieces(put, context);
  std::size_t k = 0;
  for (std::uint64_t col = 0; col <= pattern.cols(); ++col) {
    if (!pieces.add(static_cast<T>(pattern.column_starts()[k]))) return;
    if (k < pattern.column_ids().size() && pattern.column_ids()[k] == col) ++k;
  }
  pieces.finish();
}

/// Puts `numbers`, converted to type T.
template <class T, class From>
void put_converted(std::span<const From> numbers, const PutBytes& put, JobContext& context) {
  Pieces<T> pieces(put, context);
  for (const From number : numbers)
    if (!pieces.add(static_cast<T>(number))) return;
  pieces.finish();
}

/// Puts the values of the entries; of a complex value the real part, then the imaginary part.
inline void put_values(const WrittenMatrix& matrix, const PutBytes& put, JobContext& context) {
  Pieces<float> pieces(put, context);
  for (std::size_t t = 0; t < matrix.values.size(); ++t)
    if (!pieces.add(matrix.values[t]) || (!matrix.imaginary.empty() && !pieces.add(matrix.imaginary[t])))
      return;
  pieces.finish();
}

}  // namespace spyctrum
