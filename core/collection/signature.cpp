// SPDX-License-Identifier: Apache-2.0
// The parts of a signature, and distances of signatures.
#include "core/collection/signature.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/fft/fft.hpp"
#include "core/matrix/random.hpp"
#include "core/matrix/reordering.hpp"

namespace spyctrum {

namespace {

using BlockCells = std::array<float, kBlockSide * kBlockSide>;
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
        const double modulo = angle - std::numbers::pi * std::floor(angle / std::numbers::pi);
        const auto sector = std::min<std::size_t>(
            static_cast<std::size_t>(modulo / std::numbers::pi * kSectors), kSectors - 1);
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
void add_power(const BlockCells& cells, double factor, Sums& sums) {
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

/// Blocks of each scale.
constexpr std::size_t kBlocks = 64;
/// Factor of the common parts beside the canonical ones, which are for finding the same matrix in another
/// order: its common parts are equal.
constexpr float kCommonFactor = 5;

std::span<float> part_of(Signature& signature, std::string_view id) {
  for (std::size_t p = 0; p < kSignatureParts.size(); ++p)
    if (kSignatureParts.at(p).id == id)
      return std::span(signature).subspan(kSignatureOffsets.at(p), kSignatureParts.at(p).size);
  throw Failure(ErrorCode::internal, "A signature has no part " + std::string(id) + ".");
}

void put(Signature& signature, std::string_view id, std::span<const float> values) {
  std::ranges::copy(values, part_of(signature, id).begin());
}

void put_roots(Signature& signature, std::string_view id, std::span<const double> shares) {
  std::ranges::transform(shares, part_of(signature, id).begin(),
                         [](double share) { return static_cast<float>(std::sqrt(std::max(share, 0.0))); });
}

/// log₂((1 + q)/(1 + mean)) for five quantiles q of the entries per line, log₂(1 + mean), share of empty
/// lines.
std::array<float, kLevels> levels(const AxisCounts& axis, std::uint64_t side) {
  std::vector<std::int64_t> counts = axis.counts;
  std::ranges::sort(counts);
  const auto lines = static_cast<double>(side);
  const double empty = lines - static_cast<double>(counts.size());
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  const double mean = total / lines;
  std::array<float, kLevels> values{};
  std::size_t k = 0;
  for (const double quantile : {0.1, 0.5, 0.9, 0.99, 1.0}) {
    const double place = std::ceil(quantile * lines) - 1 - empty;
    const double at =
        place < 0
            ? 0.0
            : static_cast<double>(counts.at(std::min(static_cast<std::size_t>(place), counts.size() - 1)));
    values.at(k++) = static_cast<float>(std::log2((1 + at) / (1 + mean)));
  }
  values.at(k++) = static_cast<float>(std::log2(1 + mean));
  values.at(k) = static_cast<float>(empty / lines);
  return values;
}

/// ln(Σ c²/K)/ln(1 + side), 0 … 1, where c runs over the numbers of entries on parallel lines of `side`
/// positions: by Parseval, Σ c²/K is the mean of |F|²/K on the line of the spectrum perpendicular to them.
float concentration(double squares, std::int64_t nonzeros, std::uint64_t side) {
  if (nonzeros == 0) return 0;
  return static_cast<float>(std::log(std::max(squares / static_cast<double>(nonzeros), 1.0)) /
                            std::log(1 + static_cast<double>(side)));
}

double squares_of(std::span<const std::int64_t> counts) {
  double sum = 0;
  for (const std::int64_t count : counts) sum += static_cast<double>(count) * static_cast<double>(count);
  return sum;
}

/// Lines v = 0, u = 0, u + v ≡ 0 and u − v ≡ 0: entries per row, column, cyclic diagonal, cyclic
/// antidiagonal. Columns of a pattern that is not square are counted in units of n/m.
std::array<float, 4> line_values(const SparsePattern& pattern, JobContext& context) {
  const std::uint64_t side = pattern.rows();
  std::vector<std::int64_t> diagonals(side);
  std::vector<std::int64_t> antidiagonals(side);
  const Booking booking(context.memory(), 16 * side, "diagonals");
  const auto ids = pattern.column_ids();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (k % 1024 == 0) context.check_stop();
    const std::uint64_t col = static_cast<std::uint64_t>(ids[k]) * side / pattern.cols();
    for (const Index row : pattern.column(k)) {
      ++diagonals[(col + side - row) % side];
      ++antidiagonals[(col + row) % side];
    }
  }
  const std::int64_t nonzeros = pattern.nonzeros();
  return {concentration(squares_of(pattern.row_counts().counts), nonzeros, pattern.cols()),
          concentration(squares_of(pattern.column_counts().counts), nonzeros, pattern.rows()),
          concentration(squares_of(diagonals), nonzeros, side),
          concentration(squares_of(antidiagonals), nonzeros, side)};
}

/// √ of the 10, 25, 50, 75 and 90 % quantiles of |i/m − j/n| in the new order, over at most 2^16 entries.
std::array<float, 5> band_values(const SparsePattern& pattern, const Permutation& order) {
  const auto count = static_cast<std::size_t>(pattern.nonzeros());
  const std::size_t step = std::max<std::size_t>(count >> 16U, 1);
  std::vector<float> distances;
  const auto starts = pattern.column_starts();
  std::size_t column = 0;
  for (std::size_t t = 0; t < count; t += step) {
    while (static_cast<std::size_t>(starts[column + 1]) <= t) ++column;
    const double i = order.rows[pattern.row_indices()[t]] / static_cast<double>(pattern.rows());
    const double j = order.cols[pattern.column_ids()[column]] / static_cast<double>(pattern.cols());
    distances.push_back(static_cast<float>(std::sqrt(std::abs(i - j))));
  }
  std::ranges::sort(distances);
  std::array<float, 5> values{};
  constexpr std::array kQuantiles{0.1, 0.25, 0.5, 0.75, 0.9};
  for (std::size_t k = 0; k < values.size() && !distances.empty(); ++k)
    values.at(k) =
        distances.at(static_cast<std::size_t>(kQuantiles.at(k) * static_cast<double>(distances.size() - 1)));
  return values;
}

/// Weighted squared distances of the parts of one view.
template <class Use>
float sum_of(SignatureView view, const float* a, const float* b, const Use& use) {
  float total = 0;
  for (std::size_t p = 0; p < kSignatureParts.size(); ++p) {
    const SignaturePart& part = kSignatureParts[p];
    if (part.view != view) continue;
    float sum = 0;
    for (std::size_t k = kSignatureOffsets[p]; k < kSignatureOffsets[p + 1]; ++k) {
      const float difference = a[k] - b[k];
      sum += difference * difference;
    }
    sum = std::min(part.weight * sum, part.most);
    use(p, sum);
    total += sum;
  }
  return total;
}

template <class Use>
float squared_distance(const float* a, const float* b, const SignatureUse& which, SignatureView& view,
                       const Use& use) {
  const float common = sum_of(SignatureView::common, a, b, use);
  constexpr float kUnused = 1e30F;
  const float stored = which.stored ? common + sum_of(SignatureView::stored, a, b, use) : kUnused;
  const float canonical =
      which.canonical ? kCommonFactor * common + sum_of(SignatureView::canonical, a, b, use) : kUnused;
  view = stored <= canonical ? SignatureView::stored : SignatureView::canonical;
  return std::min(stored, canonical);
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
    BlockCells cells{};
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
  BlockCells cells{};
  const double scale = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(pattern.nonzeros(), 1)));
  std::ranges::transform(counts, cells.begin(),
                         [&](double count) { return static_cast<float>(count * scale); });
  Sums sums{};
  add_power(cells, 1, sums);
  return shares_of(sums);
}

