// SPDX-License-Identifier: Apache-2.0
// Two passes over the entries: for the coefficient, then for the sums of positive and of negative cosines.
// Phases are exact: u·i mod m and v·j mod n are computed as integers.
#include "core/pictures/wave_sum.hpp"

#include <cmath>
#include <functional>
#include <mutex>
#include <numbers>

#include "core/frequency/frequency_grid.hpp"

namespace spyctrum {

namespace {

constexpr std::size_t kGrain = 512;  // columns

class Entries {
 public:
  Entries(const SparsePattern& pattern, std::int64_t u, std::int64_t v)
      : pattern_(pattern), u_(dft_index(u, pattern.rows())), v_(dft_index(v, pattern.cols())) {}

  /// Calls take(phase, weight) with 2π(ui/m + vj/n) of each entry in the columns [begin, end).
  template <class Take>
  void phases(std::size_t begin, std::size_t end, const Take& take) const {
    const auto turn = [](std::uint64_t k, std::uint64_t index, std::uint64_t size) {
      // Both factors are below 2^32, so that the product fits.
      return static_cast<double>(k * index % size) / static_cast<double>(size);
    };
    for (std::size_t k = begin; k < end; ++k) {
      const double across = turn(v_, pattern_.column_ids()[k], pattern_.cols());
      const auto rows = pattern_.column(k);
      const auto weights = pattern_.column_weights(k);
      for (std::size_t t = 0; t < rows.size(); ++t)
        take(2 * std::numbers::pi * (turn(u_, rows[t], pattern_.rows()) + across),
             weights.empty() ? 1.0 : static_cast<double>(weights[t]));
    }
  }

 private:
  const SparsePattern& pattern_;
  std::uint64_t u_;
  std::uint64_t v_;
};

}  // namespace

WaveSum wave_sum(const SparsePattern& pattern, std::int64_t u, std::int64_t v, JobContext& context) {
  const Entries entries(pattern, u, v);
  WaveSum sum;
  sum.u = u;
  sum.v = v;
  std::mutex mutex;
  const auto over_columns = [&](const std::function<void(std::size_t, std::size_t)>& work) {
    context.pool().parallel_for(pattern.column_ids().size(), kGrain,
                                [&](std::size_t begin, std::size_t end, unsigned) {
                                  context.check_stop();
                                  work(begin, end);
                                });
  };
  over_columns([&](std::size_t begin, std::size_t end) {
    std::complex<double> part;
    entries.phases(begin, end,
                   [&](double phase, double weight) { part += weight * std::polar(1.0, -phase); });
    const std::lock_guard lock(mutex);
    sum.coefficient += part;
  });
  const double shift = std::arg(sum.coefficient);
  over_columns([&](std::size_t begin, std::size_t end) {
    WaveSum part;
    entries.phases(begin, end, [&](double phase, double weight) {
      const double adds = weight * std::cos(phase + shift);
      ++(adds > 0 ? part.on_crests : part.in_troughs);
      (adds > 0 ? part.crest_sum : part.trough_sum) += std::abs(adds);
    });
    const std::lock_guard lock(mutex);
    sum.on_crests += part.on_crests;
    sum.in_troughs += part.in_troughs;
    sum.crest_sum += part.crest_sum;
    sum.trough_sum += part.trough_sum;
  });
  return sum;
}

}  // namespace spyctrum
