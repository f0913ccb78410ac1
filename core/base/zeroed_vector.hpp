// SPDX-License-Identifier: Apache-2.0
// Large arrays of zeros that are not filled beforehand: the system maps zeroed pages (of 2 MiB if it has
// them) when a thread first writes to them. Filling an array can take longer than the transform whose result
// it holds.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/memory_ledger.hpp"

namespace spyctrum {

/// An allocator of zeroed memory; constructing an element without a value leaves its bytes as they are.
/// allocate() throws std::bad_alloc.
template <class T>
struct ZeroedMemory {
  static_assert(std::is_arithmetic_v<T>);
  using value_type = T;
  [[nodiscard]] T* allocate(std::size_t count) {
    void* const memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    advise_large_pages(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { std::free(memory); }
  void construct(T* /*element*/) {}
  template <class Value>
  void construct(T* element, Value&& value) {
    *element = std::forward<Value>(value);
  }
  friend bool operator==(const ZeroedMemory&, const ZeroedMemory&) = default;
};

/// A vector to be constructed with its final size: ZeroedVector<T>(count) contains zeros. (Elements that
/// resize() adds after the vector was shrunk are not zeroed.)
template <class T>
using ZeroedVector = std::vector<T, ZeroedMemory<T>>;

}  // namespace spyctrum
