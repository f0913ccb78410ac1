// SPDX-License-Identifier: Apache-2.0
// Ranking, and extrapolation from two measured points.
#include "core/advisor/advice.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <tuple>

#include "core/base/memory_ledger.hpp"
#include "core/base/seconds_text.hpp"
#include "core/base/text.hpp"

namespace spyctrum {

namespace {

/// In the order of rank().
enum class Group { satisfies, misses_requirement, too_slow, too_large, refused };

std::string short_number(double value) { return number_text(value, 2); }

std::string time_text(double seconds) {
  if (seconds < 1) return short_number(seconds * 1e3) + " ms";
  return seconds < 100 ? short_number(seconds) + " s" : seconds_text(seconds);
}

Group group_of(const Prospect& prospect, const Allowance& allowance) {
  if (!prospect.refusal.empty()) return Group::refused;
  if (allowance.bytes > 0 && prospect.bytes > allowance.bytes) return Group::too_large;
  if (allowance.seconds > 0 && prospect.seconds > allowance.seconds) return Group::too_slow;
  if (allowance.exact && !prospect.exact) return Group::misses_requirement;
  if (allowance.error && !prospect.exact && prospect.error + prospect.margin > *allowance.error)
    return Group::misses_requirement;
  return Group::satisfies;
}

/// The number by which the settings of a group are sorted, ascending.
double key_of(const Prospect& prospect, Group group, const Allowance& allowance) {
  if (group == Group::satisfies)
    return allowance.error || allowance.exact ? prospect.seconds : prospect.error;
  if (group == Group::misses_requirement) return prospect.error;
  return group == Group::too_slow ? prospect.seconds : static_cast<double>(prospect.bytes);
}

std::string reason_of(const Prospect& prospect, Group group, const Allowance& allowance) {
  const std::string margin = prospect.margin > 0 && std::isfinite(prospect.margin)
                                 ? ", at most " + short_number(prospect.error + prospect.margin) + ","
                                 : std::string();
  const std::string expected = prospect.exact
                                   ? "every coefficient exactly in about " + time_text(prospect.seconds)
                                   : "error about " + short_number(prospect.error) + margin + " in about " +
                                         time_text(prospect.seconds);
  switch (group) {
    case Group::satisfies:
      if (allowance.exact) return "Exact and within the allowance: " + expected + ".";
      if (allowance.error) return "Reaches " + short_number(*allowance.error) + ": " + expected + ".";
      return "Within the allowance: " + expected + ".";
    case Group::misses_requirement:
      return allowance.exact ? "Gives samples or an estimate, not every coefficient: " + expected + "."
                             : "Misses " + short_number(*allowance.error) + ": " + expected + ".";
    case Group::too_slow:
      return "Takes longer than " + time_text(allowance.seconds) + ": " + expected + ".";
    case Group::too_large:
      return "Needs " + format_bytes(prospect.bytes) + " of " + format_bytes(allowance.bytes) + " allowed.";
    case Group::refused:
      break;
  }
  return prospect.refusal;
}

/// y(x) = y1·(x/x1)^p through (x1, y1) and (x2, y2); (y1 + y2)/2 where x1 = x2 or a value is not positive.
double on_power_law(double x1, double y1, double x2, double y2, double x) {
  if (!(x2 > x1) || !(x1 > 0) || !(y1 > 0) || !(y2 > 0)) return (y1 + y2) / 2;
  return y1 * std::pow(y2 / y1, std::log(x / x1) / std::log(x2 / x1));
}

}  // namespace

std::vector<Advice> rank(const std::vector<Prospect>& prospects, const Allowance& allowance) {
  struct Entry {
    Group group;
    double key;
    const Prospect* prospect;
  };
  std::vector<Entry> entries;
  entries.reserve(prospects.size());
  for (const Prospect& prospect : prospects) {
    const Group group = group_of(prospect, allowance);
    entries.push_back({group, key_of(prospect, group, allowance), &prospect});
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::tuple(a.group, a.key, a.prospect->seconds) < std::tuple(b.group, b.key, b.prospect->seconds);
  });
  std::vector<Advice> list;
  list.reserve(entries.size());
  for (const Entry& entry : entries)
    list.push_back({*entry.prospect, entry.group == Group::satisfies,
                    reason_of(*entry.prospect, entry.group, allowance)});
  return list;
}

