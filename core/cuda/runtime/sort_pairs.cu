// SPDX-License-Identifier: Apache-2.0
// Sorts by the bits that a key below the limit can have.
#include "core/cuda/runtime/sort_pairs.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace spyctrum::cuda {

template <class Value>
bool sort_pairs(Host& host, std::uint64_t limit, std::uint64_t count, std::uint32_t* keys[2],
                Value* values[2], cudaStream_t stream, const char* what) {
  int bits = 1;
  while (bits < 32 && limit > std::uint64_t{1} << bits) ++bits;
  cub::DoubleBuffer<std::uint32_t> sorted_keys(keys[0], keys[1]);
  cub::DoubleBuffer<Value> sorted_values(values[0], values[1]);
  run_with_work_area(host, stream, what, [&](void* work, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(work, bytes, sorted_keys, sorted_values,
                                           static_cast<std::int64_t>(count), 0, bits, stream);
  });
  return sorted_values.Current() == values[1];
}
template bool sort_pairs(Host&, std::uint64_t, std::uint64_t, std::uint32_t* [2], std::uint32_t* [2],
                         cudaStream_t, const char*);
template bool sort_pairs(Host&, std::uint64_t, std::uint64_t, std::uint32_t* [2], unsigned long long* [2],
                         cudaStream_t, const char*);

}  // namespace spyctrum::cuda
