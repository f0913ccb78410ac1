// SPDX-License-Identifier: Apache-2.0
// For a matrix so large that methods would not start with the block size of the slider, sets a larger one,
// says so, and returns to the earlier one when a smaller matrix is selected. A block size that the user
// chooses afterwards, also by undo, stays.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "app/controller/service.hpp"

namespace spyctrum {

class RunService;
class SessionService;

class BlockService : public Service {
 public:
  BlockService(ServiceContext& context, const RunService& runs, const SessionService& sessions)
      : Service(context), runs_(runs), sessions_(sessions) {}
  void matrix_selected() override;

 private:
  /// Seconds until the slowest column that follows the slider has its result; empty if one would not start.
  [[nodiscard]] std::optional<double> expected_seconds(std::uint32_t block) const;
  /// Of 2·`block`, rounded to a power of two, its double, … the first with which all of these columns start,
  /// take only seconds and have no more nodes than a screen shows; else the first with which they start.
  [[nodiscard]] std::optional<std::uint32_t> larger_block(std::uint32_t block) const;

  const RunService& runs_;
  const SessionService& sessions_;
  std::set<MatrixId> declined_;  ///< matrices for which the user chose another block size
};

}  // namespace spyctrum
