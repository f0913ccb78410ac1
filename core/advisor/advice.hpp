// SPDX-License-Identifier: Apache-2.0
// Which method at which block size (BS-FFT paper, §4.5, RQ4): a ranked list with reasons, from the expected
// seconds, bytes and error of each setting and an allowance. Nothing is run here; pilot.hpp finds the
// expectations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/features/feature_errors.hpp"

namespace spyctrum {

/// A setting (method and block size) and its expected seconds and error.
struct Prospect {
  std::string method;  ///< registry id
  std::string label;
  std::optional<std::uint32_t> block{};
  bool exact = false;       ///< every coefficient: no error
  std::uint64_t bytes = 0;  ///< forecast
  double seconds = 0;       ///< expected
  double work = 0;          ///< operations of its forecast
  double error = 0;         ///< expected mean_error()
  std::string basis;        ///< where the expectation comes from
  int runs = 0;             ///< how often it was tried itself: seconds are the least, the error is its own
  std::string refusal;      ///< why it cannot run at all; empty: it can
};

struct Allowance {
  std::uint64_t bytes = 0;        ///< 0: unlimited
  double seconds = 0;             ///< 0: unlimited
  std::optional<double> error{};  ///< wished mean_error(); empty: as good as may be
  bool exact = false;             ///< every coefficient is needed
};

struct Advice {
  Prospect prospect;
  bool fits = false;   ///< within the allowed memory, time and error
  std::string reason;  ///< one sentence
};

inline constexpr const char* kRunItself = "a run with this setting";
inline constexpr const char* kPass = "a pass over the plane";

/// Best first. With a wished error the fastest setting that reaches it leads, without one the most accurate
/// that the time allows, among equal errors the faster. Then what misses the wish but fits memory and time,
/// by error; then what takes too long, by time; then what does not fit the memory, by bytes; refusals last.
[[nodiscard]] std::vector<Advice> rank(const std::vector<Prospect>& prospects, const Allowance& allowance);

/// The same, but where a setting leads that was only expected to be good, the first that was run (or whose
/// rows were: kPass) takes its place, unless it is far behind: under a wished error always, since errors that
/// were not measured are hardly known.
[[nodiscard]] std::vector<Advice> recommend(const std::vector<Prospect>& prospects,
                                            const Allowance& allowance);

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
/// e(Q) = e2·(Q2/Q)^p through two measured errors at Q1 < Q2 samples, 0 ≤ p ≤ ½: sampling noise falls as
/// Q^−½, a bias does not fall.
struct ErrorModel {
  double error = 0;
  double samples = 1;
  double power = 0;
  [[nodiscard]] double at(double count) const;
};
[[nodiscard]] ErrorModel fit_error(double samples1, double error1, double samples2, double error2);

/// The result of running a method at some block size.
struct Trial {
  std::string method;
  double work = 0;
  double samples = 1;
  double seconds = 0;
  std::optional<double> error{};  ///< empty: it was stopped after these seconds
};
/// Of one method, in any order: between two trials along a power law, left of all as the first, right of all
/// through the last two (fit_time()). 0 without trials.
[[nodiscard]] double expected_seconds(std::vector<Trial> trials, double work, double least_per_work = 0);
/// The same of errors, right of all by fit_error(); 1 where no trial has one.
[[nodiscard]] double expected_error(std::vector<Trial> trials, double samples);

/// Expectations and results of every setting on one pattern; advise() adds to them.
struct Expectations {
  std::vector<Prospect> prospects;
  std::vector<Trial> trials;            ///< runs that are none of the prospects, and those that were stopped
  std::optional<Features> reference{};  ///< the features that errors are measured against
  double plane_seconds = 0;             ///< for a pass over the whole plane; 0: not known
};

}  // namespace spyctrum
