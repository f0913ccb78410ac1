// SPDX-License-Identifier: Apache-2.0
// Returns memory to the system by madvise().
#include "core/matrix/entry_sort.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace spyctrum {

void release_memory(const void* begin, std::size_t bytes) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t last = (address + bytes) / page * page;
  // The pages hold nothing but the array. If the system refuses, only memory is lost.
  if (first < last)
    static_cast<void>(madvise(static_cast<char*>(const_cast<void*>(begin)) + (first - address), last - first,
                              MADV_DONTNEED));
}

}  // namespace spyctrum
