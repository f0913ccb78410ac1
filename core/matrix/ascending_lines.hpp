// SPDX-License-Identifier: Apache-2.0
// The order of the ids of compressed rows or columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/matrix/index.hpp"

namespace spyctrum {

/// Whether the ids of the entries first, first + 1, … of compressed rows (columns) are below `line_length`,
/// the number of columns (rows), and ascend strictly within each line. False, too, if an id or `line_length`
/// is 2^31 or more. `ends`: for each line the number of the entry after its last one. Only the first id of a
/// line may be at most the id before it, so the number of such ids is compared with their number at
/// beginnings of lines. One loop over all ids, without an early exit, takes a quarter of the time of a loop
/// for each line.
[[nodiscard]] inline bool all_ids_ascend(std::span<const std::uint64_t> ends, std::uint64_t first,
                                         std::span<const Index> ids, std::uint64_t line_length) {
  if (ids.empty()) return true;
  // A pointer, since checks of the index would prevent the vectorisation of the first loop.
  const Index* const id = ids.data();
  const std::size_t count = ids.size();
  const auto most = static_cast<Index>(line_length - 1);
  Index rises = 0;                                // the highest bit of a difference, modulo 2^32, is its sign
  Index outside = most | id[0] | (most - id[0]);  // its highest bit is set if one id is outside
  for (std::size_t k = 1; k < count; ++k) {
    rises += (id[k - 1] - id[k]) >> 31U;
    outside |= id[k] | (most - id[k]);
  }
  Index falls = 0;
  std::uint64_t before = first;
  for (auto end = std::ranges::upper_bound(ends, first); end != ends.end() && *end < first + count; ++end) {
    if (*end != before) falls += id[*end - first - 1] >= id[*end - first] ? 1U : 0U;
    before = *end;
  }
  return outside >> 31U == 0 && static_cast<Index>(count - 1) == rises + falls;
}

/// The same for the ids of the lines begin … end−1 among the `ids` of all lines.
[[nodiscard]] inline bool all_lines_ascend(std::span<const std::uint64_t> ends, std::span<const Index> ids,
                                           std::size_t begin, std::size_t end, std::uint64_t line_length) {
  const std::uint64_t first = begin == 0 ? 0 : ends[begin - 1];
  return all_ids_ascend(ends, first, ids.subspan(first, ends[end - 1] - first), line_length);
}

}  // namespace spyctrum
