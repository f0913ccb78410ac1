// SPDX-License-Identifier: Apache-2.0
// Numbers are parsed independently of the locale.
#include "core/io/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/base/text.hpp"

namespace spyctrum {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Behind the imaginary part of a complex number in text; Julia writes im.
constexpr std::string_view kImaginaryUnits = "ijIJ";

bool is_exponent_letter(char c) { return std::string_view("eEdDqQ").find(c) != std::string_view::npos; }

// Position of the exponent of a word, at its letter or sign; the word's size if it has none.
std::size_t exponent_of(std::string_view word) {
  for (std::size_t k = 1; k < word.size(); ++k)
    if (is_exponent_letter(word[k]) || word[k] == '+' || word[k] == '-') return k;
  return word.size();
}

// Converts a number that from_chars() does not accept or that is out of its range.
double unusual_number(std::string_view word) {
  const std::size_t at = exponent_of(word);
  std::string_view exponent = word.substr(std::min(word.size(), at));
  if (!exponent.empty() && is_exponent_letter(exponent[0])) exponent.remove_prefix(1);
  const bool is_below_one = word.substr(std::min(word.find_first_not_of("-0"), word.size())).starts_with('.');
  const bool small = exponent.starts_with('-') || (exponent.empty() && is_below_one);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::string plain(word.substr(0, at));
  if (!exponent.empty()) plain.append("e").append(exponent);
  double number = kNan;
  const char* const end = plain.data() + plain.size();
  const auto parsed = std::from_chars(plain.data(), end, number);
  if (parsed.ec == std::errc::result_out_of_range && parsed.ptr == end) {
    const bool negative = plain.starts_with('-');
    number = small ? 0.0 : std::numeric_limits<double>::infinity();
    return negative ? -number : number;
  }
  return parsed.ec == std::errc{} && parsed.ptr == end ? number : kNan;
}

// A number of 1 + `exponent_bits` + `mantissa_bits` bits, as IEEE 754 lays it out.
double ieee(std::uint64_t bits, int exponent_bits, int mantissa_bits) {
  const auto mantissa = static_cast<double>(bits & ((std::uint64_t{1} << mantissa_bits) - 1));
  const auto exponent = static_cast<int>(bits >> mantissa_bits & ((std::uint64_t{1} << exponent_bits) - 1));
  const bool negative = (bits >> (mantissa_bits + exponent_bits) & 1U) != 0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double number = 0;
  if (exponent == 2 * bias + 1)
    number = mantissa == 0 ? std::numeric_limits<double>::infinity() : kNan;
  else if (exponent == 0)
    number = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  else
    number = std::ldexp(1 + std::ldexp(mantissa, -mantissa_bits), exponent - bias);
  return negative ? -number : number;
}

/// Numbers from this one on round to infinity. Smaller ones above the largest number of single precision
/// (such as 3.40282347e38, as it is often written) round to the latter.
constexpr double kBeyondSingle = 0x1.ffffffp127;
constexpr double kLeastSingle = std::numeric_limits<float>::denorm_min();

bool fits_single(double x) {
  const double size = std::abs(x);
  return !(std::isfinite(x) && (size >= kBeyondSingle || (size > 0 && size < kLeastSingle)));
}

/// Two numbers on which processors work at once.
using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;
using PairBits [[gnu::vector_size(2 * sizeof(double))]] = std::int64_t;

Pair magnitudes_of(Pair x) {
  return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(x) & std::numeric_limits<std::int64_t>::max());
}

/// Four numbers in single precision, and half of them.
using Quad [[gnu::vector_size(4 * sizeof(float))]] = float;
using QuadBits [[gnu::vector_size(4 * sizeof(float))]] = std::int32_t;
using Half [[gnu::vector_size(2 * sizeof(float))]] = float;

Quad magnitudes_of(Quad x) {
  return reinterpret_cast<Quad>(reinterpret_cast<QuadBits>(x) & std::numeric_limits<std::int32_t>::max());
}

/// The vector of numbers that begins at `at`.
template <class Vector, class Number>
Vector vector_at(const Number* at) {
  Vector vector;
  std::memcpy(&vector, at, sizeof vector);
  return vector;
}
// NaN leaves the other number as it is.
template <class Vector>
Vector lesser(Vector x, Vector other) {
  return x < other ? x : other;
}
template <class Vector>
Vector larger(Vector x, Vector other) {
  return x > other ? x : other;
}
/// The two numbers at `at` in double precision.
Pair doubles_at(const float* at) {
#ifdef __SSE2__
  return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadu_si64(at)));  // GCC 12 converts the numbers one by one
