// SPDX-License-Identifier: Apache-2.0
#include "core/io/decimal_sign.hpp"

#include "core/io/text_reader.hpp"

namespace spyctrum {

namespace {

/// Whether the comma of a number may group digits: 1,250, −20,000, but neither 0,125 nor 1,25.
bool may_group_digits(std::string_view number, std::size_t comma) {
  const std::size_t first = number.find_first_not_of("+-");
  const std::string_view whole = number.substr(first, comma - first);
  return is_digits(whole) && whole.size() <= 3 && !whole.starts_with('0') && number.size() == comma + 4 &&
         is_digits(number.substr(comma + 1));
}

}  // namespace

bool DecimalSign::take(std::string_view& word) {
  const std::size_t comma = word.find(',');
  if (comma == std::string_view::npos) {
    if (sign_ == '.' || word.find('.') == std::string_view::npos ||
        classify_real(word) == ValueKind::malformed)
      return true;
    if (sign_ == '\0') sign_ = '.';
    return sign_ == '.';
  }
  with_point_ = word;
  with_point_[comma] = '.';
  if (classify_real(with_point_) == ValueKind::malformed) return true;
  if (sign_ == '.') return false;
  sign_ = ',';
  is_certain_ = is_certain_ || !may_group_digits(word, comma);
  word = with_point_;
  return true;
}

bool DecimalSign::add(const DecimalSign& later) {
  if (later.sign_ == '\0') return true;
  if (sign_ != '\0' && sign_ != later.sign_) return false;
  sign_ = later.sign_;
  is_certain_ = is_certain_ || later.is_certain_;
  return true;
}

void DecimalSign::report(LoadReport& report, const LoadOptions& options) const {
  if (is_comma() || is_certain_)
    note_assumption(report, options, kDecimalOption.name, kDecimalSigns.at(is_comma()));
  if (is_ambiguous())
    report.notes.emplace_back(
        "Each comma within a number may be a decimal sign or group digits, as in 1,250: values were left "
        "out; --import decimal=comma reads them.");
}

}  // namespace spyctrum
