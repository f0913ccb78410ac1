// SPDX-License-Identifier: Apache-2.0
// The automatic range of a picture, and the value of the coefficient under the cursor.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/fft/lattice.hpp"
#include "core/pictures/counted_cells.hpp"
#include "core/pictures/view.hpp"

namespace spyctrum {

namespace {

/// Percentiles of many values: values are counted by the upper half of their bits, then those of one count by
/// the lower half.
class Percentiles {
 public:
  explicit Percentiles(const std::vector<float>& values) : values_(values), counts_(kHalf) {
    for (const float value : values) ++counts_[ordered(value) >> kBits];
  }
  /// The value whose rank is the nearest to `percent` of the last rank. There must be a value.
  [[nodiscard]] float at(double percent) const {
    auto rank = static_cast<std::size_t>(
        std::llround(std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(values_.size() - 1)));
    const std::uint32_t upper = take_bin(counts_, rank);
    std::vector<std::uint32_t> counts(kHalf);
    for (const float value : values_)
      if (const std::uint32_t bits = ordered(value); bits >> kBits == upper) ++counts[bits & (kHalf - 1)];
    return value_of(upper << kBits | take_bin(counts, rank));
  }

 private:
  static constexpr unsigned kBits = 16;
  static constexpr std::uint32_t kHalf = 1U << kBits;
  static constexpr std::uint32_t kSign = 1U << 31U;
  /// The bits of a float as an integer that grows with it.
  static std::uint32_t ordered(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  }
  static float value_of(std::uint32_t ordered) {
    return std::bit_cast<float>((ordered & kSign) != 0 ? ordered ^ kSign : ~ordered);
  }
  /// The bin with the value of this rank, which becomes its rank within the bin.
  static std::uint32_t take_bin(const std::vector<std::uint32_t>& counts, std::size_t& rank) {
    std::uint32_t bin = 0;
    for (; rank >= counts[bin]; ++bin) rank -= counts[bin];
    return bin;
  }
  const std::vector<float>& values_;
  std::vector<std::uint32_t> counts_;
};

constexpr std::int64_t kStep = 2;  // between the cells of which a median is taken

/// The median of the cells around row r, column c, and itself; the cell itself must have a value.
float median_around(const std::vector<float>& logs, std::int64_t r, std::int64_t c, std::int64_t height,
                    std::int64_t width) {
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
  return *middle;
}

/// The median of the values a … i by 19 comparisons without branches (J. Smith, XCELL 23, 1996), so that the
/// compiler takes several cells at once; NaN if one of the values is NaN.
inline float median_of_nine(float a, float b, float c, float d, float e, float f, float g, float h, float i) {
  const float sum = a + b + c + d + e + f + g + h + i;
  const auto sort = [](float& low, float& high) {
    const float lower = high < low ? high : low;
    high = high < low ? low : high;
    low = lower;
  };
  sort(b, c), sort(e, f), sort(h, i);
  sort(a, b), sort(d, e), sort(g, h);
  sort(b, c), sort(e, f), sort(h, i);
  sort(a, d), sort(f, i), sort(e, h);
  sort(d, g), sort(b, e), sort(c, f);
  sort(e, h), sort(e, c), sort(g, e);
  sort(e, c);
  return std::isnan(sum) ? sum : e;
}

/// median_around() of the cells of row r that have a value.
void find_medians(const std::vector<float>& logs, std::int64_t r, std::int64_t height,
                  std::vector<float>& medians) {
  const auto width = static_cast<std::int64_t>(medians.size());
  std::fill(medians.begin(), medians.end(), std::numeric_limits<float>::quiet_NaN());
  if (r >= kStep && r + kStep < height) {
    const float* const above = &logs[static_cast<std::size_t>((r - kStep) * width)];
    const float* const middle = &logs[static_cast<std::size_t>(r * width)];
    const float* const below = &logs[static_cast<std::size_t>((r + kStep) * width)];
    float* const found = medians.data();
    for (std::int64_t c = kStep; c < width - kStep; ++c)
      found[c] = median_of_nine(above[c - kStep], above[c], above[c + kStep], middle[c - kStep], middle[c],
                                middle[c + kStep], below[c - kStep], below[c], below[c + kStep]);
  }
  for (std::int64_t c = 0; c < width; ++c)
    if (float& median = medians[static_cast<std::size_t>(c)];
        std::isnan(median) && !std::isnan(logs[static_cast<std::size_t>(r * width + c)]))
      median = median_around(logs, r, c, height, width);
}

/// Marks the cells of lines that are at most two cells wide: cells whose log10 differs from the median of
/// nine cells two steps apart (of which such a line contains three) by more than four standard deviations of
/// that difference. `logs`: NaN for cells without a value.
std::vector<bool> thin_cells(const std::vector<float>& logs, std::uint32_t height, std::uint32_t width) {
  constexpr float kDeviations = 4;
  constexpr float kNormal = 1.4826F;  // standard deviation of normal values with median magnitude 1
  // share of the distance of the quartiles; a smooth picture has no lines
  constexpr float kLeastShare = 0.1F;
  std::vector<float> differences(logs.size(), std::numeric_limits<float>::quiet_NaN());
  std::vector<float> magnitudes;
  std::vector<float> values;
  magnitudes.reserve(logs.size());
  values.reserve(logs.size());
  std::vector<float> medians(width);
  for (std::int64_t r = 0; r < height; ++r) {
    find_medians(logs, r, height, medians);
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t cell = static_cast<std::size_t>(r) * width + c;
      if (std::isnan(logs[cell])) continue;
      values.push_back(logs[cell]);
      differences[cell] = logs[cell] - medians[c];
      magnitudes.push_back(std::abs(differences[cell]));
    }
  }
  std::vector<bool> thin(logs.size());
  if (values.empty()) return thin;
  const Percentiles of_values(values);
  const float quartiles = of_values.at(75) - of_values.at(25);
  const float limit =
      kDeviations * std::max(kNormal * Percentiles(magnitudes).at(50), kLeastShare * quartiles);
  for (std::size_t cell = 0; cell < logs.size(); ++cell) thin[cell] = std::abs(differences[cell]) > limit;
  return thin;
}

}  // namespace

