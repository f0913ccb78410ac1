// SPDX-License-Identifier: Apache-2.0
// Formats numbers for display: thousands separated by commas, a true minus sign, bytes and seconds with two
// or three digits in a suitable unit. Pure functions, no widget.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "app/controller/files/source_names.hpp"  // short_name()
#include "app/controller/state/activity.hpp"
#include "core/base/seconds_text.hpp"
#include "core/io/quote.hpp"  // grouped(), counted()

namespace spyctrum::panels {

[[nodiscard]] std::string signed_grouped(std::int64_t value);  ///< −2766 → "−2,766", 2571 → "+2,571", 0 → "0"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);  ///< decimal units: "412 MB", "3.9 GB"
[[nodiscard]] std::string count_text(double value);         ///< "1.53 M", "980 k", "412"
/// The number with its noun: "1 sample", "1.53 M samples".
[[nodiscard]] std::string count_text(double value, const char* one, const char* many);
/// `digits` significant digits, plain between 1e−4 and 1e6, otherwise with an exponent; "∞" and "n/a".
[[nodiscard]] std::string number_text(double value, int digits = 4);
/// "1e+12" as "1e12" and "2e−06" as "2e−6", for labels, which have little room.
[[nodiscard]] std::string with_short_exponent(std::string number);
[[nodiscard]] std::string signed_number_text(double value, int digits = 3);
/// A share as per cent with about `digits` significant digits: 0.0039 → "0.39 %".
[[nodiscard]] std::string percent_text(double share, int digits = 2);
[[nodiscard]] std::string signed_percent_text(double share, int digits = 2);
/// The share that is done, 0 … 1; negative where it is not known.
[[nodiscard]] double share_of(const Progress& progress);
/// The stage of a job and how far it is: "lattice · 42 % · 3.0 s left", "lattice · finishing", "waiting".
[[nodiscard]] std::string progress_text(const JobView& job);
/// `words` with no-break spaces beside "=", "×", "±" and "−" and between a number and its unit, so that no
/// line that is wrapped ends there: "b = 16", "7.1 MB", "0.073 %". An operator and its operands are kept
/// together only where `fits` says that a line has room for them: a longer part would be cut within a number.
[[nodiscard]] std::string with_unbroken_pairs(
    std::string_view words,
    const std::function<bool(const std::string&)>& fits = [](const std::string&) { return true; });

}  // namespace spyctrum::panels