std::vector<Advice> recommend(const std::vector<Prospect>& prospects, const Allowance& allowance) {
  constexpr double kMostBehind = 1.5;
  std::vector<Advice> list = rank(prospects, allowance);
  const auto was_run = [](const Prospect& one) { return one.runs > 0 || one.basis == kPass; };
  if (list.empty() || was_run(list.front().prospect)) return list;
  const Prospect& lead = list.front().prospect;
  const auto measured = std::ranges::find_if(list, [&](const Advice& one) {
    if (!one.fits || !was_run(one.prospect)) return false;
    return allowance.error || (one.prospect.seconds <= kMostBehind * lead.seconds &&
                               one.prospect.error <= kMostBehind * lead.error);
  });
  if (measured != list.end()) std::rotate(list.begin(), measured, measured + 1);
  return list;
}

std::vector<Advice> recommend_tried(const std::vector<Prospect>& prospects, const Allowance& allowance) {
  std::vector<Advice> list = recommend(prospects, allowance);
  if (!allowance.error) return list;
  const auto is_guess = [](const Advice& one) {
    return one.fits && !one.prospect.exact && one.prospect.runs == 0;
  };
  const auto end = std::ranges::find(list, false, &Advice::fits);
  for (Advice& one : std::span(std::stable_partition(list.begin(), end, std::not_fn(is_guess)), end)) {
    one.fits = false;
    one.reason = "Was not tried: " + short_number(one.prospect.error) + " in about " +
                 time_text(one.prospect.seconds) + " is expected.";
  }
  return list;
}

TimeModel fit_time(double work1, double seconds1, double work2, double seconds2, double least_per_work) {
  TimeModel model;
  if (work2 > work1) model.per_work = std::max(0.0, (seconds2 - seconds1) / (work2 - work1));
  model.per_work = std::max(model.per_work, least_per_work);
  model.fixed = seconds1 - model.per_work * work1;
  if (model.fixed < 0) return {0, std::max(least_per_work, work2 > 0 ? seconds2 / work2 : 0)};
  return model;
}

double ErrorModel::at(double count) const { return error * std::pow(samples / std::max(1.0, count), power); }

ErrorModel fit_error(double samples1, double error1, double samples2, double error2) {
  ErrorModel model{error2, samples2, 0};
  if (samples2 > samples1 && error1 > 0 && error2 > 0)
    model.power = std::clamp(std::log(error1 / error2) / std::log(samples2 / samples1), 0.0, 0.5);
  return model;
}

double expected_seconds(std::vector<Trial> trials, double work, double least_per_work) {
  if (trials.empty()) return 0;
  std::ranges::sort(trials, {}, &Trial::work);
  const auto after = std::ranges::upper_bound(trials, work, {}, &Trial::work);
  if (after == trials.begin()) return after->seconds;
  const Trial& left = *(after - 1);
  if (left.work == work) return left.seconds;
  if (after != trials.end()) return on_power_law(left.work, left.seconds, after->work, after->seconds, work);
  if (trials.size() == 1) return left.work > 0 ? left.seconds * work / left.work : left.seconds;
  const Trial& before = *(after - 2);
  return fit_time(before.work, before.seconds, left.work, left.seconds, least_per_work).at(work);
}

double expected_error(std::vector<Trial> trials, double samples) {
  std::erase_if(trials, [](const Trial& one) { return !one.error; });
  if (trials.empty()) return 1;
  std::ranges::sort(trials, {}, &Trial::samples);
  const auto after = std::ranges::upper_bound(trials, samples, {}, &Trial::samples);
  if (after == trials.begin()) return *after->error;
  const Trial& left = *(after - 1);
  if (left.samples == samples) return *left.error;
  if (after != trials.end())
    return on_power_law(left.samples, *left.error, after->samples, *after->error, samples);
  if (trials.size() == 1) return *left.error;
  const Trial& before = *(after - 2);
  return fit_error(before.samples, *before.error, left.samples, *left.error).at(samples);
}

}  // namespace spyctrum
