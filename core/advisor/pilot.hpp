// SPDX-License-Identifier: Apache-2.0
// Expected seconds and error of each setting (method and block size) for a given matrix and machine, from
// pilot runs. A method with a block size is run at two large block sizes; its seconds are extrapolated by its
// forecast of operations, its error by the number of samples. Errors are measured against rows of the plane
// (all, or as many as PilotOptions::reference allows): samples as a reference would share their errors with
// the method that computed them. Extrapolated seconds are right to about a factor of 2; extrapolated errors
// can be wrong by more, since a lattice may hit or miss the periods of the matrix. advise() therefore runs
// every setting that would lead if it did better than expected.
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
  std::optional<Features> exact{};   ///< the exact features, if they are known already
  /// seconds for streaming the plane if they are not; up to four times as many if that completes it
  double reference = 3.0;
  double patience = 0.5;  ///< seconds after which a pilot run is stopped
  double cheap = 0.02;    ///< every setting expected to take at most this many seconds is run
  double budget = 3.0;    ///< seconds for running settings, see advise()
  /// Called after each run of a listed setting, with what was expected and what was measured.
  std::function<void(const Prospect& expected, const Prospect& run)> on_run{};
};

/// One prospect for each method and block size; one for a method without a block size, and one, with its
/// reason, for a method that cannot run. Throws Failure{cancelled}.
[[nodiscard]] Expectations find_expectations(const PatternPtr& pattern, const PilotOptions& options,
                                             JobContext& context);

/// The ranked list (recommend()) under `allowance`, after running every setting that would lead if it did
/// better than expected, for at most max(options.budget, 5·allowance.seconds, min(5·seconds of the plane,
/// 4·options.budget)) seconds. Then the leader and the settings close behind it are run again in turns, for
/// at most a quarter of that time. Results are added to `known`, so that a call with another allowance
/// repeats no run. Throws Failure{cancelled}.
[[nodiscard]] std::vector<Advice> advise(const PatternPtr& pattern, const PilotOptions& options,
                                         const Allowance& allowance, Expectations& known,
                                         JobContext& context);

}  // namespace spyctrum
