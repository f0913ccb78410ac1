// SPDX-License-Identifier: Apache-2.0
// Whole numbers in a text, without a branch for each of its characters: the places of the characters that are
// no digits come from 64 characters at a time, and eight digits are converted by three multiplications (D.
// Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51, 2021).
#pragma once

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

inline constexpr std::size_t kGroup = 64;                   // characters
inline constexpr std::uint64_t kEach = 0x0101010101010101;  // 1 in each byte
inline constexpr std::uint64_t kZeros = std::uint64_t{'0'} * kEach;

/// Bit k is set if at[k] is no digit, for kGroup characters.
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

}  // namespace digit_runs

/// Calls use(at) for the characters of a text that are no digits, one after the other, while it returns true.
template <class Use>
void for_non_digits(std::string_view text, const Use& use) {
  using digit_runs::kGroup;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto use_all = [&](std::uint64_t bits) {
    for (; bits != 0; bits &= bits - 1)
      if (!use(at + std::countr_zero(bits))) return false;
    return true;
  };
  for (; static_cast<std::size_t>(end - at) >= kGroup; at += kGroup)
    if (!use_all(digit_runs::non_digits(at))) return;
  const auto left = static_cast<std::size_t>(end - at);
  std::array<char, kGroup> last{};
  std::memcpy(last.data(), at, left);
  use_all(digit_runs::non_digits(last.data()) & ((std::uint64_t{1} << left) - 1));
}

/// Converts the digits from `first` to `last` − 1 of a text that begins at `text`. Returns false if there are
/// none, or more than 18.
inline bool number_of_digits(const char* text, const char* first, const char* last, std::uint64_t& number) {
  using digit_runs::kZeros;
  const auto digits = static_cast<std::size_t>(last - first);
  if (std::endian::native == std::endian::little && digits - 1 < 8 && last - text >= 8) {
    // Of the eight characters before `last`, those before `first` become zeros.
    std::uint64_t word = 0;
    std::memcpy(&word, last - 8, 8);
    word = (word ^ kZeros) & ~std::uint64_t{0} << (64 - 8 * digits);
    word = 10 * word + (word >> 8U);  // numbers of two digits in every other byte
    constexpr std::uint64_t kPairs = 0x000000FF000000FF;
    constexpr std::uint64_t kFirstAndThird = 100 + (std::uint64_t{1'000'000} << 32U);
    constexpr std::uint64_t kOthers = 1 + (std::uint64_t{10'000} << 32U);
    number = ((word & kPairs) * kFirstAndThird + (word >> 16U & kPairs) * kOthers) >> 32U;
    return true;
  }
  number = 0;
  for (const char* at = first; at != last; ++at) number = 10 * number + static_cast<unsigned>(*at - '0');
  return digits - 1 < 18;
}

}  // namespace spyctrum