DisplayRange automatic_range(const CellImage& image, double low_percent, double high_percent, bool skip_dc,
                             bool skip_axes, int channel) {
  std::vector<float> by_cell = counted_logs(image, skip_dc, skip_axes, channel);
  bool has_zeros = false;
  for (float& log : by_cell) {
    if (!std::isinf(log)) continue;
    has_zeros = true;
    log = std::numeric_limits<float>::quiet_NaN();
  }
  std::vector<bool> thin(by_cell.size());
  if (high_percent < 100) thin = thin_cells(by_cell, image.height, image.width);
  std::vector<float> logs;
  logs.reserve(by_cell.size());
  for (std::size_t cell = 0; cell < by_cell.size(); ++cell)
    if (!std::isnan(by_cell[cell]) && !thin[cell]) logs.push_back(by_cell[cell]);
  if (logs.empty()) return {};
  const Percentiles of_logs(logs);
  DisplayRange range{of_logs.at(low_percent), of_logs.at(high_percent)};
  // A flat picture has the middle colour of the map, lines of one power on a plane of zeros its last one.
  constexpr float kNarrowest = 1e-3F;
  constexpr double kManyCells = 25;  // percent of the cells that are not zero
  if (range.high - range.low < kNarrowest) {
    const float middle = (range.high + range.low) / 2, above = has_zeros ? 0 : 0.5F;
    range = {middle + above - 1, middle + above};
  } else if (has_zeros && of_logs.at(kManyCells) - range.low < kNarrowest) {
    // Many cells of the lowest power would have the colour of the zeros.
    range.low -= (range.high - range.low) / 2;
  }
  return range;
}

std::complex<double> coefficient_at(const SparsePattern& pattern, std::int64_t u, std::int64_t v) {
  if (pattern.nonzeros() == 0) return {};
  return DirectSum(pattern).at(u, v);
}

}  // namespace spyctrum