Signature signature_of(const SparsePattern& pattern, const Features& features, JobContext& context) {
  Signature signature{};
  const auto log_of = [](auto value) {
    return static_cast<float>(std::log2(1 + static_cast<double>(value)));
  };
  put(signature, "size",
      std::array{log_of(pattern.rows()), log_of(pattern.cols()), log_of(pattern.nonzeros())});
  const auto rows = levels(pattern.row_counts(), pattern.rows());
  const auto cols = levels(pattern.column_counts(), pattern.cols());
  std::array<float, 2 * kLevels> counts{};
  std::ranges::copy(cols, std::ranges::copy(rows, counts.begin()).out);
  put(signature, "counts", counts);
  put_roots(signature, "radial", features.radial);
  put_roots(signature, "sectors", features.sectors);
  put(signature, "lines", line_values(pattern, context));
  put(signature, "numbers",
      std::array{static_cast<float>(features.entropy), static_cast<float>(features.low_frequency_ratio),
                 static_cast<float>(std::min(features.flatness, 1.0))});
  put(signature, "blocks-1", local_shares(pattern, 1, kBlocks, context.seed(), context));
  put(signature, "blocks-8", local_shares(pattern, 8, kBlocks, context.seed(), context));
  put(signature, "whole", whole_shares(pattern, {}, {}, context));
  const Permutation rcm = compute_permutation(pattern, Order::reverse_cuthill_mckee, context.seed(), context);
  put(signature, "rcm", whole_shares(pattern, rcm.rows, rcm.cols, context));
  put(signature, "band", band_values(pattern, rcm));
  const Permutation degree = compute_permutation(pattern, Order::degree, context.seed(), context);
  put(signature, "degree", whole_shares(pattern, degree.rows, degree.cols, context));
  return signature;
}

