// SPDX-License-Identifier: Apache-2.0
// A failure whose reason can be told apart from the place that its message names.
#pragma once

#include <string>
#include <utility>

#include "core/base/error.hpp"

namespace spyctrum {

/// Bad input; the message is "PLACE: REASON" and the advice.
struct FailureAt : Failure {
  FailureAt(const std::string& place, const std::string& why, std::string advice)
      : Failure(ErrorCode::bad_input, place + ": " + why, std::move(advice)), reason(why) {}
  std::string reason;
};

}  // namespace spyctrum
