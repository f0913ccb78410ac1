// SPDX-License-Identifier: Apache-2.0
// What info and convert print of a matrix that was read.
#pragma once

#include "app/cli/common_options.hpp"

namespace spyctrum::cli {

/// The fields of `info --json`.
[[nodiscard]] Json info_fields(const Matrix& matrix);

}  // namespace spyctrum::cli
