// SPDX-License-Identifier: Apache-2.0
// The parameters of a method: a schema, from which the interface builds widgets and the command line its
// options, and values by name that are checked against it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace spyctrum {

/// The largest block size that any method takes.
inline constexpr std::uint32_t kLargestBlock = 1048576;

/// One entry of a method's schema. `block` is always an integer parameter named
/// "block".
struct Parameter {
  enum class Type { integer, real, choice, flag };
  std::string name;
  Type type = Type::integer;
  double minimum = 0;
  double maximum = 0;
  std::vector<std::string> choices;  ///< for choice
  std::string default_value;         ///< as text
  std::string help;
};

/// Values by name, as text; validated against a schema by resolve().
using ParameterValues = std::map<std::string, std::string, std::less<>>;

/// Defaults filled in, values checked and brought to one spelling. `owner` names the method in messages.
/// Errors: wrong_use naming the parameter and what is possible.
[[nodiscard]] Result<ParameterValues> resolve_parameters(const std::vector<Parameter>& schema,
                                                         std::string_view owner,
                                                         const ParameterValues& given);
[[nodiscard]] std::int64_t integer_value(const ParameterValues& values, std::string_view name);
[[nodiscard]] double real_value(const ParameterValues& values, std::string_view name);

}  // namespace spyctrum
