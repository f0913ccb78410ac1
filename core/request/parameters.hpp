// SPDX-License-Identifier: Apache-2.0
// The parameters of a method: the schema, from which the window makes its widgets and the command line its
// options; values as text, as a user or a file provides them (ParameterValues); and the same values as
// numbers (ResolvedParameters). Only resolve_parameters() reads text; methods see numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.hpp"

namespace spyctrum {

/// The largest block size that any method takes.
inline constexpr std::uint32_t kLargestBlock = 1048576;

/// One entry of a method's schema. The block size is always an integer parameter named "block".
struct Parameter {
  enum class Type { integer, real, choice, flag };
  std::string name;
  Type type = Type::integer;
  double minimum = 0;                ///< for integer and real
  double maximum = 0;                ///< for integer and real
  std::vector<std::string> choices;  ///< for choice
  std::string default_value;         ///< as text
  std::string help;
};

/// Values by name, as text: from the command line, session files or JSON. Missing parameters have their
/// defaults.
using ParameterValues = std::map<std::string, std::string, std::less<>>;

/// A new value for one parameter: text is read according to the parameter's type, a number is checked against
/// its range.
using ParameterInput = std::variant<std::string, std::int64_t, double, bool>;

/// The values of all parameters of one schema as numbers, each within its range. The schema must outlive this
/// object; those of the registered methods live as long as the program.
class ResolvedParameters {
 public:
  /// For a method without parameters.
  ResolvedParameters() = default;

  /// The value of the parameter with this name and type. Throw Failure{internal} if the schema has no such
  /// parameter.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  /// The index of the chosen word in Parameter::choices.
  [[nodiscard]] std::size_t choice_index(std::string_view name) const;
  /// The choice as an enumeration whose enumerators have the order of Parameter::choices.
  template <class Enumeration>
  [[nodiscard]] Enumeration choice(std::string_view name) const {
    return static_cast<Enumeration>(choice_index(name));
  }
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// Errors: wrong_use, naming the parameter and the possible values; nothing is changed then.
  [[nodiscard]] Result<void> set(std::string_view name, const ParameterInput& input);

  /// Every value in canonical spelling ("16", "1e-06", "stratified", "true"); resolve_parameters() gives
  /// equal values back.
  [[nodiscard]] ParameterValues text() const;
  /// The canonical spelling of one value. Throws Failure{internal} if there is no such parameter.
  [[nodiscard]] std::string text_of(std::string_view name) const;
  /// text() for the values that differ from those of `other`, which must have the same schema.
  [[nodiscard]] ParameterValues text_unlike(const ResolvedParameters& other) const;

  /// Whether both are values of the same schema, and equal.
  friend bool operator==(const ResolvedParameters&, const ResolvedParameters&) = default;

 private:
  struct Choice {
    std::size_t index = 0;
    bool operator==(const Choice&) const = default;
  };
  using Value = std::variant<std::int64_t, double, Choice, bool>;
  struct Reading;

  [[nodiscard]] const Value* find(std::string_view name) const;
  template <class Kind>
  [[nodiscard]] Kind get(std::string_view name) const;

  friend Result<ResolvedParameters> resolve_parameters(const std::vector<Parameter>& schema,
                                                       std::string_view owner, const ParameterValues& given);

  const std::vector<Parameter>* schema_ = nullptr;
  std::string owner_;
  std::vector<Value> values_;  ///< in the order of the schema
};

/// Reads and checks all given values and fills in defaults. `owner` names the method in messages. Errors:
/// wrong_use, naming the parameter and the possible values.
[[nodiscard]] Result<ResolvedParameters> resolve_parameters(const std::vector<Parameter>& schema,
                                                            std::string_view owner,
                                                            const ParameterValues& given);

}  // namespace spyctrum
