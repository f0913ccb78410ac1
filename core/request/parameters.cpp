// SPDX-License-Identifier: Apache-2.0
// Values of parameters against a schema: defaults, ranges, spelling.
#include "core/request/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

namespace spyctrum {

namespace {

std::string number_text(double value) {
  std::ostringstream text;
  text.precision(12);
  text << value;
  return text.str();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string possible_values(const Parameter& parameter) {
  switch (parameter.type) {
    case Parameter::Type::integer:
      return "a whole number from " + number_text(parameter.minimum) + " to " +
             number_text(parameter.maximum);
    case Parameter::Type::real:
      return "a number from " + number_text(parameter.minimum) + " to " + number_text(parameter.maximum);
    case Parameter::Type::choice:
      return "one of " + joined(parameter.choices);
    case Parameter::Type::flag:
      return "true or false";
  }
  return {};
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The value in its one spelling ("016" → "16"), or nothing where it is not possible.
std::optional<std::string> normalised(const Parameter& parameter, std::string_view text) {
  const auto in_range = [&](double value) {
    return std::isfinite(value) && value >= parameter.minimum && value <= parameter.maximum;
  };
  switch (parameter.type) {
    case Parameter::Type::integer:
      if (const auto value = parse_number<std::int64_t>(text); value && in_range(static_cast<double>(*value)))
        return std::to_string(*value);
      return std::nullopt;
    case Parameter::Type::real:
      if (const auto value = parse_number<double>(text); value && in_range(*value))
        return number_text(*value);
      return std::nullopt;
    case Parameter::Type::choice:
      if (std::find(parameter.choices.begin(), parameter.choices.end(), text) != parameter.choices.end())
        return std::string(text);
      return std::nullopt;
    case Parameter::Type::flag:
      if (text == "true" || text == "1" || text == "on" || text == "yes") return "true";
      if (text == "false" || text == "0" || text == "off" || text == "no") return "false";
      return std::nullopt;
  }
  return std::nullopt;
}

std::string_view value_of(const ParameterValues& values, std::string_view name) {
  const auto found = values.find(name);
  if (found == values.end())
    throw Failure(ErrorCode::internal, "The parameter '" + std::string(name) + "' was not resolved.");
  return found->second;
}

}  // namespace

Result<ParameterValues> resolve_parameters(const std::vector<Parameter>& schema, std::string_view owner,
                                           const ParameterValues& given) {
  for (const auto& entry : given) {
    const std::string& name = entry.first;
    if (std::any_of(schema.begin(), schema.end(), [&](const Parameter& p) { return p.name == name; }))
      continue;
    std::vector<std::string> names;
    names.reserve(schema.size());
    for (const Parameter& parameter : schema) names.push_back(parameter.name);
    return fail(ErrorCode::wrong_use,
                "The method " + std::string(owner) + " has no parameter '" + name + "'.",
                names.empty() ? "It takes none." : "It takes " + joined(names) + ".");
  }
  ParameterValues resolved;
  for (const Parameter& parameter : schema) {
    const auto found = given.find(parameter.name);
    const std::string& text = found == given.end() ? parameter.default_value : found->second;
    auto value = normalised(parameter, text);
    if (!value) {
      return fail(ErrorCode::wrong_use,
                  "'" + text + "' is not possible for " + parameter.name + " of the method " +
                      std::string(owner) + ".",
                  "Choose " + possible_values(parameter) + ".");
    }
    resolved.emplace(parameter.name, std::move(*value));
  }
  return resolved;
}

std::int64_t integer_value(const ParameterValues& values, std::string_view name) {
  const std::string_view text = value_of(values, name);
  if (const auto value = parse_number<std::int64_t>(text)) return *value;
  throw Failure(ErrorCode::wrong_use,
                "'" + std::string(text) + "' is not a whole number, as " + std::string(name) + " must be.");
}

double real_value(const ParameterValues& values, std::string_view name) {
  const std::string_view text = value_of(values, name);
  if (const auto value = parse_number<double>(text)) return *value;
  throw Failure(ErrorCode::wrong_use,
                "'" + std::string(text) + "' is not a number, as " + std::string(name) + " must be.");
}

}  // namespace spyctrum
