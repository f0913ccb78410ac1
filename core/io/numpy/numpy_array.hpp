// SPDX-License-Identifier: Apache-2.0
// An array of NumPy's format .npy, versions 1 to 3
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a header that is a Python
// dictionary of type, order and shape, then the elements. Arrays of Python objects hold code and are never
// read.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/booked_list.hpp"
#include "core/io/reader.hpp"
#include "core/io/values.hpp"

namespace spyctrum {

/// What is kept of the elements of an array: all bytes; of numbers, whether they are zero; of whole numbers,
/// 32 bits; only their number; only their number if they are complex. Types for which that is not possible
/// are kept as bytes.
enum class Keep { bytes, zeros, indices, number, number_of_complex };

struct NumpyArray {
  std::string name;         ///< of the array in messages: "small.npz: indices.npy"
  char kind = 'f';          ///< b: logical, i, u: integers, f: real, c: complex, S, U: text
  std::size_t width = 8;    ///< bytes of an element
  bool big_endian = false;  ///< of each number
  bool fortran = false;     ///< the first index runs fastest
  std::vector<std::uint64_t> shape;
  Keep keep = Keep::bytes;
  BookedVector<char> bytes{};              ///< Keep::bytes: of the elements
  std::uint64_t count = 0;                 ///< otherwise: number of elements
  std::vector<std::uint64_t> zero_bits{};  ///< Keep::zeros: bit k % 64 of word k / 64 is set for a zero
  IndexList whole{};                       ///< Keep::indices: the elements, but for those in `invalid`
  std::uint64_t largest = 0;  ///< Keep::indices: the largest element; 2^32 if one is in `invalid`
  std::map<std::uint64_t, std::string> invalid{};  ///< elements below 0 or beyond 32 bits, in words

  /// Number of elements.
  [[nodiscard]] std::uint64_t size() const {
    return keep != Keep::bytes ? count : width == 0 ? 0 : bytes.data.size() / width;
  }
  /// Chooses what is kept, before the elements are there.
  void set_keep(Keep requested);
  /// Makes room for `elements` that are not kept as bytes. Throws Failure{out_of_memory}.
  void reserve(std::uint64_t elements, JobContext& context);
  /// Adds elements, which must be taken, until there are `elements`. Throws Failure{out_of_memory}.
  void grow(std::uint64_t elements, JobContext& context);
  /// Sets the elements from `first` on to those in `from`, in the form of the file. May be called on several
  /// threads for ranges that do not meet.
  void take(std::uint64_t first, std::span<const char> from, std::mutex& mutex);
  /// Removes the elements from `elements` on.
  void truncate(std::uint64_t elements);
  /// Element k in the order of the file, as a whole number. Throws Failure{bad_input} if it is not in 0 …
  /// most.
  [[nodiscard]] std::uint64_t index(std::uint64_t k, std::uint64_t most) const;
  /// All elements as index(k, most), moved where they are kept so. Throws as index(), for the first wrong
  /// one.
  [[nodiscard]] BookedIndices indices(std::uint64_t most, JobContext& context) &&;
  [[nodiscard]] bool is_zero(std::uint64_t k) const;
  /// To be called once `bytes` were set, before is_zero() and value(): long doubles may be of two types.
  void examine_type();
  /// The number of zeros among the elements first … last−1.
  [[nodiscard]] std::uint64_t zeros(std::uint64_t first, std::uint64_t last) const;
  /// Returns the memory of the elements first … last−1 to the system, which are not needed again.
  void release(std::uint64_t first, std::uint64_t last) const;
  /// Element k as a number; NaN for text. Requires k < size().
  [[nodiscard]] Value value(std::uint64_t k) const;
  /// Sets `to` to the elements from `first` on as value() gives them, which are no complex numbers.
  void take_real(std::uint64_t first, std::span<double> to) const;
  /// An array of text of one element: "csr".
  [[nodiscard]] std::string text() const;
  /// "integer", "real", …
  [[nodiscard]] const char* field() const;
  /// Throws Failure{bad_input} with the array's name.
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_element(std::uint64_t k, const std::string& what) const;

 private:
  bool is_extended_ = false;  // whether the real numbers in `bytes` are of 80 bits
  /// Of elements of this type that are elsewhere.
  [[nodiscard]] bool has_extended(std::span<const char> elements) const;
  [[nodiscard]] bool is_zero_at(const char* at, bool extended) const;
  [[nodiscard]] std::uint64_t zeros_at(const char* from, std::uint64_t elements) const;
};

/// Reads `count` bytes of elements, of which array.keep is kept. read(bytes) fills them and returns how many
/// there are, fewer only at the end. Lists grow with the bytes that are there, not with those that are
/// announced; `file_bytes`: the size of the file. Returns how many bytes there are.
[[nodiscard]] std::uint64_t read_elements(NumpyArray& array, JobContext& context,
                                          const std::function<std::size_t(std::span<char>)>& read,
                                          std::uint64_t count, std::uint64_t file_bytes);

/// Bytes read so far, of those of several arrays.
struct ReadProgress {
  std::uint64_t total = 0;
  std::atomic<std::uint64_t> done{0};
};
/// Is given the bytes of the elements from `first` on, on any thread.
using UseElements = std::function<void(std::uint64_t first, std::span<const char> bytes, unsigned worker)>;
/// Reads `elements` elements, of which array.keep is kept, from byte `at` of the regular file `descriptor`
/// on, on all threads; use() follows each piece, all of which but the last have the same length. Returns
/// false if the file ends before. To be called only if the file may have as many bytes.
[[nodiscard]] bool read_elements_at(NumpyArray& array, std::uint64_t elements, int descriptor,
                                    std::uint64_t at, ReadProgress& progress, JobContext& context,
                                    const UseElements& use);

inline constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};

class BinaryFile;
/// Reads an array up to its first element. Throws Failure{bad_input}: no array, an array of objects or of
/// records, or cut off.
[[nodiscard]] NumpyArray read_npy_header(BinaryFile& file, std::string name);
/// Bytes of all elements that the header announces.
[[nodiscard]] std::uint64_t announced_bytes(const NumpyArray& array);
/// Reads the elements of an array after its header in pieces: array.bytes holds each in turn, and use(first)
/// is called, where `first` is the number of its first element. Throws Failure{bad_input} if there are fewer
/// than announced.
void read_npy_pieces(BinaryFile& file, NumpyArray& array,
                     const std::function<void(std::uint64_t first)>& use);
/// Reads an array from its first byte to its last, unless only the number of its elements is kept. Throws as
/// read_npy_header(); Failure{out_of_memory}.
[[nodiscard]] NumpyArray read_npy(ByteSource& source, const std::string& name, JobContext& context,
                                  Keep keep = Keep::bytes);

}  // namespace spyctrum
