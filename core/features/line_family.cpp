// SPDX-License-Identifier: Apache-2.0
// Sixteen projections at once: the signs of an index are the bits of one random number, and two real
// projections x, y share one complex transform of z = x + iy, |Z(c)|² + |Z(−c)|² = 2(|X(c)|² + |Y(c)|²).
// Powers of rows: columns with few entries add their pairs to c(d); columns with many are transformed, two
// real ones at a time in the same way.
#include "core/features/line_family.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>

#include "core/fft/aligned_buffer.hpp"
#include "core/fft/fft.hpp"
#include "core/matrix/entry_weights.hpp"
#include "core/matrix/random.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kProjections = kLineProjections;
using Signs = std::array<float, kProjections>;

/// The entry (i, j) re-indexed: the index that c multiplies, and the index along the line.
struct Place {
  std::uint64_t line = 0;
  std::uint64_t along = 0;
};

Place place_of(LineDirection direction, std::uint64_t i, std::uint64_t j, std::uint64_t n) {
  switch (direction) {
    case LineDirection::rows:
      return {i, j};
    case LineDirection::columns:
      return {j, i};
    case LineDirection::sums:
      return {j, i >= j ? i - j : i + n - j};
    case LineDirection::differences:
      return {j == 0 ? 0 : n - j, i + j >= n ? i + j - n : i + j};
  }
  return {};
}

void require_square(const SparsePattern& pattern, LineDirection direction) {
  const bool is_diagonal = direction == LineDirection::sums || direction == LineDirection::differences;
  if (is_diagonal && pattern.rows() != pattern.cols())
    throw Failure(ErrorCode::wrong_use,
                  "The diagonals u ± v = c of the plane are defined for square patterns only.");
}

std::vector<Signs> random_signs(std::uint64_t count) {
  const std::vector<std::uint16_t> bits = projection_signs(count);
  std::vector<Signs> signs(count);
  for (std::uint64_t k = 0; k < count; ++k)
    for (std::size_t r = 0; r < kProjections; ++r)
      signs[k][r] = (static_cast<unsigned>(bits[k]) >> r & 1U) != 0 ? 1.0F : -1.0F;
  return signs;
}

/// For each line c, Σ|Z(c)|² over the pairs of projections; transformed in lanes.
std::vector<double> summed_powers(const std::vector<Signs>& sums, JobContext& context) {
  const auto& loop = loops<float>();
  const std::size_t lines = sums.size();
  const PlanPtr plan = complex_plan<float>(lines);
  const std::size_t lanes = loop.lanes;
  const std::size_t workspace = kernels::kernels().workspace(plan.get());
  AlignedBuffer<float> buffer(2 * lanes * lines);
  AlignedBuffer<float> work(workspace);
  std::vector<double> powers(lines);
  for (std::size_t first = 0; first < kProjections / 2; first += lanes) {
    const std::size_t pairs = std::min(lanes, kProjections / 2 - first);
    std::fill_n(buffer.data(), buffer.size(), 0.0F);
    for (std::size_t c = 0; c < lines; ++c)
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        buffer.data()[2 * c * lanes + pair] = sums[c][2 * (first + pair)];
        buffer.data()[(2 * c + 1) * lanes + pair] = sums[c][2 * (first + pair) + 1];
      }
    context.check_stop();
    const float* result = loop.fft_lanes(plan.get(), buffer.data(), work.data(), true);
    for (std::size_t c = 0; c < lines; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < 2 * lanes; ++k)
        sum += result[2 * c * lanes + k] * result[2 * c * lanes + k];
      powers[c] += static_cast<double>(sum);
    }
  }
  return powers;
}

constexpr double kMostOperations = 48;  // for each entry and row
constexpr std::size_t kColumnsPerCheck = 256;

/// Computes row_powers().
class Autocorrelation {
 public:
  explicit Autocorrelation(const SparsePattern& pattern) : pattern_(pattern) {
    const auto rows = static_cast<double>(pattern.rows());
    transform_cost_ = 3 * rows * std::log2(rows + 1);
  }

  [[nodiscard]] bool is_transformed(std::size_t k) const { return pairs(k) > transform_cost_; }
  [[nodiscard]] double operations() const {
    double sum = 0;
    for (std::size_t k = 0; k < pattern_.column_ids().size(); ++k) sum += std::min(pairs(k), transform_cost_);
    return sum;
  }

  [[nodiscard]] std::vector<float> powers(JobContext& context) {
    const std::size_t m = pattern_.rows();
    std::vector<double> sums(m);  // c(d), then by row u its power over n
    sums[0] = pattern_.weight_squares();
    for (std::size_t k = 0; k < pattern_.column_ids().size(); ++k) {
      if (k % kColumnsPerCheck == 0) context.check_stop();
      if (!is_transformed(k)) add_pairs(k, sums);
    }
    std::vector<std::complex<double>> buffer(sums.begin(), sums.end());
    fft_rows(buffer.data(), m, 1, m);
    for (std::size_t u = 0; u < m; ++u) sums[u] = buffer[u].real();
    add_transformed(buffer, sums, context);
    std::vector<float> relative(m);
    for (std::size_t u = 0; u < m; ++u)
      relative[u] = static_cast<float>(std::max(0.0, sums[u] / pattern_.weight_squares()));
    return relative;
  }

