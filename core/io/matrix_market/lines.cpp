// SPDX-License-Identifier: Apache-2.0
// There are two parsers. The fast one accepts lines as programs write them; every line that it does not
// accept is passed to the careful one, which accepts all valid lines and explains what is wrong with the
// others.
#include "core/io/matrix_market/lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>

#include "core/io/digit_runs.hpp"
#include "core/io/quote.hpp"

namespace spyctrum {

namespace {

// Every block of text ends with LF, and LF ends each loop below: none of them tests for the end of the text.
void skip_blanks(const char*& at) {
  // Blanks are among the least characters: usually one comparison is enough.
  while (static_cast<unsigned char>(*at) <= ' ' && (*at == ' ' || *at == '\t')) ++at;
}

// Skips blanks; returns false if there are none.
bool pass_blanks(const char*& at) {
  if (*at != ' ' && *at != '\t') return false;
  ++at;
  skip_blanks(at);
  return true;
}

unsigned digit(char c) { return static_cast<unsigned char>(c) - static_cast<unsigned>('0'); }

bool is_letter(char c, char lower) { return (c | 0x20) == lower; }

// Reads 1 to 18 digits, which fit 64 bits. Returns false for another number of digits.
bool fast_index(const char*& at, std::uint64_t& value) {
  const char* begin = at;
  std::uint64_t number = 0;
  while (digit(*at) < 10) number = number * 10 + digit(*at++);
  value = number;
  const auto digits = at - begin;
  return digits >= 1 && digits <= 18;
}

// Skips digits and returns their number; sets `nonzero` if one of them is not 0. If `converts`, appends them
// to `whole`, which may overflow after 18 digits.
template <bool converts>
std::size_t pass_digits(const char*& at, bool& nonzero, std::uint64_t& whole) {
  const char* begin = at;
  unsigned seen = 0;
  for (; digit(*at) < 10; ++at) {
    seen |= digit(*at);
    if constexpr (converts) whole = 10 * whole + digit(*at);
  }
  nonzero = nonzero || seen != 0;
  return static_cast<std::size_t>(at - begin);
}

// As pass_digits(), for digits that usually extend to `end`, the end of the line; null: not known.
template <bool converts>
[[gnu::always_inline]] inline std::size_t pass_last_digits(const char*& at, const char* end, bool& nonzero,
                                                           std::uint64_t& whole) {
  static constexpr auto kPowers = [] {
    std::array<std::uint64_t, 17> powers{1};
    for (std::size_t k = 1; k < powers.size(); ++k) powers.at(k) = 10 * powers.at(k - 1);
    return powers;
  }();
  SixteenDigits digits;
  const std::size_t count = end == nullptr ? 0 : static_cast<std::size_t>(end - at);
  if (count - 1 >= 16 || !digits_before(end, count, digits)) return pass_digits<converts>(at, nonzero, whole);
  nonzero |= (digits.high | digits.low) != 0;
  if constexpr (converts) whole = kPowers[count] * whole + digits.number();
  at = end;
  return count;
}

constexpr double kNotConverted = std::numeric_limits<double>::quiet_NaN();

// ±whole · 10^exponent, of a whole number with this many digits, if both factors are numbers of double
// precision: then one multiplication or division rounds correctly (W. D. Clinger, PLDI 1990). 0 has no sign.
double exact_product(bool is_negative, std::uint64_t whole, std::size_t digits, int exponent) {
  static constexpr std::array<double, 23> kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const auto size = static_cast<std::size_t>(std::abs(exponent));
  if (digits > 18 || whole > std::uint64_t{1} << 53U || size >= kPowers.size()) return kNotConverted;
  // No branch for the sign.
  const auto sign = -static_cast<std::int64_t>(is_negative);
  const auto factor = static_cast<double>((static_cast<std::int64_t>(whole) ^ sign) - sign);
  return exponent < 0 ? factor / kPowers[size] : factor * kPowers[size];
}

// If `converts`, sets `number`, to kNotConverted for numbers that value_of() must convert. `end`: where the
// line ends, if there are 16 characters of the text before; else null.
template <MarketField field, bool converts>
[[gnu::always_inline]] inline bool fast_value(const char*& text, const char* end, bool& nonzero,
                                              double& number) {
  const char* at = text;  // in a register
  // No branch: signs vary, so that it would often be mispredicted.
  const bool is_negative = *at == '-';
  at += static_cast<int>(is_negative) | static_cast<int>(*at == '+');
  std::uint64_t whole = 0;
  std::size_t digits = pass_digits<converts>(at, nonzero, whole);
  int exponent = 0;
  if constexpr (field != MarketField::integer) {
    if (*at == '.') {
      ++at;
      const std::size_t behind = pass_last_digits<converts>(at, end, nonzero, whole);
      digits += behind;
      exponent = -static_cast<int>(std::min<std::size_t>(behind, 1000));
    }
    if (digits == 0) return false;
    if (is_letter(*at, 'e') || is_letter(*at, 'd')) {
      ++at;
      const bool is_small = *at == '-';
      if (*at == '-' || *at == '+') ++at;
      bool ignored = false;
      std::uint64_t size = 0;
      const std::size_t length = pass_digits<converts>(at, ignored, size);
      if (length == 0) return false;
      const int limited = length > 4 ? 10000 : static_cast<int>(size);
      exponent += is_small ? -limited : limited;
    }
  } else if (digits == 0 || digits > 18) {
    return false;
  }
  if constexpr (converts) {
    number = exact_product(is_negative, whole, digits, exponent);
  }
  text = at;
  return true;
}

bool fast_end(const char*& at) {
  if (*at == '\n') return true;
  while (*at == ' ' || *at == '\t' || *at == '\r') ++at;
  return *at == '\n';
}

// Whether a line is neither blank nor a comment.
bool is_entry_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\v\f");
  return first != std::string_view::npos && line[first] != '%';
}

// Words of the value of an entry.
constexpr std::size_t words_per_value(MarketField field) {
  return field == MarketField::pattern ? 0 : field == MarketField::complex ? 2 : 1;
}

// The contents of one line.
struct EntryLine {
  std::uint64_t row = 0;  // from 1
  std::uint64_t col = 0;
  bool zero = false;             // whether the value, or both parts of a complex value, are 0
  const char* values = nullptr;  // the text of the values
  std::array<double, 2> numbers{kNotConverted, 0};  // the values, if they are converted
};

template <MarketField field, bool converts>
bool fast_values(const char*& at, const char* end, bool& zero, std::array<double, 2>& numbers) {
  bool nonzero = false;
  for (std::size_t k = 0; k < words_per_value(field); ++k) {
    if (!pass_blanks(at)) return false;
    if (!fast_value<field, converts>(at, end, nonzero, numbers[k])) return false;
  }
  zero = field != MarketField::pattern && !nonzero;
  return true;
}

// Parses a line from `at` on; `end` as for fast_value(). Returns false if it has another form; else sets `at`
// to its line end.
template <MarketField field, bool converts>
bool fast_entry(const char*& at, const char* end, const MarketHeader& header, EntryLine& entry) {
  skip_blanks(at);
  if (!fast_index(at, entry.row) || !pass_blanks(at) || !fast_index(at, entry.col)) return false;
  // 1 ≤ row ≤ rows in one comparison: 0 − 1 is the largest number.
  if (entry.row - 1 >= header.rows || entry.col - 1 >= header.cols) return false;
  entry.values = at;
  return fast_values<field, converts>(at, end, entry.zero, entry.numbers) && fast_end(at);
}

// The numbers at `text`, which are known to be well formed; a blank or a line end, which are the least
// characters, follows each.
Value value_of(const char* text, MarketField field) {
  std::array<double, 2> number{};
  for (std::size_t k = 0; k < words_per_value(field); ++k) {
    while (*text <= ' ') ++text;
    const char* const begin = text;
    while (*text > ' ') ++text;
    number.at(k) = number_of(std::string_view(begin, static_cast<std::size_t>(text - begin)));
  }
  return {number[0], number[1]};
}

Value value_of(const EntryLine& entry, MarketField field) {
  const Value converted(entry.numbers[0], entry.numbers[1]);
  return std::isnan(converted.real() + converted.imag()) ? value_of(entry.values, field) : converted;
}

std::string words_expected(const MarketHeader& header) {
  static constexpr std::array<std::string_view, 4> kValues{"", " VALUE", " VALUE", " REAL IMAGINARY"};
  const std::string values(kValues.at(static_cast<std::size_t>(header.field)));
  return header.format == MarketFormat::coordinate ? "\"ROW COLUMN" + values + "\""
                                                   : "\"" + values.substr(1) + "\"";
}

LineComplaint complaint(std::string what, std::string advice) {
  return {0, std::move(what), std::move(advice)};
}

std::optional<LineComplaint> careful_index(std::string_view word, std::string_view what, std::uint64_t side,
                                           std::uint64_t& value) {
  const WholeNumber number = parse_whole_number(word);
  const std::string name = std::string(what) + " index ";
  const std::string range = "expected 1 to " + grouped(side) + ".";
  if (number.kind != WholeNumber::Kind::number) {
    const std::string found =
        number.kind == WholeNumber::Kind::negative ? "negative (" + in_quotes(word) + "); " + range
        : number.kind == WholeNumber::Kind::too_large
            ? in_quotes(word) + ", beyond 64 bits; " + range
            : in_quotes(word) + "; expected a whole number from 1 to " + grouped(side) + ".";
    return complaint("the " + name + "is " + found, "Correct this line.");
  }
  if (number.value == 0)
    return complaint("the " + name + "is 0; " + range,
                     "Matrix Market counts from 1: if the file counts from 0, add 1 to every index.");
  if (number.value > side)
    return complaint("the " + name + "is " + in_quotes(word) + "; " + range,
                     "Correct this line or the size line.");
  value = number.value;
  return std::nullopt;
}

std::optional<LineComplaint> careful_values(std::span<const std::string_view> words, MarketField field,
                                            bool& zero) {
  bool nonzero = field == MarketField::pattern;
  for (const std::string_view word : words) {
    const ValueKind kind = field == MarketField::integer ? classify_integer(word) : classify_real(word);
    if (kind == ValueKind::beyond_64_bits)
      return complaint("the value is " + in_quotes(word) + ", an integer beyond 64 bits.",
                       "Write real instead of integer in the banner, or correct this line.");
    if (kind == ValueKind::malformed)
      return complaint("the value is " + in_quotes(word) + "; expected " +
                           (field == MarketField::integer ? "an integer." : "a number."),
                       field == MarketField::integer && classify_real(word) != ValueKind::malformed
                           ? "Write real instead of integer in the banner."
                           : "Correct this line.");
    nonzero = nonzero || kind == ValueKind::nonzero;
  }
  zero = !nonzero;
  return std::nullopt;
}

std::optional<LineComplaint> wrong_word_count(std::string_view line, std::size_t found, std::size_t expected,
                                              const MarketHeader& header) {
  std::string advice = "Correct this line.";
  if (header.format == MarketFormat::array)
    advice = "A complex value is two numbers on one line.";
  else if (found > expected && header.field == MarketField::pattern)
    advice = "If every line holds a value, write real instead of pattern in the banner.";
  else if (found == 2 && header.format == MarketFormat::coordinate)
    advice = "If no line holds a value, write pattern in the banner.";
  return complaint("found " + in_quotes(line) + " (" + counted(found, "word", "words") + "); expected " +
                       words_expected(header) + ".",
                   advice);
}

// `line`, of a file of coordinates, is neither blank nor a comment.
std::optional<LineComplaint> careful_line(std::string_view line, const MarketHeader& header,
                                          EntryLine& entry) {
  const std::vector<std::string_view> words = words_of(line);
  const std::size_t expected = 2 + words_per_value(header.field);
  if (auto wrong = careful_index(words[0], "row", header.rows, entry.row)) return wrong;
  if (words.size() < 2) return wrong_word_count(line, words.size(), expected, header);
  if (auto wrong = careful_index(words[1], "column", header.cols, entry.col)) return wrong;
  if (words.size() != expected) return wrong_word_count(line, words.size(), expected, header);
  if (words.size() > 2) entry.values = words[2].data();
  return careful_values(std::span(words).subspan(2), header.field, entry.zero);
}

void take(const EntryLine& entry, const LineRules& rules, LineBlock& block) {
  const MarketHeader& header = rules.header;
  if (header.format == MarketFormat::array) {
    ++block.count;
    block.zeros += entry.zero ? 1 : 0;
    if (entry.zero) return;
    block.nonzeros.push_back(block.count - 1);
    if (rules.options.values != ValueUse::none) block.values.push_back(value_of(entry, header.field));
    return;
  }
  auto row = static_cast<Index>(entry.row - 1);
  auto col = static_cast<Index>(entry.col - 1);
  if (header.symmetry != Mirror::none) {
    block.above_diagonal += row < col ? 1 : 0;
    block.on_diagonal += row == col ? 1 : 0;
    if (row < col && !rules.as_stored) std::swap(row, col);
  }
  if (header.field == MarketField::pattern) return block.add(row, col);
  block.add(row, col, entry.zero, rules.options, [&] {
    const Value value = value_of(entry, header.field);
    const bool is_mirrored = entry.row < entry.col && !rules.as_stored;
    return is_mirrored ? mirrored(value, header.symmetry) : value;
  });
}

/// The values of a line of an array file, of which there may be several.
std::optional<LineComplaint> take_values(std::string_view line, const LineRules& rules, LineBlock& block) {
  const MarketField field = rules.header.field;
  const std::size_t size = std::max<std::size_t>(1, words_per_value(field));  // no array file is a pattern
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() % size != 0) return wrong_word_count(line, words.size(), size, rules.header);
  for (std::size_t k = 0; k < words.size(); k += size) {
    EntryLine value{.values = words[k].data()};
    if (auto wrong = careful_values(std::span(words).subspan(k, size), field, value.zero)) return wrong;
    take(value, rules, block);
  }
  return std::nullopt;
}

