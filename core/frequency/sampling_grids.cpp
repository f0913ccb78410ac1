// SPDX-License-Identifier: Apache-2.0
// The sampled frequencies of Elastic BS-FFT, in integers.
#include "core/frequency/sampling_grids.hpp"

#include <algorithm>
#include <vector>

namespace spyctrum {

FrequencyAxis paper_axis(std::uint64_t size, std::uint64_t block) {
  if (block <= 1 || size == 1) return FrequencyAxis::full(size);
  const std::uint64_t count = block_count(size, block);
  std::vector<std::int64_t> frequencies(count);
  for (std::uint64_t p = 0; p < count; ++p) {
    // round(p(size−1)/(count−1)) in integers: p·(size−1) < 2^64 for sides below 2^32.
    const std::uint64_t intervals = std::max<std::uint64_t>(1, count - 1);
    const std::uint64_t position = (p * (size - 1) + intervals / 2) / intervals;
    frequencies[p] = static_cast<std::int64_t>(position) - static_cast<std::int64_t>(size / 2);
  }
  return FrequencyAxis::list(size, std::move(frequencies));
}

namespace {

/// The signed frequencies congruent to `residue` modulo `step`, ascending.
FrequencyAxis progression_of(std::uint64_t size, std::int64_t step, std::int64_t residue) {
  const std::int64_t lowest = -static_cast<std::int64_t>(size / 2);
  const std::int64_t beyond = lowest + static_cast<std::int64_t>(size);
  const std::int64_t origin = lowest + (((residue - lowest) % step) + step) % step;
  const std::int64_t count = (beyond - origin + step - 1) / step;
  return FrequencyAxis::progression(size, origin, step, static_cast<std::uint64_t>(count));
}

}  // namespace

FrequencyAxis off_axis_progression(std::uint64_t size, std::uint64_t block) {
  const auto step = static_cast<std::int64_t>(std::min(block, size));
  if (step <= 1) return FrequencyAxis::full(size);
  return progression_of(size, step, std::max<std::int64_t>(1, (step + 2) / 4));
}

FrequencyGrid off_axis_grid(std::uint64_t m, std::uint64_t n, std::uint64_t block) {
  const auto step = static_cast<std::int64_t>(std::min(block, n));
  const bool has_choice = step >= 4;
  return {off_axis_progression(m, block),
          has_choice ? progression_of(n, step, step / 2) : off_axis_progression(n, block)};
}

}  // namespace spyctrum
