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
template <class T>
[[nodiscard]] NpyArray npy_of(std::span<const T> values, std::vector<std::uint64_t> shape);

[[nodiscard]] Result<void> write_npy(const std::string& path, const NpyArray& array);
/// A zip of .npy members, uncompressed (numpy.load opens it), through
/// libarchive.
[[nodiscard]] Result<void> write_npz(const std::string& path,
                                     const std::vector<std::pair<std::string, NpyArray>>& members);
/// 8-bit RGB, row-major, 3·height·width bytes, with text chunks (provenance).
[[nodiscard]] Result<void> write_png(const std::string& path, std::uint32_t height, std::uint32_t width,
                                     std::span<const std::uint8_t> rgb,
                                     const std::vector<std::pair<std::string, std::string>>& text = {});

}  // namespace spyctrum
