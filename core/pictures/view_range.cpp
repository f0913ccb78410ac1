// SPDX-License-Identifier: Apache-2.0
// The automatic range of a picture, and the value of the coefficient under the cursor.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/pictures/cell_axis.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

namespace {

/// Which cells of an axis show index 0.
std::vector<bool> cells_of_zero(double start, double end, std::uint32_t cells) {
  constexpr std::int64_t kAnywhere = std::int64_t{1} << 33U;
  const CellAxis axis = CellAxis::of_indices({start, end, cells}, {-kAnywhere, kAnywhere}, -0.5);
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

/// e^{−2πi·k·x/size} for many x, by two tables of about √size roots; k·x is reduced modulo size as an
/// integer.
class RootTable {
 public:
  RootTable(std::uint64_t frequency, std::uint64_t size) : frequency_(frequency), size_(size) {
    while ((std::uint64_t{1} << (2 * shift_)) < size) ++shift_;
    const std::uint64_t fine = std::uint64_t{1} << shift_;
    for (std::uint64_t k = 0; k < fine; ++k) fine_.push_back(root(k));
    for (std::uint64_t k = 0; k * fine < size; ++k) coarse_.push_back(root(k * fine));
  }
  [[nodiscard]] std::complex<double> at(std::uint64_t x) const {
    const std::uint64_t phase = frequency_ * x % size_;
    return coarse_[phase >> shift_] * fine_[phase & ((std::uint64_t{1} << shift_) - 1)];
  }

 private:
  [[nodiscard]] std::complex<double> root(std::uint64_t k) const {
    return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size_));
  }
  std::uint64_t frequency_;
  std::uint64_t size_;
  unsigned shift_ = 0;
  std::vector<std::complex<double>> fine_;
  std::vector<std::complex<double>> coarse_;
};

}  // namespace

DisplayRange automatic_range(const CellImage& image, double low_percent, double high_percent, bool skip_dc,
                             bool skip_axes, int channel) {
  const std::vector<bool> zero_row = cells_of_zero(image.rect.top, image.rect.bottom, image.height);
  const std::vector<bool> zero_col = cells_of_zero(image.rect.left, image.rect.right, image.width);
  std::vector<float> logs;
  logs.reserve(image.cells.size() / 2);
  for (std::uint32_t r = 0; r < image.height; ++r) {
    for (std::uint32_t c = 0; c < image.width; ++c) {
      const bool on_axis = zero_row[r] || zero_col[c];
      const bool is_dc = zero_row[r] && zero_col[c];
      if ((skip_axes && on_axis) || (skip_dc && is_dc)) continue;
      const std::size_t cell = static_cast<std::size_t>(r) * image.width + c;
      const float value = image.cells[2 * cell + static_cast<std::size_t>(channel)];
      if (std::isfinite(value) && value > 0) logs.push_back(std::log10(value));
    }
  }
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
  const auto reduce = [](std::int64_t k, std::uint64_t size) {
    return static_cast<std::uint64_t>(dft_index(k, static_cast<std::int64_t>(size)));
  };
  const RootTable row_roots(reduce(u, pattern.rows()), pattern.rows());
  const RootTable col_roots(reduce(v, pattern.cols()), pattern.cols());
  const auto ids = pattern.column_ids();
  const auto starts = pattern.column_starts();
  const auto rows = pattern.row_indices();
  std::complex<double> sum;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    std::complex<double> column;
    for (auto t = starts[k]; t < starts[k + 1]; ++t)
      column += row_roots.at(rows[static_cast<std::size_t>(t)]);
    sum += column * col_roots.at(ids[k]);
  }
  return sum;
}

}  // namespace spyctrum
