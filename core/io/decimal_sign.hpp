// SPDX-License-Identifier: Apache-2.0
// Numbers with a decimal comma, in texts whose columns are not separated by commas.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/io/import_options.hpp"

namespace spyctrum {

inline constexpr std::array<std::string_view, 2> kDecimalSigns{"point", "comma"};
inline constexpr ImportOption kDecimalOption{"decimal", kDecimalSigns,
                                             "the sign before the fractions of numbers"};

/// The sign before the fractions of all numbers in a text: the user's choice, or that of the first fraction.
class DecimalSign {
 public:
  /// `choice`: one of kDecimalSigns; empty: the numbers show it.
  explicit DecimalSign(std::string_view choice = {})
      : sign_(choice.empty()               ? '\0'
              : choice == kDecimalSigns[1] ? ','
                                           : '.'),
        is_certain_(!choice.empty()) {}

  /// Replaces the decimal comma of a number by a point; `word` is then valid until the next call. Other words
  /// stay as they are. Returns false, and changes nothing, if the number has not the sign of those before it.
  [[nodiscard]] bool take(std::string_view& word);
  /// Takes the sign of later numbers of the same text. Returns false, and changes nothing, if it is another.
  [[nodiscard]] bool add(const DecimalSign& later);
  [[nodiscard]] bool is_comma() const { return sign_ == ','; }
  /// Whether every comma found may as well group digits, as in 1,250.
  [[nodiscard]] bool is_ambiguous() const { return is_comma() && !is_certain_; }
  /// Adds to the report what was assumed, and that the values were left out if the sign is ambiguous.
  void report(LoadReport& report, const LoadOptions& options) const;

 private:
  char sign_;        // '\0': no fraction yet
  bool is_certain_;  // by the user's choice, or by a number in which a comma cannot group digits
  std::string with_point_;
};

}  // namespace spyctrum