#else
  return __builtin_convertvector(vector_at<Half>(at), Pair);
#endif
}

/// Two sums, with the errors of their additions (D. E. Knuth, The Art of Computer Programming, volume 2,
/// 4.2.2, theorem B), and extremes, of finite numbers.
struct PairSums {
  Pair sum{}, error{}, least{}, largest{}, least_size{};

  /// `at`: where any two of the numbers are.
  void begin(const double* at) {
    least = largest = vector_at<Pair>(at);
    least_size = magnitudes_of(least);
  }
  void add(const double* at) {
    const Pair x = vector_at<Pair>(at);
    const Pair next = sum + x;
    const Pair added = next - sum;
    error += (sum - (next - added)) + (x - added);
    sum = next;
    least = lesser(x, least);
    largest = larger(x, largest);
    least_size = lesser(magnitudes_of(x), least_size);
  }
};

}  // namespace

Magnitudes magnitudes(std::span<const double> numbers) {
  Magnitudes all{std::numeric_limits<double>::infinity(), 0};
  Pair least = Pair{} + all.least;
  Pair largest{};
  const double* at = numbers.data();
  for (const double* const end = at + numbers.size() / 2 * 2; at != end; at += 2) {
    const Pair size = magnitudes_of(vector_at<Pair>(at));
    least = lesser(size, least);
    largest = larger(size, largest);
  }
  if (numbers.size() % 2 != 0 && !std::isnan(*at)) all = {std::abs(*at), std::abs(*at)};
  return {std::min({all.least, least[0], least[1]}), std::max({all.largest, largest[0], largest[1]})};
}

float large_to_single(double x) {
  using Single = std::numeric_limits<float>;
  const float size = std::abs(x) >= kBeyondSingle ? Single::infinity() : Single::max();
  return x > 0 ? size : -size;
}

const char* to_string(Mirror mirror) {
  static constexpr std::array kNames{"general", "symmetric", "skew-symmetric", "hermitian"};
  return kNames.at(static_cast<std::size_t>(mirror));
}

Mirror mirror_named(std::string_view name) {
  for (const Mirror mirror : {Mirror::symmetric, Mirror::skew, Mirror::hermitian})
    if (name == to_string(mirror)) return mirror;
  return Mirror::none;
}

Value mirrored(Value value, Mirror mirror) {
  return mirror == Mirror::skew ? -value : mirror == Mirror::hermitian ? std::conj(value) : value;
}

WholeNumber parse_whole_number(std::string_view word) {
  WholeNumber number;
  const bool negative = word.starts_with('-');
  std::string_view digits = word;
  if (negative || word.starts_with('+')) digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, number.value);
  if (digits.empty() || stop != end) return number;
  number.kind = problem != std::errc()          ? WholeNumber::Kind::too_large
                : negative && number.value != 0 ? WholeNumber::Kind::negative
                                                : WholeNumber::Kind::number;
  return number;
}

ValueKind classify_integer(std::string_view word) {
  const WholeNumber number = parse_whole_number(word);
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + 1;
  if (number.kind == WholeNumber::Kind::other) return ValueKind::malformed;
  const bool is_below = number.kind == WholeNumber::Kind::negative && number.value > limit;
  if (number.kind == WholeNumber::Kind::too_large || is_below) return ValueKind::beyond_64_bits;
  return number.value == 0 ? ValueKind::zero : ValueKind::nonzero;
}

ValueKind classify_real(std::string_view word) {
  std::string_view rest = word;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  for (const std::string_view special : {"inf", "infinity", "nan"}) {
    if (std::ranges::equal(rest, special, {}, lower_case)) return ValueKind::nonzero;
  }
  bool nonzero = false;
  const auto digits = [&](bool& any) {
    std::size_t count = 0;
    for (; count < rest.size() && rest[count] >= '0' && rest[count] <= '9'; ++count)
      any = any || rest[count] != '0';
    rest.remove_prefix(count);
    return count;
  };
  std::size_t mantissa = digits(nonzero);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    mantissa += digits(nonzero);
  }
  if (mantissa == 0) return ValueKind::malformed;
  if (!rest.empty()) {
    const bool letter = is_exponent_letter(rest[0]);
    if (letter) rest.remove_prefix(1);
    const bool sign = rest.starts_with('-') || rest.starts_with('+');
    if (sign) rest.remove_prefix(1);
    bool ignored = false;
    if ((!letter && !sign) || digits(ignored) == 0 || !rest.empty()) return ValueKind::malformed;
  }
  return nonzero ? ValueKind::nonzero : ValueKind::zero;
}