Signature transposed(const Signature& signature) {
  Signature other = signature;
  for (std::size_t p = 0; p < kSignatureParts.size(); ++p) {
    const SignaturePart& part = kSignatureParts.at(p);
    const auto from = std::span(signature).subspan(kSignatureOffsets.at(p), part.size);
    const auto to = std::span(other).subspan(kSignatureOffsets.at(p), part.size);
    for (std::size_t k = 0; k < part.size; ++k) {
      std::size_t source = k;
      if (part.rule == TransposeRule::halves) source = (k + part.size / 2) % part.size;
      if (part.rule == TransposeRule::first_two && k < 2) source = 1 - k;
      if (part.rule == TransposeRule::sectors)
        source = k / kSectors * kSectors + (kSectors / 2 + kSectors - k % kSectors) % kSectors;
      to[k] = from[source];
    }
  }
  return other;
}

SignatureDistance distance_between(const Signature& a, const Signature& b, const SignatureUse& use) {
  SignatureDistance best;
  for (const bool transpose : {false, true}) {
    if (transpose && !use.transposed) continue;
    const Signature query = transpose ? transposed(a) : a;
    SignatureDistance found;
    const auto note = [&](std::size_t p, float squared) { found.parts.at(p) = std::sqrt(squared); };
    found.distance = std::sqrt(squared_distance(query.data(), b.data(), use, found.view, note));
    found.transposed = transpose;
    if (!transpose || found.distance < best.distance) best = found;
  }
  return best;
}

std::vector<float> distances_to_all(const Signature& query, std::span<const float> all, ThreadPool& pool,
                                    const SignatureUse& use) {
  const std::size_t count = all.size() / kSignatureSize;
  const Signature transpose = transposed(query);
  std::vector<float> distances(count);
  pool.parallel_for(count, 1024, [&](std::size_t begin, std::size_t end, unsigned) {
    SignatureView ignored{};
    const auto nothing = [](std::size_t, float) {};
    for (std::size_t k = begin; k < end; ++k) {
      const float* other = all.data() + k * kSignatureSize;
      float squared = squared_distance(query.data(), other, use, ignored, nothing);
      if (use.transposed)
        squared = std::min(squared, squared_distance(transpose.data(), other, use, ignored, nothing));
      distances[k] = std::sqrt(squared);
    }
  });
  return distances;
}

}  // namespace spyctrum
