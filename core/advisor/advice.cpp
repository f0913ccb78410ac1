// SPDX-License-Identifier: Apache-2.0
// Ranking, and the two-point models behind its numbers.
#include "core/advisor/advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "core/base/memory_ledger.hpp"
#include "core/features/feature_errors.hpp"

namespace spyctrum {

namespace {

enum class Class { good, misses_wish, too_slow, too_large, refused };

std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", value);
  return text.data();
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? short_number(seconds * 1e3) + " ms" : short_number(seconds) + " s";
}

Class class_of(const Prospect& prospect, const Allowance& allowance) {
  if (!prospect.refusal.empty()) return Class::refused;
  if (allowance.bytes > 0 && prospect.bytes > allowance.bytes) return Class::too_large;
  if (allowance.seconds > 0 && prospect.seconds > allowance.seconds) return Class::too_slow;
  if (allowance.exact && !prospect.exact) return Class::misses_wish;
  if (allowance.error && !prospect.exact && prospect.error > *allowance.error) return Class::misses_wish;
  return Class::good;
}

/// Within a class: what is compared first.
double key_of(const Prospect& prospect, Class group, const Allowance& allowance) {
  switch (group) {
    case Class::good:
      return allowance.error || allowance.exact ? prospect.seconds : prospect.error;
    case Class::misses_wish:
      return prospect.error;
    case Class::too_slow:
      return prospect.seconds;
    case Class::too_large:
    case Class::refused:
      break;
  }
  return static_cast<double>(prospect.bytes);
}

std::string reason_of(const Prospect& prospect, Class group, const Allowance& allowance) {
  const std::string expected =
      prospect.exact
          ? "every coefficient exactly in about " + seconds_text(prospect.seconds)
          : "error about " + short_number(prospect.error) + " in about " + seconds_text(prospect.seconds);
  switch (group) {
    case Class::good:
      if (allowance.exact) return "Exact and within the allowance: " + expected + ".";
      if (allowance.error) return "Reaches " + short_number(*allowance.error) + ": " + expected + ".";
      return "Within the allowance: " + expected + ".";
    case Class::misses_wish:
      return allowance.exact ? "Gives samples or an estimate, not every coefficient: " + expected + "."
                             : "Misses " + short_number(*allowance.error) + ": " + expected + ".";
    case Class::too_slow:
      return "Takes longer than " + seconds_text(allowance.seconds) + ": " + expected + ".";
    case Class::too_large:
      return "Needs " + format_bytes(prospect.bytes) + " of " + format_bytes(allowance.bytes) + " allowed.";
    case Class::refused:
      break;
  }
  return prospect.refusal;
}

}  // namespace

std::vector<Advice> rank(const std::vector<Prospect>& prospects, const Allowance& allowance) {
  struct Entry {
    Class group;
    double key;
    const Prospect* prospect;
  };
  std::vector<Entry> entries;
  entries.reserve(prospects.size());
  for (const Prospect& prospect : prospects) {
    const Class group = class_of(prospect, allowance);
    entries.push_back({group, key_of(prospect, group, allowance), &prospect});
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::tuple(a.group, a.key, a.prospect->seconds) < std::tuple(b.group, b.key, b.prospect->seconds);
  });
  std::vector<Advice> list;
  list.reserve(entries.size());
  for (const Entry& entry : entries)
    list.push_back(
        {*entry.prospect, entry.group == Class::good, reason_of(*entry.prospect, entry.group, allowance)});
  return list;
}

std::vector<Advice> recommend(const std::vector<Prospect>& prospects, const Allowance& allowance) {
  constexpr double kFar = 1.5;
  std::vector<Advice> list = rank(prospects, allowance);
  const auto was_run = [](const Prospect& one) { return one.runs > 0 || one.basis == kPass; };
  if (list.empty() || was_run(list.front().prospect)) return list;
  const Prospect& lead = list.front().prospect;
  const auto measured = std::ranges::find_if(list, [&](const Advice& one) {
    if (!one.fits || !was_run(one.prospect)) return false;
    return allowance.error ||
           (one.prospect.seconds <= kFar * lead.seconds && one.prospect.error <= kFar * lead.error);
  });
  if (measured != list.end()) std::rotate(list.begin(), measured, measured + 1);
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

namespace {

/// y(x) ~ x^p through two points; the mean of both where they lie on each other.
double on_power_law(double x1, double y1, double x2, double y2, double x) {
  if (!(x2 > x1) || !(x1 > 0) || !(y1 > 0) || !(y2 > 0)) return (y1 + y2) / 2;
  return y1 * std::pow(y2 / y1, std::log(x / x1) / std::log(x2 / x1));
}

}  // namespace

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
