// SPDX-License-Identifier: Apache-2.0
// The values of a matrix in single precision while they are set, with counts of those that it does not
// represent well.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/job_context.hpp"
#include "core/io/values.hpp"
#include "core/matrix/sparse_pattern.hpp"

namespace spyctrum {

class SingleValues {
 public:
  /// Makes room for `count` values of `numbers` numbers each: real and imaginary part; 0: there are none.
  SingleValues(unsigned numbers, std::size_t count, JobContext& context)
      : numbers_(numbers),
        booking_(context.memory(), numbers * count * sizeof(float), "values of the entries") {
    for (unsigned part = 0; part < numbers; ++part) {
      parts_.at(part).reserve(count);
      advise_large_pages(parts_.at(part).data(), count * sizeof(float));
    }
  }

  [[nodiscard]] unsigned numbers() const { return numbers_; }
  /// Adds values until there are `size`. May be called on several threads, each of which then sets its values
  /// while others add some: the system clears new memory, which takes as long as to read values from a file.
  /// At most the `count` of the constructor, which has reserved the memory, so that no value moves.
  void make_room(std::size_t size) {
    const std::lock_guard lock(growing_);
    for (unsigned part = 0; part < numbers_; ++part)
      if (parts_.at(part).size() < size) parts_.at(part).resize(size);
  }
  /// Sets number `part` of value k. May be called on several threads for different values.
  void set(std::size_t k, unsigned part, double number) {
    *(parts_.at(part).data() + k) =
        rounded(number);  // operator[] may read the size, which another thread changes
  }
  /// Sets number `part` of the values from `first` on. `extremes`: magnitudes(numbers).
  void set(std::size_t first, unsigned part, std::span<const double> numbers) {
    set(first, part, numbers, magnitudes(numbers));
  }
  void set(std::size_t first, unsigned part, std::span<const double> numbers, const Magnitudes& extremes) {
    float* next = parts_.at(part).data() + first;
    using Single = std::numeric_limits<float>;
    const auto is_coarse = [](double x) { return x != 0 && std::abs(x) < Single::min(); };
    if (extremes.largest > Single::max() ||
        (extremes.least < Single::min() && std::ranges::any_of(numbers, is_coarse)))
      for (const double number : numbers) *next++ = rounded(number);
    else  // compilers use vectors for this loop
      for (const double number : numbers) *next++ = static_cast<float>(0.0 + number);
  }
  /// The real values from `first` on, to be set to numbers in single precision and then passed to
  /// normalise().
  std::span<float> at(std::size_t first, std::size_t count) { return {parts_[0].data() + first, count}; }
  /// Changes `singles` to the values that set() makes of them. `extremes`: their magnitudes.
  void normalise(std::span<float> singles, const Magnitudes& extremes) {
    if (extremes.least >= std::numeric_limits<float>::min()) return;
    for (float& single : singles) single = rounded(single);
  }
  /// Sets `values` and `imaginary` of `matrix`. Adds to its notes how many numbers became zero or lost digits
  /// because they are below the normal numbers of single precision.
  void finish(Matrix& matrix) && {
    if (numbers_ > 0) matrix.values = std::make_shared<const std::vector<float>>(std::move(parts_[0]));
    if (numbers_ > 1) matrix.imaginary = std::make_shared<const std::vector<float>>(std::move(parts_[1]));
    const auto text = [](std::int64_t count) {
      return std::to_string(count) + (count == 1 ? " value is" : " values are");
    };
    std::vector<std::string>& notes = matrix.report.notes;
    if (lost_ != 0)
      notes.push_back(text(lost_) + " below 1.4e-45, the least number of single precision, and taken as 0.");
    if (coarse_ != 0)
      notes.push_back(text(coarse_) + " below 1.2e-38, where single precision has fewer than seven digits.");
  }

 private:
  float rounded(double number) {
    const float single = to_single(0.0 + number);  // 0 in place of −0
    if (number != 0 && std::abs(number) < std::numeric_limits<float>::min())
      ++(single == 0 ? lost_ : coarse_);
    return single;
  }

  unsigned numbers_;
  Booking booking_;
  std::mutex growing_;
  std::array<std::vector<float>, 2> parts_;  // real and imaginary; memory for all values is reserved
  std::atomic<std::int64_t> lost_{0};
  std::atomic<std::int64_t> coarse_{0};
};

}  // namespace spyctrum
