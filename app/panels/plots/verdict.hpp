// SPDX-License-Identifier: Apache-2.0
// One sentence on which setting errs least within the bytes and the time of the selected column.
#pragma once

#include <string>

#include "app/controller/state.hpp"

namespace spyctrum::panels {

/// From everything that was run on this matrix: columns, the sweep, the runs of the advisor. The limits are
/// those of the selected column, or of the first one whose error is known; the error is mean_error(). Empty
/// where no error is known.
[[nodiscard]] std::string verdict(const AppState& state);

}  // namespace spyctrum::panels
