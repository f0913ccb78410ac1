// SPDX-License-Identifier: Apache-2.0
// Results that take long to make and are kept for later calls of any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace spyctrum {

/// Keeps the results that were used last, as long as they take at most a number of bytes in all. Thread-safe.
template <class Key, class Value>
class ResultCache {
 public:
  explicit ResultCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  struct Made {
    std::shared_ptr<const Value> value;
    std::size_t bytes = 0;
  };

  /// The kept result of `key`, or that of make(), a Made, which is kept from then on. Several threads may
  /// call make() for one key at the same time; all of them get the same result.
  template <class Make>
  [[nodiscard]] std::shared_ptr<const Value> get(const Key& key, Make make) {
    {
      const std::lock_guard lock(mutex_);
      if (auto found = look_up(key)) return found;
    }
    Made made = make();  // outside the lock: it may take milliseconds
    const std::lock_guard lock(mutex_);
    if (auto found = look_up(key)) return found;
    entries_.push_front({key, made});
    std::size_t sum = 0;
    for (auto at = entries_.begin(); at != entries_.end();) {
      sum += at->made.bytes;
      at = sum > most_bytes_ && at != entries_.begin() ? entries_.erase(at) : std::next(at);
    }
    return std::move(made.value);
  }

 private:
  struct Entry {
    Key key;
    Made made;
  };
  /// The kept result, which becomes the one used last; null if there is none. The mutex must be held.
  [[nodiscard]] std::shared_ptr<const Value> look_up(const Key& key) {
    const auto found = std::ranges::find(entries_, key, &Entry::key);
    if (found == entries_.end()) return {};
    entries_.splice(entries_.begin(), entries_, found);
    return found->made.value;
  }

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the one used last first; guarded by the mutex
};

}  // namespace spyctrum
