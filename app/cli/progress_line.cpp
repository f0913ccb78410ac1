// SPDX-License-Identifier: Apache-2.0
// The time left is that of the steps of this stage so far, times the number of steps that are left.
#include "app/cli/progress_line.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/seconds_text.hpp"
#include "core/base/text.hpp"

namespace spyctrum::cli {

std::string ProgressLine::text(const Progress& progress, double seconds) {
  const bool is_new = progress.stage != stage_;
  if (is_new) {
    stage_ = progress.stage;
    began_ = seconds;
    done_before_ = progress.done;
    interval_ = kLong;
    next_ = seconds + interval_;
  }
  const std::string line = title_ + (stage_.empty() ? "" : ": " + stage_);
  const bool is_long = seconds - began_ >= kLong;
  if (!on_terminal_) {
    if (is_new) return stage_.empty() ? "" : line + '\n';
    if (seconds < next_ || progress.total == 0) return {};
    constexpr double kLongestInterval = 600;
    interval_ = std::min(2 * interval_, kLongestInterval);
    next_ = seconds + interval_;
  }
  const auto total = static_cast<double>(progress.total), done = static_cast<double>(progress.done);
  const double percent = progress.total == 0 ? 0.0 : 100 * done / total;
  std::string words =
      line + " " + (is_long && percent < 10 ? number_text(percent, 2) : number_text(std::round(percent), 3)) +
      " %";
  if (is_long && progress.done > done_before_ && progress.done < progress.total)
    words += ", about " +
             seconds_text((seconds - began_) * (total - done) / (done - static_cast<double>(done_before_))) +
             " left";
  return on_terminal_ ? "\r\033[K" + words : words + '\n';
}

}  // namespace spyctrum::cli
