// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line that CLI11 refuses.
#pragma once

#include <CLI/App.hpp>

#include "core/base/error.hpp"

namespace spyctrum {

/// The error (wrong_use) that `refusal` of `app`'s command line stands for. A word that no command or option
/// has comes before an argument that is missing: CLI11 names only the latter where both are wrong.
[[nodiscard]] Error wrong_use(const CLI::App& app, const CLI::ParseError& refusal);

}  // namespace spyctrum
