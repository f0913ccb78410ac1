// SPDX-License-Identifier: Apache-2.0
// Counts of entries in 32 × 32 cells, and their power by ring and sector.
#include "core/collection/block_spectra.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "core/fft/fft.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

using Cells = std::array<float, kBlockSide * kBlockSide>;
using Sums = std::array<double, kBlockShares>;

/// The class r·kSectors + k of each frequency.
const std::array<std::uint8_t, kBlockSide * kBlockSide>& classes() {
  static const auto table = [] {
    std::array<std::uint8_t, kBlockSide * kBlockSide> made{};
    constexpr auto kSide = static_cast<int>(kBlockSide);
    for (int u = 0; u < kSide; ++u) {
      for (int v = 0; v < kSide; ++v) {
        const double y = u < kSide / 2 ? u : u - kSide;
        const double x = v < kSide / 2 ? v : v - kSide;
        const double angle = std::atan2(y, x) + std::numbers::pi / (2 * kSectors);
        const double turned = angle - std::numbers::pi * std::floor(angle / std::numbers::pi);
        const auto sector = std::min<std::size_t>(
            static_cast<std::size_t>(turned / std::numbers::pi * kSectors), kSectors - 1);
        const auto ring = std::min<std::size_t>(
            static_cast<std::size_t>(std::hypot(x, y) / (kSide / 2.0) * kBlockRings), kBlockRings - 1);
        made[static_cast<std::size_t>(u) * kSide + static_cast<std::size_t>(v)] =
            static_cast<std::uint8_t>(ring * kSectors + sector);
      }
    }
    return made;
  }();
  return table;
}

/// Adds the non-DC power of the cells, times `factor`.
void add_power(const Cells& cells, double factor, Sums& sums) {
  std::array<std::complex<float>, kBlockSide * kBlockSide> plane;
  std::ranges::transform(cells, plane.begin(), [](float count) { return std::complex<float>(count); });
  for (int pass = 0; pass < 2; ++pass) {
    fft_rows(plane.data(), kBlockSide, kBlockSide, kBlockSide);
    for (std::size_t r = 0; r < kBlockSide; ++r)
      for (std::size_t c = 0; c < r; ++c) std::swap(plane[r * kBlockSide + c], plane[c * kBlockSide + r]);
  }
  for (std::size_t k = 1; k < plane.size(); ++k) sums[classes()[k]] += factor * std::norm(plane[k]);
}

BlockShares shares_of(const Sums& sums) {
  double total = 0;
  for (const double sum : sums) total += sum;
  BlockShares shares{};
  if (total > 0)
    std::ranges::transform(sums, shares.begin(),
                           [&](double sum) { return static_cast<float>(std::sqrt(sum / total)); });
  return shares;
}

/// First place of a block of `width` around `center` on an axis of `side`.
std::uint64_t block_begin(std::uint64_t center, std::uint64_t width, std::uint64_t side) {
  if (side <= width) return 0;
  const std::uint64_t begin = center > width / 2 ? center - width / 2 : 0;
  return std::min(begin, side - width);
}

}  // namespace

BlockShares local_shares(const SparsePattern& pattern, std::uint64_t cell, std::size_t blocks,
                         std::uint64_t seed, JobContext& context) {
  const auto starts = pattern.column_starts();
  const auto ids = pattern.column_ids();
  const auto nonzeros = static_cast<std::uint64_t>(pattern.nonzeros());
  const std::uint64_t width = kBlockSide * cell;
  const CounterRandom random(seed, cell);
  Sums sums{};
  for (std::size_t b = 0; b < blocks && nonzeros > 0; ++b) {
    context.check_stop();
    const auto entry = static_cast<std::int64_t>(random.below(b, nonzeros));
    const auto column =
        static_cast<std::size_t>(std::ranges::upper_bound(starts, entry) - starts.begin()) - 1;
    const std::uint64_t row0 =
        block_begin(pattern.row_indices()[static_cast<std::size_t>(entry)], width, pattern.rows());
    const std::uint64_t col0 = block_begin(ids[column], width, pattern.cols());
    Cells cells{};
    double count = 0;
    for (auto k = static_cast<std::size_t>(std::ranges::lower_bound(ids, col0) - ids.begin());
         k < ids.size() && ids[k] < col0 + width; ++k) {
      const auto rows = pattern.column(k);
      for (auto at = std::ranges::lower_bound(rows, row0); at != rows.end() && *at < row0 + width; ++at) {
        cells[(*at - row0) / cell * kBlockSide + (ids[k] - col0) / cell] += 1;
        ++count;
      }
    }
    add_power(cells, 1 / count, sums);
  }
  return shares_of(sums);
}

BlockShares whole_shares(const SparsePattern& pattern, const std::vector<Index>& rows,
                         const std::vector<Index>& cols, JobContext& context) {
  const auto ids = pattern.column_ids();
  std::vector<double> counts(kBlockSide * kBlockSide);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (k % 1024 == 0) context.check_stop();
    const std::uint64_t col = cols.empty() ? ids[k] : cols[ids[k]];
    for (const Index i : pattern.column(k)) {
      const std::uint64_t row = rows.empty() ? i : rows[i];
      counts[row * kBlockSide / pattern.rows() * kBlockSide + col * kBlockSide / pattern.cols()] += 1;
    }
  }
  Cells cells{};
  const double scale = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(pattern.nonzeros(), 1)));
  std::ranges::transform(counts, cells.begin(),
                         [&](double count) { return static_cast<float>(count * scale); });
  Sums sums{};
  add_power(cells, 1, sums);
  return shares_of(sums);
}

}  // namespace spyctrum
