// SPDX-License-Identifier: Apache-2.0
// Sums that do not depend on how threads were scheduled: parts may come in any order, and are added in the
// order of what they are parts of, so that equal parts give equal bits.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace spyctrum {

/// Part: a value with add(const Part&) whose default is the sum of nothing. Parts that come in ascending
/// order, as a pool's ranges nearly do, are added at once; one whose predecessors are still missing waits.
template <class Part>
class OrderedSum {
 public:
  /// The part [first, end), disjoint from all others. Thread-safe.
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

  /// Of all parts, whether or not something is missing between them. Not while others add.
  [[nodiscard]] Part sum() const {
    Part all = sum_;
    for (const auto& [first, part] : waiting_) all.add(part.second);
    return all;
  }

 private:
  std::mutex mutex_;
  std::uint64_t next_ = 0;  // all before it is in the sum
  Part sum_;
  std::map<std::uint64_t, std::pair<std::uint64_t, Part>> waiting_;  // by first: end, part
};

}  // namespace spyctrum
