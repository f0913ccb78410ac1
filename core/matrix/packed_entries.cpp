// SPDX-License-Identifier: Apache-2.0
#include "core/matrix/packed_entries.hpp"

#include <algorithm>

namespace spyctrum {

void for_blocks(JobContext* context, std::size_t count, std::size_t block,
                const std::function<void(std::size_t, std::size_t)>& work) {
  if (context != nullptr) {
    context->pool().parallel_for(count, block, [&](std::size_t begin, std::size_t end, unsigned) {
      context->check_stop();
      work(begin, end);
    });
    return;
  }
  for (std::size_t begin = 0; begin < count; begin += block) work(begin, std::min(count, begin + block));
}

}  // namespace spyctrum