double number_of(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double number = 0;
  const char* const end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end ? number : unusual_number(word);
}

std::optional<ComplexNumber> complex_number(std::string_view text) {
  constexpr std::string_view kSigns = "+-";
  const bool is_enclosed = text.starts_with('(') && text.ends_with(')');
  if (is_enclosed) text = trimmed(text.substr(1, text.size() - 2));
  std::string_view real = "0";
  std::string_view imaginary = text;
  bool is_negative = false;
  if (const std::size_t comma = text.find(','); is_enclosed && comma != std::string_view::npos) {
    real = text.substr(0, comma);
    imaginary = text.substr(comma + 1);
  } else {
    const bool is_of_julia = text.ends_with("im");
    if (!is_of_julia && (text.empty() || kImaginaryUnits.find(text.back()) == std::string_view::npos))
      return std::nullopt;
    const bool may_be_imaginary_alone = is_of_julia || text.ends_with('j');
    text.remove_suffix(is_of_julia ? 2 : 1);
    if (text.ends_with('*')) text.remove_suffix(1);
    std::size_t sign = text.find_last_of(kSigns);
    const bool is_of_exponent = sign != std::string_view::npos && sign >= 2 &&
                                is_exponent_letter(text[sign - 1]) && text[sign - 2] <= '9';
    if (is_of_exponent) sign = text.find_last_of(kSigns, sign - 1);
    const bool has_real = sign != std::string_view::npos && sign != 0;
    if (!has_real && !may_be_imaginary_alone) return std::nullopt;
    imaginary = text;
    if (has_real) {
      real = text.substr(0, sign);
      is_negative = text[sign] == '-';
      imaginary = text.substr(sign + 1);
      if (imaginary.find_first_of(kSigns) == 0) return std::nullopt;
      if (is_negative && real.ends_with('+')) real.remove_suffix(1);
    }
  }
  real = trimmed(real);
  imaginary = trimmed(imaginary);
  const ValueKind of_real = classify_real(real), of_imaginary = classify_real(imaginary);
  if (of_real == ValueKind::malformed || of_imaginary == ValueKind::malformed) return std::nullopt;
  const double size = number_of(imaginary);
  return ComplexNumber{{number_of(real), is_negative ? -size : size},
                       of_real == ValueKind::zero && of_imaginary == ValueKind::zero};
}

std::uint64_t binary_whole(const char* bytes, std::size_t width, bool big_endian) {
  std::uint64_t number = 0;
  for (std::size_t b = 0; b < width; ++b)
    number = number << 8U | static_cast<unsigned char>(bytes[big_endian ? b : width - 1 - b]);
  return number;
}

bool is_binary_zero(const char* bytes, std::size_t width, std::size_t parts, bool has_sign, bool big_endian) {
  const std::size_t part = width / parts;
  for (std::size_t b = 0; b < width; ++b) {
    const bool holds_sign = has_sign && b % part == (big_endian ? 0 : part - 1);
    if ((static_cast<unsigned char>(bytes[b]) & (holds_sign ? 0x7FU : 0xFFU)) != 0) return false;
  }
  return true;
}

double binary_real(const char* bytes, std::size_t width, bool big_endian) {
  switch (width) {
    case 2:
      return ieee(binary_whole(bytes, 2, big_endian), 5, 10);
    case 4:
      return std::bit_cast<float>(static_cast<std::uint32_t>(binary_whole(bytes, 4, big_endian)));
    case 8:
      return std::bit_cast<double>(binary_whole(bytes, 8, big_endian));
    case 16: {
      // Sign, 15 bits of exponent and the first 48 of 112 of the mantissa; then the others.
      const std::uint64_t high = binary_whole(bytes + (big_endian ? 0 : 8), 8, big_endian);
      const std::uint64_t low = binary_whole(bytes + (big_endian ? 8 : 0), 8, big_endian);
      const double rest = std::ldexp(static_cast<double>(low), -64);
      const int exponent = static_cast<int>(high >> 48U & 0x7FFFU);
      const double mantissa = static_cast<double>(high & 0xFFFF'FFFF'FFFFU) + rest;
      if (exponent == 0x7FFF) return ieee(high, 15, 48);
      const double size = exponent == 0 ? 0.0
                                        : std::ldexp(1 + std::ldexp(mantissa, -48),
                                                     std::clamp(exponent - 16383, -2000, 2000));
      return high >> 63U != 0 ? -size : size;
    }
    default:
      return kNan;
  }
}