/// Whether all that is needed of an entry is its position, its real value, and whether that is zero.
bool has_plain_entries(const LineRules& rules) {
  const bool has_values = rules.header.field != MarketField::pattern;
  const bool is_complex = rules.header.field == MarketField::complex;
  return rules.header.symmetry == Mirror::none && rules.header.format == MarketFormat::coordinate &&
         !(has_values && rules.options.drop_zeros) && !(is_complex && rules.options.values != ValueUse::none);
}

template <MarketField field, MarketFormat format>
void parse(std::string_view text, const LineRules& rules, LineBlock& block) {
  const char* at = text.data();
  const bool converts = field != MarketField::pattern && rules.options.values != ValueUse::none;
  const bool takes_plain = has_plain_entries(rules);
  if (format == MarketFormat::coordinate) {
    const std::size_t expected = expected_lines(text);
    block.entries.reserve(expected);
    if (converts && takes_plain)
      block.reals.reserve(expected);
    else if (converts && rules.options.values == ValueUse::keep)
      block.values.reserve(expected);
  }
  Grouped<PackedEntry> positions(block.entries);
  Grouped<double> reals(block.reals);
  const char* const sixteenth = at + std::min<std::size_t>(text.size(), 16);
  // Line ends are found ahead of the numbers, so that processors begin a line before they have parsed the
  // last.
  for_line_ends(text, [&](const char* const line_end) {
    const char* const end = line_end >= sixteenth ? line_end : nullptr;
    const char* const line_begin = at;
    EntryLine entry;
    bool good = false;
    if constexpr (format == MarketFormat::coordinate) {
      good = converts ? fast_entry<field, true>(at, end, rules.header, entry)
                      : fast_entry<field, false>(at, end, rules.header, entry);
    } else if constexpr (field != MarketField::pattern) {
      skip_blanks(at);
      bool nonzero = false;
      entry.values = at;
      good = field != MarketField::complex && fast_value<field, false>(at, end, nonzero, entry.numbers[0]) &&
             fast_end(at);
      entry.zero = !nonzero;
    }
    const std::string_view line(line_begin, static_cast<std::size_t>(line_end - line_begin));
    if (!good && is_entry_line(line)) {
      entry.numbers = {kNotConverted, 0};
      good = format == MarketFormat::coordinate;
      block.complaint = good ? careful_line(line, rules.header, entry) : take_values(line, rules, block);
      if (block.complaint) {
        block.complaint->line = block.lines;
        return false;
      }
    }
    if (good && takes_plain) {
      block.zeros += entry.zero ? 1 : 0;
      positions.add(pack_entry(static_cast<Index>(entry.row - 1), static_cast<Index>(entry.col - 1)));
      const double number = entry.numbers[0];
      if (converts) reals.add(std::isnan(number) ? value_of(entry.values, field).real() : number);
    } else if (good) {
      take(entry, rules, block);
    }
    ++block.lines;
    at = line_end + 1;
    return true;
  });
  positions.flush();
  reals.flush();
  if (takes_plain) block.count = block.entries.size();
  if (takes_plain && converts) block.sums.add(block.reals);
  if (rules.options.values != ValueUse::keep) block.reals.clear();
}

