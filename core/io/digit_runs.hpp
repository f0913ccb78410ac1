// SPDX-License-Identifier: Apache-2.0
// Parses digits in a text without a branch for each character: the characters that are not digits are found
// among 64 at a time, and eight digits are converted by three multiplications (D. Lemire, "Number
// parsing at a gigabyte per second", Software: Practice and Experience 51, 2021).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace spyctrum {

namespace digit_runs {

inline constexpr std::size_t kGroup = 64;  // characters

/// Bit k is set if at[k] is not a digit, for kGroup characters.
inline std::uint64_t non_digits(const char* at) {
  std::uint64_t bits = 0;
#ifdef __SSE2__
  // The bytes '0' to '9' become the ten least numbers of eight bits with a sign.
  const __m128i shift = _mm_set1_epi8(static_cast<char>(0x80 - '0'));
  const __m128i nine = _mm_set1_epi8(-128 + 9);
  for (std::size_t k = 0; k < kGroup; k += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + k));
    const int marks = _mm_movemask_epi8(_mm_cmpgt_epi8(_mm_add_epi8(bytes, shift), nine));
    bits |= std::uint64_t{static_cast<unsigned>(marks)} << k;
  }
#else
  for (std::size_t k = 0; k < kGroup; ++k)
    bits |= std::uint64_t{static_cast<unsigned char>(at[k] - '0') > 9} << k;
#endif
  return bits;
}

/// Bit k is set if at[k] is LF, for kGroup characters.
inline std::uint64_t line_ends(const char* at) {
  std::uint64_t bits = 0;
#ifdef __SSE2__
  const __m128i end = _mm_set1_epi8('\n');
  for (std::size_t k = 0; k < kGroup; k += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + k));
    bits |= std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, end)))} << k;
  }
#else
  for (std::size_t k = 0; k < kGroup; ++k) bits |= std::uint64_t{at[k] == '\n'} << k;
#endif
  return bits;
}

/// The number of eight digits, each in a byte as 0 … 9, the first one in the lowest byte.
inline std::uint64_t number_of_eight(std::uint64_t word) {
  word = 10 * word + (word >> 8U);  // numbers of two digits in every other byte
  constexpr std::uint64_t kPairs = 0x000000FF000000FF;
  constexpr std::uint64_t kFirstAndThird = 100 + (std::uint64_t{1'000'000} << 32U);
  constexpr std::uint64_t kOthers = 1 + (std::uint64_t{10'000} << 32U);
  return ((word & kPairs) * kFirstAndThird + (word >> 16U & kPairs) * kOthers) >> 32U;
}

}  // namespace digit_runs

/// One to sixteen digits, each in a byte as 0 … 9, with zeros before them.
struct SixteenDigits {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  [[nodiscard]] std::uint64_t number() const {
    return 100'000'000 * digit_runs::number_of_eight(high) + digit_runs::number_of_eight(low);
  }
};
/// Sets `digits` to the `count` characters, 1 to 16, before `last`, where the text has 16 characters. Returns
/// false if some of them are not digits.
[[gnu::always_inline]] inline bool digits_before(const char* last, std::size_t count, SixteenDigits& digits) {
  std::memcpy(&digits.high, last - 16, 8);
  std::memcpy(&digits.low, last - 8, 8);
  // Characters before the digits are replaced by zeros; a shift by 64 at once is undefined.
  const auto others_of_low = static_cast<unsigned>(8 - std::min<std::size_t>(count, 8));
  const auto of_low = 8 * others_of_low;
  const auto of_high = static_cast<unsigned>(4 * (16 - others_of_low - count));
  digits.high = (digits.high ^ 0x3030303030303030) >> of_high >> of_high << of_high << of_high;
  digits.low = (digits.low ^ 0x3030303030303030) >> of_low << of_low;
  // The highest bit of a byte above 9 is set.
  constexpr std::uint64_t kToHighest = 0x7676767676767676;
  const std::uint64_t others =
      (digits.high + kToHighest) | digits.high | (digits.low + kToHighest) | digits.low;
  return std::endian::native == std::endian::little && (others & 0x8080808080808080) == 0;
}

/// Calls use(at) for the characters of a text that marks(at) marks, in order, until it returns false.
template <std::uint64_t (*marks)(const char*), class Use>
void for_marked(std::string_view text, const Use& use) {
  using digit_runs::kGroup;
  const char* at = text.data();
  std::array<char, kGroup> last{};
  for (std::size_t left = text.size(); left > 0;) {
    const std::size_t now = std::min(left, kGroup);
    if (now < kGroup) std::memcpy(last.data(), at, now);
    std::uint64_t bits = marks(now < kGroup ? last.data() : at);
    if (now < kGroup) bits &= (std::uint64_t{1} << now) - 1;
    // Compilers inline the only call of use(): the variables of its caller then stay in registers.
    for (; bits != 0; bits &= bits - 1)
      if (!use(at + std::countr_zero(bits))) return;
    at += now;
    left -= now;
  }
}
/// The same for characters that are not digits.
template <class Use>
void for_non_digits(std::string_view text, const Use& use) {
  for_marked<digit_runs::non_digits>(text, use);
}
/// The same for line ends (LF).
template <class Use>
void for_line_ends(std::string_view text, const Use& use) {
  for_marked<digit_runs::line_ends>(text, use);
}

/// Converts the digits from `first` to `last` − 1 of a text that ends at `end`. Returns false if there are
/// none, or more than 18.
inline bool number_of_digits(const char* first, const char* last, const char* end, std::uint64_t& number) {
  const auto digits = static_cast<std::size_t>(last - first);
  if (std::endian::native == std::endian::little && digits - 1 < 8 && end - first >= 8) {
    // The shift puts zeros before the digits and removes the characters after them.
    std::uint64_t word = 0;
    std::memcpy(&word, first, 8);
    number = digit_runs::number_of_eight((word ^ 0x3030303030303030) << (64 - 8 * digits));
    return true;
  }
  number = 0;
  for (const char* at = first; at != last; ++at) number = 10 * number + static_cast<unsigned>(*at - '0');
  return digits - 1 < 18;
}

}  // namespace spyctrum
