// SPDX-License-Identifier: Apache-2.0
// Formats numbers for display.
#include "app/panels/widgets/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/text.hpp"

namespace spyctrum::panels {
namespace {

constexpr const char* kMinus = "\u2212";

std::string printed(const char* format, int digits, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, digits, value);
  return text.data();
}

/// `digits` significant digits without an exponent.
std::string significant(double value, int digits) {
  if (value == 0) return "0";
  int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  if (std::round(std::abs(value) * std::pow(10.0, digits - before)) >= std::pow(10.0, digits))
    ++before;  // 0.99996 is rounded to 1.000
  return printed("%.*f", std::clamp(digits - before, 0, 12), value);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `word`, without what punctuates it, is the unit of a number.
bool is_unit(std::string_view word) {
  word = word.substr(0, word.find_last_not_of(".,;:)") + 1);
  static constexpr std::array<std::string_view, 13> kUnits{"%",  "B",  "kB", "MB",  "GB", "TB", "ns",
                                                           "µs", "ms", "s",  "min", "h",  "dB"};
  return std::ranges::find(kUnits, word) != kUnits.end();
}

}  // namespace

std::string signed_grouped(std::int64_t value) {
  if (value == 0) return "0";
  const auto size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return (value < 0 ? kMinus : "+") + grouped(size);
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<const char*, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return printed("%.*f", unit >= 1 && value < 9.95 ? 1 : 0, value) + " " + kUnits[unit];
}

std::string count_text(double value) {
  if (value < 99999.5) return grouped(static_cast<std::uint64_t>(std::lround(std::max(value, 0.0))));
  static constexpr std::array<const char*, 5> kUnits = {"k", "M", "G", "T", "P"};
  value /= 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return significant(value, 3) + " " + kUnits[unit];
}

std::string count_text(double value, const char* one, const char* many) {
  const std::string count = count_text(value);
  return count + " " + (count == "1" ? one : many);
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "n/a";
  if (std::isinf(value)) return value > 0 ? "\u221E" : std::string(kMinus) + "\u221E";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e-4 && size < 1e6) return with_true_minus(significant(value, digits));
  return with_true_minus(printed("%.*e", std::max(digits - 1, 0), value));
}

std::string with_short_exponent(std::string number) {
  const std::size_t from = number.find('e');
  if (from == std::string::npos) return number;
  std::erase(number, '+');
  const std::size_t digits = number.find_first_of("0123456789", from);
  const std::size_t zeros = number.find_first_not_of('0', digits) - digits;
  return number.erase(digits, zeros);
}

std::string signed_number_text(double value, int digits) {
  const std::string text = number_text(value, digits);
  return value > 0 && std::isfinite(value) ? "+" + text : text;
}

std::string percent_text(double share, int digits) {
  if (!std::isfinite(share)) return "n/a";
  const double value = share * 100;
  if (value != 0 && std::abs(value) < 1e-4) return with_true_minus(printed("%.*e", digits - 1, value)) + " %";
  if (std::abs(value) >= 999.5) {
    const std::string size = grouped(static_cast<std::uint64_t>(std::llround(std::abs(value))));
    return (value < 0 ? kMinus : "") + size + " %";
  }
  return with_true_minus(significant(value, digits)) + " %";
}

std::string signed_percent_text(double share, int digits) {
  const std::string text = percent_text(share, digits);
  return share > 0 && std::isfinite(share) ? "+" + text : text;
}

std::string with_unbroken_pairs(std::string_view words, const std::function<bool(const std::string&)>& fits) {
  const std::string no_break_space = "\u00a0";
  const auto is_operator = [](std::string_view word) {
    return word == "=" || word == "×" || word == "±" || word == "−";
  };
  std::string text, unbroken;  // what is finished, and the pairs after it that must stay in one line
  bool after_operator = false;
  for (std::size_t from = 0; from <= words.size();) {
    std::size_t to = std::min(words.find_first_of(" \n", from), words.size());
    std::string next(words.substr(from, to - from));
    if (!next.empty() && is_digit(next.back()) && to < words.size() && words[to] == ' ') {
      const std::size_t end = std::min(words.find_first_of(" \n", to + 1), words.size());
      if (const std::string_view unit = words.substr(to + 1, end - to - 1); is_unit(unit)) {
        next.append(no_break_space).append(unit);
        to = end;
      }
    }
    const bool after_blank = from > 0 && words[from - 1] == ' ';
    const bool is_pair = after_operator || is_operator(next);
    std::string joined = unbroken;
    joined.append(no_break_space).append(next);
    if (after_blank && is_pair && fits(joined)) {
      unbroken = joined;
    } else {
      text += unbroken;
      if (from > 0) text += words[from - 1];
      unbroken = next;
    }
    after_operator = is_operator(next);
    from = to + 1;
  }
  return text + unbroken;
}

double share_of(const Progress& progress) {
  return progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : -1;
}

std::string progress_text(const JobView& job) {
  constexpr double kAlmostAll = 0.995;  // from here on two digits would say 100 %
  if (job.stopping) return "stopping";
  if (!job.running) return "waiting";
  std::string words;
  const double share = share_of(job.progress);
  if (share >= kAlmostAll) {
    words = "finishing";
  } else {
    if (share >= 0) words = percent_text(share, 2);
    if (job.seconds_left) words += (words.empty() ? "" : " · ") + seconds_text(*job.seconds_left) + " left";
    if (words.empty()) words = seconds_text(job.seconds);
  }
  return (job.progress.stage.empty() ? "" : job.progress.stage + " · ") + words;
}

}  // namespace spyctrum::panels
