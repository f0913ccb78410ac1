// SPDX-License-Identifier: Apache-2.0
// Which method at which block size (paper §4.5, RQ4): from what each is expected to cost and to err, and
// what may be spent, a ranked list with reasons. Nothing is run here; pilot.hpp finds the expectations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/spectrum/metrics.hpp"

namespace spyctrum {

/// The three figures by which the paper judges features, as one: their mean. Parts that are undefined (the
/// distances of a spectrum without power beside DC) are left out.
[[nodiscard]] double feature_error(const FeatureErrors& errors);

/// A setting and what is expected of it.
struct Prospect {
  std::string method;  ///< registry id
  std::string label;
  std::optional<std::uint32_t> block{};
  bool exact = false;       ///< every coefficient: no error
  std::uint64_t bytes = 0;  ///< forecast
  double seconds = 0;       ///< expected
  double work = 0;          ///< operations of its forecast
  double error = 0;         ///< expected feature_error()
  std::string basis;        ///< where the expectation comes from
  std::string refusal;      ///< why it cannot run at all; empty: it can
};

struct Allowance {
  std::uint64_t bytes = 0;        ///< 0: unlimited
  double seconds = 0;             ///< 0: unlimited
  std::optional<double> error{};  ///< wished feature_error(); empty: as good as may be
  bool exact = false;             ///< every coefficient is needed
};

struct Advice {
  Prospect prospect;
  bool fits = false;   ///< memory, time and the wish are kept to
  std::string reason;  ///< one sentence
};

/// Best first. With a wished error the fastest setting that reaches it leads, without one the most accurate
/// that the time allows, among equal errors the faster. Then what misses the wish but fits memory and time,
/// by error; then what takes too long, by time; then what does not fit the memory, by bytes; refusals last.
[[nodiscard]] std::vector<Advice> rank(const std::vector<Prospect>& prospects, const Allowance& allowance);

/// Straight through two measured points, not below the first at its left: seconds at `work`.
struct TimeModel {
  double fixed = 0;     ///< seconds
  double per_work = 0;  ///< seconds a unit of work
  [[nodiscard]] double at(double work) const { return fixed + per_work * work; }
};
/// Times with work; the smaller work first. A larger work that took less counts as equal.
/// `least_per_work`: seconds for an operation at the best; small runs may hide it behind what is fixed.
[[nodiscard]] TimeModel fit_time(double work1, double seconds1, double work2, double seconds2,
                                 double least_per_work = 0);
/// A setting took longer than expected: those of its method with more work that were not run (their basis
/// is not `kRunItself`) take at least as long for an operation.
void learn_time(std::vector<Prospect>& prospects, const Prospect& measured);
inline constexpr const char* kRunItself = "a run with this setting";

/// e(Q) = e2·(Q2/Q)^p through two measured errors at Q1 < Q2 samples, 0 ≤ p ≤ ½: sampling noise falls as
/// Q^−½, a bias does not fall.
struct ErrorModel {
  double error = 0;
  double samples = 1;
  double power = 0;
  [[nodiscard]] double at(double count) const;
};
[[nodiscard]] ErrorModel fit_error(double samples1, double error1, double samples2, double error2);

}  // namespace spyctrum