template <MarketField field>
void parse_field(std::string_view text, const LineRules& rules, LineBlock& block) {
  if (rules.header.format == MarketFormat::coordinate)
    parse<field, MarketFormat::coordinate>(text, rules, block);
  else
    parse<field, MarketFormat::array>(text, rules, block);
}

}  // namespace

bool take_real(const char*& at, bool& is_zero) {
  bool nonzero = false;
  double ignored = 0;
  const bool is_usual = fast_value<MarketField::real, false>(at, nullptr, nonzero, ignored);
  is_zero = !nonzero;
  return is_usual;
}

void parse_lines(std::string_view text, const LineRules& rules, LineBlock& block) {
  switch (rules.header.field) {
    case MarketField::pattern:
      return parse_field<MarketField::pattern>(text, rules, block);
    case MarketField::integer:
      return parse_field<MarketField::integer>(text, rules, block);
    case MarketField::real:
      return parse_field<MarketField::real>(text, rules, block);
    case MarketField::complex:
      return parse_field<MarketField::complex>(text, rules, block);
  }
}

std::uint64_t entries_in(std::string_view line, const MarketHeader& header) {
  if (!is_entry_line(line)) return 0;
  const std::size_t size = words_per_value(header.field);
  return header.format == MarketFormat::coordinate || size == 0
             ? 1
             : std::max<std::size_t>(1, words_of(line).size() / size);
}

}  // namespace spyctrum
