// SPDX-License-Identifier: Apache-2.0
// The order of the ids of compressed rows or columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix/index.hpp"

namespace spyctrum {

/// Whether the ids of each of the lines begin … end−1 ascend strictly and are below `others`; false, too, for
/// ids and sides of 2^31 and more. Only the first id of a line may be at most the id before it, so the number
/// of such ids is compared with their number at beginnings of lines. One loop over all ids, without an early
/// exit, takes a quarter of the time of a loop for each line.
[[nodiscard]] inline bool all_lines_ascend(std::span<const std::uint64_t> ends, std::span<const Index> ids,
                                           std::size_t begin, std::size_t end, std::uint64_t others) {
  const std::uint64_t first = begin == 0 ? 0 : ends[begin - 1];
  const std::uint64_t last = ends[end - 1];
  if (first == last) return true;
  // A pointer, since checks of the index would prevent the vectorisation of the first loop.
  const Index* const id = ids.data();
  const auto most = static_cast<Index>(others - 1);
  Index rises = 0;  // the highest bit of a difference, modulo 2^32, is its sign
  Index outside = most | id[first] | (most - id[first]);  // its highest bit is set if one id is outside
  for (std::uint64_t k = first + 1; k < last; ++k) {
    rises += (id[k - 1] - id[k]) >> 31U;
    outside |= id[k] | (most - id[k]);
  }
  Index falls = 0;
  std::uint64_t before = first;
  for (std::size_t line = begin; line + 1 < end && ends[line] < last; ++line) {
    if (ends[line] != before) falls += id[ends[line] - 1] >= id[ends[line]] ? 1U : 0U;
    before = ends[line];
  }
  return outside >> 31U == 0 && static_cast<Index>(last - first - 1) == rises + falls;
}

}  // namespace spyctrum
