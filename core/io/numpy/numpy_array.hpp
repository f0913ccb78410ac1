// SPDX-License-Identifier: Apache-2.0
// An array of numbers as NumPy describes it, by kind, width and byte order, of which only what a matrix needs
// is kept. Arrays of .npy files (npy_file.hpp) and of MATLAB and PETSc are read into it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/io/booked_list.hpp"
#include "core/io/reader.hpp"
#include "core/io/values.hpp"

namespace spyctrum {

/// What is kept of the elements of an array. Elements of other types than mentioned are kept as bytes.
enum class Keep {
  bytes,             ///< all bytes
  zeros,             ///< of numbers: whether they are zero
  indices,           ///< of whole numbers of 4 or 8 bytes: 32 bits
  number,            ///< only the number of elements
  number_of_complex  ///< of complex numbers: only the number of elements
};

struct NumpyArray {
  std::string name;         ///< of the array in messages: "small.npz: indices.npy"
  char kind = 'f';          ///< b: logical, i, u: integers, f: real, c: complex, S, U: text
  std::size_t width = 8;    ///< bytes of an element
  bool big_endian = false;  ///< of each number
  bool fortran = false;     ///< whether elements are in column-major order
  std::vector<std::uint64_t> shape;
  Keep keep = Keep::bytes;
  BookedBytes bytes{};                     ///< Keep::bytes: the elements
  std::uint64_t count = 0;                 ///< unless Keep::bytes: the number of elements
  std::vector<std::uint64_t> zero_bits{};  ///< Keep::zeros: bit k % 64 of word k / 64 is set for a zero
  IndexList whole{};                       ///< Keep::indices: the elements except those in `invalid`
  std::uint64_t largest = 0;  ///< Keep::indices: the largest element; 2^32 if one is in `invalid`
  std::map<std::uint64_t, std::string> invalid{};  ///< texts of elements below 0 or beyond 32 bits

  [[nodiscard]] std::uint64_t size() const {
    return keep != Keep::bytes ? count : width == 0 ? 0 : bytes.data.size() / width;
  }
  /// Sets `keep` to `requested` if the type allows it; to be called before elements are added.
  void set_keep(Keep requested);
  /// Makes room for `elements` that are not kept as bytes. Throws Failure{out_of_memory}.
  void reserve(std::uint64_t elements, JobContext& context);
  /// Adds elements until there are `elements`; take() must set them. Throws Failure{out_of_memory}.
  void grow(std::uint64_t elements, JobContext& context);
  /// Sets the elements from `first` on to those in `from`, bytes of the file. May be called on several
  /// threads for disjoint ranges.
  void take(std::uint64_t first, std::span<const char> from, std::mutex& mutex);
  /// Removes the elements from `elements` on.
  void truncate(std::uint64_t elements);
  /// Element k in the order of the file, as a whole number. Throws Failure{bad_input} if it is not in 0 …
  /// most.
  [[nodiscard]] std::uint64_t index(std::uint64_t k, std::uint64_t most) const;
  /// All elements as index(k, most) returns them, without a copy if they are kept as indices. Throws as
  /// index() for the first wrong element.
  [[nodiscard]] BookedIndices indices(std::uint64_t most, JobContext& context) &&;
  [[nodiscard]] bool is_zero(std::uint64_t k) const;
  /// Determines which of two types long doubles have. To be called after `bytes` were set, before is_zero()
  /// and value().
  void examine_type();
  /// The number of zeros among the elements first … last−1.
  [[nodiscard]] std::uint64_t zeros(std::uint64_t first, std::uint64_t last) const;
  /// Returns the memory of the elements first … last−1 to the system, which are not needed again.
  void release(std::uint64_t first, std::uint64_t last) const;
  /// Element k as a number; NaN for text. Requires k < size().
  [[nodiscard]] Value value(std::uint64_t k) const;
  /// Sets `to` to the elements from `first` on, which are real, as value() returns them. Returns how many of
  /// them are zero.
  std::uint64_t take_real(std::uint64_t first, std::span<double> to) const;
  /// Whether the elements in `bytes` are numbers in single precision of this machine's byte order, so that
  /// take_singles() may be called.
  [[nodiscard]] bool is_single() const;
  /// Sets `to` to the elements from `first` on.
  void take_singles(std::uint64_t first, std::span<float> to) const;
  /// The text of an array of one element: "csr".
  [[nodiscard]] std::string text() const;
  /// "integer", "real", …
  [[nodiscard]] const char* field() const;
  /// Throws Failure{bad_input} with the array's name.
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_element(std::uint64_t k, const std::string& what) const;

 private:
  bool is_extended_ = false;  // whether the real numbers in `bytes` have 80 bits
  /// The same for other elements of this array's type.
  [[nodiscard]] bool has_extended(std::span<const char> elements) const;
  [[nodiscard]] bool is_zero_at(const char* at, bool extended) const;
  [[nodiscard]] std::uint64_t zeros_at(const char* from, std::uint64_t elements) const;
};

/// Reads `count` bytes of elements and keeps them as array.keep requires. read(bytes) fills `bytes` and
/// returns the number of bytes read, fewer only at the end. Lists grow with the bytes read, not with those
/// announced; `file_bytes`: the size of the file. Returns the number of bytes read.
[[nodiscard]] std::uint64_t read_elements(NumpyArray& array, JobContext& context,
                                          const std::function<std::size_t(std::span<char>)>& read,
                                          std::uint64_t count, std::uint64_t file_bytes);

/// Bytes read so far, and all bytes to be read, of several arrays.
struct ReadProgress {
  std::uint64_t total = 0;
  std::atomic<std::uint64_t> done{0};
};
/// Called with the bytes of the elements from `first` on, on any thread.
using UseElements = std::function<void(std::uint64_t first, std::span<const char> bytes, unsigned worker)>;
/// Reads `elements` elements from byte `at` of the regular file `descriptor` on, on all threads, and keeps
/// them as array.keep requires; calls use() after each piece, all of which but the last have the same length.
/// Returns false if the file ends before. Allocates memory for all elements first, so that callers must check
/// that the file can have as many bytes.
[[nodiscard]] bool read_elements_at(NumpyArray& array, std::uint64_t elements, int descriptor,
                                    std::uint64_t at, ReadProgress& progress, JobContext& context,
                                    const UseElements& use);

}  // namespace spyctrum
