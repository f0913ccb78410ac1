// SPDX-License-Identifier: Apache-2.0
// Turns options into requests, and results into JSON fields.
#include "app/cli/method_run.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "core/features/feature_table.hpp"

namespace spyctrum::cli {

namespace {

std::string known_methods() {
  std::string text;
  for (const auto& method : methods()) text += (text.empty() ? "" : ", ") + method->info().id;
  return text;
}

bool has_parameter(const Method& method, std::string_view name) {
  return std::any_of(method.parameters().begin(), method.parameters().end(),
                     [&](const Parameter& parameter) { return parameter.name == name; });
}

Result<std::vector<std::int64_t>> parse_integers(const std::string& text) {
  std::vector<std::int64_t> values;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end || values.empty()) {
    std::int64_t value = 0;
    const auto parsed = std::from_chars(at, end, value);
    const bool more = parsed.ptr != end && *parsed.ptr == ',' && parsed.ptr + 1 != end;
    if (parsed.ec != std::errc{} || (parsed.ptr != end && !more)) {
      return fail(ErrorCode::wrong_use, "--window '" + text + "' is not a list of whole numbers.",
                  "Write U0,V0,H,W or U0,V0,H,W,SU,SV.");
    }
    values.push_back(value);
    at = more ? parsed.ptr + 1 : parsed.ptr;
  }
  return values;
}

}  // namespace

Result<Chosen> choose(const MethodOptions& options, const Session& session) {
  Chosen chosen;
  chosen.method = find_method(options.method);
  if (chosen.method == nullptr) {
    return fail(ErrorCode::wrong_use, "There is no method '" + options.method + "'.",
                "Choose " + known_methods() + ".");
  }
  for (const std::string& setting : options.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::wrong_use, "--set '" + setting + "' is not NAME=VALUE.");
    }
    chosen.parameters[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  if (options.block) {
    if (has_parameter(*chosen.method, "block")) {
      chosen.parameters["block"] = std::to_string(*options.block);
    } else {
      session.note("The method " + options.method + " has no block size; --block is ignored.");
    }
  }
  if (auto resolved = resolve(*chosen.method, chosen.parameters); !resolved) {
    return tl::unexpected<Error>(resolved.error());
  }
  return chosen;
}

Result<FrequencyGrid> parse_window(const std::string& text, const SparsePattern& pattern) {
  auto numbers = parse_integers(text);
  if (!numbers) return tl::unexpected<Error>(numbers.error());
  if (numbers->size() != 4 && numbers->size() != 6) {
    return fail(
        ErrorCode::wrong_use,
        "--window '" + text + "' has " + std::to_string(numbers->size()) + " numbers instead of 4 or 6.",
        "Write U0,V0,H,W or U0,V0,H,W,SU,SV.");
  }
  const std::vector<std::int64_t>& w = *numbers;
  const std::int64_t step_u = w.size() == 6 ? w[4] : 1;
  const std::int64_t step_v = w.size() == 6 ? w[5] : 1;
  constexpr std::int64_t kLargest = std::int64_t{1} << 32;  // keeps origin + count·step within 64 bits
  const bool in_range =
      std::all_of(w.begin(), w.end(), [](std::int64_t x) { return x > -kLargest && x < kLargest; });
  constexpr std::int64_t kMostAlong = std::int64_t{1} << 30;
  if (!in_range || w[2] < 1 || w[3] < 1 || w[2] > kMostAlong || w[3] > kMostAlong || step_u == 0 ||
      step_v == 0) {
    return fail(
        ErrorCode::wrong_use, "--window '" + text + "' is not a possible window.",
        "Height and width are at least 1, steps are not 0, all numbers stay below 2^32 in magnitude.");
  }
  return FrequencyGrid{
      FrequencyAxis::progression(pattern.rows(), w[0], step_u, static_cast<std::uint64_t>(w[2])),
      FrequencyAxis::progression(pattern.cols(), w[1], step_v, static_cast<std::uint64_t>(w[3]))};
}

Json seconds_json(double load, const Provenance& provenance) {
  Json seconds{{"total", load + provenance.seconds}, {"load", load}, {"compute", provenance.seconds}};
  for (const auto& [stage, value] : provenance.stages) seconds[stage] = value;
  return seconds;
}

Json bytes_json(const Provenance& provenance) {
  Json bytes{{"forecast", provenance.bytes_forecast}, {"peak", provenance.bytes_peak}};
  if (provenance.device_bytes_forecast != 0)
    bytes["device"] = {{"forecast", provenance.device_bytes_forecast},
                       {"peak", provenance.device_bytes_peak}};
  return bytes;
}

Json block_json(const Method& method, const Spectrum& spectrum) {
  return method.info().uses_block ? Json(spectrum.block) : Json(nullptr);
}

void add_features(Json& object, const Features& features) {
  object["samples"] = features.samples;
  object["zero_share"] = features.zero_share;
  put_features(object, features);
}

std::string number(double value, int digits) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::vector<std::pair<std::string, std::string>> export_text(const Matrix& matrix, const Spectrum& spectrum) {
  const Provenance& from = spectrum.provenance;
  std::vector<std::pair<std::string, std::string>> text{{"Software", "Spyctrum " + from.version},
                                                        {"Source", matrix.report.file},
                                                        {"Method", from.method},
                                                        {"Exactness", to_string(spectrum.exactness)},
                                                        {"Backend", from.backend},
                                                        {"Seed", std::to_string(from.seed)}};
  for (const auto& [name, value] : from.parameters) text.emplace_back("Parameter " + name, value);
  return text;
}

}  // namespace spyctrum::cli
