// SPDX-License-Identifier: Apache-2.0
// Writes a plane that is produced row by row and is never in memory as a whole: .npy, .npz with its
// frequencies, or .png as log magnitude through a colour map.
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
  /// Fills row r; required if `element` is complex64.
  std::function<void(std::uint64_t r, std::span<std::complex<float>> out)> complex_row;
  /// Fills row r with |F|, or with |F|² if `real_is_power` is set.
  std::function<void(std::uint64_t r, std::span<float> out)> real_row;
  /// Optional: the values of row r at columns first, first + step, …, if this is cheaper than the whole row.
  std::function<void(std::uint64_t r, std::uint64_t first, std::uint64_t step, std::span<float> out)>
      real_samples;
  bool real_is_power = false;
  /// Factor of the values in .npy and .npz. The colours of a picture do not depend on it.
  double scale = 1;
  std::vector<std::pair<std::string, std::string>> text;  ///< provenance
  std::string colormap;                                   ///< for .png; empty: the default map
};

/// To be called before anything is computed. Throws Failure: wrong_use if `path` does not end in .npy, .npz
/// or .png, or if the map does not exist; output if the file cannot be written.
void check_output(const std::string& path, const std::string& colormap, const std::stop_token& stop);
/// Writes in the format given by the ending of `path`. Throws Failure: wrong_use for a picture of more than
/// 2^28 pixels; output; cancelled; out_of_memory.
void write_plane(const std::string& path, const PlaneOutput& plane, JobContext& context);

/// "name: value" lines.
[[nodiscard]] std::string provenance_lines(const std::vector<std::pair<std::string, std::string>>& text);

}  // namespace spyctrum::cli
