// SPDX-License-Identifier: Apache-2.0
// The type of row and column indices: 32 bits, so that a side may be 2^32 − 1.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace spyctrum {

/// A row or column, from 0.
using Index = std::uint32_t;
/// Most rows, and most columns, of a pattern.
inline constexpr std::uint64_t kLargestSide = std::numeric_limits<Index>::max();

/// Leaves elements without a value that are added by their number alone.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): the standard's name
    using other = UnsetAllocator<U>;
  };
  template <class U, class... Values>
  void construct(U* place, Values&&... values) {
    if constexpr (sizeof...(Values) == 0)
      ::new (static_cast<void*>(place)) U;
    else
      ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }
};
/// Many indices. After resize() new elements must be set: to clear them first takes about as long as to read
/// them from a file, and on one thread.
using IndexList = std::vector<Index, UnsetAllocator<Index>>;

}  // namespace spyctrum