double extended_real(const char* bytes) {
  const std::uint64_t mantissa = binary_whole(bytes, 8, false);
  const std::uint64_t top = binary_whole(bytes + 8, 2, false);
  const int exponent = static_cast<int>(top & 0x7FFFU);
  double size = 0;
  if (exponent == 0x7FFF)
    size = mantissa << 1U == 0 ? std::numeric_limits<double>::infinity() : kNan;
  else
    size = std::ldexp(static_cast<double>(mantissa), std::max(exponent, 1) - 16383 - 63);
  return top >> 15U != 0 ? -size : size;
}

double binary_integer(const char* bytes, std::size_t width, bool big_endian, bool has_sign) {
  const std::uint64_t number = binary_whole(bytes, width, big_endian);
  if (!has_sign || width == 0) return static_cast<double>(number);
  const std::size_t unused = 64 - 8 * width;
  return static_cast<double>(static_cast<std::int64_t>(number << unused) >> unused);
}

void CompensatedSum::add(double x) {
  const double sum = sum_ + x;
  error_ += std::abs(sum_) >= std::abs(x) ? (sum_ - sum) + x : (x - sum) + sum_;
  sum_ = sum;
}

void CompensatedSum::add(const CompensatedSum& other) {
  add(other.sum_);
  error_ += other.error_;
}

void ValueSums::add_now(Value value, bool on_diagonal) {
  if (std::isnan(value.real()) || std::isnan(value.imag())) {
    ++facts_.nan;
    return;
  }
  if (std::isinf(value.real()) || std::isinf(value.imag())) {
    ++facts_.infinite;
    return;
  }
  facts_.beyond_single += fits_single(value.real()) && fits_single(value.imag()) ? 0 : 1;
  const double size = value.imag() == 0 ? std::abs(value.real()) : std::hypot(value.real(), value.imag());
  include({.least = value.real(), .largest = value.real(), .finite = 1}, size, size);
  (on_diagonal ? diagonal_real_ : real_).add(value.real());
  if (value.imag() != 0) (on_diagonal ? diagonal_imaginary_ : imaginary_).add(value.imag());
}

Magnitudes ValueSums::add(std::span<const double> numbers) {
  count_ += numbers.size();
  Magnitudes all = magnitudes({});
  while (!numbers.empty()) {
    const std::span<const double> now = numbers.first(std::min(numbers.size(), kGroup - waiting_count_));
    Magnitudes own{};
    if (now.size() == kGroup) {
      own = add_group(now);
    } else {
      own = magnitudes(now);
      std::ranges::copy(now, waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_count_));
      waiting_count_ += now.size();
      if (waiting_count_ == kGroup) flush();
    }
    all = {std::min(all.least, own.least), std::max(all.largest, own.largest)};
    numbers = numbers.subspan(now.size());
  }
  return all;
}

Magnitudes ValueSums::add(std::span<const float> numbers) {
  Magnitudes all = magnitudes({});
  while (!numbers.empty()) {
    const std::span<const float> now = numbers.first(std::min(numbers.size(), kGroup));
    std::optional<Magnitudes> own;
    if (now.size() == kGroup && waiting_count_ == 0) own = add_exactly(now);
    if (own) {
      count_ += now.size();
    } else {
      std::array<double, kGroup> doubles;
      std::ranges::copy(now, doubles.begin());
      own = add(std::span(doubles).first(now.size()));
    }
    all = {std::min(all.least, own->least), std::max(all.largest, own->largest)};
    numbers = numbers.subspan(now.size());
  }
  return all;
}

void ValueSums::flush() { add_group(std::span(waiting_).first(std::exchange(waiting_count_, 0))); }

Magnitudes ValueSums::add_group(std::span<const double> numbers) {
  if (numbers.size() == kGroup)
    if (const std::optional<Magnitudes> usual = add_usual(numbers)) return *usual;
  for (const double number : numbers) add_now(number, false);
  return magnitudes(numbers);
}

