// SPDX-License-Identifier: Apache-2.0
// Files that leave the program: NumPy arrays, PNG pictures, text. Each is
// written to a temporary name in the same folder and renamed when whole, so a
// stop or a full disk leaves no half-written file.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"

namespace spyctrum {

/// Calls `write` with a stream on a temporary file, then renames it to `path`.
/// Errors: output, with errno's text; the temporary file is removed on any
/// error or exception.
[[nodiscard]] Result<void> write_atomically(const std::string& path,
                                            const std::function<void(std::ostream&)>& write);

/// Element types of .npy: float32, complex64, int64, float64, text (dtype U is
/// not used; metadata goes as a 0-d bytes S).
struct NpyArray {
  std::string descr;  ///< "<f4", "<c8", "<i8", "<f8", "|S123"
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
};
/// The view of `values` (float, double, std::complex<float>, std::int64_t, std::uint8_t) as an array of
/// that shape, row-major; `values` must outlive it.
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
/// Text as a 0-d bytes array; `text` must outlive it. NumPy drops trailing NULs.
[[nodiscard]] inline NpyArray npy_text(std::string_view text) {
  // NumPy has no element of zero bytes: an empty text is one NUL.
  static constexpr std::string_view kEmpty("\0", 1);
  if (text.empty()) text = kEmpty;
  return {"|S" + std::to_string(text.size()), {}, std::as_bytes(std::span(text.data(), text.size()))};
}

/// The bytes before the data, for arrays that are written row by row.
[[nodiscard]] std::string npy_header(const std::string& descr, const std::vector<std::uint64_t>& shape);
[[nodiscard]] Result<void> write_npy(const std::string& path, const NpyArray& array);
/// A zip of .npy members, uncompressed (numpy.load opens it), through
/// libarchive.
[[nodiscard]] Result<void> write_npz(const std::string& path,
                                     const std::vector<std::pair<std::string, NpyArray>>& members);
/// Values at places that form no grid, as a .npz of values, u, v, weights and provenance, entry by entry.
/// Errors: wrong_use for any ending but .npz; output.
[[nodiscard]] Result<void> write_points(const std::string& path, std::span<const std::int32_t> u,
                                        std::span<const std::int32_t> v,
                                        std::span<const std::complex<float>> values,
                                        std::span<const float> weights, std::string_view provenance);
/// 8-bit RGB, row-major, 3·height·width bytes, with text chunks (provenance).
[[nodiscard]] Result<void> write_png(const std::string& path, std::uint32_t height, std::uint32_t width,
                                     std::span<const std::uint8_t> rgb,
                                     const std::vector<std::pair<std::string, std::string>>& text = {});

}  // namespace spyctrum
