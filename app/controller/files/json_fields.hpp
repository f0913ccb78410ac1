// SPDX-License-Identifier: Apache-2.0
// Fields of JSON files. A record is described by one function that calls field(key, member) for each of its
// members; FieldWriter and FieldReader are such a `field`. Integers are checked: the JSON library would
// convert a number that does not fit by a cast, which gives another number or is undefined.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/io/json_text.hpp"

namespace spyctrum {

/// The integer in `json`. Throws Failure{bad_input} if it is something else, or an integer outside the range
/// of T.
template <class T>
[[nodiscard]] T whole_number(const nlohmann::json& json) {
  if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) return json.get<T>();
  if (json.is_number_integer() && !json.is_number_unsigned() && std::in_range<T>(json.get<std::int64_t>()))
    return json.get<T>();
  throw Failure(ErrorCode::bad_input,
                "A whole number within its limits is expected in place of " + json_text(json) + ".");
}

/// Sets the fields of `json` to the members' values. An enumerator is written as its entry of `names`.
struct FieldWriter {
  nlohmann::json& json;
  void operator()(const char* key, const auto& value) const { json[key] = value; }
  void operator()(const char* key, const auto& value, const auto& names) const {
    json[key] = names.at(static_cast<std::size_t>(value));
  }
};

/// Sets the members to the values in `json`; a member without a field keeps its value. Throws
/// Failure{bad_input} for integers as whole_number(), and for an enumerator whose text is not among `names`;
/// nlohmann::json::exception for other types.
struct FieldReader {
  const nlohmann::json& json;
  template <class T>
  void operator()(const char* key, T& value) const {
    if constexpr (std::integral<T> && !std::same_as<T, bool>)
      value = json.contains(key) ? whole_number<T>(json.at(key)) : value;
    else
      value = json.value(key, value);
  }
  template <class T>
  void operator()(const char* key, T& value, const auto& names) const {
    if (!json.contains(key)) return;
    const auto text = json.at(key).get<std::string>();
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
      throw Failure(ErrorCode::bad_input, std::string("\"") + key + "\" is \"" + text +
                                              "\"; expected one of " + joined(names) + ".");
    value = static_cast<T>(found - names.begin());
  }
};

}  // namespace spyctrum
