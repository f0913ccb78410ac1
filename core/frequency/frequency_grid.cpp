// SPDX-License-Identifier: Apache-2.0
// Construction of frequency axes.
#include "core/frequency/frequency_grid.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace spyctrum {

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

}  // namespace spyctrum