/// Adds kGroup numbers, unless one of them is not finite, infinite in single precision, or nonzero and 0
/// there.
std::optional<Magnitudes> ValueSums::add_usual(std::span<const double> numbers) {
  std::array<PairSums, 2> pairs;  // additions of one do not wait for those of the other
  const double* at = numbers.data();
  for (PairSums& pair : pairs) pair.begin(at);
  for (const double* const end = at + kGroup; at != end; at += 4) {
    pairs[0].add(at);
    pairs[1].add(at + 2);
  }
  CompensatedSum sum;
  ValueStatistics facts{.least = numbers[0], .largest = numbers[0], .finite = kGroup};
  double least_size = std::abs(numbers[0]);
  for (const PairSums& pair : pairs)
    for (const int k : {0, 1}) {
      sum.add(CompensatedSum(pair.sum[k], pair.error[k]));
      facts.least = std::min(facts.least, pair.least[k]);
      facts.largest = std::max(facts.largest, pair.largest[k]);
      least_size = std::min(least_size, pair.least_size[k]);
    }
  const double largest_size = std::max(-facts.least, facts.largest);
  // A number that is not finite makes the sum NaN or infinite.
  if (!std::isfinite(sum.value()) || largest_size >= kBeyondSingle) return std::nullopt;
  if (least_size < kLeastSingle && !std::ranges::all_of(numbers, fits_single)) return std::nullopt;
  include(facts, least_size, largest_size);
  real_.add(sum);
  return Magnitudes{least_size, largest_size};
}

/// Adds kGroup numbers whose magnitudes differ at most by the factor 2^20: their sums, multiples of the last
/// digit of the least one and below 2^52 times that, are exact in double precision.
std::optional<Magnitudes> ValueSums::add_exactly(std::span<const float> numbers) {
  constexpr double kMostRatio = 1U << 20U;
  std::array<Pair, 4> sums{};  // additions of one do not wait for those of another
  const float* at = numbers.data();
  Quad least = vector_at<Quad>(at);
  Quad largest = least;
  Quad least_size = magnitudes_of(least);
  for (const float* const end = at + kGroup; at != end; at += 8) {
    for (const std::size_t half : {0U, 4U}) {
      const Quad x = vector_at<Quad>(at + half);
      least = lesser(x, least);
      largest = larger(x, largest);
      least_size = lesser(magnitudes_of(x), least_size);
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += doubles_at(at + 2 * k);
  }
  const Pair both = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  const double sum = both[0] + both[1];
  const auto extreme = [](const Quad& four, const auto& of) {
    return of(of(four[0], four[1]), of(four[2], four[3]));
  };
  const auto least_of = [](double x, double y) { return std::min(x, y); };
  const auto largest_of = [](double x, double y) { return std::max(x, y); };
  const ValueStatistics facts{
      .least = extreme(least, least_of), .largest = extreme(largest, largest_of), .finite = kGroup};
  const Magnitudes sizes{extreme(least_size, least_of), std::max(-facts.least, facts.largest)};
  // A number that is not finite makes the sum NaN or infinite.
  if (!std::isfinite(sum) || sizes.largest > kMostRatio * sizes.least) return std::nullopt;
  include(facts, sizes.least, sizes.largest);
  real_.add(sum);
  return sizes;
}

/// Adds the counts and extremes of further numbers; `least_size`, `largest_size`: their extreme magnitudes.
void ValueSums::include(const ValueStatistics& facts, double least_size, double largest_size) {
  if (facts.finite != 0) {
    const bool first = facts_.finite == 0;
    facts_.least = first ? facts.least : std::min(facts_.least, facts.least);
    facts_.largest = first ? facts.largest : std::max(facts_.largest, facts.largest);
    least_size_ = first ? least_size : std::min(least_size_, least_size);
    largest_size_ = first ? largest_size : std::max(largest_size_, largest_size);
  }
  facts_.finite += facts.finite;
  facts_.nan += facts.nan;
  facts_.infinite += facts.infinite;
  facts_.beyond_single += facts.beyond_single;
}

void ValueSums::add(ValueSums later) {
  flush();
  later.flush();
  count_ += later.count_;
  include(later.facts_, later.least_size_, later.largest_size_);
  diagonal_real_.add(later.diagonal_real_);
  diagonal_imaginary_.add(later.diagonal_imaginary_);
  real_.add(later.real_);
  imaginary_.add(later.imaginary_);
}

ValueStatistics ValueSums::statistics(Mirror mirror, bool is_complex) const {
  ValueSums all = *this;
  all.flush();
  return all.flushed_statistics(mirror, is_complex);
}

ValueStatistics ValueSums::flushed_statistics(Mirror mirror, bool is_complex) const {
  ValueStatistics facts = facts_;
  if (is_complex) {
    facts.least = least_size_;
    facts.largest = largest_size_;
  }
  const double real_times = mirror == Mirror::none ? 1 : mirror == Mirror::skew ? 0 : 2;
  const double imaginary_times = mirror == Mirror::hermitian ? 0 : real_times;
  facts.sum = diagonal_real_.value() + real_times * real_.value();
  facts.sum_imaginary = diagonal_imaginary_.value() + imaginary_times * imaginary_.value();
  return facts;
}

}  // namespace spyctrum