 private:
  [[nodiscard]] double pairs(std::size_t k) const {
    const auto entries = static_cast<double>(pattern_.column(k).size());
    return entries * entries / 2;
  }
  /// Adds a column's pairs of different rows to c(d), both lags ±d at one, since the cosine is even.
  void add_pairs(std::size_t k, std::vector<double>& lags) const {
    const auto rows = pattern_.column(k);
    const auto weights = pattern_.column_weights(k);
    for (std::size_t s = 0; s < rows.size(); ++s) {
      if (weights.empty()) {
        for (std::size_t t = s + 1; t < rows.size(); ++t) lags[rows[t] - rows[s]] += 2;
      } else {
        const double twice = 2 * static_cast<double>(weights[s]);
        for (std::size_t t = s + 1; t < rows.size(); ++t) lags[rows[t] - rows[s]] += twice * weights[t];
      }
    }
  }
  /// Adds the power of the columns that are transformed, but Σa² of each, which c(0) contained already;
  /// `buffer` has m values.
  void add_transformed(std::vector<std::complex<double>>& buffer, std::vector<double>& sums,
                       JobContext& context) const {
    const std::size_t m = buffer.size();
    std::size_t filled = 0;
    double squares = 0;
    const auto transform = [&] {
      context.check_stop();
      fft_rows(buffer.data(), m, 1, m);
      for (std::size_t u = 0; u < m; ++u)
        sums[u] += (std::norm(buffer[u]) + std::norm(buffer[u == 0 ? 0 : m - u])) / 2 - squares;
      filled = 0;
      squares = 0;
    };
    for (std::size_t k = 0; k < pattern_.column_ids().size(); ++k) {
      if (!is_transformed(k)) continue;
      if (filled == 0) buffer.assign(m, 0.0);
      const auto weights = pattern_.column_weights(k);
      for (std::size_t t = 0; t < pattern_.column(k).size(); ++t) {
        const double one = weights.empty() ? 1.0 : static_cast<double>(weights[t]);
        buffer[pattern_.column(k)[t]] += filled == 0 ? std::complex(one, 0.0) : std::complex(0.0, one);
        squares += one * one;
      }
      if (++filled == 2) transform();
    }
    if (filled > 0) transform();
  }

  const SparsePattern& pattern_;
  double transform_cost_;  // operations of one FFT
};

}  // namespace

std::uint64_t line_count(const SparsePattern& pattern, LineDirection direction) {
  return direction == LineDirection::rows ? pattern.rows() : pattern.cols();
}

std::vector<std::uint16_t> projection_signs(std::uint64_t count) {
  const CounterRandom random(1, 0x6c696e65);
  std::vector<std::uint16_t> signs(count);
  for (std::uint64_t k = 0; k < count; ++k) signs[k] = static_cast<std::uint16_t>(random.bits(k));
  return signs;
}

double line_power_unit(const SparsePattern& pattern) {
  return 2.0 * static_cast<double>(kProjections) * pattern.weight_squares();
}

SparsePattern pattern_along(const SparsePattern& pattern, LineDirection direction, JobContext& context) {
  require_square(pattern, direction);
  if (direction == LineDirection::rows) return pattern;
  if (direction == LineDirection::columns) return pattern.transposed(&context);
  std::vector<std::uint64_t> entries;
  entries.reserve(static_cast<std::size_t>(pattern.nonzeros()));
  for_each_entry(pattern, &context, [&](std::uint64_t i, std::uint64_t j, std::size_t) {
    const Place place = place_of(direction, i, j, pattern.cols());
    entries.push_back(place.along << 32U | place.line);
  });
  return SparsePattern::moved(pattern, pattern.rows(), pattern.cols(), std::move(entries), context);
}

std::vector<float> line_powers(const SparsePattern& pattern, LineDirection direction, JobContext& context) {
  require_square(pattern, direction);
  const std::uint64_t lines = line_count(pattern, direction);
  const std::uint64_t length = direction == LineDirection::rows ? pattern.cols() : pattern.rows();
  const std::vector<Signs> signs = random_signs(length);
  std::vector<Signs> sums(lines, Signs{});
  const auto add_entries = [&]<bool weighted>(std::bool_constant<weighted>) {
    const auto weights = pattern.weights();
    for_each_entry(pattern, &context, [&](std::uint64_t i, std::uint64_t j, [[maybe_unused]] std::size_t t) {
      const Place place = place_of(direction, i, j, pattern.cols());
      Signs& to = sums[place.line];
      const Signs& from = signs[place.along];
      for (std::size_t r = 0; r < kProjections; ++r) {
        if constexpr (weighted)
          to[r] += weights[t] * from[r];
        else
          to[r] += from[r];
      }
    });
  };
  if (pattern.has_weights())
    add_entries(std::true_type());
  else
    add_entries(std::false_type());
  const std::vector<double> powers = summed_powers(sums, context);
  std::vector<float> relative(lines);
  const double unit = line_power_unit(pattern);
  for (std::uint64_t c = 0; c < lines; ++c)
    relative[c] = static_cast<float>((powers[c] + powers[c == 0 ? 0 : lines - c]) / unit);
  return relative;
}

std::vector<float> row_powers(const SparsePattern& pattern, JobContext& context) {
  if (!(pattern.weight_squares() > 0)) return {};
  Autocorrelation autocorrelation(pattern);
  const double most =
      kMostOperations * (static_cast<double>(pattern.nonzeros()) + static_cast<double>(pattern.rows()));
  if (autocorrelation.operations() > most) return {};
  return autocorrelation.powers(context);
}

}  // namespace spyctrum
