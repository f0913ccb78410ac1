// SPDX-License-Identifier: Apache-2.0
// Which method at which block size (BS-FFT paper, §4.5, RQ4). A setting is a method with a block size. rank()
// orders settings by their expected seconds, bytes and error under an allowance and gives a reason for each;
// the models below extrapolate seconds and error from a few runs. Nothing is run here (pilot.hpp does that).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/spectrum/features.hpp"

namespace spyctrum {

/// A setting with its expected or measured time, memory and error.
struct Prospect {
  std::string method;  ///< registry id
  std::string label;
  std::optional<std::uint32_t> block{};  ///< empty for methods without a block size
  bool exact = false;                    ///< computes every coefficient exactly: its error is 0
  std::uint64_t bytes = 0;               ///< host memory, by the method's forecast
  double seconds = 0;                    ///< expected; the least measured time where runs > 0
  double work = 0;                       ///< floating-point operations, by the method's forecast
  double error = 0;                      ///< expected mean_error(); the measured one where runs > 0
  double margin = 0;                     ///< amount by which `error` may be too small: see Expectations
  std::string basis;                     ///< what `seconds` and `error` are derived from
  int runs = 0;                          ///< number of runs of this setting
  std::string refusal;                   ///< the reason why the setting cannot run; empty if it can
};

/// The limits and requirements under which settings are ranked.
struct Allowance {
  std::uint64_t bytes = 0;  ///< 0: unlimited
  double seconds = 0;       ///< 0: unlimited
  /// Largest acceptable mean_error(), compared with error + margin; empty: the least error within the limits
  /// is requested.
  std::optional<double> error{};
  bool exact = false;  ///< every coefficient is required
};

/// A setting in the ranked list.
struct Advice {
  Prospect prospect;
  bool fits = false;   ///< satisfies the allowance
  std::string reason;  ///< one sentence for the user
};

// Values of Prospect::basis.
inline constexpr const char* kRunItself = "a run with this setting";
inline constexpr const char* kPass = "a pass over the plane";

/// The settings in five groups, in this order:
/// 1. satisfies the allowance; by seconds where an error or exactness is required, else by error, then
/// seconds
/// 2. fits memory and time but misses the required error or exactness; by error
/// 3. takes too long; by seconds
/// 4. needs too much memory; by bytes
/// 5. cannot run
[[nodiscard]] std::vector<Advice> rank(const std::vector<Prospect>& prospects, const Allowance& allowance);

/// rank(), but if the first setting was never run, the best measured one (runs > 0, or basis kPass) is moved
/// before it, provided that its seconds and error are at most 1.5 times the first's. Under a required error
/// it is moved in any case, since extrapolated errors are unreliable.
[[nodiscard]] std::vector<Advice> recommend(const std::vector<Prospect>& prospects,
                                            const Allowance& allowance);

/// As recommend(). If an error is required, settings that were never run and are not exact do not fit and
/// come after those that do: an extrapolated error is no basis for advice.
[[nodiscard]] std::vector<Advice> recommend_tried(const std::vector<Prospect>& prospects,
                                                  const Allowance& allowance);

/// seconds = fixed + per_work·work, with work in operations.
struct TimeModel {
  double fixed = 0;     ///< seconds
  double per_work = 0;  ///< seconds per operation
  [[nodiscard]] double at(double work) const { return fixed + per_work * work; }
};
/// The line through two measured times, work1 ≤ work2, with per_work ≥ max(0, least_per_work) and fixed ≥ 0.
/// `least_per_work`: the machine's least seconds per operation; in small runs the fixed cost can hide it.
[[nodiscard]] TimeModel fit_time(double work1, double seconds1, double work2, double seconds2,
                                 double least_per_work = 0);
/// e(Q) = error·(samples/Q)^power for Q samples, 0 ≤ power ≤ ½: sampling noise falls as Q^−½, a bias is
/// constant.
struct ErrorModel {
  double error = 0;  ///< at `samples`
  double samples = 1;
  double power = 0;
  [[nodiscard]] double at(double count) const;
};
/// The model through two measured errors, samples1 < samples2, its power clamped to [0, ½].
[[nodiscard]] ErrorModel fit_error(double samples1, double error1, double samples2, double error2);

/// The result of running a method at some block size.
struct Trial {
  std::string method;  ///< registry id
  double work = 0;     ///< operations, by the method's forecast
  double samples = 1;  ///< coefficients computed
  double seconds = 0;
  std::optional<double> error{};  ///< mean_error(); empty where the run was stopped after `seconds`
};
/// Seconds at `work` from trials of one method, in any order: between two trials by a power law, below the
/// smallest work that trial's seconds, above the largest by fit_time() of the last two. 0 without trials.
[[nodiscard]] double expected_seconds(std::vector<Trial> trials, double work, double least_per_work = 0);
/// The error at `samples`, in the same way; above the largest number of samples by fit_error(). 1 if no trial
/// has an error.
[[nodiscard]] double expected_error(std::vector<Trial> trials, double samples);

/// What is known of every setting on one pattern; advise() adds the results of its runs.
struct Expectations {
  std::vector<Prospect> prospects;
  std::vector<Trial> trials;            ///< runs of settings that are not listed, and runs that were stopped
  std::optional<Features> reference{};  ///< the features with which errors are compared; empty: none
  /// Two standard errors of the reference, as a mean_error(); 0 if the reference comes from all rows. It is
  /// the margin of every setting that is not exact.
  double margin = 0;
  double plane_seconds = 0;  ///< for streaming the whole plane once; 0: not known
};

}  // namespace spyctrum
