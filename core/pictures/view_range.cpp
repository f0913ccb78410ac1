// SPDX-License-Identifier: Apache-2.0
// The automatic range of a picture, and the value of the coefficient under the cursor.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/fft/lattice.hpp"
#include "core/pictures/cell_axis.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

namespace {

/// Which cells of an axis show index 0.
std::vector<bool> cells_of_zero(double start, double end, std::uint32_t cells) {
  constexpr std::uint64_t kAnySize = std::uint64_t{1} << 34U;
  const CellAxis axis = CellAxis::of_frequencies({start, end, cells}, kAnySize);
  std::vector<bool> result(cells);
  for (std::uint32_t k = 0; k < cells; ++k) result[k] = axis[k].contains(0);
  return result;
}

float percentile(std::vector<float>& values, double percent) {
  const double rank = std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(values.size() - 1);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::llround(rank));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Marks the cells of lines that are at most two cells wide: cells whose log10 differs from the median of
/// nine cells two steps apart (of which such a line contains three) by more than four standard deviations of
/// that difference. `logs`: NaN for cells without a value.
std::vector<bool> thin_cells(const std::vector<float>& logs, std::uint32_t height, std::uint32_t width) {
  constexpr std::int64_t kStep = 2;
  constexpr float kDeviations = 4;
  constexpr float kNormal = 1.4826F;  // standard deviation of normal values with median magnitude 1
  // share of the distance of the quartiles; a smooth picture has no lines
  constexpr float kLeastShare = 0.1F;
  std::vector<float> differences(logs.size(), std::numeric_limits<float>::quiet_NaN());
  std::vector<float> magnitudes;
  std::vector<float> values;
  for (std::int64_t r = 0; r < height; ++r) {
    for (std::int64_t c = 0; c < width; ++c) {
      const auto cell = static_cast<std::size_t>(r * width + c);
      if (std::isnan(logs[cell])) continue;
      values.push_back(logs[cell]);
      std::array<float, 9> around{};
      std::size_t count = 0;
      for (std::int64_t i = r - kStep; i <= r + kStep; i += kStep) {
        for (std::int64_t j = c - kStep; j <= c + kStep; j += kStep) {
          if (i < 0 || j < 0 || i >= height || j >= width) continue;
          const float value = logs[static_cast<std::size_t>(i * width + j)];
          if (!std::isnan(value)) around[count++] = value;
        }
      }
      const auto middle = around.begin() + static_cast<std::ptrdiff_t>(count / 2);
      std::nth_element(around.begin(), middle, around.begin() + static_cast<std::ptrdiff_t>(count));
      differences[cell] = logs[cell] - *middle;
      magnitudes.push_back(std::abs(differences[cell]));
    }
  }
  std::vector<bool> thin(logs.size());
  if (values.empty()) return thin;
  const float quartiles = percentile(values, 75) - percentile(values, 25);
  const float limit = kDeviations * std::max(kNormal * percentile(magnitudes, 50), kLeastShare * quartiles);
  for (std::size_t cell = 0; cell < logs.size(); ++cell) thin[cell] = std::abs(differences[cell]) > limit;
  return thin;
}

}  // namespace

DisplayRange automatic_range(const CellImage& image, double low_percent, double high_percent, bool skip_dc,
                             bool skip_axes, int channel) {
  const std::vector<bool> zero_row = cells_of_zero(image.rect.top, image.rect.bottom, image.height);
  const std::vector<bool> zero_col = cells_of_zero(image.rect.left, image.rect.right, image.width);
  std::vector<float> by_cell(image.cells.size() / 2, std::numeric_limits<float>::quiet_NaN());
  for (std::uint32_t r = 0; r < image.height; ++r) {
    for (std::uint32_t c = 0; c < image.width; ++c) {
      const bool on_axis = zero_row[r] || zero_col[c];
      const bool is_dc = zero_row[r] && zero_col[c];
      if ((skip_axes && on_axis) || (skip_dc && is_dc)) continue;
      const std::size_t cell = static_cast<std::size_t>(r) * image.width + c;
      const float value = image.cells[2 * cell + static_cast<std::size_t>(channel)];
      if (std::isfinite(value) && value > 0) by_cell[cell] = std::log10(value);
    }
  }
  std::vector<bool> thin(by_cell.size());
  if (high_percent < 100) thin = thin_cells(by_cell, image.height, image.width);
  std::vector<float> logs;
  logs.reserve(by_cell.size());
  for (std::size_t cell = 0; cell < by_cell.size(); ++cell)
    if (!std::isnan(by_cell[cell]) && !thin[cell]) logs.push_back(by_cell[cell]);
  if (logs.empty()) return {};
  DisplayRange range{percentile(logs, low_percent), percentile(logs, high_percent)};
  constexpr float kNarrowest = 1e-3F;  // for a flat picture, which has the middle colour of the map
  if (range.high - range.low < kNarrowest) {
    const float middle = (range.high + range.low) / 2;
    range = {middle - 0.5F, middle + 0.5F};
  }
  return range;
}

std::complex<double> coefficient_at(const SparsePattern& pattern, std::int64_t u, std::int64_t v) {
  if (pattern.nonzeros() == 0) return {};
  return DirectSum(pattern).at(u, v);
}

}  // namespace spyctrum
