// SPDX-License-Identifier: Apache-2.0
// Construction of frequency axes.
#include "core/frequency/frequency_grid.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace spyctrum {

namespace {

/// The signed frequencies congruent to `residue` modulo `step`, ascending.
FrequencyAxis progression_of(std::uint64_t size, std::int64_t step, std::int64_t residue) {
  const std::int64_t lowest = -static_cast<std::int64_t>(size / 2);
  const std::int64_t beyond = lowest + static_cast<std::int64_t>(size);
  const std::int64_t origin = lowest + dft_index(residue - lowest, step);
  const std::int64_t count = (beyond - origin + step - 1) / step;
  return FrequencyAxis::progression(size, origin, step, static_cast<std::uint64_t>(count));
}

}  // namespace

FrequencyAxis FrequencyAxis::progression(std::uint64_t size, std::int64_t origin, std::int64_t step,
                                         std::uint64_t count) {
  if (size == 0) throw Failure(ErrorCode::wrong_use, "A frequency axis of size 0 has no frequencies.");
  if (step == 0) {
    throw Failure(ErrorCode::wrong_use, "A progression of frequencies with step 0 never advances.",
                  "Give a step other than 0.");
  }
  FrequencyAxis axis;
  axis.size_ = size;
  axis.count_ = count;
  axis.origin_ = origin;
  axis.step_ = step;
  return axis;
}

FrequencyAxis FrequencyAxis::list(std::uint64_t size, std::vector<std::int64_t> frequencies) {
  if (size == 0) throw Failure(ErrorCode::wrong_use, "A frequency axis of size 0 has no frequencies.");
  FrequencyAxis axis;
  axis.size_ = size;
  axis.count_ = frequencies.size();
  axis.frequencies_ = std::move(frequencies);
  return axis;
}

FrequencyAxis FrequencyAxis::full(std::uint64_t size) {
  return progression(size, -static_cast<std::int64_t>(size / 2), 1, size);
}

FrequencyAxis FrequencyAxis::part(std::uint64_t begin, std::uint64_t count, std::uint64_t size) const {
  if (is_progression()) return progression(size, at(begin), step_, count);
  const auto first = frequencies_.begin() + static_cast<std::ptrdiff_t>(begin);
  return list(size, {first, first + static_cast<std::ptrdiff_t>(count)});
}

bool FrequencyAxis::is_full() const {
  return size_ > 0 && is_progression() && step_ == 1 && count_ == size_ &&
         origin_ == -static_cast<std::int64_t>(size_ / 2);
}

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
