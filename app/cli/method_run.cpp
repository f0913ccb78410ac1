// SPDX-License-Identifier: Apache-2.0
// Turns options into requests, and results into JSON fields.
#include "app/cli/method_run.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/text.hpp"
#include "core/features/feature_table.hpp"

namespace spyctrum::cli {

namespace {

/// A list of whole numbers, separated by commas.
std::vector<std::int64_t> parse_integers(const std::string& text) {
  std::vector<std::int64_t> values;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end || values.empty()) {
    std::int64_t value = 0;
    const auto parsed = std::from_chars(at, end, value);
    const bool more = parsed.ptr != end && *parsed.ptr == ',' && parsed.ptr + 1 != end;
    if (parsed.ec != std::errc{} || (parsed.ptr != end && !more))
      throw Failure(ErrorCode::wrong_use, "--window '" + text + "' is not a list of whole numbers.",
                    "Write U0,V0,H,W or U0,V0,H,W,SU,SV.");
    values.push_back(value);
    at = more ? parsed.ptr + 1 : parsed.ptr;
  }
  return values;
}

}  // namespace

bool has_parameter(const Method& method, std::string_view name) {
  const auto& parameters = method.parameters();
  return std::ranges::find(parameters, name, &Parameter::name) != parameters.end();
}

Chosen choose(const MethodOptions& options, const Session& session) {
  Chosen chosen{find_method(options.method), {}};
  if (chosen.method == nullptr)
    throw Failure(ErrorCode::wrong_use, "There is no method '" + options.method + "'.",
                  "Choose " + joined(methods(), [](const auto& method) { return method->info().id; }) + ".");
  ParameterValues given;
  for (const std::string& setting : options.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(ErrorCode::wrong_use, "--set '" + setting + "' is not NAME=VALUE.");
    given[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  chosen.parameters = or_throw(resolve(*chosen.method, given));
  if (options.block && has_parameter(*chosen.method, "block"))
    or_throw(chosen.parameters.set("block", *options.block));
  else if (options.block)
    session.note("The method " + options.method + " has no block size; --block is ignored.");
  return chosen;
}

std::vector<std::uint32_t> block_sizes(const std::vector<std::int64_t>& typed) {
  for (const std::int64_t block : typed)
    if (block < 1 || block > kLargestBlock)
      throw Failure(ErrorCode::wrong_use, "A block size is 1 or more, not " + std::to_string(block) + ".");
  return {typed.begin(), typed.end()};
}

ResolvedRequest request_for(Session& session, const PatternPtr& pattern,
                            const ResolvedParameters& parameters) {
  ResolvedRequest request;
  request.pattern = pattern;
  request.parameters = parameters;
  request.backend = session.backend();
  return request;
}

FrequencyGrid Window::of(const SparsePattern& pattern) const {
  return {FrequencyAxis::progression(pattern.rows(), u, step_u, static_cast<std::uint64_t>(height)),
          FrequencyAxis::progression(pattern.cols(), v, step_v, static_cast<std::uint64_t>(width))};
}

std::optional<Window> parse_window(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::vector<std::int64_t> w = parse_integers(text);
  if (w.size() != 4 && w.size() != 6)
    throw Failure(ErrorCode::wrong_use,
                  "--window '" + text + "' has " + std::to_string(w.size()) + " numbers instead of 4 or 6.",
                  "Write U0,V0,H,W or U0,V0,H,W,SU,SV.");
  Window window{.u = w[0], .v = w[1], .height = w[2], .width = w[3]};
  if (w.size() == 6) {
    window.step_u = w[4];
    window.step_v = w[5];
  }
  constexpr std::int64_t kLargest = std::int64_t{1} << 32;  // keeps origin + count·step within 64 bits
  constexpr std::int64_t kMostAlong = std::int64_t{1} << 30;
  const bool in_range = std::ranges::all_of(w, [](std::int64_t x) { return x > -kLargest && x < kLargest; });
  if (!in_range || window.height < 1 || window.width < 1 || window.height > kMostAlong ||
      window.width > kMostAlong || window.step_u == 0 || window.step_v == 0)
    throw Failure(
        ErrorCode::wrong_use, "--window '" + text + "' is not a possible window.",
        "Height and width are from 1 to 2^30, steps are not 0, all numbers are below 2^32 in magnitude.");
  return window;
}

void add_weights(Json& object, const Matrix& matrix) {
  const SparsePattern& pattern = *matrix.pattern;
  object["weights"] = matrix.report.weights;
  if (!pattern.has_weights()) return;
  object["weight_sum"] = std::ldexp(pattern.weight_sum(), pattern.weight_exponent());
  object["weight_squares"] = std::ldexp(pattern.weight_squares(), 2 * pattern.weight_exponent());
}

Json matrix_fields(const Matrix& matrix) {
  Json fields{{"file", matrix.report.file},
              {"rows", matrix.pattern->rows()},
              {"cols", matrix.pattern->cols()},
              {"nonzeros", matrix.pattern->nonzeros()}};
  add_weights(fields, matrix);
  if (!matrix.report.notes.empty()) fields["notes"] = matrix.report.notes;
  return fields;
}

double scale_of(const Spectrum& spectrum, bool is_power) {
  if (!spectrum.weights) return 1;
  const int times = is_power ? 2 : 1;
  const auto in_units = [&](double size) {
    return std::ldexp(std::pow(size, times), times * spectrum.exponent());
  };
  const double largest = in_units(spectrum.weights->magnitudes);
  const double usual = in_units(std::sqrt(spectrum.weights->squares));
  if (largest > std::numeric_limits<float>::max() || usual < 1e6 * std::numeric_limits<float>::min())
    throw Failure(ErrorCode::wrong_use,
                  std::string("The ") + (is_power ? "powers" : "coefficients") + " of these weights, about " +
                      number_text(usual, 2) + ", are beyond the range of single precision.",
                  is_power ? "Use --as magnitude or complex, or --weights log."
                           : "Use --weights log or sign, or write a .png.");
  return std::ldexp(1.0, times * spectrum.exponent());
}

void add_features(Json& object, const Features& features) {
  object["samples"] = features.samples;
  object["zero_share"] = features.zero_share;
  put_features(object, features);
}

void add_provenance(Json& object, const Matrix& matrix, const Provenance& from) {
  const double load = matrix.report.seconds;
  object["backend"] = from.backend;
  object["device"] = from.device;
  Json& seconds = object["seconds"];
  seconds = {{"total", load + from.seconds}, {"load", load}, {"compute", from.seconds}};
  for (const auto& [stage, value] : from.stages) seconds[stage] = value;
  Json& bytes = object["bytes"];
  bytes = {{"forecast", from.bytes_forecast}, {"peak", from.bytes_peak}};
  if (from.device_bytes_forecast != 0)
    bytes["device"] = {{"forecast", from.device_bytes_forecast}, {"peak", from.device_bytes_peak}};
  object["seed"] = from.seed;
  object["version"] = from.version;
}

Json block_json(const Method& method, const Spectrum& spectrum) {
  return method.info().uses_block ? Json(spectrum.block) : Json(nullptr);
}

void note_whole_plane(const Session& session, const SparsePattern& pattern, const std::string& advice) {
  constexpr double kLong = 1e11;  // coefficients
  const double count = static_cast<double>(pattern.rows()) * static_cast<double>(pattern.cols());
  if (count >= kLong)
    session.note("All " + count_text(count) + " coefficients of the plane are computed, which takes long. " +
                 advice);
}

std::string count_text(double count) {
  constexpr double kLargest = 1e15;
  return count < kLargest ? grouped(static_cast<std::uint64_t>(std::llround(count))) : number_text(count, 4);
}

std::string padded(const std::string& text, std::size_t width) {
  const auto characters = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  return text + std::string(characters < width ? width - characters : 1, ' ');
}

std::vector<std::pair<std::string, std::string>> export_text(const Matrix& matrix, const Spectrum& spectrum) {
  const Provenance& from = spectrum.provenance;
  std::vector<std::pair<std::string, std::string>> text{{"Software", "Spyctrum " + from.version},
                                                        {"Source", matrix.report.file},
                                                        {"Method", from.method},
                                                        {"Exactness", to_string(spectrum.exactness)},
                                                        {"Backend", from.backend},
                                                        {"Seed", std::to_string(from.seed)}};
  if (matrix.pattern->has_weights()) text.emplace_back("Weights", matrix.report.weights);
  for (const auto& [name, value] : from.parameters) text.emplace_back("Parameter " + name, value);
  return text;
}

}  // namespace spyctrum::cli
