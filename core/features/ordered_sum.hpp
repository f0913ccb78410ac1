// SPDX-License-Identifier: Apache-2.0
// Sums that do not depend on the scheduling of threads: parts may arrive in any order and are added in the
// order of their ranges, so that equal parts give equal bits.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace spyctrum {

/// Part: a value with add(const Part&) whose default is zero. A part is added at once if all parts before it
/// have arrived (the usual case in a thread pool); otherwise it is stored until they have.
template <class Part>
class OrderedSum {
 public:
  /// Adds the part of the range [first, end), disjoint from all other ranges. Thread-safe.
  void add(std::uint64_t first, std::uint64_t end, const Part& part) {
    const std::lock_guard lock(mutex_);
    if (first != next_) {
      waiting_.emplace(first, std::pair(end, part));
      return;
    }
    sum_.add(part);
    next_ = end;
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_; it = waiting_.erase(it)) {
      sum_.add(it->second.second);
      next_ = it->second.first;
    }
  }

  /// The sum of all parts added; ranges may have gaps. Must not run while other threads add.
  [[nodiscard]] Part sum() const {
    Part all = sum_;
    for (const auto& [first, part] : waiting_) all.add(part.second);
    return all;
  }

 private:
  std::mutex mutex_;
  std::uint64_t next_ = 0;  // ranges before this are in sum_
  Part sum_;
  std::map<std::uint64_t, std::pair<std::uint64_t, Part>> waiting_;  // by first: end, part
};

}  // namespace spyctrum
