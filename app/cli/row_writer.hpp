// SPDX-License-Identifier: Apache-2.0
// Writes a plane that is produced row by row, never held as a whole: .npy, .npz with its frequencies, .png as
// log magnitude through a colour map.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/common_options.hpp"

namespace spyctrum::cli {

enum class Element { complex64, float32 };

struct PlaneOutput {
  std::uint64_t rows = 0, cols = 0;
  Element element = Element::float32;
  std::vector<std::int64_t> u, v;  ///< signed DFT indices of rows and columns
  /// Fills row r; `element` says which of the two is used.
  std::function<void(std::uint64_t r, std::span<std::complex<float>> out)> complex_row;
  std::function<void(std::uint64_t r, std::span<float> out)> real_row;
  /// Optional, beside real_row: the values of row r at columns first, first + step, …, cheaper than the row.
  std::function<void(std::uint64_t r, std::uint64_t first, std::uint64_t step, std::span<float> out)>
      real_samples;
  bool real_is_power = false;  ///< float32 values are |F|² (else |F|); both are drawn as log10
  std::vector<std::pair<std::string, std::string>> text;  ///< provenance
  std::string colormap;                                   ///< for .png; empty: the default map
};

/// The ending of `path` chooses the format: .npy, .npz, .png. Errors: wrong_use for another ending or a
/// map that does not exist, or for a picture of more than 2^28 pixels; output; cancelled.
[[nodiscard]] Result<void> write_plane(const std::string& path, const PlaneOutput& plane,
                                       JobContext& context);

/// "name: value" lines.
[[nodiscard]] std::string provenance_lines(const std::vector<std::pair<std::string, std::string>>& text);

/// Checks ending and colour map; call it before anything is computed. Errors: wrong_use.
[[nodiscard]] Result<void> check_output(const std::string& path, const std::string& colormap);

}  // namespace spyctrum::cli
