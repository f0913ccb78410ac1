// SPDX-License-Identifier: Apache-2.0
// Values of parameters against a schema: defaults, ranges, reading and spelling. Below the command line and
// the files, text of parameters is read only here.
#include "core/request/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "core/base/text.hpp"

namespace spyctrum {

namespace {

std::string number_text(double value) { return spyctrum::number_text(value, 12); }

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

std::string text_of_input(const ParameterInput& input) {
  return std::visit(
      [](const auto& value) -> std::string {
        using Given = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Given, std::string>) return value;
        if constexpr (std::is_same_v<Given, std::int64_t>) return std::to_string(value);
        if constexpr (std::is_same_v<Given, double>) return number_text(value);
        if constexpr (std::is_same_v<Given, bool>) return value ? "true" : "false";
      },
      input);
}

/// A Number, read from text or converted from a given number.
template <class Number>
std::optional<Number> number_of(const ParameterInput& input) {
  if (const auto* text = std::get_if<std::string>(&input)) return parse_number<Number>(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&input)) return static_cast<Number>(*integer);
  if constexpr (std::is_same_v<Number, double>)
    if (const auto* real = std::get_if<double>(&input)) return *real;
  return std::nullopt;
}

std::optional<bool> flag_of(const ParameterInput& input) {
  if (const auto* flag = std::get_if<bool>(&input)) return *flag;
  const auto* text = std::get_if<std::string>(&input);
  if (text == nullptr) return std::nullopt;
  if (*text == "true" || *text == "1" || *text == "on" || *text == "yes") return true;
  if (*text == "false" || *text == "0" || *text == "off" || *text == "no") return false;
  return std::nullopt;
}

std::optional<std::size_t> choice_of(const Parameter& parameter, const ParameterInput& input) {
  const auto* text = std::get_if<std::string>(&input);
  if (text == nullptr) return std::nullopt;
  const auto found = std::find(parameter.choices.begin(), parameter.choices.end(), *text);
  if (found == parameter.choices.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameter.choices.begin());
}

std::optional<std::size_t> position_of(const std::vector<Parameter>* schema, std::string_view name) {
  if (schema == nullptr) return std::nullopt;
  for (std::size_t k = 0; k < schema->size(); ++k)
    if ((*schema)[k].name == name) return k;
  return std::nullopt;
}

}  // namespace

struct ResolvedParameters::Reading {
  /// The value of a parameter; empty if the input is not allowed.
  static std::optional<Value> value(const Parameter& parameter, const ParameterInput& input) {
    const auto in_range = [&](double number) {
      return std::isfinite(number) && number >= parameter.minimum && number <= parameter.maximum;
    };
    switch (parameter.type) {
      case Parameter::Type::integer:
        if (const auto number = number_of<std::int64_t>(input);
            number && in_range(static_cast<double>(*number)))
          return *number;
        return std::nullopt;
      case Parameter::Type::real:
        // Rounded to twelve digits as in the canonical spelling, so that spelling and reading give the same
        // number.
        if (const auto number = number_of<double>(input); number && in_range(*number))
          return *parse_number<double>(number_text(*number));
        return std::nullopt;
      case Parameter::Type::choice:
        if (const auto index = choice_of(parameter, input)) return Choice{*index};
        return std::nullopt;
      case Parameter::Type::flag:
        if (const auto flag = flag_of(input)) return *flag;
        return std::nullopt;
    }
    return std::nullopt;
  }

  static std::string spelling(const Parameter& parameter, const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value)) return number_text(*real);
    if (const auto* choice = std::get_if<Choice>(&value)) return parameter.choices[choice->index];
    return std::get<bool>(value) ? "true" : "false";
  }
};

const ResolvedParameters::Value* ResolvedParameters::find(std::string_view name) const {
  const auto at = position_of(schema_, name);
  return at ? &values_[*at] : nullptr;
}

template <class Kind>
Kind ResolvedParameters::get(std::string_view name) const {
  if (const Value* value = find(name))
    if (const auto* held = std::get_if<Kind>(value)) return *held;
  throw Failure(ErrorCode::internal, "There is no parameter '" + std::string(name) + "' of that type.");
}

std::int64_t ResolvedParameters::integer(std::string_view name) const { return get<std::int64_t>(name); }
double ResolvedParameters::real(std::string_view name) const { return get<double>(name); }
bool ResolvedParameters::flag(std::string_view name) const { return get<bool>(name); }
std::size_t ResolvedParameters::choice_index(std::string_view name) const { return get<Choice>(name).index; }

Result<void> ResolvedParameters::set(std::string_view name, const ParameterInput& input) {
  const auto at = position_of(schema_, name);
  if (!at) {
    std::vector<std::string> names;
    if (schema_ != nullptr)
      for (const Parameter& parameter : *schema_) names.push_back(parameter.name);
    return fail(ErrorCode::wrong_use, owner_ + " has no parameter '" + std::string(name) + "'.",
                names.empty() ? "It takes none." : "It takes " + joined(names) + ".");
  }
  const Parameter& parameter = (*schema_)[*at];
  const auto value = Reading::value(parameter, input);
  if (!value) {
    return fail(
        ErrorCode::wrong_use,
        "'" + text_of_input(input) + "' is not possible for " + parameter.name + " of " + owner_ + ".",
        "Choose " + possible_values(parameter) + ".");
  }
  values_[*at] = *value;
  return {};
}

ParameterValues ResolvedParameters::text() const {
  ParameterValues text;
  for (std::size_t k = 0; k < values_.size(); ++k)
    text.emplace((*schema_)[k].name, Reading::spelling((*schema_)[k], values_[k]));
  return text;
}

std::string ResolvedParameters::text_of(std::string_view name) const {
  if (const auto at = position_of(schema_, name)) return Reading::spelling((*schema_)[*at], values_[*at]);
  throw Failure(ErrorCode::internal, "There is no parameter '" + std::string(name) + "'.");
}

ParameterValues ResolvedParameters::text_unlike(const ResolvedParameters& other) const {
  ParameterValues text;
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (k >= other.values_.size() || values_[k] != other.values_[k])
      text.emplace((*schema_)[k].name, Reading::spelling((*schema_)[k], values_[k]));
  return text;
}

Result<ResolvedParameters> resolve_parameters(const std::vector<Parameter>& schema, std::string_view owner,
                                              const ParameterValues& given) {
  ResolvedParameters resolved;
  resolved.schema_ = &schema;
  resolved.owner_ = owner;
  resolved.values_.resize(schema.size());
  for (const auto& [name, value] : given) {
    if (position_of(&schema, name)) continue;
    return tl::unexpected<Error>(resolved.set(name, value).error());
  }
  for (const Parameter& parameter : schema) {
    const auto found = given.find(parameter.name);
    if (auto set =
            resolved.set(parameter.name, found == given.end() ? parameter.default_value : found->second);
        !set)
      return tl::unexpected<Error>(set.error());
  }
  return resolved;
}

}  // namespace spyctrum
