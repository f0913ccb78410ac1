// SPDX-License-Identifier: Apache-2.0
// Columns with few entries add their pairs to c(d); columns with many are transformed, two real ones at a
// time: |Z(u)|² + |Z(−u)|² = 2·(|X(u)|² + |Y(u)|²) for Z the transform of x + iy.
#include "core/features/row_powers.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>

#include "core/fft/fft.hpp"

namespace spyctrum {

namespace {

constexpr double kMostOperations = 48;  // for each entry and row
constexpr std::size_t kColumnsPerCheck = 256;

class Autocorrelation {
 public:
  explicit Autocorrelation(const SparsePattern& pattern) : pattern_(pattern) {
    const auto rows = static_cast<double>(pattern.rows());
    transform_ = 3 * rows * std::log2(rows + 1);
  }

  [[nodiscard]] bool is_transformed(std::size_t k) const { return pairs(k) > transform_; }
  [[nodiscard]] double operations() const {
    double sum = 0;
    for (std::size_t k = 0; k < pattern_.column_ids().size(); ++k) sum += std::min(pairs(k), transform_);
    return sum;
  }

  [[nodiscard]] std::vector<float> powers(JobContext& context) {
    const std::size_t m = pattern_.rows();
    std::vector<double> lags(m);
    lags[0] = pattern_.weight_squares();
    for (std::size_t k = 0; k < pattern_.column_ids().size(); ++k) {
      if (k % kColumnsPerCheck == 0) context.check_stop();
      if (!is_transformed(k)) add_pairs(k, lags);
    }
    std::vector<std::complex<double>> buffer(lags.begin(), lags.end());
    fft_rows(buffer.data(), m, 1, m);
    for (std::size_t u = 0; u < m; ++u) lags[u] = buffer[u].real();
    add_transformed(buffer, lags, context);
    std::vector<float> relative(m);
    for (std::size_t u = 0; u < m; ++u)
      relative[u] = static_cast<float>(std::max(0.0, lags[u] / pattern_.weight_squares()));
    return relative;
  }

 private:
  [[nodiscard]] double pairs(std::size_t k) const {
    const auto entries = static_cast<double>(pattern_.column(k).size());
    return entries * entries / 2;
  }
  /// Each pair of different rows, at both of its lags: twice at one, since the cosine is even.
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
  /// The columns that are transformed; `buffer` holds m values. The first sum holds their squares already.
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
  double transform_;
};

}  // namespace

std::vector<float> row_powers(const SparsePattern& pattern, JobContext& context) {
  if (!(pattern.weight_squares() > 0)) return {};
  Autocorrelation autocorrelation(pattern);
  const double most =
      kMostOperations * (static_cast<double>(pattern.nonzeros()) + static_cast<double>(pattern.rows()));
  if (autocorrelation.operations() > most) return {};
  return autocorrelation.powers(context);
}

}  // namespace spyctrum
