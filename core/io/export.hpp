// SPDX-License-Identifier: Apache-2.0
// Files that the program writes: NumPy arrays, PNG pictures, text. Each is written under a temporary name in
// the same folder and renamed when complete, so that a stop or a full disk leaves no incomplete file.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace spyctrum {

/// Calls `write` with a stream on a temporary file, then renames the file to `path`, or to the target if
/// `path` is a symbolic link. Devices and named pipes are written directly. After a stop request the stream
/// accepts no more bytes and nothing is renamed. Errors: output, with errno's text; cancelled; those that
/// `write` throws as Failure. The temporary file is removed in all these cases.
[[nodiscard]] Result<void> write_atomically(const std::string& path,
                                            const std::function<void(std::ostream&)>& write,
                                            const std::stop_token& stop = {});
/// As write_atomically(), to standard output; nothing is renamed. Errors: output; cancelled.
[[nodiscard]] Result<void> write_standard_output(const std::function<void(std::ostream&)>& write,
                                                 const std::stop_token& stop = {});
/// Creates and removes a temporary file as write_atomically() would; to be called before hours of computing.
/// A named pipe is opened, and stays open for write_atomically(). Errors: output, if `path` cannot be written
/// or is a pipe that no program has opened for reading within five seconds; cancelled.
[[nodiscard]] Result<void> check_writable(const std::string& path, const std::stop_token& stop = {});
/// Errors: output, if the disk of `path` has less than `bytes` free. Devices and pipes, and disks that do not
/// tell, have room.
[[nodiscard]] Result<void> check_room(const std::string& path, std::uint64_t bytes);
/// Removes the temporary files of all unfinished writes and prevents further ones: for a process that ends at
/// once by _exit(). Thread-safe.
void abandon_writes();

/// An array for NumPy: elements in row-major order, little-endian; from memory (npy_of(), npy_text()), or in
/// pieces.
struct NpyArray {
  std::string descr;  ///< NumPy's element type: "<f4", "<c8", "<i8", "<f8", "|u1", "|b1", "|S123"
  std::vector<std::uint64_t> shape;  ///< empty: one element
  std::span<const std::byte> bytes;
  /// Replaces `bytes`: passes the bytes of the elements, in their order, to `put` until that returns false.
  std::function<void(const std::function<bool(std::span<const std::byte>)>& put)> pieces = {};
};
/// `values` (float, double, std::complex of either, std::int64_t or std::uint8_t) as an array of that shape,
/// in row-major order, without a copy: `values` must outlive the array.
template <class T>
[[nodiscard]] NpyArray npy_of(std::span<const T> values, std::vector<std::uint64_t> shape) {
  const char* descr = nullptr;
  if constexpr (std::is_same_v<T, float>)
    descr = "<f4";
  else if constexpr (std::is_same_v<T, double>)
    descr = "<f8";
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    descr = "<c8";
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    descr = "<c16";
  else if constexpr (std::is_same_v<T, std::int64_t>)
    descr = "<i8";
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    descr = "|u1";
  else
    static_assert(sizeof(T) == 0, "no NumPy element type for this");
  return {descr, std::move(shape), std::as_bytes(values)};
}
/// Text as a single element of type bytes (NumPy's S), without a copy: `text` must outlive the array. NumPy
/// drops trailing NULs when it reads the element.
[[nodiscard]] inline NpyArray npy_text(std::string_view text) {
  // NumPy has no elements of zero bytes: an empty text is written as one NUL.
  static constexpr std::string_view kEmpty("\0", 1);
  if (text.empty()) text = kEmpty;
  return {"|S" + std::to_string(text.size()), {}, std::as_bytes(std::span(text.data(), text.size()))};
}

/// Nothing is written, and no piece computed, unless there is room (check_room()). Errors: output; cancelled;
/// internal if shape and number of values disagree.
[[nodiscard]] Result<void> write_npy(const std::string& path, const NpyArray& array,
                                     const std::stop_token& stop = {});
/// A .npz for numpy.load: a ZIP archive of uncompressed .npy members, named by the first of each pair. Errors
/// as for write_npy().
[[nodiscard]] Result<void> write_npz(const std::string& path,
                                     const std::vector<std::pair<std::string, NpyArray>>& members,
                                     const std::stop_token& stop = {});
/// Writes the bytes of that archive to a stream, until it fails. Throws Failure{output}, {internal}.
void write_npz_bytes(std::ostream& out, const std::vector<std::pair<std::string, NpyArray>>& members);
/// Values at scattered coefficients (u, v): a .npz with the arrays values, u, v and weights, all of one
/// length, and the text provenance. Errors: wrong_use if `path` does not end in .npz; output; cancelled.
[[nodiscard]] Result<void> write_points(const std::string& path, std::span<const std::int32_t> u,
                                        std::span<const std::int32_t> v,
                                        std::span<const std::complex<float>> values,
                                        std::span<const float> weights, std::string_view provenance,
                                        const std::stop_token& stop = {});
/// An 8-bit RGB picture that is never in memory as a whole: `row` is called with r = 0 … height−1 in this
/// order and must fill the 3·width bytes of row r; it may throw Failure. `text` and errors as for
/// write_png().
[[nodiscard]] Result<void> write_png_rows(
    const std::string& path, std::uint32_t height, std::uint32_t width,
    const std::function<void(std::uint32_t r, std::span<std::uint8_t> rgb)>& row,
    const std::vector<std::pair<std::string, std::string>>& text = {}, const std::stop_token& stop = {});
/// A picture of 8-bit RGB: `rgb` holds 3·height·width bytes in row-major order; `text` (keyword, text) goes
/// into text chunks. Errors: output, also for sides of 0 or above 1,000,000 pixels; cancelled.
[[nodiscard]] Result<void> write_png(const std::string& path, std::uint32_t height, std::uint32_t width,
                                     std::span<const std::uint8_t> rgb,
                                     const std::vector<std::pair<std::string, std::string>>& text = {},
                                     const std::stop_token& stop = {});

}  // namespace spyctrum
