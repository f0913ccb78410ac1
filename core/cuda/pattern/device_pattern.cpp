// SPDX-License-Identifier: Apache-2.0
// Uploads the non-empty columns of a matrix.
#include "core/cuda/pattern/device_pattern.hpp"

#include <limits>
#include <vector>

namespace spyctrum::cuda {

std::uint64_t reciprocal_of(std::uint64_t m) {
  // ⌊(2^64−1)/m⌋ is ⌊2^64/m⌋ except where m divides 2^64.
  const std::uint64_t below = std::numeric_limits<std::uint64_t>::max() / m;
  return (m & (m - 1)) == 0 ? below + 1 : below;
}

DevicePattern::DevicePattern(Host& host, const PatternView& pattern)
    : ids_(upload(host, pattern.column_ids, pattern.active, "column ids")),
      starts_(upload(host, pattern.column_starts, pattern.active + 1, "column starts")) {
  columns_.narrow = is_narrow(pattern.rows, pattern.weights != nullptr);
  if (columns_.narrow) {
    const std::vector<std::uint16_t> rows(pattern.row_indices, pattern.row_indices + pattern.nonzeros);
    narrow_rows_ = upload(host, rows.data(), rows.size(), "row indices");
    columns_.rows = narrow_rows_.get();
  } else {
    wide_rows_ = upload(host, pattern.row_indices, pattern.nonzeros, "row indices");
    columns_.rows = wide_rows_.get();
  }
  if (pattern.weights != nullptr) {
    weights_ = upload(host, pattern.weights, pattern.nonzeros, "weights");
    columns_.weights = weights_.get();
  }
  columns_.ids = ids_.get();
  columns_.starts = starts_.get();
  columns_.active = static_cast<std::uint32_t>(pattern.active);
  columns_.m = pattern.rows;
  columns_.reciprocal = reciprocal_of(pattern.rows);
  columns_.n = pattern.cols;
}

}  // namespace spyctrum::cuda
