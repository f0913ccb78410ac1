// SPDX-License-Identifier: Apache-2.0
// The words about a running job on standard error.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/job_context.hpp"

namespace spyctrum::cli {

/// On a terminal one line, rewritten in place. Elsewhere a line for each stage, and further lines in stages
/// that take long: 10 seconds after the stage began, then after twice as long each time, ten minutes at most.
/// In such a stage the line says how much time is left.
class ProgressLine {
 public:
  ProgressLine(std::string title, bool on_terminal) : title_(std::move(title)), on_terminal_(on_terminal) {}
  /// The text to write `seconds` after the job began, with its line end or the codes that clear the previous
  /// line; may be empty.
  [[nodiscard]] std::string text(const Progress& progress, double seconds);

 private:
  static constexpr double kLong = 10;  // seconds, as all times here
  std::string title_;
  bool on_terminal_;
  std::string stage_;
  double began_ = 0;               // when the stage began
  std::uint64_t done_before_ = 0;  // progress at that time
  double interval_ = kLong;
  double next_ = kLong;  // when the next line within the stage is due
};

}  // namespace spyctrum::cli
