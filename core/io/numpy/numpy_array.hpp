// SPDX-License-Identifier: Apache-2.0
// An array of NumPy's format .npy, versions 1 to 3
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a header that is a Python
// dictionary of type, order and shape, then the elements. Arrays of Python objects hold code and are never
// read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/reader.hpp"
#include "core/io/values.hpp"

namespace spyctrum {

struct NumpyArray {
  std::string name;         ///< of the array in messages: "small.npz: indices.npy"
  char kind = 'f';          ///< b: logical, i, u: integers, f: real, c: complex, S, U: text
  std::size_t width = 8;    ///< bytes of an element
  bool big_endian = false;  ///< of each number
  bool fortran = false;     ///< the first index runs fastest
  std::vector<std::uint64_t> shape;
  BookedVector<char> bytes;  ///< of the elements; empty if only zeros were asked for
  bool only_zeros = false;   ///< then `zero_bits`, and of the functions below is_zero() and zeros() alone
  std::vector<bool> zero_bits{};  ///< for each element

  /// Number of elements.
  [[nodiscard]] std::uint64_t size() const {
    if (only_zeros) return zero_bits.size();
    return width == 0 ? 0 : bytes.data.size() / width;
  }
  /// Element k in the order of the file, as a whole number. Throws Failure{bad_input} if it is not in 0 …
  /// most.
  [[nodiscard]] std::uint64_t index(std::uint64_t k, std::uint64_t most) const;
  /// Writes index(first + i, most) to to[i]. Throws as index().
  void indices(std::uint64_t first, std::uint64_t most, std::span<Index> to) const;
  [[nodiscard]] bool is_zero(std::uint64_t k) const;
  /// The number of zeros among the elements first … last−1.
  [[nodiscard]] std::uint64_t zeros(std::uint64_t first, std::uint64_t last) const;
  /// Element k as a number; NaN for text. Requires k < size().
  [[nodiscard]] Value value(std::uint64_t k) const;
  /// An array of text of one element: "csr".
  [[nodiscard]] std::string text() const;
  /// "integer", "real", …
  [[nodiscard]] const char* field() const;
  /// Throws Failure{bad_input} with the array's name.
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_element(std::uint64_t k, const std::string& what) const;
};

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

/// Reads an array from its first byte to its last. `only_zeros`: of numbers keeps a bit each, whether it is
/// zero. Throws Failure{bad_input}: no array, an array of objects or of records, or cut off;
/// Failure{out_of_memory}.
[[nodiscard]] NumpyArray read_npy(ByteSource& source, std::string name, JobContext& context,
                                  bool only_zeros = false);

}  // namespace spyctrum
