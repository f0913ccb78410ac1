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

/// An allocator with which resize() does not initialise the new elements.
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
/// Many indices. Elements added by resize() are uninitialised and must be set: clearing them, on one thread,
/// would take about as long as reading them from a file.
using IndexList = std::vector<Index, UnsetAllocator<Index>>;

}  // namespace spyctrum
