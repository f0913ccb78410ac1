// SPDX-License-Identifier: Apache-2.0
// The parameters of a method: a schema, from which the window builds its widgets and the command line its
// options; values as text, as a user or a file gives them (ParameterValues); and the same values as numbers
// (ResolvedParameters). Text is read once, by resolve_parameters(); a method sees numbers only.
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
  double minimum = 0;                ///< of an integer or a real
  double maximum = 0;                ///< of an integer or a real
  std::vector<std::string> choices;  ///< of a choice
  std::string default_value;         ///< as text
  std::string help;
};

/// Values by name, as text: on the command line, in session files, in JSON. Missing ones take their defaults.
using ParameterValues = std::map<std::string, std::string, std::less<>>;

/// A value for one parameter as it is offered: text is read according to the parameter's type, a number is
/// only checked against its range.
using ParameterInput = std::variant<std::string, std::int64_t, double, bool>;

/// The values of all parameters of one schema, as numbers, each within its range. The schema must outlive
/// the object (those of the registered methods live as long as the program).
class ResolvedParameters {
 public:
  /// Of a method without parameters.
  ResolvedParameters() = default;

  /// The value of a parameter of that type. Throw Failure{internal} where the schema has none of that name
  /// and type.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  /// The position of the chosen word in Parameter::choices.
  [[nodiscard]] std::size_t choice_index(std::string_view name) const;
  /// The same as an enumeration whose enumerators stand in the order of Parameter::choices.
  template <class Enumeration>
  [[nodiscard]] Enumeration choice(std::string_view name) const {
    return static_cast<Enumeration>(choice_index(name));
  }
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// Errors: wrong_use naming the parameter and what is possible; the values are then as before.
  [[nodiscard]] Result<void> set(std::string_view name, const ParameterInput& input);

  /// Every value in its one spelling ("16", "1e-06", "stratified", "true"); resolving it gives equal values.
  [[nodiscard]] ParameterValues text() const;
  /// The one spelling of one value. Throws Failure{internal} where there is no such parameter.
  [[nodiscard]] std::string text_of(std::string_view name) const;
  /// text() of the values that differ from those of `other`, which has the same schema.
  [[nodiscard]] ParameterValues text_unlike(const ResolvedParameters& other) const;

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

/// Text becomes numbers: defaults filled in, every value read and checked. `owner` names the method in
/// messages. Errors: wrong_use naming the parameter and what is possible.
[[nodiscard]] Result<ResolvedParameters> resolve_parameters(const std::vector<Parameter>& schema,
                                                            std::string_view owner,
                                                            const ParameterValues& given);

}  // namespace spyctrum
