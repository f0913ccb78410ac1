// SPDX-License-Identifier: Apache-2.0
// What each method is expected to cost and to err on the matrix in hand, on the machine in hand: found by
// running it small. A block method runs at two coarse lattices; its time is extended along its own forecast
// of operations, its error along the number of samples, measured against a finer exact sample. A method of
// the full plane is timed on a few of its rows, or, where it has none to give, on a small matrix. Settings
// that are expected to be cheap are then simply run, and so are those that lead a ranking, until they hold
// what they promise: a lead that is only expected is worth little where two settings are close.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/advisor/advice.hpp"
#include "core/methods/method.hpp"

namespace spyctrum {

struct PilotOptions {
  Backend backend;
  std::vector<std::uint32_t> blocks{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
  std::vector<std::string> methods;  ///< ids; empty: all that are registered
  std::optional<Features> exact{};   ///< the exact features, where they are known already
  double patience = 0.5;             ///< seconds after which a pilot run is given up
  double cheap = 0.02;               ///< expected seconds up to which a setting is run as it is
  double budget = 3.0;               ///< seconds for running settings as they are
};

/// One prospect for each method and block size (one for methods without). Throws Failure{cancelled}.
[[nodiscard]] std::vector<Prospect> find_prospects(const PatternPtr& pattern, const PilotOptions& options,
                                                   JobContext& context);

/// Runs settings as they are that would lead the ranking under `allowance` if they did somewhat better than
/// expected, and ranks again, until none is left or options.budget is spent. Prospects that were run say so
/// in their basis. Throws Failure{cancelled}.
[[nodiscard]] std::vector<Advice> advise(const PatternPtr& pattern, const PilotOptions& options,
                                         const Allowance& allowance, std::vector<Prospect> prospects,
                                         JobContext& context);

}  // namespace spyctrum
