// SPDX-License-Identifier: Apache-2.0
// Known coefficients in a picture whose cells hold means of others: each counts with its own area, so that a
// known line remains a line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/pictures/picture_plan.hpp"

namespace spyctrum {

/// Adds coefficients whose values are known, except DC, to rows of cells; the mean that a cell already has
/// stands for its other coefficients. One object per thread.
class KnownBlend {
 public:
  explicit KnownBlend(const SpectrumAxes& axes)
      : axes_(axes), known_(axes.cols.size()), counts_(axes.cols.size()) {}

  /// `each(u, visit)` calls visit(v, power) for the known coefficients of row u, some v more than once.
  template <class Each>
  void add(std::size_t r, Each&& each, JobContext& context, std::vector<double>& mean,
           std::vector<float>& most) {
    const IndexRange view = axes_.cols.in_view();
    seen_.resize(static_cast<std::size_t>(view.count()), std::numeric_limits<std::int64_t>::max());
    std::fill(known_.begin(), known_.end(), 0.0);
    std::fill(counts_.begin(), counts_.end(), std::int64_t{0});
    for (std::int64_t u = axes_.rows[r].first; u < axes_.rows[r].last; ++u) {
      context.check_stop();
      each(u, [&](std::int64_t v, float power) {
        if (!view.contains(v) || (u == 0 && v == 0)) return;
        std::int64_t& last_row = seen_[static_cast<std::size_t>(v - view.first)];
        if (last_row == u) return;
        last_row = u;
        const auto [first, last] = axes_.cols.cells_of(v);
        for (std::uint32_t c = first; c < last; ++c) {
          known_[c] += static_cast<double>(power);
          ++counts_[c];
          most[c] = std::max(most[c], power);
        }
      });
    }
    for (std::size_t c = 0; c < mean.size(); ++c) {
      if (counts_[c] == 0) continue;
      const std::int64_t dc = axes_.rows[r].contains(0) && axes_.cols[c].contains(0) ? 1 : 0;
      const auto all = static_cast<double>(axes_.rows[r].count() * axes_.cols[c].count() - dc);
      mean[c] = (mean[c] * (all - static_cast<double>(counts_[c])) + known_[c]) / all;
    }
  }

 private:
  const SpectrumAxes& axes_;
  std::vector<double> known_;
  std::vector<std::int64_t> counts_;  // known coefficients of each cell
  std::vector<std::int64_t> seen_;    // by column in view: the last row in which it was known
};

}  // namespace spyctrum
