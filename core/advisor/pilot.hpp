// SPDX-License-Identifier: Apache-2.0
// Expected seconds and error of each method on a given matrix and machine, found by running the methods.
// Errors are measured against a pass over the whole plane, or as much of it as some seconds allow: samples as
// a reference would share their errors with the method that they were taken by. A block method runs at coarse
// lattices; its time is extended along its own forecast of operations, its error along the number of samples.
// Settings expected to take at most PilotOptions::cheap seconds are run. advise() then runs the settings that
// would lead if they did better than expected, until none is left: times of settings that were not run are
// known to a half, their errors hardly at all, for lattices may hit or miss what is periodic in the matrix.
#pragma once

#include <cstdint>
#include <functional>
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
  double reference = 3.0;            ///< seconds for a pass over the plane where they are not; four times
                                     ///< as many where it would be through by then
  double patience = 0.5;             ///< seconds after which a pilot run is given up
  double cheap = 0.02;               ///< expected seconds up to which a setting is run as it is
  double budget = 3.0;               ///< seconds for running settings as they are, see advise()
  /// Called after each run of a setting itself, with its expectation and its result.
  std::function<void(const Prospect& expected, const Prospect& run)> on_run{};
};

/// One prospect for each method and block size (one for methods without, and for those that refuse). Throws
/// Failure{cancelled}.
[[nodiscard]] Expectations find_expectations(const PatternPtr& pattern, const PilotOptions& options,
                                             JobContext& context);

/// Runs settings that would lead the ranking under `allowance` if they did better than expected, until none
/// is left or options.budget is spent; that is more where the allowance is long (five times as much) or the
/// plane large (five passes over it, at most four budgets). Then the leader and what is close behind it are
/// run again, in turns, for up to a quarter as long. Results are added to `known`, so that a second call
/// under another allowance runs only settings that were not run yet. Throws Failure{cancelled}.
[[nodiscard]] std::vector<Advice> advise(const PatternPtr& pattern, const PilotOptions& options,
                                         const Allowance& allowance, Expectations& known,
                                         JobContext& context);

}  // namespace spyctrum
